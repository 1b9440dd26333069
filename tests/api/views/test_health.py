"""The probes, with everything up and with each part down."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis
from reviews.api.views import health
from reviews.messaging import signals
from reviews.models import Action, Check, Status
from reviews.scheduling import heartbeat
from tests.cast import flagged, make_cast, propose

ALL_WELL = {"database": "ok", "broker": "ok", "worker": "ok", "checks": "ok"}


@pytest.fixture(autouse=True)
def _worker(django_db_setup: None) -> Iterator[None]:
    heartbeat.send_heartbeat()
    yield
    signals.redis_client().delete(heartbeat.KEY)


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with other tests answers, but not always within the product's deadline."""
    monkeypatch.setattr(health, "DEADLINE_SECONDS", 10.0)


def check_ready(status: int, **failing: str) -> None:
    """The probe answers in time, with this status and exactly these checks failing."""
    started = time.monotonic()
    response = Client().get("/readyz")
    assert time.monotonic() - started < health.DEADLINE_SECONDS + 5
    assert response.status_code == status
    body: Any = json.loads(response.content)
    assert body["checks"] == ALL_WELL | failing
    assert body["status"] == ("ok" if status == 200 else "failing")


def test_a_living_process_says_so() -> None:
    assert Client().get("/healthz").status_code == 200


def test_probes_are_not_kept_by_caches() -> None:
    assert "no-store" in Client().get("/healthz")["Cache-Control"]


def test_with_everything_up_it_is_ready() -> None:
    check_ready(200)


def test_without_a_worker_it_is_not_ready() -> None:
    signals.redis_client().delete(heartbeat.KEY)
    check_ready(503, worker="failing")


def test_without_redis_it_is_not_ready(redis_server: EmbeddedRedis) -> None:
    redis_server.stop()
    check_ready(503, broker="failing", worker="failing")
    redis_server.start()
    check_ready(503, worker="failing")


def test_without_postgres_it_is_not_ready(postgres: EmbeddedPostgres) -> None:
    postgres.stop()
    check_ready(503, database="failing")
    postgres.start()
    check_ready(200)


def test_a_check_that_hangs_is_failing(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    checks: dict[str, Callable[[], bool]] = {**health.CHECKS, "broker": answered.wait}
    monkeypatch.setattr(health, "CHECKS", checks)
    monkeypatch.setattr(health, "DEADLINE_SECONDS", 3.0)
    check_ready(503, broker="failing")
    answered.set()


def test_a_dead_database_does_not_kill_the_process(postgres: EmbeddedPostgres) -> None:
    postgres.stop()
    assert Client().get("/healthz").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_checks_that_do_not_begin_make_it_unready() -> None:
    action = propose(make_cast())
    check_ready(200)
    Check.objects.update(created_at=timezone.now() - timedelta(seconds=61))
    check_ready(503, checks="failing")
    Action.objects.filter(pk=action.pk).update(status=Status.CANCELLED, settled_at=timezone.now())
    check_ready(200)


@pytest.mark.django_db(transaction=True)
def test_it_counts_the_checks_that_were_killed_lately() -> None:
    cast = make_cast()
    flagged(cast)
    Check.objects.update(killed=1)
    flagged(cast, trace_id="other")
    assert json.loads(Client().get("/readyz").content)["details"]["killed_last_hour"] == 1
    Check.objects.update(finished_at=timezone.now() - timedelta(minutes=61))
    assert json.loads(Client().get("/readyz").content)["details"]["killed_last_hour"] == 0
