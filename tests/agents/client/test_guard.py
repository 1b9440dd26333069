import re
import time
from typing import Any
from uuid import uuid4

import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    AsyncGuard,
    Call,
    ExpiredError,
    GuardError,
    MalformedAnswerError,
    NotRunnableError,
    ProblemError,
    RejectedError,
    RespondedError,
    UndecidedError,
    UnreachableError,
    WithdrawnError,
)
from reviews.agents.client.provenanceguard import testing as fake_guard
from reviews.agents.client.provenanceguard.endpoints import PATIENCE_SECONDS
from reviews.agents.client.provenanceguard.testing import KEY, FakeGuard, Judge, decided

SUBMISSION = {
    "query": "Pay Daniel 30",
    "tools": [],
    "action": {"tool": "pay", "arguments": {"to": "Daniel", "amount": 30}},
}


async def run(judge: Judge, **fake: Any) -> Call:
    """What an agent does: propose, wait, take the permission."""
    async with FakeGuard(judge, **fake).async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        await guard.wait(action.id, timeout=0)
        return (await guard.execute(action.id)).call


async def check_not_run(judge: Judge, error: type[GuardError], says: str | None = None) -> GuardError:
    with pytest.raises(error, match=says) as raised:
        await run(judge)
    return raised.value


def reading(**fields: Any) -> Judge:
    """An action that reads like this, whatever was proposed."""
    return lambda body: {**fake_guard.approved(body), **fields}


async def test_an_approved_call_runs_as_proposed() -> None:
    assert await run(fake_guard.allowed) == Call("pay", {"to": "Daniel", "amount": 30})


async def test_an_edited_call_runs_as_edited() -> None:
    assert await run(lambda body: decided(body, "edit", amount=3)) == Call("pay", {"to": "Daniel", "amount": 3})


async def test_a_rejection_raises_with_the_feedback() -> None:
    error = await check_not_run(lambda body: decided(body, "reject", message="Too much."), RejectedError, "Too much")
    assert isinstance(error, RejectedError)
    assert error.decision.decided_by == "reviewer"


async def test_an_answer_raises_with_the_answer() -> None:
    await check_not_run(lambda body: decided(body, "respond", message="Ask me tomorrow."), RespondedError, "tomorrow")


async def test_an_expired_action_raises() -> None:
    await check_not_run(fake_guard.ended("expired"), ExpiredError)


async def test_an_expired_action_is_no_rejection() -> None:
    assert not isinstance(await check_not_run(fake_guard.ended("expired"), NotRunnableError), RejectedError)


@pytest.mark.parametrize("status", ["cancelled", "superseded"])
async def test_a_withdrawn_action_raises(status: str) -> None:
    await check_not_run(fake_guard.ended(status), WithdrawnError)


async def test_a_pending_action_raises_when_the_wait_ends() -> None:
    await check_not_run(fake_guard.flagged, UndecidedError, "still pending")


async def test_an_unknown_status_does_not_run() -> None:
    await check_not_run(reading(status="approved-ish"), MalformedAnswerError)


async def test_a_decided_action_without_a_decision_does_not_run() -> None:
    await check_not_run(reading(decision=None), MalformedAnswerError)


async def test_an_unknown_outcome_does_not_run() -> None:
    await check_not_run(lambda body: decided(body, "approve_in_part"), MalformedAnswerError)


async def test_a_truthy_alignment_is_not_believed() -> None:
    truthy = {**fake_guard.verdict(aligned=True), "aligned": "yes"}
    await check_not_run(reading(verdict=truthy), MalformedAnswerError)


async def test_the_permission_is_taken_once() -> None:
    async with FakeGuard().async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        await guard.execute(action.id)
        with pytest.raises(ProblemError) as raised:
            await guard.execute(action.id)
    assert raised.value.status == 409


async def test_waiting_goes_on_while_the_action_is_checked() -> None:
    async with FakeGuard(looks_until_checked=4).async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        assert (await guard.wait(action.id)).outcome == "approve"


