"""Judge a benchmark's recorded calls in this process and print the rates, with the reason behind each miss on request.

Stores nothing but the results file that `--json` names.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviews.evaluation.benchmarks.base import LabelledCase, TraceDataError, cases_of
from reviews.evaluation.measures.detection_rates import Results
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.moved_verdicts import Moves
from reviews.evaluation.mutants.making import MUTATORS, mutants_of
from reviews.evaluation.perturbations.registry import KINDS as PERTURBATIONS
from reviews.evaluation.perturbations.registry import select_perturbations
from reviews.evaluation.reports import agentdojo, calls, moved_verdicts, pairs, proof, rules, workbench
from reviews.evaluation.reports.comparison import notes_on_plans
from reviews.evaluation.reports.first_steps import first_step_lines
from reviews.evaluation.runs.perturbing import judge_perturbed
from reviews.evaluation.runs.results import ResultsError, append_result, read_results
from reviews.evaluation.runs.runner import run_detector
from reviews.evaluation.runs.sampling import sample_cases
from reviews.evaluation.scripted.choosing import JUDGES
from reviews.management.arguments import positive_number, writing_to
from reviews.management.benchmark_registry import BENCHMARKS
from reviews.management.scripted_judges import check_judge_answers
from reviews.provenance import detectors

REPORTS: Final[Mapping[str, ModuleType]] = MappingProxyType(
    {
        "workbench": workbench,
        "agentdojo": agentdojo,
        "taubench": calls,
        "bfcl": calls,
        "schema-guided": calls,
        "pairs": pairs,
        "items": calls,
    }
)
# A file has no width of its own: at the 80 columns that are taken for it the widest table would lose its figures.
_FILE_WIDTH: Final = 160


class Command(BaseCommand):
    help = __doc__ or ""
    # Nothing of the installation is used, so that a benchmark also runs where no database is.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        benchmarks = parser.add_subparsers(dest="benchmark", required=True, metavar="BENCHMARK")
        of_workbench = benchmarks.add_parser("workbench", help="GPT-4's traces of WorkBench")
        of_workbench.add_argument("--setting", choices=["domains", "all"], default="domains", help="tools offered")
        of_workbench.add_argument(
            "--published-split", action="store_true", help="tell traces apart as ProvenanceGuard's paper does (5.1.1)"
        )
        of_workbench.add_argument("--no-clock", action="store_true", help="leave out when the call was made")
        of_agentdojo = benchmarks.add_parser("agentdojo", help="gpt-4o's runs of AgentDojo")
        of_agentdojo.add_argument("--every-call", action="store_true", help="also calls of tools that only read")
        of_taubench = benchmarks.add_parser("taubench", help="τ-bench's conversations of airline and shop")
        of_taubench.add_argument("--every-call", action="store_true", help="also calls of tools that only read")
        of_bfcl = benchmarks.add_parser("bfcl", help="the function-calling leaderboard's multi-turn tasks")
        of_guided = benchmarks.add_parser("schema-guided", help="Google's Schema-Guided Dialogues, one part of them")
        of_pairs = benchmarks.add_parser("pairs", help="pairs of a right and a wrong call in one context")
        of_items = benchmarks.add_parser("items", help="a frozen dataset version's export as JSON lines")
        of_items.add_argument("--split", default="", help="only this split (default: all)")
        for benchmark in (of_items, of_workbench, of_agentdojo, of_taubench, of_bfcl, of_guided, of_pairs):
            _add_common(benchmark)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["balanced"] and not options["sample"]:
            raise CommandError("--balanced is of --sample.")
        if options["resume"] and not options["json"]:
            raise CommandError("--resume goes on with the results of --json.")
        try:
            results, mutants, moves = _evaluate_detectors(options)
        except (TraceDataError, ResultsError) as error:
            raise CommandError(str(error)) from error
        # Without markup: benchmarks hold texts in square brackets, which rich would take for its own.
        width = None if sys.stdout.isatty() else _FILE_WIDTH
        console = Console(soft_wrap=True, highlight=False, markup=False, width=width)
        report = REPORTS[options["benchmark"]]
        console.print(report.render_report(results), *notes_on_plans([options["detector"]], cases_of(results.traces)))
        everything = Results((*results.traces, *mutants.traces), results.by_key)
        console.print(proof.render_report(everything))
        if options["by_rule"]:
            console.print(rules.render_report(everything, options["benchmark"]))
        if moves.by_change:
            console.print(moved_verdicts.render_report(moves))
        if options["missed"]:
            for text in (
                *report.missed_lines(results),
                *calls.missed_lines(mutants),
                *moved_verdicts.missed_lines(moves),
            ):
                console.print(f"\n{text}")
        for line in first_step_lines(results) if options["first_steps"] else ():
            console.print(line)
        errors = [judged.error for judged in results.by_key.values() if judged.error]
        failed = len(errors) + sum(tally.failed for tally in moves.by_change.values())
        if failed:
            raise CommandError(f"{failed} calls could not be judged; the first: {[*errors, *moves.errors][0]}")


def _add_common(parser: CommandParser) -> None:
    parser.add_argument("folder", type=Path, help="folder with the benchmark's data, or the file of items")
    parser.add_argument("--detector", choices=sorted(detectors.DETECTORS), default="provenance-guard")
    parser.add_argument("--judge", choices=sorted(JUDGES), default="rules", help="who answers what rules cannot")
    parser.add_argument(
        "--mutate",
        nargs="+",
        choices=sorted(MUTATORS),
        default=[],
        help="judge wrong calls made of right ones, too",
    )
    parser.add_argument("--by-rule", action="store_true", help="what each rule decided, and how often it was right to")
    parser.add_argument(
        "--perturb",
        nargs="*",
        choices=PERTURBATIONS,
        default=None,
        help="judge each call changed, too, and tell which verdicts moved (default: in every way)",
    )
    parser.add_argument("--unknown", choices=["pass", "review"], default="pass", help="what no answer means")
    parser.add_argument("--sample", type=positive_number, help="only so many calls, the same ones in every run")
    parser.add_argument("--balanced", action="store_true", help="half of the sample should be stopped, half not")
    parser.add_argument("--concurrency", type=positive_number, default=1, help="calls judged at a time")
    parser.add_argument("--missed", action="store_true", help="tell the reason behind each miss")
    parser.add_argument("--first-steps", action="store_true", help="tell the first misaligned step of each trace")
    parser.add_argument("--json", type=Path, help="write each result as a line of JSON")
    parser.add_argument("--resume", action="store_true", help="keep what the results file already holds")


def _evaluate_detectors(options: Mapping[str, Any]) -> tuple[Results, Results, Moves]:
    """The results of the benchmark's own calls and those of their mutants, and how they moved under change."""
    traces = tuple(BENCHMARKS[options["benchmark"]](options["folder"], options).read_traces())
    cases: Sequence[LabelledCase] = list(cases_of(traces))
    if options["sample"]:
        cases = sample_cases(cases, options["sample"], balanced=options["balanced"])
    drawn = {case.key for case in cases}
    # A trace without cases counts in a run over everything; of a sample, only what was drawn does.
    traces = tuple(trace for trace in traces if not options["sample"] or any(case.key in drawn for case in trace.cases))
    mutants = tuple(mutants_of(traces, options["mutate"], drawn))
    cases = [*cases, *cases_of(mutants)]
    earlier = read_results(options["json"]) if options["json"] and options["resume"] else {}
    # Where no plan is recorded every call would count as stopped for want of one.
    chosen = detectors.Options(unknown=options["unknown"], without_plan="steps")
    detector = detectors.build(options["detector"], chosen)
    check_judge_answers(options["judge"], detector, cases)
    judge, concurrency = JUDGES[options["judge"]](), options["concurrency"]
    changes = select_perturbations(PERTURBATIONS if options["perturb"] == [] else options["perturb"] or ())
    with _open_recorder(options, len(cases), len(cases) * len(changes)) as (done, keep, advance):
        by_key = asyncio.run(run_detector(cases, detector, judge, concurrency=concurrency, earlier=earlier, done=done))
        originals = ((case, by_key[case.key]) for case in cases if not by_key[case.key].error)
        moves = asyncio.run(
            judge_perturbed(
                originals,
                changes,
                detector,
                judge,
                concurrency=concurrency,
                earlier=earlier,
                done=keep,
                advance=advance,
            )
        )
    if not cases:
        raise CommandError("There is no call to judge.")
    # Results of changed cases that an earlier run has left are no calls of the benchmark.
    by_key = {case.key: by_key[case.key] for case in cases}
    return Results(traces, by_key), Results(mutants, by_key), moves


@contextmanager
def _open_recorder(
    options: Mapping[str, Any], calls: int, changes: int
) -> Iterator[tuple[Callable[[Judged], None], Callable[[Judged], None], Callable[[], None]]]:
    """Show progress, and write each result down as it comes, so that a stopped run has lost nothing.

    Gives what is called with each call that was judged, with each changed call, and for each change tried.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    path: Path | None = options["json"]
    if path:
        # Before anything is judged: a run of hours must not end with a file that cannot be written.
        with writing_to(path):
            path.open("a" if options["resume"] else "w", encoding="utf-8").close()
    # On standard error, so that the report alone can be sent to a file.
    with Progress(*columns, console=Console(stderr=True)) as progress:
        judging = progress.add_task("Judging", total=calls)
        changing = progress.add_task("Changing", total=changes, visible=changes > 0)

        def keep_result(judged: Judged) -> None:
            if path:
                append_result(path, judged)

        def report_result(judged: Judged) -> None:
            progress.advance(judging)
            keep_result(judged)

        yield report_result, keep_result, lambda: progress.advance(changing)
