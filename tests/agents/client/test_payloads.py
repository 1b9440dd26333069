"""Objects of SDKs as the API reads them: nothing dropped, nothing made up."""

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from anthropic.types import ToolUseBlock
from openai.types.chat import ChatCompletionMessageFunctionToolCall as ToolCall
from openai.types.responses import ResponseFunctionToolCall
from pydantic import BaseModel

from reviews.agents.client.provenanceguard import Call
from reviews.agents.client.provenanceguard.connections import site_address
from reviews.agents.client.provenanceguard.payloads import build_submission, outcome_json, read_call, to_json
from reviews.provenance.formats import parse

ARGUMENTS = {"to": "Daniel", "note": None}
TEXT = '{"to": "Daniel", "note": null}'
MESSAGES = [{"role": "user", "content": "Pay Daniel"}]
OPENAI = ToolCall(id="c1", type="function", function={"name": "pay", "arguments": TEXT})
RESPONSES = ResponseFunctionToolCall(call_id="c1", type="function_call", name="pay", arguments=TEXT)
ANTHROPIC = ToolUseBlock(id="c1", type="tool_use", name="pay", input=ARGUMENTS)
LANGCHAIN = {"name": "pay", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}
PLAIN = {"name": "pay", "arguments": ARGUMENTS, "id": "c1"}
NATIVE = {"query": "Pay Daniel", "history": []}


class Color(Enum):
    RED = "red"


class Model(BaseModel):
    to: str
    note: str | None = None


@dataclass
class Record:
    to: Model
    amounts: tuple[Decimal, ...]


def test_models_dataclasses_and_their_like_are_sent_as_they_are() -> None:
    record = Record(Model(to="Daniel"), (Decimal(30), Decimal("0.1")))
    assert to_json({"a": record, "b": Color.RED, "c": {1}}) == {
        "a": {"to": {"to": "Daniel", "note": None}, "amounts": [30, 0.1]},
        "b": "red",
        "c": [1],
    }


@pytest.mark.parametrize("value", [object(), b"bytes", {1: "one"}, Model])
def test_what_has_no_json_is_refused_and_reported_as_its_text(value: object) -> None:
    with pytest.raises(TypeError):
        to_json(value)
    assert outcome_json(value) == repr(value)


@pytest.mark.parametrize("call", [OPENAI, RESPONSES, ANTHROPIC, LANGCHAIN, PLAIN])
def test_tool_arguments_and_id_are_read_from_every_sdk(call: Any) -> None:
    assert read_call(call) == (Call("pay", ARGUMENTS), "c1")


@pytest.mark.parametrize(
    ("call", "past"),
    [
        (OPENAI, MESSAGES),
        (OPENAI, {"messages": MESSAGES}),
        (RESPONSES, MESSAGES),
        (RESPONSES, {"input": MESSAGES}),
        (ANTHROPIC, MESSAGES),
        (ANTHROPIC, {"messages": MESSAGES, "system": "Be kind."}),
        (LANGCHAIN, MESSAGES),
        (PLAIN, {"messages": MESSAGES}),
        (("pay", ARGUMENTS), {"messages": MESSAGES}),
        (("pay", ARGUMENTS), {"messages": MESSAGES, "system": "Be kind."}),
        (("pay", ARGUMENTS), {"input": MESSAGES}),
        ({"tool_use": ANTHROPIC}, {"messages": MESSAGES}),
        *[(call, NATIVE) for call in (OPENAI, RESPONSES, ANTHROPIC, LANGCHAIN, PLAIN, ("pay", ARGUMENTS))],
        ({"method": "tools/call", "id": 1, "params": {"name": "pay", "arguments": ARGUMENTS}}, {"query": "Pay Daniel"}),
    ],
)
def test_a_submission_reads_as_the_call_that_was_made(call: Any, past: Any) -> None:
    body = build_submission(call, past)
    parsed = parse(body)
    assert (parsed.case.action.tool, parsed.case.action.arguments) == ("pay", ARGUMENTS)
    assert parsed.case.context.query == "Pay Daniel"


@pytest.mark.parametrize("past", ["Pay Daniel", None, 7])
def test_what_is_no_past_is_refused(past: Any) -> None:
    with pytest.raises(TypeError):
        build_submission(OPENAI, past)


@pytest.mark.parametrize("path", ["", "/", "/api", "/api/", "/api/v1", "/api/v1/", "//"])
def test_the_address_may_end_in_the_path_of_the_api(path: str) -> None:
    assert site_address(f"https://guard.example/base{path}") == "https://guard.example/base"
