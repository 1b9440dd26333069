"""Fit the threshold of a detector to the actions that people have labelled."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.errors import ReviewError
from reviews.evaluation.benchmarks.base import LabelledCase, TraceDataError, cases_of
from reviews.evaluation.file_formats.items import Items
from reviews.lab import tuning
from reviews.lab.tuning import Tuning
from reviews.management.arguments import positive_number
from reviews.management.tenants import workspace_named
from reviews.models import Workspace


class Command(BaseCommand):
    """Print what the threshold is and what serves best; unless it is a dry run, store it in the guard profile."""

    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="slug of the workspace")
        parser.add_argument("detector", help="name of a detector that scores calls, such as infer-act-prob")
        parser.add_argument("--dry-run", action="store_true", help="change nothing")
        parser.add_argument(
            "--items", type=Path, help="ground truth: a frozen version's export as JSON lines, in place of decisions"
        )
        parser.add_argument("--split", default="", help="with --items: only this split (default: all)")
        parser.add_argument(
            "--minimum",
            type=positive_number,
            default=tuning.MIN_LABELLED,
            help="labelled actions it takes (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = workspace_named(options["workspace"])
        if options["split"] and options["items"] is None:
            raise CommandError("--split is of --items.")
        try:
            path: Path | None = options["items"]
            cases = list(cases_of(Items(path, options["split"]).read_traces())) if path else None
            self._tune_thresholds(
                workspace, options["detector"], minimum=options["minimum"], dry_run=options["dry_run"], cases=cases
            )
        except (ReviewError, TraceDataError) as error:
            raise CommandError(str(error)) from error

    def _tune_thresholds(
        self,
        workspace: Workspace,
        detector: str,
        *,
        minimum: int,
        dry_run: bool,
        cases: Sequence[LabelledCase] | None,
    ) -> None:
        if dry_run:
            self._print_tuning(tuning.propose_threshold(workspace, detector, minimum=minimum, cases=cases))
            self.stdout.write("Nothing was changed.")
            return
        tuned, profile = tuning.store_threshold(workspace, detector, minimum=minimum, cases=cases)
        self._print_tuning(tuned)
        self.stdout.write(f"Version {profile.version} of the guard profile is in force.")

    def _print_tuning(self, tuned: Tuning) -> None:
        if tuned.failed:
            self.stderr.write(f"{tuned.failed} cases could not be judged, and are left out.")
        # Four digits tell neighbouring scores apart; the macro-F1 of some dozen labels has no more than three.
        self.stdout.write(
            f"Labelled actions  {tuned.count}\n"
            f"Threshold         {tuned.threshold_before:.4g} -> {tuned.threshold:.4g}\n"
            f"Macro-F1          {tuned.macro_f1_before:.3f} -> {tuned.macro_f1:.3f}"
        )
