"""How many queued checks by rules two cores get done in a second, and how long the engine alone takes for one."""

import asyncio
import time

import pytest

from reviews.models import Action, JudgeKind
from reviews.profiles.options import detector_options
from reviews.provenance.detectors import build, verdict_of
from reviews.provenance.judges import RulesJudge
from reviews.records import load
from tests import environment, stack
from tests.bench.conftest import Site
from tests.bench.flow import WRONG, checks_done, none_checking, submitted, until
from tests.bench.report import cpu_of, report

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

QUEUED = 400
FIRST = 40
"""Checks until every process of the worker is warm: measured from there on."""


def test_queued_checks_by_rules(site: Site) -> None:
    submitted(site, QUEUED // 2, action=WRONG)
    submitted(site, QUEUED // 2)
    engine = _engine_seconds()
    with stack.worker(queues="checks") as worker:
        until(lambda: checks_done() >= FIRST)
        started, before = time.monotonic(), checks_done()
        pid = environment.postgres.pid if environment.postgres else worker.pid
        with cpu_of(worker.pid) as checking, cpu_of(pid or 0) as database:
            until(none_checking)
        elapsed, done = time.monotonic() - started, QUEUED - before
    report(
        "queued checks by rules",
        ours=done / elapsed,
        unit="a second",
        goal=150,
        engine_ms=1000 * engine,
        worker_cpu_ms=1000 * checking["seconds"] / done,
        database_cpu_ms=1000 * database["seconds"] / done,
    )


def _engine_seconds() -> float:
    """What the detector alone takes for one of these calls: the floor."""
    action = Action.objects.select_related("profile", "trace__query", "tool_set").first()
    assert action is not None
    assert action.profile.judge == JudgeKind.RULES
    detector = build(action.profile.detectors[0], detector_options(action.profile, action.profile.detectors[0]))
    seconds = []
    for _ in range(20):
        case = load.case_for(action)
        started = time.perf_counter()
        asyncio.run(verdict_of(detector, case, RulesJudge()))
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[len(seconds) // 2]
