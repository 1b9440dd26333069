"""Kill, flush, restart, cut off: nothing unsafe runs and nothing is lost. Real processes throughout."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from psycopg_pool import ConnectionPool

from guardapp.database import base
from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis
from reviews.messaging import signals
from reviews.models import Action, Check, Decision, Review, Status
from reviews.profiles import versions
from tests import stack
from tests.cast import RIGHT, WRONG, Cast, make_cast, propose
from tests.endpoint import ScriptedEndpoint

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture(scope="module", autouse=True)
def _beat(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Sweeps are asked for all the time; each test starts the workers that make them."""
    with stack.beat(tmp_path_factory.mktemp("beat")):
        yield


def with_judge(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")


def judge_environment(endpoint: ScriptedEndpoint, **more: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": endpoint.base_url,
        "OPENAI_API_KEY": "test",
        "CHECK_LEASE_SECONDS": "2",
        "CHECK_RETRY_SECONDS": "0.2",
        "CHECK_MAX_ATTEMPTS": "2",
        "JUDGE_BREAKER_SECONDS": "0.2",
        **more,
    }


def reaches(action: Action, *statuses: Status) -> Callable[[], bool]:
    def reached() -> bool:
        action.refresh_from_db()
        return action.status in statuses

    return reached


def use_connections(number: int) -> None:
    """Leave that many idle connections in the pool."""
    all_connected = threading.Barrier(number)

    def use() -> None:
        connection.ensure_connection()
        all_connected.wait()
        connection.close()

    with ThreadPoolExecutor(number) as threads:
        for used in [threads.submit(use) for _ in range(number)]:
            used.result()


def settled(action: Action) -> bool:
    return reaches(action, Status.DECIDED, Status.PENDING)()


def test_a_worker_killed_in_the_middle_of_a_check_is_succeeded_behind_its_last_stage(cast: Cast) -> None:
    with_judge(cast)
    with ScriptedEndpoint() as endpoint:
        # A lease that is renewed in time also while other servers of the run start: one that is lost counts an attempt.
        environment = judge_environment(endpoint, CHECK_MAX_ATTEMPTS="5", CHECK_LEASE_SECONDS="60")
        endpoint.held = {"support", "candidates"}
        with stack.worker(**environment) as killed:
            action = propose(cast)
            stack.until(lambda: Check.objects.get(action=action).stages, what="the first stage")
            stack.until(
                lambda: endpoint.questions["support"] + endpoint.questions["candidates"], what="the middle of a check"
            )
            before = endpoint.questions["relevance"] + endpoint.questions["contribution"]
            had_neighbours = Check.objects.get(action=action).beside_others
            stack.kill(killed)
        # Its minute is over.
        Check.objects.filter(action=action).update(leased_until=timezone.now())
        endpoint.release.set()
        with stack.worker(**environment):
            stack.until(partial(settled, action), what="the successor's verdict")
        assert endpoint.questions["relevance"] + endpoint.questions["contribution"] == before
    # The first is not counted where a neighbour in its process may have been the one that never returned. A process
    # that is kept for agents with nothing running takes it alone.
    assert Check.objects.get(action=action).attempts == (1 if had_neighbours else 2)


def test_a_broker_flushed_with_work_queued_loses_nothing(cast: Cast) -> None:
    actions = [propose(cast, trace_id=str(number)) for number in range(20)]
    signals.redis_client().flushall()
    with stack.worker():
        for action in actions:
            stack.until(partial(settled, action), what="a verdict after the flush")


def test_a_broker_that_is_away_refuses_no_submission(cast: Cast, redis_server: EmbeddedRedis) -> None:
    redis_server.stop()
    action = propose(cast)
    redis_server.start()
    with stack.worker():
        stack.until(partial(settled, action), what="a verdict after the broker came back")


def test_a_restarted_database_costs_no_action(cast: Cast, postgres: EmbeddedPostgres) -> None:
    with stack.worker(CHECK_LEASE_SECONDS="2"):
        before = propose(cast, trace_id="before")
        postgres.restart()
        connection.close()
        after = propose(cast, trace_id="after")
        for action in (before, after):
            stack.until(partial(settled, action), what="a verdict after the restart")


def test_a_pool_full_of_dead_connections_refuses_no_submission(cast: Cast, postgres: EmbeddedPostgres) -> None:
    use_connections(10)
    postgres.restart()
    connection.close()
    assert propose(cast).status == Status.CHECKING


def test_a_database_that_answers_on_no_connection_holds_nobody_up(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(connection: psycopg.Connection) -> None:
        connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    connection.close()
    # No connection is believed because it has just answered.
    monkeypatch.setattr(base, "_BELIEVED_SECONDS", 0)
    monkeypatch.setattr(ConnectionPool, "check_connection", staticmethod(silent))
    with pytest.raises(OperationalError, match="answers on none"):
        propose(cast)
    monkeypatch.undo()


def test_a_judge_that_is_down_approves_nothing(cast: Cast) -> None:
    with_judge(cast)
    with ScriptedEndpoint() as endpoint:
        endpoint.down = True
        with stack.worker(**judge_environment(endpoint)):
            actions = [propose(cast, call, trace_id=trace) for trace, call in (("right", RIGHT), ("wrong", WRONG))]
            for action in actions:
                stack.until(reaches(action, Status.PENDING), what="the item in the queue")
    assert Review.objects.filter(action__in=actions).count() == 2
    assert not Decision.objects.exists()