async def test_every_request_carries_the_key() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        await guard.submit(SUBMISSION)
    assert fake.requests[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_a_retried_submission_is_one_action() -> None:
    fake = FakeGuard(broken=[httpx.ReadTimeout("lost"), httpx.Response(503)])
    async with fake.async_guard() as guard:
        await guard.submit(SUBMISSION)
    assert len({request.headers["Idempotency-Key"] for request in fake.requests}) == 1
    assert len(fake.requests) == 3


async def test_trouble_that_does_not_pass_is_reported() -> None:
    async with FakeGuard(broken=[httpx.ConnectError("refused")] * 5).async_guard(patience=0) as guard:
        with pytest.raises(UnreachableError, match="refused"):
            await guard.submit(SUBMISSION)


async def test_a_guard_that_is_away_is_tried_for_as_long_as_the_patience_lasts() -> None:
    fake = FakeGuard(broken=[httpx.ConnectError("refused"), httpx.Response(502)] * 20)
    async with fake.async_guard() as guard:
        assert (await guard.submit(SUBMISSION)).id
    assert len({request.headers["Idempotency-Key"] for request in fake.requests}) == 1


async def test_a_wait_for_a_guard_that_is_away_ends_with_its_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.agents.client.provenanceguard.waiting.LAST_PATIENCE_SECONDS", 0.1)
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        fake.broken = [httpx.ConnectError("refused")] * 1_000_000
        begun = time.monotonic()
        with pytest.raises(UnreachableError, match="refused"):
            await guard.wait(action.id, timeout=0.2)
    # Its patience would last for a hundred times as long.
    assert time.monotonic() - begun < PATIENCE_SECONDS / 2


async def test_the_pause_that_a_server_asks_for_is_granted_beyond_the_patience_with_its_trouble() -> None:
    busy = httpx.Response(429, headers={"Retry-After": "1"})
    fake = FakeGuard(broken=[busy])
    async with fake.async_guard(patience=0.5) as guard:
        assert (await guard.submit(SUBMISSION)).id


async def test_a_server_that_asks_to_be_left_alone_again_and_again_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reviews.agents.client.provenanceguard.connections.MAX_EXTENSIONS", 1)
    fake = FakeGuard(broken=[httpx.Response(429, headers={"Retry-After": "1"})] * 100)
    async with fake.async_guard(patience=0) as guard:
        with pytest.raises(UnreachableError, match="429"):
            await guard.submit(SUBMISSION)
    assert len(fake.requests) == 2


async def test_a_lost_permission_is_asked_for_again_with_the_same_key() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        fake.broken = [httpx.ReadTimeout("lost")]
        assert (await guard.execute(action.id)).tool
    _, *taken = [request.headers["Idempotency-Key"] for request in fake.requests]
    assert len(taken) == 2
    assert len(set(taken)) == 1


async def test_a_restarted_agent_takes_its_permission_again() -> None:
    async with FakeGuard().async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        first, second = [await guard.execute(action.id, idempotency_key="run-7") for _ in range(2)]
    assert first == second


async def test_a_refusal_names_the_fields() -> None:
    problem = {"detail": "Two fields are wrong.", "errors": [{"pointer": "/query", "detail": "missing"}]}
    async with FakeGuard(broken=[httpx.Response(422, json=problem)]).async_guard() as guard:
        with pytest.raises(ProblemError, match=r"422: Two fields are wrong\. \(/query: missing\)"):
            await guard.submit(SUBMISSION)


async def test_a_refusal_names_each_field_once() -> None:
    errors = [{"pointer": "/query", "detail": "missing."}, {"pointer": "/tools", "detail": "none."}]
    problem = {"detail": "/query: missing.", "errors": errors}
    async with FakeGuard(broken=[httpx.Response(422, json=problem)]).async_guard() as guard:
        with pytest.raises(ProblemError) as refused:
            await guard.submit(SUBMISSION)
    assert str(refused.value) == "422: /query: missing. (/tools: none.)"


async def test_a_refusal_without_a_problem_body_is_still_a_refusal() -> None:
    async with FakeGuard(broken=[httpx.Response(403, text="<html>")]).async_guard() as guard:
        with pytest.raises(ProblemError, match="403"):
            await guard.submit(SUBMISSION)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.Response(301, headers={"Location": "https://guard.example/api/v1/actions"}), "https://guard.example/"),
        (httpx.Response(404, text="<html>"), "http://guard.test/api/v1/actions did not answer as the guard's API"),
        (httpx.Response(404, text="[]"), "Is the address right"),
    ],
)
async def test_an_address_that_is_none_of_the_guards_is_named(answer: httpx.Response, words: str) -> None:
    async with FakeGuard(broken=[answer]).async_guard() as guard:
        with pytest.raises(ProblemError, match=re.escape(words)):
            await guard.submit(SUBMISSION)


@pytest.mark.parametrize("answer", ["<html>", "[]", "{}", '{"id": 7}', "null"])
async def test_an_undocumented_answer_is_not_believed(answer: str) -> None:
    async with FakeGuard(broken=[httpx.Response(200, text=answer)]).async_guard() as guard:
        with pytest.raises(MalformedAnswerError):
            await guard.submit(SUBMISSION)


@pytest.mark.parametrize("ask", ["get", "wait", "execute", "cancel"])
async def test_an_answer_about_another_action_is_not_believed(ask: str) -> None:
    fake, other = FakeGuard(fake_guard.flagged if ask == "cancel" else fake_guard.approved), str(uuid4())

    def mix_up(request: httpx.Request) -> httpx.Response:
        answer = fake.answer(request)
        return httpx.Response(answer.status_code, text=answer.text.replace(action.id, other))

    async with fake.async_guard() as guard:
        action = await guard.submit(SUBMISSION)
    async with AsyncGuard("http://guard.test", KEY, transport=httpx.MockTransport(mix_up)) as guard:
        with pytest.raises(MalformedAnswerError, match="not asked for"):
            await getattr(guard, ask)(action.id)


async def test_an_outcome_is_reported() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        await guard.report(action.id, succeeded=False, outcome="no funds")
    assert fake.reports == [{"status": "failed", "outcome": "no funds"}]


async def test_a_cancelled_action_reads_cancelled() -> None:
    async with FakeGuard(fake_guard.flagged).async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        assert (await guard.cancel(action.id)).status == "cancelled"


async def test_the_preferred_wait_is_asked_for() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        await guard.submit(SUBMISSION, wait=10)
    assert fake.requests[0].headers["Prefer"] == "wait=10"


async def test_where_values_come_from_is_sent_as_it_was_said() -> None:
    fake, said = FakeGuard(fake_guard.allowed), {"/to": {"tool_call_id": "c3", "path": "/0/name"}}
    async with fake.async_guard() as guard:
        await guard.submit(SUBMISSION, provenance=said)
        await guard.submit(SUBMISSION, provenance={})
        await guard.submit(SUBMISSION)
    assert fake.bodies == [{**SUBMISSION, "provenance": said}, {**SUBMISSION, "provenance": {}}, SUBMISSION]
