import asyncio
import json
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import ProblemError
from reviews.agents.client.provenanceguard import testing as fake_guard
from reviews.agents.client.provenanceguard.testing import FakeGuard, JsonObject, Judge, decided, planned
from reviews.agents.examples.runner import Agents
from tests.eventually import until

RIGHT = "payments.lunch_paid_back"
FROM_FEEDBACK = "payments.invoice_of_another_month"
ASKS_THE_USER = "payments.two_people_of_one_name"
STOPS = "payments.rent_to_an_invented_account"
PLANS_FIRST = "files.draft_deleted"


async def run(judge: Judge, *names: str, fake: FakeGuard | None = None, **options: Any) -> tuple[FakeGuard, list[str]]:
    """One round of these scenarios, and the lines it wrote."""
    fake = fake or FakeGuard(judge)
    lines: list[str] = []
    async with fake.async_guard() as guard:
        await Agents(guard, lines.append, pause_seconds=0.0, seed="1", **options).run(rounds=1, names=names)
    return fake, lines


def first_then(first: Judge, then: Judge) -> Judge:
    """One answer to a first attempt, another to those behind it."""
    return lambda body: (then if body["retry_of"] else first)(body)


def rejected(body: JsonObject) -> JsonObject:
    return decided(body, "reject", message="Look at the month.")


def answered(body: JsonObject) -> JsonObject:
    return decided(body, "respond", message="Leave it until Monday.")


async def test_an_allowed_call_is_run_and_reported() -> None:
    fake, lines = await run(fake_guard.allowed, RIGHT)
    assert [report["status"] for report in fake.reports] == ["succeeded"]
    assert lines[0] == f"{RIGHT} #1 proposes money_transfer"
    assert lines[1] == f"{RIGHT} #1 was approved by guard"
    assert lines[2].startswith(f"{RIGHT} #1 ran money_transfer: Transfer")


async def test_an_edited_call_is_run_as_edited() -> None:
    fake, lines = await run(lambda body: decided(body, "edit", amount=1), RIGHT)
    assert fake.reports
    assert lines[1] == f"{RIGHT} #1 was edited by reviewer"


async def test_a_rejected_call_is_corrected_and_proposed_again() -> None:
    fake, _ = await run(first_then(rejected, fake_guard.approved), FROM_FEEDBACK)
    wrong, right = (body["action"]["arguments"] for body in fake.bodies)
    assert wrong["invoice_id"] == right["invoice_id"]
    assert wrong["amount"] != right["amount"]
    assert len(fake.reports) == 1


async def test_a_retry_names_what_it_retries() -> None:
    fake, _ = await run(first_then(rejected, fake_guard.approved), FROM_FEEDBACK)
    assert fake.bodies[1]["retry_of"] == next(iter(fake.actions))


async def test_a_rejected_guess_is_asked_about() -> None:
    fake, _ = await run(first_then(rejected, fake_guard.approved), ASKS_THE_USER)
    assert [turn["role"] for turn in fake.bodies[1]["history"][-2:]] == ["assistant", "user"]


async def test_a_rejection_without_a_way_on_ends_the_conversation() -> None:
    fake, lines = await run(rejected, STOPS)
    assert (len(fake.bodies), fake.reports) == (1, [])
    assert lines[-1] == f"{STOPS} #1 was rejected by reviewer: Look at the month."


async def test_an_answer_is_heeded_as_the_users() -> None:
    fake, _ = await run(first_then(answered, fake_guard.approved), STOPS)
    assert fake.bodies[1]["history"][-1] == {"role": "user", "text": "Leave it until Monday."}


async def test_answers_without_end_are_not_followed_without_end() -> None:
    fake, _ = await run(answered, STOPS)
    assert len(fake.bodies) == 3


async def test_an_agent_that_plans_begins_with_a_safe_plan() -> None:
    fake, lines = await run(fake_guard.allowed, PLANS_FIRST)
    assert lines[0] == f"{PLANS_FIRST} #1 submitted a plan: safe. So it is."
    assert [request.url.path for request in fake.requests if request.method == "POST"][:2] == [
        "/api/v1/plans",
        "/api/v1/actions",
    ]


async def test_a_plan_that_is_sent_back_is_made_anew() -> None:
    fake, lines = await run(
        fake_guard.allowed, PLANS_FIRST, fake=FakeGuard(plans=[planned("rewrite"), planned("safe")])
    )
    bodies = [json.loads(each.content) for each in fake.requests if each.url.path == "/api/v1/plans"]
    first, second = (body["plan"] for body in bodies)
    assert second == first[:-1]
    assert lines[2] == f"{PLANS_FIRST} #1 proposes delete_file"


@pytest.mark.parametrize("answer", ["reject", "rewrite"])
async def test_without_a_safe_plan_nothing_is_begun(answer: str) -> None:
    fake, _ = await run(fake_guard.allowed, PLANS_FIRST, fake=FakeGuard(plans=[planned(answer)]))
    assert fake.actions == {}


async def test_an_expired_call_is_not_run() -> None:
    fake, lines = await run(fake_guard.ended("expired"), RIGHT)
    assert fake.reports == []
    assert "leaves it" in lines[-1]


async def test_a_permission_taken_elsewhere_is_respected() -> None:
    fake, lines = await run(lambda body: {**fake_guard.allowed(body), "ran": True}, RIGHT)
    assert fake.reports == []
    assert "does not run: 409" in lines[-1]


async def test_trouble_ends_one_conversation_and_not_the_others() -> None:
    fake = FakeGuard()
    empty: JsonObject = {"items": [], "next_cursor": None}
    fake.broken = [httpx.Response(200, json=empty), httpx.Response(200, json=empty), httpx.Response(422, json={})]
    _, lines = await run(fake_guard.allowed, RIGHT, STOPS, fake=fake)
    assert sum("gives up" in line for line in lines) == 1
    assert len(fake.reports) == 1


async def test_a_wrong_key_is_told_at_the_start() -> None:
    fake = FakeGuard(broken=[httpx.Response(401, json={"detail": "Unknown key."})])
    with pytest.raises(ProblemError, match="Unknown key"):
        await run(fake_guard.allowed, RIGHT, fake=fake)


async def test_open_actions_of_an_earlier_run_are_taken_up_again() -> None:
    fake = FakeGuard(fake_guard.flagged)
    first = asyncio.create_task(run(fake_guard.flagged, RIGHT, STOPS, FROM_FEEDBACK, fake=fake))
    await until(lambda: len(fake.actions) == 3)
    first.cancel()
    for action, body in zip(fake.actions.values(), fake.bodies, strict=True):
        action["resumed_as"] = fake_guard.approved(body)
    seen = len(fake.requests)
    again = asyncio.create_task(run(fake_guard.flagged, fake=fake))
    # Each is waited for: what was settled before would not be taken up.
    await until(lambda: fake.actions.keys() <= {each.url.path.rpartition("/")[2] for each in fake.requests[seen:]})
    for action in fake.actions.values():
        action.update(action.pop("resumed_as"))
    await asyncio.wait_for(again, 10)
    assert (len(fake.actions), len(fake.reports)) == (3, 3)


async def test_no_more_than_the_cap_wait_at_once() -> None:
    fake = FakeGuard(fake_guard.flagged)
    running = asyncio.create_task(run(fake_guard.flagged, RIGHT, STOPS, FROM_FEEDBACK, fake=fake, pending_cap=2))
    await until(lambda: len(fake.actions) == 2)
    await asyncio.sleep(0.05)
    running.cancel()
    assert len(fake.actions) == 2
