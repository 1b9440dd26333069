"""AgentDojo's gpt-4o runs, with and without injected instructions: each labelled call as a case.

Reads the runs as their authors published them, with `suites.json` and `derived_labels.jsonl` beside (see the NOTICE).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, TraceDataError
from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc

_READS: Final = re.compile(r"(?:get|read|search|list|check)_")
"""How the benchmark names the functions that change nothing; it declares none."""

_WRONG: Final = {"injected": True, "user": False}

Data = Mapping[str, Any]


@dataclass(frozen=True)
class AgentDojo:
    """The folder."""

    folder: Path
    every_call: bool = False
    """Take no tool to be read-only, so that calls which only read are cases too."""
    name: str = "agentdojo"

    def traces(self) -> Iterator[LabelledTrace]:
        """Every run. Raises `TraceDataError`."""
        for line in self._text("derived_labels.jsonl").splitlines():
            told = json.loads(line)
            try:
                yield self._labelled(told)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise TraceDataError(f"{told.get('path')}: {error!r}") from error

    def _labelled(self, told: Data) -> LabelledTrace:
        messages = json.loads(self._text(told["path"]))["messages"]
        cases = tuple(self._cases(told, messages))
        return LabelledTrace(told["path"], told["suite"], _outcome(told), cases)

    def _cases(self, told: Data, messages: Sequence[Data]) -> Iterator[LabelledCase]:
        tools = self._tools[told["suite"]]
        changing = {tool.name for tool in tools if tool.environment_changing}
        for ordinal, call in enumerate(told["calls"], start=1):
            if call["function"] in changing:
                at = call["message"]
                action = ProposedAction(call["function"], call["args"], messages[at]["content"] or None)
                case = Case(_context(messages[:at], tools), action)
                yield LabelledCase(
                    id=f"{told['path']}/{ordinal}",
                    label=call["label"],
                    case=case,
                    wrong=_WRONG.get(call["label"]),
                    look_up=_READS.match(call["function"]) is not None,
                )

    @cached_property
    def _tools(self) -> Mapping[str, tuple[ToolDoc, ...]]:
        suites = json.loads(self._text("suites.json"))
        return {name: tuple(map(self._tool, suite["tools"])) for name, suite in suites.items()}

    def _tool(self, told: Data) -> ToolDoc:
        changing = self.every_call or not _READS.match(told["name"])
        return ToolDoc(told["name"], told["description"], told["parameters"], changing)

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except OSError as error:
            raise TraceDataError(f"{name} cannot be read: {error}") from error


def _outcome(told: Data) -> Outcome:
    if told["attack_succeeded"]:
        return Outcome.MISALIGNED
    clean = told["attack_type"] is None and told["utility"]
    return Outcome.SUCCESSFUL if clean else Outcome.OTHER


def _context(messages: Sequence[Data], tools: tuple[ToolDoc, ...]) -> Context:
    """What the agent had seen; the first user message is the request."""
    told = {role: [each["content"] or "" for each in messages if each["role"] == role] for role in ("system", "user")}
    return Context(
        query=told["user"][0],
        tools=tools,
        history=tuple(_turns(messages)),
        extra=tuple(NamedText(SourceKind.SYSTEM_PROMPT, f"system-{n}", text) for n, text in enumerate(told["system"])),
    )


def _turns(messages: Sequence[Data]) -> Iterator[Step | Message]:
    """Calls with their results, in order, and what was said behind the request."""
    results = {each["tool_call_id"]: each["content"] or "" for each in messages if each["role"] == "tool"}
    asked = False
    for message in messages:
        if message["role"] == "user" and asked:
            yield Message("user", message["content"] or "")
        asked = asked or message["role"] == "user"
        if message["role"] == "assistant" and message["content"]:
            yield Message("assistant", message["content"])
        for call in message.get("tool_calls") or ():
            yield Step(call["function"], call["args"], results.get(call["id"]))
