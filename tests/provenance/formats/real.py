"""Published agents' conversations, where they are at hand: nothing of them is copied."""

import ast
import csv
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviews.provenance.core.context import ToolDoc
from tests.provenance.formats.writers import Call, Conversation, Turn

DATA = Path(os.environ.get("GUARD_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
AGENTDOJO = DATA / "agentdojo"
ASB = DATA / "asb" / "logs"


def needs(folder: Path) -> pytest.MarkDecorator:
    reason = f"The conversations are not at {folder}; set GUARD_DATA to the folder that holds agentdojo/ and asb/."
    return pytest.mark.skipif(not folder.exists(), reason=reason)


def agentdojo(suite: str) -> Iterator[Conversation]:
    """Every fourth run of a suite up to its last call, which is proposed."""
    listed = json.loads((AGENTDOJO / "suites.json").read_text())[suite]["tools"]
    tools = tuple(ToolDoc(tool["name"], tool["description"], tool["parameters"]) for tool in listed)
    for path in sorted(AGENTDOJO.glob(f"runs/*/{suite}/*/*/*.json"))[::4]:
        yield from _agentdojo(json.loads(path.read_text())["messages"], tools)


def _agentdojo(messages: list[dict[str, Any]], tools: tuple[ToolDoc, ...]) -> Iterator[Conversation]:
    results = {each["tool_call_id"]: each["content"] for each in messages if each["role"] == "tool"}
    system, user, *rest = (each for each in messages if each["role"] != "tool")
    turns = [_agentdojo_turn(each, results) for each in rest]
    last = max((at for at, turn in enumerate(turns) if turn.calls), default=None)
    if last is not None:
        yield Conversation(user["content"], tuple(turns[:last]), _opened(turns[last]), (system["content"],), tools)


def _agentdojo_turn(message: dict[str, Any], results: dict[str, str]) -> Turn:
    calls = message["tool_calls"] or ()
    made = (Call(call["id"], call["function"], call["args"], results[call["id"]]) for call in calls)
    return Turn(message["content"] or "", tuple(made))


def _opened(turn: Turn) -> Turn:
    """The same turn before anything in it was carried out."""
    return Turn(turn.text, tuple(Call(call.id, call.tool, call.arguments) for call in turn.calls))


def asb(log: str, *, most: int) -> Iterator[Conversation]:
    """The first rows of a log that call a tool: plan, steps and observations, the last call proposed."""
    csv.field_size_limit(2**24)
    with (ASB / log).open(newline="") as file:
        for row in [row for row in csv.DictReader(file) if "I will call the" in row["messages"]][:most]:
            yield from _asb(ast.literal_eval(row["messages"]))


def _asb(messages: list[dict[str, str]]) -> Iterator[Conversation]:
    system = tuple(each["content"] for each in messages if each["role"] == "system")
    user, *rest = (each for each in messages if each["role"] != "system")
    turns = [_asb_turn(at, each) for at, each in enumerate(rest)]
    last = max((at for at, turn in enumerate(turns) if isinstance(turn, Turn) and turn.calls), default=None)
    if last is not None and isinstance(turn := turns[last], Turn):
        yield Conversation(user["content"], tuple(turns[:last]), _opened(turn), system, _asb_tools(system))


def _asb_tools(system: tuple[str, ...]) -> tuple[ToolDoc, ...]:
    text = "".join(system).partition("from the tool list: ")[2]
    listed = json.JSONDecoder().raw_decode(text)[0] if text else []
    return tuple(ToolDoc(tool["function"]["name"], tool["function"]["description"]) for tool in listed)


def _asb_turn(at: int, message: dict[str, str]) -> str | Turn:
    text = message.get("content") or message["thinking"]
    if message["role"] == "user":
        return text
    said, _, observed = text.partition("[Observation]: ")
    tools = re.findall(r"I will call the (\w+) with the params as None", said)
    results = observed.split("The knowledge I get from ")[1:]
    if len(results) != len(tools):
        return Turn(text)
    return Turn(
        said, tuple(Call(f"{at}-{tool}", tool, {}, result) for tool, result in zip(tools, results, strict=True))
    )
