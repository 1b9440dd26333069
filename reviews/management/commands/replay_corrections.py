"""Replay the loop of guard, person and agent over a benchmark's traces, and print how many tasks succeed after a round.

A scripted reviewer, who knows the right calls, looks at what the guard stops as long as a round's quota lasts; a
scripted agent tries again with what it is told: that the call is wrong (binary), or one thing that is (worded). Beside
it the bound: a person who looks at everything. Nothing is stored.
"""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from reviews.evaluation.benchmarks.base import TraceDataError, terminal_actions
from reviews.evaluation.reports.comparison import notes_on_plans
from reviews.evaluation.reports.tables import terminal_table
from reviews.evaluation.runs.corrections import QUOTA_SHARE, ROUNDS, RoundTally, Task, replay_corrections, tasks_of
from reviews.evaluation.scripted.choosing import JUDGES
from reviews.evaluation.scripted.corrected_agent import FeedbackKind
from reviews.management.arguments import positive_number, share
from reviews.management.benchmark_registry import BENCHMARKS
from reviews.provenance import detectors

# Of whose failed tasks it is known what would have been right, or who got stuck.
_REPLAYED: Final = ("workbench", "hotpotqa", "webshop")
_FEEDBACK: Final = get_args(FeedbackKind)
# The widest table fits, in a file too.
_WIDTH: Final = 120


class Command(BaseCommand):
    help = __doc__ or ""
    # Nothing of the installation is used, so that a replay also runs where no database is.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", choices=_REPLAYED, help="whose traces are replayed")
        parser.add_argument("folder", type=Path, help="folder with the benchmark's data")
        parser.add_argument("--detector", choices=sorted(detectors.DETECTORS), default="provenance-guard")
        parser.add_argument("--judge", choices=sorted(JUDGES), default="rules", help="who answers what rules cannot")
        parser.add_argument("--unknown", choices=["pass", "review"], default="review", help="what no answer means")
        parser.add_argument("--rounds", type=positive_number, default=ROUNDS, help="tries after the first")
        parser.add_argument("--quota", type=share, default=QUOTA_SHARE, help="share of the tasks looked at a round")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = list(asyncio.run(_replay_rows(options)))
        except TraceDataError as error:
            raise CommandError(str(error)) from error
        columns = ("feedback", "guided by", *(f"N={n}" for n in range(options["rounds"] + 1)), "looks", "false alarms")
        benchmark = BENCHMARKS[options["benchmark"]](options["folder"], {"setting": "domains"})
        tasks = tasks_of(benchmark.read_traces())
        stuck = sum(task.labelled is None for task in tasks)
        title = f"{benchmark.name}: {len(tasks)} tasks, {stuck} of them stuck; share that succeeds after each round"
        console = Console(width=_WIDTH, soft_wrap=True, highlight=False, markup=False)
        console.print(terminal_table(title, columns, rows))
        for note in notes_on_plans([options["detector"]], (task.labelled for task in tasks if task.labelled)):
            console.print(note)


async def _replay_rows(options: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    benchmark = BENCHMARKS[options["benchmark"]](options["folder"], {"setting": "domains"})
    # Where no plan is recorded every call would be stopped for want of one.
    chosen = detectors.Options(
        unknown=options["unknown"], critical=terminal_actions(benchmark), without_plan="steps"
    )  # fmt: skip
    guard = detectors.build(options["detector"], chosen)
    rows = []
    for feedback in _FEEDBACK:
        for name, detector in ((guard.name, guard), ("full validation", None)):
            # Read anew: a replay changes its tasks.
            tasks: list[Task] = tasks_of(benchmark.read_traces())
            tallies = await replay_corrections(
                tasks, detector, JUDGES[options["judge"]](), feedback=feedback, rounds=options["rounds"],
                quota_share=options["quota"],
            )  # fmt: skip
            rows.append((feedback, name, *_success_cells(tallies)))
    return iter(rows)


def _success_cells(tallies: list[RoundTally]) -> Iterator[str]:
    yield from (f"{tally.success:.1%}" for tally in tallies)
    yield str(sum(tally.inspected for tally in tallies))
    yield str(sum(tally.false_alarms for tally in tallies))
