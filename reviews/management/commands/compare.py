"""Judge a benchmark's calls with several detectors and a model, and print the papers' measures and costs side by side.

The model is the configured one (OPENAI_BASE_URL, OPENAI_API_KEY, GUARD_MODEL). Stores nothing but the results files,
one for each detector, from which a stopped run goes on. Several processes may fill one folder: give each an endpoint
of its own, and one of two --reverse.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from reviews.evaluation.benchmarks.base import (
    LabelledCase,
    LabelledTrace,
    TraceDataError,
)
from reviews.evaluation.mutants.making import MUTATORS
from reviews.evaluation.reports import comparison, model_tables
from reviews.evaluation.runs.contestants import Round, judge_missing, merge_rounds
from reviews.evaluation.runs.detectors import CONTESTANTS
from reviews.evaluation.runs.results import ResultsError
from reviews.evaluation.runs.shared_folder import ResultsFolder, SharedRun
from reviews.evaluation.runs.tuned import DEVELOPMENT_CASES, development_cases, is_tunable, tune_contestant
from reviews.lab.arm_options import ARM_OPTIONS
from reviews.management.arguments import positive_number, positive_seconds, writing_to
from reviews.management.benchmark_registry import BENCHMARKS
from reviews.management.rounds import (
    build_model,
    build_round,
    draw_cases,
    enter_contestants,
    find_benchmark,
    read_drawn_round,
    read_round,
    read_traces,
)
from reviews.models import StepAggregate
from reviews.provenance.detectors import Options

# 128 and the number of the signal, as shells report a command that Ctrl-C ended.
_INTERRUPTED: Final = 130
# The widest table fits. A narrower terminal breaks the line by itself, where rich would cut figures off.
_WIDTH: Final = 280


def _add_choice_of_cases(parser: CommandParser) -> None:
    parser.add_argument("--setting", choices=["domains", "all"], default="domains", help="tools WorkBench offers")
    parser.add_argument("--published-split", action="store_true", help="of WorkBench: traces told apart as published")
    parser.add_argument("--split", default="", help="of items: only this split (default: all)")
    parser.add_argument(
        "--mutate", nargs="+", choices=sorted(MUTATORS), default=[], help="wrong calls made of right ones take part"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", type=positive_number, default=40, help="calls judged, drawn as they come")
    size.add_argument("--runs", type=positive_number, help="whole runs judged instead, half of them misaligned")
    parser.add_argument("--balanced", action="store_true", help="half of them should be stopped, half not")
    parser.add_argument("--most-calls", type=positive_number, help="with --runs: only such with at most so many calls")
    parser.add_argument("--reverse", action="store_true", help="begin with the last case")


def _add_judging(parser: CommandParser) -> None:
    parser.add_argument("--repeats", type=positive_number, default=1, help="R: how often each call is judged")
    parser.add_argument("--window", type=positive_number, default=Options.window, help="h: calls judged together")
    parser.add_argument(
        "--reconstruct-subtasks", action="store_true", help="have the model infer the step that a call serves"
    )
    parser.add_argument(
        "--aggregate", choices=StepAggregate.values, default=Options.aggregate, help="multi-step's one of several"
    )
    # A quarter of an hour suits a small model on a processor, which needs minutes for an answer.
    parser.add_argument("--timeout", type=positive_seconds, default=900.0, help="seconds for one answer of the model")
    parser.add_argument("--max-tokens", type=positive_number, help="of one answer; the model's options by default")


def _add_report(parser: CommandParser) -> None:
    parser.add_argument(
        "--also",
        nargs=3,
        action="append",
        default=[],
        metavar=("BENCHMARK", "FOLDER", "RESULTS"),
        help="tell also of what another folder of results holds, and of all together",
    )
    parser.add_argument(
        "--tuned",
        type=positive_number,
        nargs="?",
        const=DEVELOPMENT_CASES,
        metavar="CASES",
        help=f"a row more at thresholds tuned on so many cases beside the table's ({DEVELOPMENT_CASES})",
    )
    parser.add_argument("--against", choices=sorted(CONTESTANTS), help="p that this one makes fewer mistakes")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--markdown", action="store_true", help="print tables for a document")
    forms.add_argument("--latex", action="store_true", help="print ER and IR for a paper, a row for each model")
    parser.add_argument(
        "--beside",
        nargs=2,
        action="append",
        default=[],
        metavar=("MODEL", "RESULTS"),
        help="with --latex: a row more, of what another model's folder of results holds of the same calls",
    )
    parser.add_argument("--missed", action="store_true", help="tell each case that some detector got wrong")
    parser.add_argument("--report-only", action="store_true", help="judge nothing, show what the files hold")


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark", choices=list(BENCHMARKS), help="whose recorded calls are judged")
        parser.add_argument("folder", type=Path, help="folder with the benchmark's data, or the file of items")
        parser.add_argument("results", type=Path, help="folder for the results, made when missing")
        parser.add_argument("--detectors", nargs="+", choices=sorted(CONTESTANTS), default=list(CONTESTANTS))
        _add_choice_of_cases(parser)
        _add_judging(parser)
        _add_report(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        _check_choices(options)
        _check_other_results(options)
        with writing_to(options["results"]):
            options["results"].mkdir(parents=True, exist_ok=True)
        try:
            rounds = asyncio.run(self._judge_rounds(options))
            beside = {
                model: asyncio.run(read_drawn_round({**options, "results": Path(results)}, model=model))
                for model, results in options["beside"]
            }
        except (TraceDataError, ResultsError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped: the same command goes on from here.", returncode=_INTERRUPTED) from None
        if not rounds[0].cases:
            raise CommandError("There is no call to judge.")
        if len(rounds) > 1:
            rounds.append(merge_rounds(rounds))
        _print_rounds(rounds, beside, options)
        # The last round holds the cases of all.
        last = rounds[-1]
        runs = [run for contestant in last.contestants for run in contestant.runs]
        results = [run.results.get(case.key) for run in runs for case in last.cases]
        if failed := [judged.error for judged in results if judged and judged.error]:
            raise CommandError(f"{len(failed)} verdicts could not be had and count nowhere; the first: {failed[0]}")

    async def _judge_rounds(self, options: Mapping[str, Any]) -> list[Round]:
        """The benchmark's, then those of `--also`."""
        async with build_model(options) as model:
            benchmark = find_benchmark(options["benchmark"], options["folder"], options)
            entered = SharedRun(ResultsFolder(options["results"]), enter_contestants(benchmark, model, options))
            rounds = [await self._judge_round(read_traces(benchmark, options["mutate"]), entered, options)]
            rounds += [
                read_round(name, Path(folder), Path(results), model, options)
                for name, folder, results in options["also"]
            ]
        return rounds

    async def _judge_round(
        self, traces: Sequence[LabelledTrace], entry: SharedRun, options: Mapping[str, Any]
    ) -> Round:
        cases, drawn = draw_cases(traces, options)
        development = development_cases(traces, cases, options["tuned"]) if options["tuned"] else []
        apart = _tuned_apart(entry, options["results"])
        if not options["report_only"]:
            # Two processes that begin at either end meet in the middle and judge nothing twice.
            order = reversed(cases) if options["reverse"] else cases
            await judge_missing(order, entry.contestants, done=entry.store_result, claim=entry.claim_case)
            await judge_missing(development, apart.contestants, done=apart.store_result, claim=apart.claim_case)
        entry.load_results()
        apart.load_results()
        if stale := entry.count_stale():
            self.stderr.write(f"{stale} stored verdicts are of another version, wording or setting, and left out.")
        plain = build_round(options["benchmark"], traces, cases, entry.contestants, drawn)
        return _with_tuned(plain, development) if development else plain


