"""Push recorded agent traces through the API of a running guard, and count its verdicts against the labels."""

import asyncio
import secrets
import time
from argparse import ArgumentTypeError
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviews.agents.client import Guard, GuardError
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.workbench import Trace, Workbench
from reviews.lab.replay.in_process import EngineDoor
from reviews.lab.replay.proposals import Proposal, proposals, selected
from reviews.lab.replay.report import Report, render
from reviews.lab.replay.runner import Result, replay
from reviews.lab.replay.targets import Door, GuardDoor
from reviews.management import connection

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
        parser.add_argument("--limit", type=_positive, help="only the first traces")
        parser.add_argument("--concurrency", type=_positive, default=CONCURRENCY, help="conversations in flight")
        parser.add_argument("--fresh", action="store_true", help="propose everything anew; otherwise a re-run resumes")
        parser.add_argument("--cancel", action="store_true", help="withdraw flagged calls once they are counted")
        parser.add_argument("--in-process", action="store_true", help="ask only the engine, by rules; stores nothing")
        connection.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay and report. Raises CommandError when the data, the guard or a single call fails."""
        run = secrets.token_hex(4) if options["fresh"] else "main"
        try:
            workbench = Workbench(options["path"])
            traces = selected(workbench, options["setting"], options["limit"])
            conversations = [list(proposals(workbench, trace, run=run)) for trace in traces]
            report = asyncio.run(_run(traces, conversations, run=run, options=options))
        except (TraceDataError, GuardError) as error:
            raise CommandError(str(error)) from error
        Console(soft_wrap=True, highlight=False).print(render(report))
        if report.errors:
            raise CommandError(f"{len(report.errors)} calls could not be replayed.")


async def _run(
    traces: Sequence[Trace], conversations: Sequence[Sequence[Proposal]], *, run: str, options: dict[str, Any]
) -> Report:
    async with AsyncExitStack() as stack:
        door: Door = EngineDoor() if options["in_process"] else await stack.enter_async_context(_guarded(run, options))
        started = time.monotonic()
        results = await _with_progress(conversations, door, options["concurrency"])
        return Report(traces, results, time.monotonic() - started)


@asynccontextmanager
async def _guarded(run: str, options: dict[str, Any]) -> AsyncIterator[GuardDoor]:
    url, key = connection.address_and_key(options)
    async with Guard(url, key) as guard:
        # A wrong address or key is said at once, not once per call.
        await guard.actions(limit=1)
        yield GuardDoor(guard, run, cancel=options["cancel"])


async def _with_progress(conversations: Sequence[Sequence[Proposal]], door: Door, concurrency: int) -> list[Result]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns) as progress:
        bar = progress.add_task("Replaying", total=sum(map(len, conversations)))
        return await replay(conversations, door, concurrency=concurrency, done=lambda: progress.advance(bar))


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)
