"""Push recorded agent traces through the API of a running guard, and count its verdicts against the labels."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviews.agents.client.provenanceguard import AsyncGuard, GuardError
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.workbench import Trace, Workbench
from reviews.lab.replay.in_process import EngineInProcess
from reviews.lab.replay.proposals import Proposal, read_proposals, select_proposals
from reviews.lab.replay.report import Report, render_report
from reviews.lab.replay.runner import replay_proposals
from reviews.lab.replay.targets import RunningGuard, Target
from reviews.management import connection
from reviews.management.arguments import positive_number

# Enough to keep the workers of a usual installation busy, and below its number of database connections.
CONCURRENCY = 32
"""Conversations in flight."""


class Command(BaseCommand):
    """Each environment-changing call of the traces becomes a proposed action; what is flagged stays in the queue."""

    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("benchmark", choices=["workbench"], help="whose traces")
        parser.add_argument("path", type=Path, help="folder with the benchmark's data")
        parser.add_argument("--setting", choices=["domains", "all"], help="one of the two settings; both by default")
        parser.add_argument("--limit", type=positive_number, help="only the first traces")
        parser.add_argument("--concurrency", type=positive_number, default=CONCURRENCY, help="conversations in flight")
        parser.add_argument("--fresh", action="store_true", help="propose everything anew; otherwise a re-run resumes")
        parser.add_argument("--cancel", action="store_true", help="withdraw flagged calls once they are counted")
        parser.add_argument("--in-process", action="store_true", help="ask only the engine, by rules; stores nothing")
        connection.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay and report. Raises CommandError when the data, the guard or a single call fails."""
        # A fresh run gets names of its own; the others share one, under which the guard finds the same actions again.
        run = secrets.token_hex(4) if options["fresh"] else "main"
        try:
            workbench = Workbench(options["path"])
            traces = select_proposals(workbench, options["setting"], options["limit"])
            conversations = [list(read_proposals(workbench, trace, run=run)) for trace in traces]
            report = asyncio.run(_replay_traces(traces, conversations, run=run, options=options))
        except (TraceDataError, GuardError) as error:
            raise CommandError(str(error)) from error
        Console(soft_wrap=True, highlight=False).print(render_report(report))
        if report.errors:
            raise CommandError(f"{len(report.errors)} calls could not be replayed.")


async def _replay_traces(
    traces: Sequence[Trace], conversations: Sequence[Sequence[Proposal]], *, run: str, options: dict[str, Any]
) -> Report:
    async with AsyncExitStack() as stack:
        target: Target = EngineInProcess()
        if not options["in_process"]:
            target = await stack.enter_async_context(_running_guard(run, options))
        started = time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns) as progress:
            bar = progress.add_task("Replaying", total=sum(map(len, conversations)))
            concurrency = options["concurrency"]
            results = await replay_proposals(
                conversations, target, concurrency=concurrency, done=lambda: progress.advance(bar)
            )
        return Report(traces, results, time.monotonic() - started)


@asynccontextmanager
async def _running_guard(run: str, options: dict[str, Any]) -> AsyncIterator[RunningGuard]:
    url, key = connection.address_and_key(options)
    async with AsyncGuard(url, key) as guard:
        # One request ahead, so that a wrong address or key is reported at once and not for every call.
        await guard.list_actions(limit=1)
        yield RunningGuard(guard, run, cancel=options["cancel"])
