from typing import Any

import pytest

from reviews.provenance.core.context import Message, NamedText, Step
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats import FormatError, Parsed, native
from tests.provenance.formats.refusals import check_refused

ACTION = {"tool": "money_transfer", "arguments": {"to": "Daniel"}, "subtask": "Pay Daniel", "tool_call_id": "call_1"}


def parse(*, trust_annotations: bool = False, **fields: Any) -> Parsed:
    body = {"query": "Pay Daniel", "action": ACTION, **fields}
    return native.parse(body, trust_annotations=trust_annotations)


def test_the_proposed_call_is_read() -> None:
    parsed = parse()
    action = parsed.case.action
    assert (action.tool, action.arguments, action.subtask) == ("money_transfer", {"to": "Daniel"}, "Pay Daniel")
    assert (parsed.tool_call_id, parsed.history_given) == ("call_1", False)


def test_arguments_and_subtask_may_be_left_out() -> None:
    action = parse(tools=[{"name": "ping", "parameters": {"type": "object"}}], action={"tool": "ping"}).case.action
    assert (action.arguments, action.subtask) == ({}, None)


def test_history_holds_calls_and_messages() -> None:
    call = {"tool": "find", "arguments": {"name": "D"}, "outcome": {"id": 7}, "subtask": "find D"}
    parsed = parse(history=[call, {"role": "user", "text": "Hurry"}, {"tool": "ping"}])
    assert parsed.case.context.history == (
        Step("find", {"name": "D"}, '{"id": 7}', "find D"),
        Message("user", "Hurry"),
        Step("ping", {}),
    )


def test_an_empty_history_is_a_history() -> None:
    assert parse(history=[]).history_given


def test_an_empty_outcome_is_an_outcome() -> None:
    assert parse(history=[{"tool": "ping", "outcome": ""}]).case.context.history == (Step("ping", {}, ""),)


def test_further_sources_are_read() -> None:
    parsed = parse(sources=[{"kind": "system_prompt", "name": "policy", "text": "Be kind."}])
    assert parsed.case.context.extra == (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Be kind."),)


@pytest.mark.parametrize(
    ("pointer", "fields"),
    [
        ("/query", {"query": None}),
        ("/query", {"query": " "}),
        ("/query", {"query": 7}),
        ("/action", {"action": None}),
        ("/action", {"action": "pay"}),
        ("/action/tool", {"action": {}}),
        ("/action/arguments", {"action": {"tool": "t", "arguments": "{}"}}),
        ("/action/subtask", {"action": {"tool": "t", "subtask": 1}}),
        ("/tools", {"tools": {}}),
        ("/tools/0", {"tools": ["t"]}),
        ("/tools/0/name", {"tools": [{}]}),
        ("/tools/0/parameters", {"tools": [{"name": "t", "parameters": []}]}),
        ("/tools/0/environment_changing", {"tools": [{"name": "t", "environment_changing": "no"}]}),
        ("/tools/1", {"tools": [{"name": "t"}, {"name": "t"}]}),
        ("/history", {"history": "none"}),
        ("/history/0", {"history": [1]}),
        ("/history/0/tool", {"history": [{}]}),
        ("/history/0/role", {"history": [{"role": "system", "text": "x"}]}),
        ("/history/0/text", {"history": [{"role": "user"}]}),
        ("/sources/0/kind", {"sources": [{"kind": "user_query", "name": "q", "text": "x"}]}),
        ("/sources/0/kind", {"sources": [{"kind": "tool_output", "name": "q", "text": "x"}]}),
        ("/sources/0/name", {"sources": [{"kind": "memory", "text": "x"}]}),
        ("/sources/1/name", {"sources": [{"kind": "memory", "name": "m"}, {"kind": "memory", "name": "m"}]}),
    ],
)
def test_a_wrong_field_is_named(pointer: str, fields: dict[str, Any]) -> None:
    check_refused(parse, pointer, **fields)


def test_every_wrong_field_is_named_at_once() -> None:
    with pytest.raises(FormatError) as error:
        parse(query=1, history=[{}], action={"tool": 2, "arguments": {}})
    assert [at for at, _ in error.value.problems] == ["/query", "/history/0/tool", "/action/tool"]


def test_the_number_of_problems_is_bounded() -> None:
    with pytest.raises(FormatError) as error:
        parse(history=[{}] * 500)
    assert len(error.value.problems) == 50


@pytest.mark.parametrize("body", [[], "text", None, 7])
def test_a_submission_is_an_object(body: Any) -> None:
    with pytest.raises(FormatError) as error:
        native.parse(body)
    assert error.value.pointer == ""
