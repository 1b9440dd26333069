"""How fast an experiment judges by rules alone, and how fast its page opens.

`EXPERIMENT_CALLS` (10,000) calls of 4.3 KB, two of each conversation, judged by the command in processes of its own;
what was looked up differs from one conversation to the next. What a verdict takes of a core, with reading the call and
storing the verdict and without the database's own work, is measured on a thousand of them in this process. The page
compares
two detectors on as many short ones; its verdicts are the database's, every seventh and every tenth of them wrong.
"""

import json
import os
import time
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.db.models import Sum
from django.test import Client

from reviews.lab import experiment_worker
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.lab.recorded_calls import DEFAULT_CALLS, MAX_CALLS, Period, draw_calls
from reviews.models import Action, Decision, ExperimentVerdict
from tests import stack
from tests.bench.report import report
from tests.bench.test_pages import columns_of_copy
from tests.cast import approved, make_cast
from tests.datasets.collections import frozen, line, load, made_version, write_lines

pytestmark = [pytest.mark.bench, pytest.mark.timeout(1200), pytest.mark.django_db(transaction=True)]

CALLS: Final = int(os.environ.get("EXPERIMENT_CALLS", "10000"))
FEW: Final = 1_000
LOOKS: Final = 5
RECORDED: Final = 100_000
_MAKE_VERDICTS: Final = """
INSERT INTO reviews_experimentverdict
    (id, created_at, arm_id, run, entry_id, verdict, misalignment, reason, rules, score, usage, seconds)
SELECT uuidv7(), now(), a.id, 1, e.id,
    CASE WHEN (e.label ->> 'aligned')::bool = (e.ordinal %% (4 + 3 * a.ordinal) > 0)
        THEN 'aligned' ELSE 'misaligned' END,
    '', 'No source states it.', '[]', 1 / (1.0 + e.ordinal %% 9), '{"calls": 0}', 0.01
FROM reviews_experimentarm a JOIN reviews_experiment x ON x.id = a.experiment_id
JOIN reviews_versionentry e ON e.version_id = x.version_id WHERE x.id = %s
"""


def test_verdicts_a_second(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "calls.jsonl", map(long_call, range(CALLS)))
    cast = make_cast()
    version = frozen(load(cast, path).dataset)
    request_experiment(version, name="night", arms=[ArmChoice("provenance-guard")], by=None)
    started = time.perf_counter()
    with stack.process("manage", "experiment", cast.workspace.slug, "night") as command:
        assert command.wait(timeout=1000) == 0
    seconds = time.perf_counter() - started
    assert ExperimentVerdict.objects.count() == CALLS
    title = f"verdicts by rules, {CALLS:,} calls"
    report(title, ours=CALLS / seconds, unit="a second", goal=300, cores=os.cpu_count(), load=os.getloadavg()[0])


def test_processor_time_of_a_verdict(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "calls.jsonl", map(long_call, range(FEW)))
    version = frozen(load(make_cast(), path).dataset)
    arms = [ArmChoice("provenance-guard")]
    # What is read once by a process, such as its patterns, belongs to none of the verdicts.
    experiment_worker.run_here(request_experiment(version, name="warm", arms=arms, by=None).pk)
    experiment = request_experiment(version, name="night", arms=arms, by=None)
    started = time.process_time()
    experiment_worker.run_here(experiment.pk)
    seconds = time.process_time() - started
    engine = ExperimentVerdict.objects.filter(arm__experiment=experiment).aggregate(clock=Sum("seconds"))["clock"]
    report(
        f"verdicts by rules a second of one core's time, {FEW:,} calls",
        ours=FEW / seconds,
        unit="a second",
        goal=150,
        milliseconds=1000 * seconds / FEW,
        engine_by_the_clock=1000 * engine / FEW,
    )


def long_call(number: int) -> dict[str, Any]:
    """A line of four kilobytes."""
    talk, made = number // 2, line(number)
    contacts = [{"id": n + talk, "name": f"Contact {n * talk}", "note": "lorem ipsum " * 3} for n in range(40)]
    made["case"]["history"].append({"tool": "list", "arguments": {}, "outcome": json.dumps(contacts), "subtask": None})
    return made


def test_the_page_of_many_calls(tmp_path: Path) -> None:
    cast = make_cast()
    version = made_version(cast, tmp_path, CALLS)
    arms = [ArmChoice("provenance-guard"), ArmChoice("argus")]
    experiment = request_experiment(version, name="night", arms=arms, by=None)
    with connection.cursor() as cursor:
        cursor.execute(_MAKE_VERDICTS, [experiment.pk])
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(cast.admin.user)
    address = f"/experiments/{experiment.pk}"
    first = _time_page(client, address)
    begun = time.process_time()
    milliseconds = [_time_page(client, address) for _ in range(LOOKS)]
    cpu = 1000 * (time.process_time() - begun) / LOOKS
    title = f"the page of an experiment of two arms on {CALLS:,} calls"
    report(title, ours=sorted(milliseconds)[LOOKS // 2], unit="ms", goal=300, lower=True, first=first, cpu=cpu)


def test_the_draw_of_recorded_calls(tmp_path: Path) -> None:
    cast = make_cast()
    approved(cast)
    action = columns_of_copy(
        Action, id="uuidv7()", call_key="''", tool="'tool-' || n % 40", created_at="now() - n * interval '25 seconds'"
    )
    decision = columns_of_copy(Decision, id="uuidv7()", action_id="made.id")
    with connection.cursor() as cursor:
        # Without a look at every row that each copy refers to.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            f"""
            WITH made AS (
                INSERT INTO reviews_action ({", ".join(action)}) SELECT {", ".join(action.values())}
                FROM (SELECT * FROM reviews_action LIMIT 1) AS o, generate_series(1, {RECORDED}) AS n RETURNING id
            )
            INSERT INTO reviews_decision ({", ".join(decision)}) SELECT {", ".join(decision.values())}
            FROM (SELECT * FROM reviews_decision LIMIT 1) AS o, made
            """  # noqa: S608 - put together of the models' own names
        )
        cursor.execute("RESET session_replication_role")
        cursor.execute("VACUUM ANALYZE reviews_action, reviews_decision")
    for calls in (DEFAULT_CALLS, MAX_CALLS):
        started = time.perf_counter()
        assert len(draw_calls(cast.workspace, Period.last_days(calls=calls)).calls) == calls
        milliseconds = 1000 * (time.perf_counter() - started)
        report(f"{calls:,} of {RECORDED:,} recorded calls drawn", ours=milliseconds, unit="ms", goal=3000, lower=True)


def _time_page(client: Client, address: str) -> float:
    started = time.perf_counter()
    assert client.get(address).status_code == 200
    return 1000 * (time.perf_counter() - started)
