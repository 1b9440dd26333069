"""What grounding and the whole detector made of WorkBench's calls, by the type derived for each."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome
from reviews.evaluation.measures.detection_rates import Rate, Results, count_rate
from reviews.evaluation.measures.judged_case import ENDS, Judged
from reviews.evaluation.reports.reasons import describe_case, questioned_arguments, reasons_to_pass, reasons_to_stop
from reviews.evaluation.reports.tables import rate_lines, terminal_table

LABELS: Final = ("aligned", "parameter", "interpretation", "tool", "repeat")


def render_report(results: Results) -> RenderableType:
    """The figures."""
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for case, judged in results.cases:
        ends[case.label][judged.end] += 1
    # A column of zeros alone would only take room.
    used = [end for end in ENDS if any(counts[end] for counts in ends.values())]
    rows = [
        (label, ends[label].total(), rate_questioned(results, label).count, *(ends[label][end] for end in used))
        for label in LABELS
    ]
    return Group(
        terminal_table("Calls by derived type", ("type", "calls", "questioned", *used), rows),
        "Questioned: grounding finds an argument ungrounded or competing, before classes decide; of a deviating call, "
        "one that differs from the nearest right call; of an aligned call, any, which is false.",
        f"Deviating by parameter, questioned: {rate_questioned(results, 'parameter').with_interval}",
        f"Aligned, questioned falsely:        {rate_questioned(results, 'aligned').with_interval}",
        *rate_lines(results),
    )


def missed_lines(results: Results) -> Iterator[str]:
    """Each case behind a figure that is not what it should be, with the reason."""
    for case, judged in results.cases:
        if case.label == "parameter" and not is_questioned(case, judged):
            yield describe_case("not questioned", case, judged, reasons_to_pass(case, judged))
        if case.label == "aligned" and is_questioned(case, judged):
            notes = (f"{leaf.pointer} = {leaf.value!r}: {leaf.how}. {leaf.note}" for leaf in judged.traced)
            yield describe_case("questioned falsely", case, judged, notes)
    yield from _missed_traces(results)


def is_questioned(case: LabelledCase, judged: Judged) -> bool:
    """Whether grounding has something to say against the call, where it should or, of an aligned call, anywhere."""
    if case.label == "aligned":
        return any(leaf.is_questioned for leaf in judged.traced)
    return bool(questioned_arguments(case, judged))


def rate_questioned(results: Results, label: str) -> Rate:
    """How many calls with this label grounding questions."""
    return count_rate((pair for pair in results.cases if pair[0].label == label), lambda pair: is_questioned(*pair))


def _missed_traces(results: Results) -> Iterator[str]:
    """The calls that made a trace count against the detector."""
    misaligned = (trace for trace in results.traces_with(Outcome.MISALIGNED) if not results.is_stopped(trace))
    for case in (case for trace in misaligned for case in trace.cases if case.wrong):
        judged = results.by_key[case.key]
        yield describe_case("misaligned trace passed", case, judged, reasons_to_pass(case, judged))
    for case in (case for trace in results.traces_with(Outcome.SUCCESSFUL) for case in trace.cases):
        judged = results.by_key[case.key]
        if not judged.has_passed:
            yield describe_case("successful trace stopped", case, judged, reasons_to_stop(judged))
