"""What is wrong with a submission is said so that its agent's developer can mend it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from reviews.errors import InvalidError
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_draft
from reviews.provenance.formats import Format
from tests.api.agent import NATIVE, OPENAI, with_
from tests.api.views.test_plans import BODY, planned
from tests.api.views.test_submit import MCP
from tests.intake.wire.test_documents import BODIES, mutated

FRAMEWORKS_WORDS = re.compile(
    r"Input should|Field required|Extra inputs|instance of|valid |Value error|pattern|\^\[|\{\w"
)


def problems_of(read: Callable[..., object], body: dict[str, Any]) -> dict[str, str]:
    """What is said at each pointer."""
    try:
        read(body, trusted=lambda: False)
    except InvalidError as error:
        said: dict[str, str] = {}
        for problem in error.errors:
            said[problem.pointer] = f"{said.get(problem.pointer, '')} {problem.message}".strip()
        return said
    return {}


@pytest.mark.parametrize(
    ("body", "pointer", "says"),
    [
        (NATIVE, "/querry", "There is no field `querry` here: did you mean `query`?"),
        (NATIVE, "/subtask", "There is no field `subtask` here; it belongs into `/action`."),
        (NATIVE, "/tool_call_id", "There is no field `tool_call_id` here; it belongs into `/action`."),
        (NATIVE, "/arguments", "There is no field `arguments` here; it belongs into `/action`."),
        (NATIVE, "/kwargs", "There is no field `kwargs` here: did you mean `arguments`, which belongs into `/action`?"),
        (NATIVE, "/outcome", "There is no field `outcome` here; it belongs into each entry of `/history`."),
        (NATIVE, "/action/risk", "There is no field `risk` here; it belongs at the top of the body."),
        (NATIVE, "/colour", "There is no field `colour` here."),
        (NATIVE, "/expires", "There is no field `expires` here: did you mean `expires_in`?"),
        (NATIVE, "/risk", "Must be “low”, “medium” or “high”."),
        (NATIVE, "/kind", "Must be “call” or “stuck”."),
        (NATIVE, "/trace_id", "Must be text."),
        (NATIVE, "/expires_in", "Must be a whole number."),
        (NATIVE, "/retry_of", "Must be a UUID, as answers have it in `id`."),
        (NATIVE, "/metadata", "Must be an object."),
        (OPENAI, "/parsed_arguments", "There is no field `parsed_arguments` here."),
        (OPENAI, "/functions", "There is no field `functions` here: did you mean `tools`?"),
        (OPENAI, "/mesages", "There is no field `mesages` here: did you mean `messages`?"),
        (MCP, "/params", "There is no field `params` here; it belongs into `/call`."),
    ],
)
def test_a_wrong_field_of_a_call_is_told_what_to_do(body: dict[str, Any], pointer: str, says: str) -> None:
    assert problems_of(read_proposal, with_(body, pointer, 1.5))[pointer] == says


@pytest.mark.parametrize(
    ("pointer", "value", "at", "says"),
    [
        ("/plan", "Pay.", "/plan", "Must be a list."),
        ("/plan", [], "/plan", "May not be empty."),
        (
            "/plan",
            ["Pay Daniel."],
            "/plan/0",
            "Must be an object with `message`, which may also have `tool_use`.",
        ),
        (
            "/plan",
            [{"message": "Pay.", "tool_uses": []}],
            "/plan/0/tool_uses",
            "There is no field `tool_uses` here: did you mean `tool_use`?",
        ),
        ("/plan", [{"tool_use": []}], "/plan/0/message", "This field is required."),
        ("/plan", [{"message": "Pay.", "tool_use": "pay"}], "/plan/0/tool_use", "Must be a list."),
        ("/message", "Pay.", "/message", "There is no field `message` here; it belongs into each entry of `/plan`."),
    ],
)
def test_a_wrong_field_of_a_plan_is_told_what_to_do(pointer: str, value: Any, at: str, says: str) -> None:
    assert problems_of(read_draft, with_(BODY, pointer, value))[at] == says


def test_a_forgotten_plan_is_told() -> None:
    assert problems_of(read_draft, {**NATIVE, "action": None})["/plan"] == "This field is required."


@pytest.mark.parametrize(
    ("claim", "at", "says"),
    [
        ("query", "", "Must be an object with `quote`, or with `step`, or with `tool_call_id`."),
        ({}, "", "Must be an object with `quote`, or with `step`, or with `tool_call_id`."),
        ({"path": ""}, "", "Must be an object with `quote`, or with `step`, or with `tool_call_id`."),
        ({"quote": " "}, "/quote", "May not be blank."),
        ({"quote": "$30", "sources": "query"}, "/sources", "There is no field `sources` here: did you mean `source`?"),
        ({"step": 0, "path": "email"}, "/path", "Must be a JSON Pointer: empty, or beginning with “/”."),
        ({"step": -1}, "/step", "Must be at least 0."),
        ({"tool_call_id": []}, "/tool_call_id", "Must be a whole number or text."),
        ({"tool_call_id": "x" * 201}, "/tool_call_id", "At most 200 characters are accepted."),
    ],
)
def test_a_wrong_claim_is_told_what_to_do(claim: Any, at: str, says: str) -> None:
    problems = problems_of(read_proposal, {**NATIVE, "provenance": {"/to": claim}})
    assert problems.get(f"/provenance/~1to{at}") == says, problems


@pytest.mark.parametrize("field", ["continues", "tools_digest"])
def test_a_reference_that_is_no_reference_is_told_in_one_sentence(field: str) -> None:
    body = {name: value for name, value in NATIVE.items() if name not in ("tools", "query", "trace_id")}
    said = problems_of(read_proposal, {**body, field: "yesterday"})[f"/{field}"]
    assert "send" in said
    assert said.count(".") == 1


@pytest.mark.parametrize("shape", list(Format))
def test_no_message_speaks_the_frameworks_language(shape: Format) -> None:
    submitted = {**BODIES[shape], "continues": "x", "now": "2026-13-45T00:00:00Z"}
    submissions = [(read_proposal, body) for _, body in mutated(submitted)]
    plans = [(read_draft, body) for _, body in mutated(planned(BODIES[shape]))]
    messages = {message for read, body in [*submissions, *plans] for message in problems_of(read, body).values()}
    assert len(messages) > 10
    assert [message for message in messages if FRAMEWORKS_WORDS.search(message)] == []
