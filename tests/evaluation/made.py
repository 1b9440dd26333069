"""Cases, traces and results made up for tests."""

from itertools import count

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome
from reviews.evaluation.measures.judged_case import Judged
from reviews.provenance.core.context import Case, Context, ProposedAction, ToolDoc
from reviews.provenance.core.findings import Finding, Misalignment, Relation, StageResult
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge

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


class RefutesMallory:
    """Rejects every call to Mallory and establishes all others, whatever the engine's rules are."""

    name, version = "refutes-mallory", "1"

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        holds = case.action.arguments["to"] != "Mallory"
        rationale = "Copied from the request." if holds else "“Mallory” appears nowhere."
        finding = Finding(Relation.DERIVED_FROM, "/to", holds, rationale)
        yield StageResult("parameter", (finding,), misalignment=None if holds else Misalignment.PARAMETER)
