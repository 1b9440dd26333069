"""Whether this process lives, and whether the product can do its work. Neither answer waits for a dead service."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

import psycopg
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reviews.messaging import signals
from reviews.scheduling import heartbeat, progress
from reviews.scheduling.progress import Progress

# Half a second below the two that `readyz` promises, for all that is not waiting.
DEADLINE_SECONDS: Final = 1.5


def _check_database() -> bool:
    # A connection of its own: the pool would hold a probe back for as long as it hopes for a free one.
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("dbname", "user", "password", "host", "port") if parameters.get(key)}
    # Whole seconds only, and libpq takes 1 for 2. The answer does not wait for it, but the thread has to come back.
    with psycopg.connect(**address, connect_timeout=2) as probe:
        return probe.execute("SELECT 1").fetchone() == (1,)


def _check_broker() -> bool:
    return bool(signals.redis_client().ping())


def _check_progress() -> Progress:
    try:
        return progress.measure_progress()
    finally:
        # The thread lives on, and would otherwise hold a connection of the pool.
        connection.close()


CHECKS: Final[Mapping[str, Callable[[], bool]]] = MappingProxyType(
    {"database": _check_database, "broker": _check_broker, "worker": heartbeat.is_worker_alive}
)
# A thread that hangs on a dead service outlives its request: a few rounds of them must not use up the pool.
_probes = ThreadPoolExecutor(max_workers=4 * (len(CHECKS) + 1), thread_name_prefix="probe")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Nothing else is looked at: a dead database is no reason to restart this process."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when every check passes, 503 otherwise; both list each check and, under `details`, how checks move.

    Answers within two seconds.
    """
    measuring = _probes.submit(_check_progress)
    probes = {name: _probes.submit(check) for name, check in CHECKS.items()}
    waited_for: list[Future[Any]] = [*probes.values(), measuring]
    finished, _ = wait(waited_for, timeout=DEADLINE_SECONDS)
    checks = {}
    for name, probe in probes.items():
        # One that raises fails, and so does one that has not answered in time.
        passed = probe in finished and probe.exception() is None and probe.result()
        checks[name] = "ok" if passed else "failing"
    # Unknown while the database is away, which is a failure of its own.
    figures = measuring.result() if measuring in finished and measuring.exception() is None else None
    # Living workers are not enough: all their processes may be busy with calls that were made to keep them so.
    stalled = figures is not None and figures.oldest_waiting_seconds > settings.GUARD.check_stall_seconds
    checks["checks"] = "failing" if stalled else "ok"
    ready = set(checks.values()) == {"ok"}
    body = {"status": "ok" if ready else "failing", "checks": checks, "details": figures and asdict(figures)}
    return JsonResponse(body, status=200 if ready else 503)


root_urls = [path("healthz", healthz, name="healthz"), path("readyz", readyz, name="readyz")]
