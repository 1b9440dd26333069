"""The same few cases, or whole traces, in every run."""

import hashlib
from collections.abc import Iterable, Sequence

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome


def sample_cases(cases: Iterable[LabelledCase], size: int, *, balanced: bool = False) -> list[LabelledCase]:
    """The first cases by their key's order, so that a larger sample holds every smaller one.

    `balanced`: half of them should have been stopped, half should not; the rest is left out.
    """
    ordered = sorted(cases, key=lambda case: case.key)
    if not balanced:
        return ordered[:size]
    wrong = [case for case in ordered if case.wrong is True][: size // 2]
    right = [case for case in ordered if case.wrong is False][: size - size // 2]
    return sorted([*wrong, *right], key=lambda case: case.key)


def sample_traces(traces: Iterable[LabelledTrace], size: int, *, most_calls: int | None = None) -> list[LabelledTrace]:
    """Whole traces by the SHA-256 of their ids: half misaligned, half successful, the rest is left out.

    `most_calls` leaves out those with more calls to judge, where a judge is slow.
    """
    short = [trace for trace in traces if most_calls is None or len(trace.cases) <= most_calls]
    wrong = _first_traces(short, Outcome.MISALIGNED, wrong=True, size=size // 2)
    right = _first_traces(short, Outcome.SUCCESSFUL, wrong=False, size=size - size // 2)
    return sorted([*wrong, *right], key=_trace_digest)


def _first_traces(traces: Sequence[LabelledTrace], outcome: Outcome, *, wrong: bool, size: int) -> list[LabelledTrace]:
    """The first traces by their digest with this outcome and a call labelled so."""
    # Where no call is to be stopped, or none to be let pass, a guard has no say.
    fitting = (
        trace for trace in traces if trace.outcome is outcome and any(case.wrong is wrong for case in trace.cases)
    )
    return sorted(fitting, key=_trace_digest)[:size]


def _trace_digest(trace: LabelledTrace) -> str:
    return hashlib.sha256(trace.id.encode()).hexdigest()
