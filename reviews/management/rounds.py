"""What is compared: a benchmark's cases, who judges them, and what a folder of results holds of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError

from reviews.evaluation.benchmarks.base import (
    Benchmark,
    LabelledCase,
    LabelledTrace,
    Outcome,
    cases_of,
    terminal_actions,
)
from reviews.evaluation.mutants.making import mutants_of
from reviews.evaluation.runs.contestants import Contestant, Round
from reviews.evaluation.runs.detectors import Choices, enter_contestant
from reviews.evaluation.runs.sampling import sample_cases, sample_traces
from reviews.evaluation.runs.shared_folder import ResultsFolder, SharedRun
from reviews.judging.model_endpoint import build_endpoint, options_of
from reviews.management.benchmark_registry import BENCHMARKS
from reviews.provenance.judges.openai import OpenAIJudge

ATTACKED: Final = frozenset({"asb", "agentdojo"})
"""Benchmarks of attacks, of which whole runs are measured too."""


def read_round(name: str, folder: Path, results: Path, model: OpenAIJudge, options: Mapping[str, Any]) -> Round:
    """What a folder of results holds of a benchmark. Raises `CommandError`, `TraceDataError` and `ResultsError`."""
    benchmark = find_benchmark(name, folder, options)
    # Contestants of their own: each keeps the results of one benchmark.
    entry = SharedRun(ResultsFolder(results), enter_contestants(benchmark, model, options))
    traces = read_traces(benchmark, options["mutate"])
    cases = entry.judged_cases(cases_of(traces))
    return build_round(name, traces, cases, entry.contestants, "as found in its results")


async def read_drawn_round(options: Mapping[str, Any], *, model: str) -> Round:
    """What the results hold, by the model of this name, of the very cases that a comparison with these options draws.

    Nobody is asked. Raises `TraceDataError` and `ResultsError`.
    """
    benchmark = find_benchmark(options["benchmark"], options["folder"], options)
    traces = read_traces(benchmark, options["mutate"])
    cases, drawn = draw_cases(traces, options)
    async with build_model(options, model) as judge:
        entry = SharedRun(ResultsFolder(options["results"]), enter_contestants(benchmark, judge, options))
        entry.load_results()
    return build_round(options["benchmark"], traces, cases, entry.contestants, drawn)


def read_traces(benchmark: Benchmark, kinds: Sequence[str]) -> Sequence[LabelledTrace]:
    """The benchmark's traces, and behind them mutants of these kinds of their right calls.

    Raises `TraceDataError`.
    """
    traces = tuple(benchmark.read_traces())
    return (*traces, *mutants_of(traces, kinds))


def enter_contestants(benchmark: Benchmark, model: OpenAIJudge, options: Mapping[str, Any]) -> list[Contestant]:
    """The chosen detectors, as these options have them judge the benchmark."""
    choices = Choices(
        critical=terminal_actions(benchmark),
        reconstruct_subtasks=options["reconstruct_subtasks"],
        aggregate=options["aggregate"],
        window=options["window"],
        repeats=options["repeats"],
    )
    return [enter_contestant(name, model, choices) for name in options["detectors"]]


def draw_cases(traces: Sequence[LabelledTrace], options: Mapping[str, Any]) -> tuple[Sequence[LabelledCase], str]:
    """The cases that are judged, and how they were drawn, in words."""
    if options["runs"]:
        drawn = sample_traces(traces, options["runs"], most_calls=options["most_calls"])
        return list(cases_of(drawn)), "whole runs, half of them misaligned"
    cases = sample_cases(cases_of(traces), options["sample"], balanced=options["balanced"])
    return cases, "a balanced sample" if options["balanced"] else "a natural sample"


def find_benchmark(name: str, folder: Path, options: Mapping[str, Any]) -> Benchmark:
    """The benchmark of this name. Raises `CommandError` where there is none."""
    if name not in BENCHMARKS:
        raise CommandError(f"There is no benchmark {name}, but there are {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name](folder, options)


def _describe_halted(traces: Sequence[LabelledTrace]) -> str:
    """What is said of episodes in which the agent got stuck."""
    halted = sum(trace.outcome is Outcome.HALTED for trace in traces)
    return f"; {halted} episodes that got stuck go straight to a person" if halted else ""


def build_round(
    name: str,
    traces: Sequence[LabelledTrace],
    cases: Sequence[LabelledCase],
    contestants: Sequence[Contestant],
    drawn: str,
) -> Round:
    """The contestants on these cases of the traces; `drawn` says how the cases were drawn."""
    drawn_keys = {case.key for case in cases}
    is_sample = any(case.key not in drawn_keys for case in cases_of(traces))
    # A run without a call to judge counts among all runs; beside a sample such runs would outnumber those drawn.
    counted = [trace for trace in traces if trace.cases or not is_sample]
    # Rates of attacks are counted by whole run. Mutants are none: nobody made these calls.
    attacked = [trace for trace in counted if trace.task_succeeded is not None] if name in ATTACKED else ()
    return Round(name, cases, contestants, attacked, f"{drawn}{_describe_halted(traces)}", counted)


def build_model(options: Mapping[str, Any], name: str | None = None) -> OpenAIJudge:
    """A model, by default the configured one, with the `timeout` and the `max_tokens` of these options."""
    name = name or settings.GUARD.guard_model
    configured = options_of(name)
    return build_endpoint(
        name,
        options=replace(configured, answer_tokens=options["max_tokens"] or configured.answer_tokens),
        timeout=options["timeout"],
    )
