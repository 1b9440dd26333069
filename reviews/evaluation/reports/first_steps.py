"""The first misaligned step of each trace, and where the guard stopped it (ProvenanceGuard paper, 5.1.2)."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.detection_rates import Results

PLACES: Final = ("at that call", "before it", "after it", "nowhere")


def first_step_lines(results: Results) -> Iterator[str]:
    """A line for each misaligned trace, then how often the guard stopped it at, before and after that step."""
    for trace in results.traces_with(Outcome.MISALIGNED):
        wrong, stopped = _first_wrong_call(trace), _first_stopped_call(trace, results)
        place = _describe_place(trace, wrong, stopped)
        step = f"first misaligned call {wrong.id} ({wrong.case.action.tool}, {wrong.label})" if wrong else "no call"
        yield f"{trace.id}: {step}; stopped {place}{f' ({stopped.id})' if stopped and stopped is not wrong else ''}"
    tally = count_first_stops(results)
    yield f"Of {tally.total()} misaligned traces stopped: " + ", ".join(f"{place} {tally[place]}" for place in PLACES)


def count_first_stops(results: Results) -> Counter[str]:
    """How many misaligned traces were first stopped at their first misaligned call, before it, after it, nowhere."""
    traces = results.traces_with(Outcome.MISALIGNED)
    return Counter(
        _describe_place(trace, _first_wrong_call(trace), _first_stopped_call(trace, results)) for trace in traces
    )


def _first_wrong_call(trace: LabelledTrace) -> LabelledCase | None:
    return next((case for case in trace.cases if case.wrong), None)


def _first_stopped_call(trace: LabelledTrace, results: Results) -> LabelledCase | None:
    return next((case for case in trace.cases if not results.by_key[case.key].has_passed), None)


def _describe_place(trace: LabelledTrace, wrong: LabelledCase | None, stopped: LabelledCase | None) -> str:
    if stopped is None:
        return "nowhere"
    if stopped is wrong:
        return "at that call"
    is_before = wrong is None or trace.cases.index(stopped) < trace.cases.index(wrong)
    return "before it" if is_before else "after it"
