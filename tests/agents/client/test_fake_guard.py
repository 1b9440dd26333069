"""The guard for an agent's tests answers as the API does."""

import itertools
import json
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import ProblemError
from reviews.agents.client.provenanceguard import events as following
from reviews.agents.client.provenanceguard.testing import FakeGuard, approved, flagged
from reviews.provenance.formats import FormatError, parse
from tests.agents.client.test_guard import SUBMISSION

MESSAGES = [{"role": "user", "content": "Pay Ann"}]
FORMS: dict[str, Any] = {
    "action": ("query", "Pay Ann", {"tool": "pay"}, "arguments"),
    "call": ("query", "Pay Ann", {"name": "pay"}, "arguments"),
    "tool_use": ("messages", MESSAGES, {"type": "tool_use", "id": "c1", "name": "pay"}, "input"),
    "function_call": ("input", MESSAGES, {"type": "function_call", "call_id": "c1", "name": "pay"}, "arguments"),
    "tool_call": ("messages", MESSAGES, {"id": "c1", "name": "pay"}, "args"),
}
SCHEMAS: list[Any] = [None, {"type": "object"}, {"type": "object", "properties": {"to": {"type": "string"}}}]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("schema", SCHEMAS, ids=["none", "empty", "some"])
@pytest.mark.parametrize("written", [None, "", " ", "{}", "null", '"Ann"', '{"to": ', {}, {"to": "Ann"}])
def test_arguments_are_refused_as_the_api_refuses_them(form: str, schema: Any, written: Any) -> None:
    past, words, call, arguments = FORMS[form]
    tool = {"name": "pay", **({"parameters": schema} if schema else {})}
    body = {past: words, "tools": [tool], form: {**call, arguments: written}}
    request = httpx.Request(
        "POST", "http://guard.test/api/v1/actions", headers={"Idempotency-Key": "k"}, content=json.dumps(body)
    )
    try:
        parse(body)
    except FormatError as error:
        expected = [error.message]
    else:
        expected = []
    answer = FakeGuard().answer(request)
    assert [wrong["detail"] for wrong in answer.json().get("errors", [])] == expected


def test_what_becomes_of_calls_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "FIRST_PAUSE_SECONDS", 0.0)
    fake = FakeGuard(flagged)
    with fake.guard() as guard:
        waiting = guard.submit({**SUBMISSION, "trace_id": "t1"})
        events = guard.events()
        assert next(events).type == "action.waiting"
        fake.actions[waiting.id].update(approved(SUBMISSION))
        decided = next(events)
        guard.submit({**SUBMISSION, "trace_id": "t2"})
        assert [event.data.trace_id for event in itertools.islice(guard.events(status="pending"), 2)] == ["t1", "t2"]
        behind = guard.list_events(after=decided.id)
    assert (decided.data.id, decided.data.status, decided.data.outcome) == (waiting.id, "decided", "approve")
    assert [event.data.trace_id for event in behind.items] == ["t2"]


@pytest.mark.parametrize("unknown", ["7f1f0f5e-5d0c-4a8e-9a55-0d4a3a6a2b11", "made-up"])
def test_an_action_that_there_is_not_is_not_found(unknown: str) -> None:
    with FakeGuard().guard() as guard:
        for ask in (guard.ask_user, guard.get, guard.cancel, guard.execute):
            with pytest.raises(ProblemError, match="no such action") as refusal:
                ask(unknown)
            assert refusal.value.status == 404
