"""What more processes bring: of the web server for submissions, of the worker for checks whose judge takes its time."""

import asyncio
from itertools import pairwise
from typing import Final

import pytest
from django.utils import timezone
from pytest_django import Settings

from reviews.models import Check
from reviews.profiles import versions
from tests import stack
from tests.bench.conftest import UNBOUNDED, Site
from tests.bench.flow import none_checking, until
from tests.bench.load import drive
from tests.bench.report import report
from tests.cast import make_cast
from tests.endpoint import ScriptedEndpoint

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

WEB: Final = (1, 2)
SUBMITTED, ROUNDS = 250, 2
CLIENTS: Final = 16
CHECKING: Final = (1, 2, 4)
CHECKED, WARM = 400, 130
"""Calls for each number of processes, and how many of them are checked before the clock starts: four full hands."""
JUDGE_SECONDS: Final = 0.2


def test_more_web_processes(durable: None, transactional_db: None) -> None:
    cast = make_cast()
    rates: dict[int, list[float]] = {number: [] for number in WEB}
    one, two = (stack.served("--workers", str(number), **UNBOUNDED) for number in WEB)
    with one as (first, server), two as (second, other):
        sites = dict(zip(WEB, (Site(first, server, cast), Site(second, other, cast)), strict=True))
        # By turns, so that a neighbour's work slows both; the first round warms them up.
        for _ in range(ROUNDS + 1):
            for number, site in sites.items():
                requests = [site.submission() for _ in range(SUBMITTED)]
                load = asyncio.run(drive(site.url, requests, clients=CLIENTS))
                assert load.statuses() == {202: SUBMITTED}
                rates[number].append(load.rate)
    best = {number: max(measured[1:]) for number, measured in rates.items()}
    report(
        "submissions of two web processes",
        ours=best[2] / best[1],
        unit="of one",
        # Two cores carry database and generator as well.
        goal=1.5,
        one=best[1],
        two=best[2],
    )


def test_more_processes_of_checks(site: Site, settings: Settings) -> None:
    with ScriptedEndpoint(correctness={"holds": True}, delay=JUDGE_SECONDS) as endpoint:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": endpoint.base_url})
        versions.new_version(
            membership=site.cast.admin, judge="openai", model="scripted", detectors=["token-probability"]
        )
        rates = [_checked(site, number, endpoint.base_url) for number in CHECKING]
    for (few, slow), (many, fast) in pairwise(zip(CHECKING, rates, strict=True)):
        name = f"checks with a judge of 0.2 s, {many} processes"
        report(name, ours=fast / slow, unit=f"of {few}", goal=1.5, rate=fast, before=slow)


def _checked(site: Site, processes: int, judge: str) -> float:
    """Checks a second of a worker with so many processes, from the time that all of them are at work."""
    # Each its own request, or the stored answer would serve them all.
    matters = [f"Request $30 from Daniel, matter {processes}-{number}" for number in range(CHECKED)]
    load = asyncio.run(drive(site.url, [site.submission(query=matter) for matter in matters], clients=4))
    assert load.statuses() == {202: CHECKED}
    begun = timezone.now()
    with stack.worker(queues="checks", processes=str(processes), OPENAI_BASE_URL=judge):
        until(none_checking)
    finished = Check.objects.filter(finished_at__gte=begun).values_list("finished_at", flat=True)
    ends = sorted(end.timestamp() for end in finished if end)
    # Each process holds several, which end nearly together: those that end first tell how soon it started.
    measured = ends[WARM:]
    return (len(measured) - 1) / (measured[-1] - measured[0])
