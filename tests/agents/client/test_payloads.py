"""Objects of SDKs as the API reads them: nothing dropped, nothing made up."""

import json
import ssl
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from pydantic import BaseModel

from reviews.agents.client.provenanceguard import Call
from reviews.agents.client.provenanceguard.connections import site_address, tls_context
from reviews.agents.client.provenanceguard.payloads import (
    build_submission,
    json_body,
    outcome_json,
    past_json,
    read_call,
    to_json,
)
from reviews.intake.wire.storable import replace_unstorable
from reviews.provenance.formats import parse
from tests.intake.wire.test_storable import TEXTS

ARGUMENTS = {"to": "Daniel", "note": None}
TEXT = '{"to": "Daniel", "note": null}'
MESSAGES = [{"role": "user", "content": "Pay Daniel"}]
LANGCHAIN = {"name": "pay", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}
PLAIN = {"name": "pay", "arguments": ARGUMENTS, "id": "c1"}
NATIVE = {"query": "Pay Daniel", "history": []}


# Functions, because the SDKs take seconds to import: in every process that collects tests, were it not for a test.
def openai_call() -> Any:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall as ToolCall  # noqa: PLC0415 - as above

    return ToolCall(id="c1", type="function", function={"name": "pay", "arguments": TEXT})


def responses_call() -> Any:
    from openai.types.responses import ResponseFunctionToolCall  # noqa: PLC0415 - as above

    return ResponseFunctionToolCall(call_id="c1", type="function_call", name="pay", arguments=TEXT)


def anthropic_call() -> Any:
    from anthropic.types import ToolUseBlock  # noqa: PLC0415 - as above

    return ToolUseBlock(id="c1", type="tool_use", name="pay", input=ARGUMENTS)


def made(call: Any) -> Any:
    """The call, or what holds it, with what its function makes."""
    if isinstance(call, dict):
        return {name: made(value) for name, value in call.items()}
    return call() if callable(call) else call


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


class Detached:
    """What cannot be read any more, as a record whose session has ended."""

    def model_dump(self, **_: Any) -> Any:
        raise LookupError("detached")


class Unshown(Detached):
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"price": Decimal("Infinity")}, "{'price': Decimal('Infinity')}"),
        (Decimal("sNaN"), "Decimal('sNaN')"),
        (float("inf"), "inf"),
        (Unshown(), "a Unshown that cannot be shown (RuntimeError)"),
    ],
)
def test_an_outcome_that_cannot_be_read_is_reported_as_what_can_be_said_of_it(value: object, text: str) -> None:
    assert outcome_json(value) == text


def test_an_outcome_that_has_gone_is_reported_as_its_text() -> None:
    assert "Detached object" in outcome_json(Detached())


@pytest.mark.parametrize("call", [openai_call, responses_call, anthropic_call, LANGCHAIN, PLAIN])
def test_tool_arguments_and_id_are_read_from_every_sdk(call: Any) -> None:
    assert read_call(made(call)) == (Call("pay", ARGUMENTS), "c1")


@pytest.mark.parametrize(
    ("call", "past"),
    [
        (openai_call, MESSAGES),
        (openai_call, {"messages": MESSAGES}),
        (responses_call, MESSAGES),
        (responses_call, {"input": MESSAGES}),
        (anthropic_call, MESSAGES),
        (anthropic_call, {"messages": MESSAGES, "system": "Be kind."}),
        (LANGCHAIN, MESSAGES),
        (PLAIN, {"messages": MESSAGES}),
        (("pay", ARGUMENTS), {"messages": MESSAGES}),
        (("pay", ARGUMENTS), {"messages": MESSAGES, "system": "Be kind."}),
        (("pay", ARGUMENTS), {"input": MESSAGES}),
        ({"tool_use": anthropic_call}, {"messages": MESSAGES}),
        *[
            (call, NATIVE)
            for call in (openai_call, responses_call, anthropic_call, LANGCHAIN, PLAIN, ("pay", ARGUMENTS))
        ],
        ({"method": "tools/call", "id": 1, "params": {"name": "pay", "arguments": ARGUMENTS}}, {"query": "Pay Daniel"}),
    ],
)
def test_a_submission_reads_as_the_call_that_was_made(call: Any, past: Any) -> None:
    body = build_submission(made(call), past)
    parsed = parse(body)
    assert (parsed.case.action.tool, parsed.case.action.arguments) == ("pay", ARGUMENTS)
    assert parsed.case.context.query == "Pay Daniel"


