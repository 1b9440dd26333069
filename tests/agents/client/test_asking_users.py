"""The client lets the acting user decide a waiting call."""

from typing import NoReturn

import pytest

from reviews.agents.client.provenanceguard import Action, ProblemError, UserConfirmation
from reviews.agents.client.provenanceguard import testing as fake_guard
from reviews.agents.client.provenanceguard.testing import FakeGuard
from tests.agents.client.test_guard import SUBMISSION


def check_link(confirmation: UserConfirmation, action_id: str) -> None:
    assert confirmation.url == f"http://guard.test/confirm/{action_id}"
    assert confirmation.expires_at.tzinfo is not None
    assert confirmation.url not in repr(confirmation)


def test_a_thread_asks_the_user() -> None:
    fake = FakeGuard(fake_guard.flagged)
    with fake.guard() as guard:
        action = guard.submit(SUBMISSION)
        check_link(guard.ask_user(action.id), action.id)
    asked = fake.requests[-1]
    assert (asked.method, asked.url.path) == ("POST", f"/api/v1/actions/{action.id}/user-confirmation")


async def test_a_coroutine_asks_the_user() -> None:
    async with FakeGuard(fake_guard.flagged).async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        check_link(await guard.ask_user(action.id, timeout=5), action.id)


async def test_no_user_is_asked_about_a_call_that_does_not_wait() -> None:
    async with FakeGuard(fake_guard.allowed).async_guard() as guard:
        action = await guard.submit(SUBMISSION)
        with pytest.raises(ProblemError) as refused:
            await guard.ask_user(action.id)
    assert refused.value.status == 409


def test_whoever_waits_is_told_once_that_a_person_has_to_decide_and_may_ask_the_user() -> None:
    fake, pages = FakeGuard(fake_guard.flagged, looks_until_checked=2), list[str]()
    call = ("pay", {"amount": 30})
    with fake.guard() as guard:

        def ask(action: Action) -> None:
            pages.append(guard.ask_user(action.id).url)
            fake.actions[action.id].update(fake_guard.approved(fake.bodies[0]))

        past = {"query": "Pay 30", "tools": []}
        assert guard.run(call, past, lambda amount: amount, on_pending=ask, timeout=10) == 30
    assert pages == [f"http://guard.test/confirm/{next(iter(fake.actions))}"]


async def test_nobody_is_told_of_a_call_that_passes_and_what_telling_raises_leaves_the_call_open() -> None:
    def refuse(action: Action) -> NoReturn:
        raise LookupError(action.id)

    fake = FakeGuard(fake_guard.allowed)
    async with fake.async_guard() as guard:
        await guard.check(("pay", {"amount": 30}), {"query": "Pay 30", "tools": []}, on_pending=refuse)
        fake.judge = fake_guard.flagged
        with pytest.raises(LookupError):
            await guard.check(("pay", {"amount": 30}), {"query": "Pay 30", "tools": []}, on_pending=refuse)
    assert list(fake.actions.values())[-1]["status"] == "pending"
