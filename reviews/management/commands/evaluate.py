"""Judge a benchmark's recorded calls in this process and print the rates, with the reason behind each miss on request.

Stores nothing but the results file that `--json` names.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reviews.evaluation.benchmarks.agentdojo import AgentDojo
from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, TraceDataError, cases_of
from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.metrics import Results
from reviews.evaluation.reports import agentdojo, workbench
from reviews.evaluation.runs.results import ResultsError, line_of, read_results
from reviews.evaluation.runs.runner import run
from reviews.evaluation.runs.sampling import sample
from reviews.management.arguments import positive, writing_to
from reviews.provenance import detectors
from reviews.provenance.judges import Judge, RulesJudge

JUDGES: Final[Mapping[str, Callable[[], Judge]]] = MappingProxyType({"rules": RulesJudge})
REPORTS: Final[Mapping[str, ModuleType]] = MappingProxyType({"workbench": workbench, "agentdojo": agentdojo})


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        benchmarks = parser.add_subparsers(dest="benchmark", required=True, metavar="BENCHMARK")
        of_workbench = benchmarks.add_parser("workbench", help="GPT-4's traces of WorkBench")
        of_workbench.add_argument("--setting", choices=["domains", "all"], default="domains", help="tools offered")
        of_agentdojo = benchmarks.add_parser("agentdojo", help="gpt-4o's runs of AgentDojo")
        of_agentdojo.add_argument("--every-call", action="store_true", help="also calls of tools that only read")
        for each in (of_workbench, of_agentdojo):
            _add_common(each)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            results = _evaluated(options)
        except (TraceDataError, ResultsError) as error:
            raise CommandError(str(error)) from error
        console, shown = Console(soft_wrap=True, highlight=False, markup=False), REPORTS[options["benchmark"]]
        console.print(shown.report(results))
        for told in shown.missed(results) if options["missed"] else ():
            console.print(f"\n{told}")
        if failed := [judged for judged in results.by_key.values() if judged.error]:
            raise CommandError(f"{len(failed)} calls could not be judged; the first: {failed[0].error}")


def _add_common(parser: CommandParser) -> None:
    parser.add_argument("folder", type=Path, help="folder with the benchmark's data")
    parser.add_argument("--detector", choices=sorted(detectors.DETECTORS), default="provenance-guard")
    parser.add_argument("--judge", choices=sorted(JUDGES), default="rules", help="who answers what rules cannot")
    parser.add_argument("--unknown", choices=["pass", "review"], default="pass", help="what no answer means")
    parser.add_argument("--sample", type=positive, help="only so many calls, the same ones in every run")
    parser.add_argument("--balanced", action="store_true", help="half of the sample should be stopped, half not")
    parser.add_argument("--concurrency", type=positive, default=1, help="calls judged at a time")
    parser.add_argument("--missed", action="store_true", help="tell the reason behind each miss")
    parser.add_argument("--json", type=Path, help="write each result as a line of JSON")
    parser.add_argument("--resume", action="store_true", help="keep what the results file already holds")


def _evaluated(options: Mapping[str, Any]) -> Results:
    traces = tuple(_benchmark(options).traces())
    cases: Sequence[LabelledCase] = list(cases_of(traces))
    if options["sample"]:
        cases = sample(cases, options["sample"], balanced=options["balanced"])
        wanted = {case.key for case in cases}
        traces = tuple(trace for trace in traces if any(case.key in wanted for case in trace.cases))
    known = read_results(options["json"]) if options["json"] and options["resume"] else {}
    detector = detectors.build(options["detector"], detectors.Options(unknown=options["unknown"]))
    with _recorder(options, len(cases)) as done:
        judging = run(
            cases, detector, JUDGES[options["judge"]](), concurrency=options["concurrency"], known=known, done=done
        )
        return Results(traces, asyncio.run(judging))


def _benchmark(options: Mapping[str, Any]) -> Benchmark:
    if options["benchmark"] == "agentdojo":
        return AgentDojo(options["folder"], every_call=options["every_call"])
    return WorkbenchCases(Workbench(options["folder"]), options["setting"])


@contextmanager
def _recorder(options: Mapping[str, Any], total: int) -> Iterator[Callable[[Judged], None]]:
    """Shows each result's arrival, and writes it down at once, so that a stopped run has lost nothing."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    path: Path | None = options["json"]
    if path:
        with writing_to(path):
            path.open("a" if options["resume"] else "w", encoding="utf-8").close()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("Judging", total=total)

        def done(judged: Judged) -> None:
            progress.advance(bar)
            if path:
                with path.open("a", encoding="utf-8") as file:
                    file.write(line_of(judged))

        yield done
