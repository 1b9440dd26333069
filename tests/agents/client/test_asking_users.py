"""The client lets the acting user decide a waiting call."""

import pytest

from reviews.agents.client.provenanceguard import ProblemError, UserConfirmation
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
