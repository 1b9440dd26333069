"""The first look of those who come to wait: together, and only for their own."""

import asyncio
import hashlib
from collections.abc import Collection

import pytest

from reviews import access
from reviews.api.longpoll.batched_queries import BatchedDecisionPoller, Query
from reviews.api.longpoll.long_poll import LongPoll
from reviews.models import Action, AgentKey, Status
from reviews.workspaces import agent_keys
from tests.api.longpoll.test_long_poll import ACTION, DECIDED, ID, Browser, ScriptedDjango, tell
from tests.cast import Cast, propose
from tests.eventually import until


class Reading:
    """Finds everything undecided, or fails; keeps what it was asked together."""

    def __init__(self, *, fails: bool = False) -> None:
        self.batches: list[Collection[Query]] = []
        self._fails = fails

    def __call__(self, queries: Collection[Query]) -> set[Query]:
        self.batches.append(queries)
        if self._fails:
            raise ConnectionError
        return set(queries)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


async def test_who_comes_while_others_are_answered_is_asked_for_together() -> None:
    reading = Reading()
    looks = BatchedDecisionPoller(reading)
    answers = await asyncio.gather(*(looks.is_undecided(b"key", str(number)) for number in range(50)))
    assert all(answers)
    assert len(reading.batches) == 1


async def test_a_look_that_fails_tells_nothing() -> None:
    assert not await BatchedDecisionPoller(Reading(fails=True)).is_undecided(b"key", ID)


@pytest.mark.usefixtures("listening")
async def test_who_surely_waits_costs_django_one_answer() -> None:
    django = ScriptedDjango(DECIDED)
    poll = LongPoll(django, BatchedDecisionPoller(Reading()))
    browser = Browser(poll, "GET", ACTION, "wait=5")
    await until(lambda: len(poll.wakeups) == 1)
    await asyncio.sleep(0.05)
    assert django.requests == []
    tell(poll)
    assert await browser.answer() == (200, b"decided")


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("query", ["wait=5&unknown=1", "unknown=1&wait=5"])
async def test_what_django_refuses_it_sees_at_once(query: str) -> None:
    django = ScriptedDjango(DECIDED)
    await Browser(LongPoll(django, BatchedDecisionPoller(Reading())), "GET", ACTION, query).answer()
    assert len(django.requests) == 1


def test_a_key_sees_its_own_undecided_actions_alone(cast: Cast) -> None:
    action = propose(cast)
    own, foreign = (hashed(cast.agent_secret), str(action.pk)), (hashed(cast.outside_secret), str(action.pk))
    assert access.undecided([own, foreign]) == {own}


def test_a_settled_action_and_a_revoked_key_are_not_waited_for(cast: Cast) -> None:
    action = propose(cast)
    own = (hashed(cast.agent_secret), str(action.pk))
    agent_keys.revoke_key(agent_key=AgentKey.objects.get(pk=cast.agent.pk), membership=cast.admin)
    assert access.undecided([own]) == set()
    AgentKey.objects.update(revoked_at=None)
    Action.objects.update(status=Status.CANCELLED, settled_at=action.created_at)
    assert access.undecided([own]) == set()
