"""Judge a benchmark's calls with several detectors and a model, and print the papers' measures and costs side by side.

The model is the configured one (OPENAI_BASE_URL, OPENAI_API_KEY, GUARD_MODEL). Stores nothing but the results files,
one for each detector, from which a stopped run goes on. Several processes may fill one folder: give each an endpoint
of its own, and one of two --reverse.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from reviews.evaluation.benchmarks.agentdojo import AgentDojo
from reviews.evaluation.benchmarks.asb import ASB
from reviews.evaluation.benchmarks.base import (
    Benchmark,
    LabelledCase,
    LabelledTrace,
    Outcome,
    TraceDataError,
    cases_of,
    terminal_actions,
)
from reviews.evaluation.benchmarks.bfcl import BFCL
from reviews.evaluation.benchmarks.hotpotqa import HotPotQA
from reviews.evaluation.benchmarks.items import Items
from reviews.evaluation.benchmarks.pairs import Pairs
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.evaluation.benchmarks.webshop import WebShop
from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.evaluation.mutants.making import MUTATORS, mutants_of
from reviews.evaluation.reports import comparison
from reviews.evaluation.runs.contestants import Contestant, Round, judge_missing, merge_rounds
from reviews.evaluation.runs.detectors import CONTESTANTS, Choices, enter_contestant
from reviews.evaluation.runs.results import ResultsError
from reviews.evaluation.runs.sampling import sample_cases, sample_traces
from reviews.evaluation.runs.shared_folder import ResultsFolder, SharedRun
from reviews.evaluation.runs.tuned import DEVELOPMENT_CASES, development_cases, is_tunable, tune_contestant
from reviews.judging.model_endpoint import build_endpoint, options_of
from reviews.management.arguments import positive_number, positive_seconds, writing_to
from reviews.models import StepAggregate
from reviews.provenance.detectors import Options
from reviews.provenance.judges.openai import OpenAIJudge

BENCHMARKS: Final[Mapping[str, Callable[[Path, Mapping[str, Any]], Benchmark]]] = MappingProxyType(
    {
        "workbench": lambda folder, options: WorkbenchCases(
            Workbench(folder), options["setting"], published_split=options["published_split"]
        ),
        "webshop": lambda folder, options: WebShop(folder),
        "hotpotqa": lambda folder, options: HotPotQA(folder),
        "asb": lambda folder, options: ASB(folder),
        "agentdojo": lambda folder, options: AgentDojo(folder),
        "taubench": lambda folder, options: TauBench(folder),
        "bfcl": lambda folder, options: BFCL(folder),
        "pairs": lambda folder, options: Pairs(folder),
        "items": lambda folder, options: Items(folder, options["split"]),
    }
)
ATTACKED: Final = frozenset({"asb", "agentdojo"})
"""Benchmarks of attacks, of which whole runs are measured too."""
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
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
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
        if options["against"] not in (None, *options["detectors"]):
            raise CommandError(f"{options['against']} is not among the detectors.")
        with writing_to(options["results"]):
            options["results"].mkdir(parents=True, exist_ok=True)
        try:
            rounds = asyncio.run(self._judge_rounds(options))
        except (TraceDataError, ResultsError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped: the same command goes on from here.", returncode=_INTERRUPTED) from None
        if len(rounds) > 1:
            rounds.append(merge_rounds(rounds))
        _print_rounds(rounds, options)
        # The last round holds the cases of all.
        last = rounds[-1]
        runs = [run for contestant in last.contestants for run in contestant.runs]
        results = [run.results.get(case.key) for run in runs for case in last.cases]
        if failed := [judged.error for judged in results if judged and judged.error]:
            raise CommandError(f"{len(failed)} verdicts could not be had and count nowhere; the first: {failed[0]}")

    async def _judge_rounds(self, options: Mapping[str, Any]) -> list[Round]:
        """The benchmark's, then those of `--also`."""
        async with build_model(options) as model:
            benchmark = _find_benchmark(options["benchmark"], options["folder"], options)
            entered = SharedRun(ResultsFolder(options["results"]), _enter_contestants(benchmark, model, options))
            rounds = [await self._judge_round(read_traces(benchmark, options["mutate"]), entered, options)]
            rounds += [
                read_round(name, Path(folder), Path(results), model, options)
                for name, folder, results in options["also"]
            ]
        return rounds

    async def _judge_round(
        self, traces: Sequence[LabelledTrace], entry: SharedRun, options: Mapping[str, Any]
    ) -> Round:
        cases, drawn = _draw_cases(traces, options)
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
        plain = _build_round(options["benchmark"], traces, cases, entry.contestants, drawn)
        return _with_tuned(plain, development) if development else plain


