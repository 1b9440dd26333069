"""What grounding and the whole detector made of WorkBench's calls, by the type derived for each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome
from reviews.evaluation.measures.judged import Judged
from reviews.evaluation.measures.metrics import Rate, Results, rate
from reviews.evaluation.reports.reasons import heading, questioned, why_passed, why_stopped
from reviews.evaluation.reports.tables import rates, table
from reviews.provenance.core.findings import Misalignment

LABELS: Final = ("aligned", "parameter", "interpretation", "tool", "repeat")
ENDS: Final = ("passed", *Misalignment, "undetermined")
"""What the whole detector made of a call."""


def report(results: Results) -> RenderableType:
    """The figures."""
    ends = Counter(map(_end, (judged for _, judged in results.cases)))
    shown = tuple(end for end in ENDS if ends[end])
    return Group(
        table("Calls by derived type", ("type", "calls", "questioned", *shown), _rows(results, shown)),
        "Questioned: grounding finds an argument ungrounded or competing, before classes decide; of a deviating call, "
        "one that differs from the nearest right call; of an aligned call, any, which is false.",
        f"Deviating by parameter, questioned: {of_label(results, 'parameter').told}",
        f"Aligned, questioned falsely:        {of_label(results, 'aligned').told}",
        *rates(results),
    )


def missed(results: Results) -> Iterator[str]:
    """Each case behind a figure that is not what it should be, with the reason."""
    for case, judged in results.cases:
        if case.label == "parameter" and not questioned(case, judged):
            yield _told("not questioned", case, judged, why_passed(case, judged))
        if case.label == "aligned" and is_questioned(case, judged):
            notes = (f"{leaf.pointer} = {leaf.value!r}: {leaf.how}. {leaf.note}" for leaf in judged.traced)
            yield _told("questioned falsely", case, judged, notes)
    yield from _missed_traces(results)


def is_questioned(case: LabelledCase, judged: Judged) -> bool:
    """Whether grounding has something to say against the call, where it should or, of an aligned call, anywhere."""
    if case.label == "aligned":
        return any(leaf.questioned for leaf in judged.traced)
    return bool(questioned(case, judged))


def of_label(results: Results, label: str) -> Rate:
    """How many calls with this label grounding questions."""
    return rate((pair for pair in results.cases if pair[0].label == label), lambda pair: is_questioned(*pair))


def _rows(results: Results, shown: Sequence[str]) -> Iterator[tuple[object, ...]]:
    for label in LABELS:
        ends = Counter(_end(judged) for case, judged in results.cases if case.label == label)
        yield label, ends.total(), of_label(results, label).count, *(ends[end] for end in shown)


def _end(judged: Judged) -> str:
    return "passed" if judged.passed else judged.type or judged.verdict


def _missed_traces(results: Results) -> Iterator[str]:
    for trace in results.of(Outcome.MISALIGNED):
        if not results.stopped(trace):
            for case in trace.cases:
                if case.wrong:
                    judged = results.by_key[case.key]
                    yield _told("misaligned trace passed", case, judged, why_passed(case, judged))
    for trace in results.of(Outcome.SUCCESSFUL):
        for case in trace.cases:
            judged = results.by_key[case.key]
            if not judged.passed:
                yield _told("successful trace stopped", case, judged, why_stopped(judged))


def _told(what: str, case: LabelledCase, judged: Judged, reasons: Iterator[str]) -> str:
    return "\n".join([f"{what}: {heading(case, judged)}", *(f"    {reason}" for reason in reasons)])