DOCUMENT = {"name": "pay", "parameters": {"type": "object"}}
BEDROCK = {"tools": [{"toolSpec": {"name": "pay", "inputSchema": {"json": {"type": "object"}}}}]}
CONTENTS = [{"role": "user", "parts": [{"text": "Pay Daniel"}]}]


@pytest.mark.parametrize(
    ("past", "names"),
    [
        ({"messages": MESSAGES, "toolConfig": BEDROCK}, ["pay"]),
        ({"request": {"messages": MESSAGES, "tools": [DOCUMENT]}}, ["pay"]),
        ({"contents": CONTENTS, "config": {"tools": [{"functionDeclarations": [DOCUMENT]}]}}, ["pay"]),
        ({"request": {"contents": CONTENTS, "config": {"tools": [{"functionDeclarations": [DOCUMENT]}]}}}, ["pay"]),
        ({"request": {"messages": MESSAGES}}, []),
        ({"contents": CONTENTS, "config": {"system_instruction": "Be kind."}}, []),
        ({"messages": MESSAGES}, []),
    ],
)
def test_tools_are_those_that_the_agent_holds_wherever_they_stand(past: Any, names: list[str]) -> None:
    body = build_submission({"functionCall": {"name": "pay", "args": ARGUMENTS}}, past)
    assert ("tools" in body) is not bool(names)
    assert [tool.name for tool in parse(body).case.context.tools] == names


@pytest.mark.parametrize("past", ["Pay Daniel", None, 7])
def test_what_is_no_past_is_refused(past: Any) -> None:
    with pytest.raises(TypeError):
        build_submission(openai_call(), past)


@pytest.mark.parametrize("path", ["", "/", "/api", "/api/", "/api/v1", "/api/v1/", "//"])
def test_the_address_may_end_in_the_path_of_the_api(path: str) -> None:
    assert site_address(f"https://guard.example/base{path}") == "https://guard.example/base"


def test_only_who_proves_to_be_the_guard_is_believed() -> None:
    trusting = tls_context("HTTPS://guard.example")
    assert trusting.check_hostname
    assert trusting.verify_mode is ssl.CERT_REQUIRED
    assert trusting.get_ca_certs()


def test_of_a_guard_without_tls_no_certificate_would_be_believed() -> None:
    trusting = tls_context("http://localhost:8000")
    assert trusting.verify_mode is ssl.CERT_REQUIRED
    assert not trusting.get_ca_certs()


@given(TEXTS)
def test_a_result_is_told_as_the_guard_keeps_its_report(text: str) -> None:
    kept, _ = replace_unstorable(json_body({"outcome": text}))
    assert json.loads(json_body(past_json({"outcome": text}))) == json.loads(kept)


@pytest.mark.parametrize("past", [{**NATIVE, "tools": []}, MESSAGES])
def test_of_the_past_what_no_guard_can_store_is_replaced_and_never_of_the_call(past: Any) -> None:
    told = [*MESSAGES, {"role": "user", "content": "a\0b"}] if past is MESSAGES else {**past, "query": "a\0b"}
    call = {**LANGCHAIN, "args": {"note": "c\0d"}}
    body = json.dumps(build_submission(call, told))
    assert ("a\\ufffdb" in body, "c\\u0000d" in body) == (True, True)
