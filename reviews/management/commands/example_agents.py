"""Run the example agents against a guard until interrupted."""

import asyncio
import contextlib
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.agents.client.provenanceguard import AsyncGuard, GuardError
from reviews.agents.examples.runner import PENDING_CAP, Agents
from reviews.management import connection


class Command(BaseCommand):
    """Scripted agents propose realistic calls, wait for each decision, obey it, and report what happened."""

    help = __doc__ or ""
    # The agents need no database and may run on another machine than the guard.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        connection.add_arguments(parser)
        parser.add_argument(
            "--once", action="store_true", help="one round of all scenarios; ends with the last of them"
        )
        parser.add_argument("--pending-cap", type=int, default=PENDING_CAP, help="most conversations under way at once")
        # Slow enough to follow the queue by eye, quick enough that it is never empty.
        parser.add_argument("--pause", type=float, default=1.5, help="mean seconds between two proposals")
        parser.add_argument("--seed", help="the same names and amounts each time")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run. Raises CommandError when the guard cannot be reached at the start."""
        url, key = connection.address_and_key(options)
        with contextlib.suppress(KeyboardInterrupt):
            try:
                asyncio.run(self._run_agents(url, key, options))
            except GuardError as error:
                raise CommandError(str(error)) from error

    async def _run_agents(self, url: str, key: str, options: dict[str, Any]) -> None:
        async with AsyncGuard(url, key) as guard:
            agents = Agents(
                guard, self._report_line, options["pending_cap"], pause_seconds=options["pause"], seed=options["seed"]
            )
            await agents.run(rounds=1 if options["once"] else None)

    def _report_line(self, line: str) -> None:
        self.stdout.write(f"{datetime.now(UTC):%H:%M:%S} {line}")
