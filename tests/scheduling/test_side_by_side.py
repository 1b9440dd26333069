"""Checks of one action run side by side, and what they ask alike is asked once."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django.db import connection
from pytest_django import Settings
from redis import Redis

from reviews.judging import build
from reviews.judging.daily_budget import Limits
from reviews.messaging import signals
from reviews.models import Action, Status
from reviews.profiles import versions
from reviews.provenance.judges import Caching
from reviews.scheduling.broker import SHADOW_PRIORITY
from tests import stack
from tests.cast import Cast, make_cast, propose
from tests.endpoint import ScriptedEndpoint
from tests.jobs import run_check

ALIKE = ["token-probability", "token-entropy"]
"""Two detectors with the one question."""
IN_SHADOW = f"checks\x06\x16{SHADOW_PRIORITY}"
"""Where the broker keeps what it serves last."""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(correctness={"holds": True}) as endpoint:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": endpoint.base_url})
        yield endpoint


@pytest.fixture
def workers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=2) as workers:
        yield workers


def proposed(cast: Cast, **profile: Any) -> tuple[Action, Caching]:
    """A call to be checked by two detectors that ask alike, and what stands before their model."""
    model = f"scripted-{uuid4()}"
    version = versions.new_version(membership=cast.admin, judge="openai", model=model, **profile)
    before = build._model_for_workspace(
        cast.workspace.pk, model, Limits(version.daily_tokens, None), build._Sample("", is_sampled=False)
    )
    assert isinstance(before, Caching)
    return propose(cast), before


def start(workers: ThreadPoolExecutor, action: Action) -> list[Future[None]]:
    """Start every check of the action at once."""
    return [workers.submit(_run, pk) for pk in action.checks.values_list("pk", flat=True)]


def _run(check_id: UUID) -> None:
    try:
        run_check(check_id)
    finally:
        connection.close()


def waiting_for_one_answer(before: Caching) -> int:
    """How many wait for the question that is under way."""
    return sum(flight._waiting for flight in list(before._flights.values()))


@pytest.mark.parametrize("profile", [{"detectors": ALIKE}, {"detectors": ALIKE[:1], "shadow": ALIKE[1:]}])
def test_what_two_checks_ask_at_once_is_asked_once(
    cast: Cast, endpoint: ScriptedEndpoint, workers: ThreadPoolExecutor, profile: dict[str, Any]
) -> None:
    action, before = proposed(cast, **profile)
    endpoint.held = {"correctness"}
    # No kept answer may stand in for the one that is under way.
    with patch("reviews.judging.redis_stores.RedisAnswers.get", return_value=None):
        running = start(workers, action)
        stack.until(lambda: waiting_for_one_answer(before) == 2, what="both at the same question")
        endpoint.release.set()
        wait(running)
    assert endpoint.questions == {"correctness": 1}
    assert sorted(check.usage["calls"] for check in action.checks.all()) == [0, 1]


@pytest.fixture
def broker() -> Iterator[Redis]:
    """The broker, with nothing queued."""
    client = signals.redis_client()
    client.delete("checks", IN_SHADOW)
    yield client
    client.delete("checks", IN_SHADOW)


@pytest.mark.parametrize(
    ("profile", "queued"),
    [
        ({}, (1, 0)),
        ({"detectors": ALIKE}, (2, 0)),
        ({"shadow": ALIKE}, (1, 2)),
        ({"detectors": ALIKE, "tool_policies": {"money_transfer": "deny"}}, (1, 0)),
    ],
)
def test_each_check_is_one_message_and_shadows_wait_behind(
    cast: Cast, broker: Redis, profile: dict[str, Any], queued: tuple[int, int]
) -> None:
    versions.new_version(membership=cast.admin, expires_in=60, **profile)
    propose(cast)
    assert (broker.llen("checks"), broker.llen(IN_SHADOW)) == queued


def test_checks_that_end_at_once_settle_their_action_once(
    cast: Cast, endpoint: ScriptedEndpoint, workers: ThreadPoolExecutor
) -> None:
    action, before = proposed(cast, detectors=ALIKE)
    endpoint.held = {"correctness"}
    running = start(workers, action)
    stack.until(lambda: waiting_for_one_answer(before) == 2, what="both at the same question")
    endpoint.release.set()
    assert [future.result() for future in running] == [None, None]
    action.refresh_from_db()
    assert action.status == Status.PENDING
