"""Whether this process lives, and whether the product can do its work. Neither answer waits for a dead service."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import MappingProxyType
from typing import Final

import psycopg
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reviews.messaging import heartbeat, signals

DEADLINE_SECONDS: Final = 1.5


def _database() -> bool:
    # A connection of its own: the pool would hold a probe back for as long as it hopes for a free one.
    known = connection.get_connection_params()
    address = {key: known[key] for key in ("dbname", "user", "password", "host", "port") if known.get(key)}
    with psycopg.connect(**address, connect_timeout=2) as probe:
        return probe.execute("SELECT 1").fetchone() == (1,)


def _broker() -> bool:
    return bool(signals.client().ping())


CHECKS: Final[Mapping[str, Callable[[], bool]]] = MappingProxyType(
    {"database": _database, "broker": _broker, "worker": heartbeat.alive}
)
_probes = ThreadPoolExecutor(max_workers=4 * len(CHECKS), thread_name_prefix="probe")


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Nothing else is looked at: a dead database is no reason to restart this process."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when every check passes, 503 otherwise; both list each check. Answers within two seconds."""
    asked = {_probes.submit(check): name for name, check in CHECKS.items()}
    answered, _ = wait(asked, timeout=DEADLINE_SECONDS)
    checks = {name: "ok" if probe in answered and _passes(probe) else "failing" for probe, name in asked.items()}
    ready = set(checks.values()) == {"ok"}
    body = {"status": "ok" if ready else "failing", "checks": checks}
    return JsonResponse(body, status=200 if ready else 503)


def _passes(probe: Future[bool]) -> bool:
    return probe.exception() is None and probe.result()


root_urls = [path("healthz", healthz, name="healthz"), path("readyz", readyz, name="readyz")]
