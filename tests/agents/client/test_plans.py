"""The client at the plan gate: an answer, or an error; never silence read as permission."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    AsyncGuard,
    GuardError,
    MalformedAnswerError,
    PlanAnswer,
    ProblemError,
    UncheckedPlanError,
    UnreachableError,
)
from reviews.agents.client.provenanceguard.testing import KEY, FakeGuard, planned

STEPS = [{"message": "Pay Daniel.", "tool_use": ["pay"]}]
CHECKING = planned(None)


async def plan_answer(fake: FakeGuard, *, patience: float = 20, **choices: Any) -> PlanAnswer:
    async with fake.async_guard(patience=patience) as guard:
        return await guard.check_plan(trace_id="t", query="Pay Daniel 30", tools=[], plan=STEPS, **choices)


async def check_no_answer(fake: FakeGuard, error: type[GuardError], says: str, **choices: Any) -> None:
    with pytest.raises(error, match=says):
        await plan_answer(fake, **choices)


async def test_a_safe_plan_is_safe() -> None:
    answer = await plan_answer(FakeGuard())
    assert (answer.safe, answer.reason, answer.model_message) == (True, "So it is.", "Go on.")
    assert (answer.rewrites_left, answer.links.self) == (1, f"/api/v1/plans/{answer.id}")


async def test_an_answer_to_a_plan_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="neither"):
        bool(await plan_answer(FakeGuard(plans=[planned("reject")])))


@pytest.mark.parametrize("answer", ["rewrite", "reject"])
async def test_every_other_answer_is_not_safe(answer: str) -> None:
    response = await plan_answer(FakeGuard(plans=[planned(answer)]))
    assert (response.answer, response.safe) == (answer, False)


async def test_what_is_asked_is_what_the_api_reads() -> None:
    fake = FakeGuard()
    await plan_answer(fake, history=[])
    (request,) = fake.requests
    body = {"trace_id": "t", "plan": STEPS, "query": "Pay Daniel 30", "tools": [], "history": []}
    assert json.loads(request.content) == body
    assert request.headers["Prefer"].startswith("wait=")


async def test_waiting_goes_on_while_the_plan_is_checked() -> None:
    fake = FakeGuard(plans=[CHECKING, CHECKING, planned()])
    assert (await plan_answer(fake)).safe
    assert [request.method for request in fake.requests] == ["POST", "GET", "GET"]
    assert fake.requests[1].url.path == f"/api/v1/plans/{CHECKING['id']}"


async def test_a_plan_that_is_never_answered_is_unchecked() -> None:
    await check_no_answer(FakeGuard(plans=[CHECKING]), UncheckedPlanError, "not checked within 0.05", timeout=0.05)


async def test_a_guard_that_hangs_leaves_the_plan_unchecked() -> None:
    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError(request)

    guard = AsyncGuard("http://guard.test", KEY, transport=httpx.MockTransport(hang))
    with pytest.raises(UncheckedPlanError):
        await guard.check_plan(trace_id="t", query="Pay", tools=[], plan=STEPS, timeout=0.05)


async def test_a_guard_that_is_down_answers_nothing() -> None:
    down = FakeGuard(broken=[httpx.ConnectError("refused")] * 5)
    await check_no_answer(down, UnreachableError, "refused", patience=0)


async def test_a_refusal_is_an_error() -> None:
    await check_no_answer(FakeGuard(broken=[httpx.Response(422, json={"detail": "No steps."})]), ProblemError, "steps")


@pytest.mark.parametrize(
    "response",
    [
        planned("safe-ish"),
        planned(status="approved"),
        planned("safe", status="decided-ish"),
        planned("", status="decided"),
        planned(model_message=None),
        planned(rewrites=None),
        planned(steps=[{"message": "Pay."}]),
    ],
)
async def test_an_undocumented_answer_is_not_believed(response: dict[str, Any]) -> None:
    await check_no_answer(FakeGuard(plans=[response]), MalformedAnswerError, "undocumented")
