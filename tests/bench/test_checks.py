"""How many queued checks by rules two cores get done in a second, and how long the engine alone takes for one."""

import asyncio
import time

import pytest
from pytest_django import Settings

from reviews.models import Action, JudgeKind
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.detectors import build, verdict_of
from reviews.provenance.judges import RulesJudge
from reviews.records import load
from tests import environment, stack
from tests.bench.conftest import Site
from tests.bench.flow import WRONG, checks_done, none_checking, submitted, until
from tests.bench.load import drive
from tests.bench.report import cpu_of, megabytes_of_children, report
from tests.endpoint import ScriptedEndpoint

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

QUEUED = 400
FIRST = 40
"""Checks until every process of the worker is warm: measured from there on."""
JUDGED, WARM = 500, 60
JUDGE_SECONDS = 0.2
REMEMBERED = 2000
"""Checks until a process holds all that it keeps of earlier ones."""


def test_queued_checks_by_rules(site: Site) -> None:
    submitted(site, QUEUED // 2, action=WRONG)
    submitted(site, QUEUED // 2)
    engine = _engine_seconds()
    with stack.worker(queues="checks") as worker:
        _report_pace("queued checks by rules", worker.pid, warm=FIRST, number=QUEUED, engine_ms=1000 * engine)


def test_queued_checks_of_a_judge_that_takes_its_time(site: Site, settings: Settings) -> None:
    with ScriptedEndpoint(correctness={"holds": True}, delay=JUDGE_SECONDS) as endpoint:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": endpoint.base_url})
        versions.new_version(
            membership=site.cast.admin, judge="openai", model="scripted", detectors=["token-probability"]
        )
        # Each its own request, or the stored answer would serve them all.
        requests = [site.submission(query=f"Request $30 from Daniel, matter {number}") for number in range(JUDGED)]
        assert asyncio.run(drive(site.url, requests, clients=16)).statuses() == {202: JUDGED}
        with stack.worker(queues="checks", OPENAI_BASE_URL=endpoint.base_url) as worker:
            _report_pace("checks with a judge of 0.2 s", worker.pid, warm=WARM, number=JUDGED)


def test_memory_of_a_process_of_checks(site: Site) -> None:
    with stack.worker(queues="checks") as worker:
        submitted(site, FIRST)
        until(none_checking)
        at_first = max(megabytes_of_children(worker.pid))
        submitted(site, REMEMBERED // 2, action=WRONG)
        submitted(site, REMEMBERED // 2)
        until(none_checking)
        most = max(megabytes_of_children(worker.pid))
    report("memory of a process of checks", ours=most, unit="MB", goal=300, lower=True, at_first=at_first)


def _report_pace(name: str, worker: int, *, warm: int, number: int, **figures: float) -> None:
    """Report how many checks a second are done and what each costs, from `warm` of `number` on."""
    until(lambda: checks_done() >= warm)
    started, before = time.monotonic(), checks_done()
    postgres = environment.postgres.pid if environment.postgres else worker
    with cpu_of(worker) as checking, cpu_of(postgres or 0) as database:
        until(none_checking)
    elapsed, done = time.monotonic() - started, number - before
    report(
        name,
        ours=done / elapsed,
        unit="a second",
        goal=150,
        lower=False,
        **figures,
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
        case = load.load_case(action)
        started = time.perf_counter()
        asyncio.run(verdict_of(detector, case, RulesJudge()))
        seconds.append(time.perf_counter() - started)
    return sorted(seconds)[len(seconds) // 2]
