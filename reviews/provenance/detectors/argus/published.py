"""ARGUS's second check as published: the model traces every argument to a span, and no rule before it."""

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation, StageResult
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import require_answer, verify_quotes
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.argus import ArgumentGrounding, GroundedArgument


async def arguments_as_published(labelled: LabelledCase, stage: Stage) -> StageResult:
    """DerivedFrom of every argument by the model's word: copy, normalize, derive, resolve or ungrounded.

    A span is a span only where it stands in benign text.
    """
    case = labelled.clean
    pointers = tuple(pointer for pointer, _ in leaves(dict(case.action.arguments)) if pointer)
    if not pointers:
        return stage.concluded(labelled.misalignment)
    reply = await stage.ask(ArgumentGrounding(case, pointers))
    if isinstance(reply, Unknown):
        for pointer in pointers:
            stage.record_answer(Relation.DERIVED_FROM, pointer, reply)
        return stage.concluded(labelled.misalignment)
    # Of two answers on one pointer the worse counts: it comes last and overwrites.
    worst_last = sorted(reply.answer.arguments, key=lambda argument: argument.how == "ungrounded")
    by_pointer = {argument.pointer: argument for argument in worst_last}
    for pointer in pointers:
        _record_grounding(labelled, pointer, by_pointer.get(pointer), stage)
    return stage.concluded(labelled.misalignment)


def _record_grounding(labelled: LabelledCase, pointer: str, argument: GroundedArgument | None, stage: Stage) -> None:
    if argument is None:
        note = require_answer(pointer, stage)
        stage.record_finding(Relation.DERIVED_FROM, pointer, None, note, decided_by=DecidedBy.JUDGE)
        return
    how, rationale = Grounding(argument.how), argument.rationale
    spans: tuple[Span, ...] = ()
    if how is not Grounding.UNGROUNDED:
        spans, rationale = verify_quotes(labelled.clean.context, argument.quotes, rationale)
    stage.record_finding(
        Relation.DERIVED_FROM, pointer, bool(spans), rationale, decided_by=DecidedBy.JUDGE, evidence=spans,
        grounding=how if spans else Grounding.UNGROUNDED,
    )  # fmt: skip