def _check_choices(options: Mapping[str, Any]) -> None:
    """Refuse what would change nothing: its table would pass for one of what was asked. Raises `CommandError`."""
    compared = {options["benchmark"], *(name for name, *_ in options["also"])}
    of_one = {
        "--published-split": (options["published_split"], "workbench"),
        "--setting all": (options["setting"] != "domains", "workbench"),
        "--split": (bool(options["split"]), "items"),
    }
    for option, (is_given, benchmark) in of_one.items():
        if is_given and benchmark not in compared:
            raise CommandError(f"{option} is of {benchmark}, which is not compared.")
    detectors = {name.removesuffix("-paper") for name in options["detectors"]}
    for name in ("window", "aggregate", "reconstruct_subtasks"):
        reading = ARM_OPTIONS[name].detectors
        if options[name] != getattr(Options, name) and not detectors.intersection(reading):
            raise CommandError(f"--{name.replace('_', '-')} is of {', '.join(reading)}, which is not compared.")
    if options["most_calls"] and not options["runs"]:
        raise CommandError("--most-calls is of --runs.")
    if options["balanced"] and options["runs"]:
        raise CommandError("--balanced is of --sample: of whole runs half are misaligned anyway.")
    if options["against"] not in (None, *options["detectors"]):
        raise CommandError(f"{options['against']} is not among the detectors.")
    if options["beside"] and not options["latex"]:
        raise CommandError("--beside is a row of --latex.")


def _check_other_results(options: Mapping[str, Any]) -> None:
    """Refuse folders that hold nothing, before hours of judging. Raises `CommandError`."""
    for results in (Path(folder) for *_, folder in (*options["also"], *options["beside"])):
        if not any(results.glob("*.jsonl")):
            raise CommandError(f"{results} holds no results.")


def _tuned_apart(entry: SharedRun, results: Path) -> SharedRun:
    """The same contestants, those that have a threshold, on cases for tuning: in a folder that no table is made of."""
    folder = results / "development"
    with writing_to(folder):
        folder.mkdir(exist_ok=True)
    return SharedRun(ResultsFolder(folder), list(filter(is_tunable, entry.contestants)))


def _print_rounds(rounds: Sequence[Round], beside: Mapping[str, Round], options: Mapping[str, Any]) -> None:
    """Print each round; `beside` holds other models' rounds on the cases of the first."""
    console = Console(width=_WIDTH, soft_wrap=True, highlight=False, markup=False)
    for current in rounds:
        against = next((rival for rival in current.contestants if rival.name == options["against"]), None)
        if options["latex"]:
            by_model = {settings.GUARD.guard_model: current, **(beside if current is rounds[0] else {})}
            console.print(f"{model_tables.render_latex(by_model, options['against'] or '')}\n")
        elif options["markdown"]:
            console.print(f"{comparison.render_markdown(current, against)}\n")
        else:
            console.print(comparison.render_report(current, against))
    for line in comparison.missed_lines(rounds[-1].cases, rounds[-1].contestants) if options["missed"] else ():
        console.print(f"\n{line}")


def _with_tuned(plain: Round, development: Sequence[LabelledCase]) -> Round:
    """The round with further contestants at tuned thresholds, where a detector has one to tune."""
    candidates = (tune_contestant(development, contestant) for contestant in plain.contestants)
    return replace(plain, contestants=(*plain.contestants, *(candidate for candidate in candidates if candidate)))
