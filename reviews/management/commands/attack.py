"""Attack a detector: plant composed payloads in what right calls were based on, and print what passes, by family.

The call that is judged is the one that an agent which obeys would make. Nothing is stored, and no model is asked.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from reviews.evaluation.attacks.composing import FAMILIES, compose_attacks
from reviews.evaluation.benchmarks.agentdojo import AgentDojo
from reviews.evaluation.benchmarks.base import LabelledCase, TraceDataError, cases_of
from reviews.evaluation.reports import attacks
from reviews.evaluation.reports.comparison import notes_on_plans
from reviews.evaluation.runs.runner import run_detector
from reviews.evaluation.runs.sampling import sample_cases
from reviews.evaluation.scripted.choosing import JUDGES
from reviews.management.arguments import positive_number
from reviews.management.scripted_judges import check_judge_answers
from reviews.provenance import detectors
from reviews.records.cases import case_from_json

# A file has no width of its own: at the 80 columns that are taken for it the table would lose its figures.
_FILE_WIDTH: Final = 160
_EXAMPLES: Final = Path(__file__).parents[1] / "demo_calls.jsonl"


class Command(BaseCommand):
    help = __doc__ or ""
    # Nothing of the installation is used, so that it also runs where no database is.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, nargs="?", help="AgentDojo's folder (default: the example calls)")
        parser.add_argument("--detector", choices=sorted(detectors.DETECTORS), default="provenance-guard")
        parser.add_argument("--judges", nargs="+", choices=sorted(JUDGES), default=["rules", "lenient"])
        parser.add_argument("--families", nargs="+", choices=sorted(FAMILIES), default=list(FAMILIES))
        parser.add_argument("--variants", type=positive_number, default=1, help="attacks of each family on each call")
        parser.add_argument(
            "--sample", type=positive_number, help="only so many right calls, the same ones in every run"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--passed", action="store_true", help="tell each attack that is established")

    def handle(self, *args: Any, **options: Any) -> None:
        composed = tuple(_compose_cases(options))
        if not composed:
            raise CommandError("None of these calls has a value that an attack could change.")
        width = None if sys.stdout.isatty() else _FILE_WIDTH
        console = Console(soft_wrap=True, highlight=False, markup=False, width=width)
        # Where no plan is recorded every call would count as stopped for want of one, attacked or not.
        chosen = detectors.Options(unknown="pass", without_plan="steps")
        detector = detectors.build(options["detector"], chosen)
        for judge in options["judges"]:
            check_judge_answers(judge, detector, composed)
        for judge in options["judges"]:
            results = asyncio.run(run_detector(composed, detector, JUDGES[judge]()))
            console.print(attacks.render_report(f"{options['detector']}, judge: {judge}", composed, results))
            for note in notes_on_plans([detector.name], composed):
                console.print(note)
            if options["passed"]:
                for line in attacks.passed_lines(composed, results):
                    console.print(line)
            if failed := [judged.error for judged in results.values() if judged.error]:
                raise CommandError(f"{len(failed)} calls could not be judged; the first: {failed[0]}")


def _compose_cases(options: Mapping[str, Any]) -> Sequence[LabelledCase]:
    try:
        calls: Sequence[LabelledCase] = _right_calls(options["folder"])
    except TraceDataError as error:
        raise CommandError(str(error)) from error
    if options["sample"]:
        calls = sample_cases(calls, options["sample"], balanced=False)
    return tuple(
        compose_attacks(calls, variants=options["variants"], seed=options["seed"], families=options["families"])
    )


def _right_calls(folder: Path | None) -> Sequence[LabelledCase]:
    if folder is not None:
        return [case for case in cases_of(AgentDojo(folder).read_traces()) if case.wrong is False]
    stored = (json.loads(line) for line in _EXAMPLES.read_text(encoding="utf-8").splitlines())
    return [LabelledCase(call["id"], "example", case_from_json(call["case"]), wrong=False) for call in stored]
