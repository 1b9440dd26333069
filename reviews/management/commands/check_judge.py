"""Ask the configured judge three questions whose answers are known, and tell what its endpoint can do.

Prints which options the endpoint takes (GUARD_MODEL_OPTIONS), what a question takes and costs, and how often the
answers are the known ones. Exits with 0 when every answer could be read, else with 3.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from reviews.judging.model_endpoint import build_endpoint
from reviews.judging.probe import ProbeReport, probe_model
from reviews.management.arguments import positive_seconds
from reviews.management.model_report import as_json, report_lines

# 1 is Django's for a command that failed, and 2 the parser's for a wrong command line.
CANNOT_JUDGE: Final = 3
"""The exit code where some answer could not be read."""


class Command(BaseCommand):
    help = __doc__ or ""
    # Nothing of the installation is used but the judge.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", help="GUARD_MODEL by default")
        parser.add_argument(
            "--timeout", type=positive_seconds, help="seconds for one answer; JUDGE_TIMEOUT_SECONDS by default"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        report = asyncio.run(_probe_endpoint(options))
        self.stdout.write(json.dumps(as_json(report), indent=1) if options["json"] else "\n".join(report_lines(report)))
        if not report.can_judge:
            sys.exit(CANNOT_JUDGE)


async def _probe_endpoint(options: Mapping[str, Any]) -> ProbeReport:
    model = options["model"] or settings.GUARD.guard_model
    async with build_endpoint(model, timeout=options["timeout"], max_retries=0) as endpoint:
        return await probe_model(endpoint)