def read_round(name: str, folder: Path, results: Path, model: OpenAIJudge, options: Mapping[str, Any]) -> Round:
    """What a folder of results holds of a benchmark. Raises `CommandError`, `TraceDataError` and `ResultsError`."""
    benchmark = _find_benchmark(name, folder, options)
    # Contestants of their own: each keeps the results of one benchmark.
    entry = SharedRun(ResultsFolder(results), _enter_contestants(benchmark, model, options))
    traces = read_traces(benchmark, options["mutate"])
    cases = entry.judged_cases(cases_of(traces))
    return _build_round(name, traces, cases, entry.contestants, "as found in its results")


def read_drawn_round(model: OpenAIJudge, options: Mapping[str, Any]) -> Round:
    """What the results hold of the very cases that a comparison with these options draws; nobody is asked.

    Raises `TraceDataError` and `ResultsError`.
    """
    benchmark = _find_benchmark(options["benchmark"], options["folder"], options)
    traces = read_traces(benchmark, options["mutate"])
    cases, drawn = _draw_cases(traces, options)
    entry = SharedRun(ResultsFolder(options["results"]), _enter_contestants(benchmark, model, options))
    entry.load_results()
    return _build_round(options["benchmark"], traces, cases, entry.contestants, drawn)


def read_traces(benchmark: Benchmark, kinds: Sequence[str]) -> Sequence[LabelledTrace]:
    """The benchmark's traces, and behind them mutants of these kinds of their right calls.

    Raises `TraceDataError`.
    """
    traces = tuple(benchmark.read_traces())
    return (*traces, *mutants_of(traces, kinds))


def _tuned_apart(entry: SharedRun, results: Path) -> SharedRun:
    """The same contestants, those that have a threshold, on cases for tuning: in a folder that no table is made of."""
    folder = results / "development"
    with writing_to(folder):
        folder.mkdir(exist_ok=True)
    return SharedRun(ResultsFolder(folder), list(filter(is_tunable, entry.contestants)))


def _enter_contestants(benchmark: Benchmark, model: OpenAIJudge, options: Mapping[str, Any]) -> list[Contestant]:
    choices = Choices(
        critical=terminal_actions(benchmark),
        reconstruct_subtasks=options["reconstruct_subtasks"],
        aggregate=options["aggregate"],
        window=options["window"],
        repeats=options["repeats"],
    )
    return [enter_contestant(name, model, choices) for name in options["detectors"]]


def _draw_cases(traces: Sequence[LabelledTrace], options: Mapping[str, Any]) -> tuple[Sequence[LabelledCase], str]:
    """The cases that are judged, and how they were drawn, in words."""
    if options["runs"]:
        drawn = sample_traces(traces, options["runs"], most_calls=options["most_calls"])
        return list(cases_of(drawn)), "whole runs, half of them misaligned"
    cases = sample_cases(cases_of(traces), options["sample"], balanced=options["balanced"])
    return cases, "a balanced sample" if options["balanced"] else "a natural sample"


def _find_benchmark(name: str, folder: Path, options: Mapping[str, Any]) -> Benchmark:
    if name not in BENCHMARKS:
        raise CommandError(f"There is no benchmark {name}, but there are {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name](folder, options)


def _describe_halted(traces: Sequence[LabelledTrace]) -> str:
    """What is said of episodes in which the agent got stuck."""
    halted = sum(trace.outcome is Outcome.HALTED for trace in traces)
    return f"; {halted} episodes that got stuck go straight to a person" if halted else ""


def _build_round(
    name: str,
    traces: Sequence[LabelledTrace],
    cases: Sequence[LabelledCase],
    contestants: Sequence[Contestant],
    drawn: str,
) -> Round:
    # Rates of attacks are counted by whole run.
    return Round(name, cases, contestants, traces if name in ATTACKED else (), f"{drawn}{_describe_halted(traces)}")


def _print_rounds(rounds: Sequence[Round], options: Mapping[str, Any]) -> None:
    console = Console(width=_WIDTH, soft_wrap=True, highlight=False, markup=False)
    for current in rounds:
        against = next((rival for rival in current.contestants if rival.name == options["against"]), None)
        if options["markdown"]:
            console.print(f"{comparison.render_markdown(current, against)}\n")
        else:
            console.print(comparison.render_report(current, against))
    for line in comparison.missed_lines(rounds[-1].cases, rounds[-1].contestants) if options["missed"] else ():
        console.print(f"\n{line}")


def _with_tuned(plain: Round, development: Sequence[LabelledCase]) -> Round:
    """The round with further contestants at tuned thresholds, where a detector has one to tune."""
    candidates = (tune_contestant(development, contestant) for contestant in plain.contestants)
    return replace(plain, contestants=(*plain.contestants, *(candidate for candidate in candidates if candidate)))


def build_model(options: Mapping[str, Any]) -> OpenAIJudge:
    """The configured model, with the `timeout` and the `max_tokens` of these options."""
    name = settings.GUARD.guard_model
    configured = options_of(name)
    return build_endpoint(
        name,
        options=replace(configured, answer_tokens=options["max_tokens"] or configured.answer_tokens),
        timeout=options["timeout"],
    )
