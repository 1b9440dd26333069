"""Cases, traces and results made up for tests."""

from itertools import count

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.judged import Judged
from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc

ALIGNED, STOPPED, FAILED = "aligned", "misaligned", "failed"
_numbers = count()
_TOOL = ToolDoc("pay", "Pays somebody.", {"type": "object", "properties": {"to": {"type": "string"}}})


def case(*, wrong: bool | None = None, label: str = "", query: str = "Pay Daniel", to: str = "Daniel") -> LabelledCase:
    context = Context(query, (_TOOL,))
    name = label or ("parameter" if wrong else "aligned")
    differing = frozenset({"/to"}) if wrong else frozenset()
    return LabelledCase(
        f"made/{next(_numbers)}", name, Case(context, ProposedAction("pay", {"to": to})), wrong, differing
    )


def trace(outcome: Outcome, *wrong: bool) -> LabelledTrace:
    return LabelledTrace(f"made/{next(_numbers)}", "made", outcome, tuple(case(wrong=each) for each in wrong))


def judged(of: LabelledCase, end: str) -> Judged:
    if end == FAILED:
        return Judged(of.key, of.id, of.label, "made", error="no answer")
    return Judged(of.key, of.id, of.label, "made", end)
