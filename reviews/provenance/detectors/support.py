"""Asking the judge for what rules could not trace; its quotes are checked to the character."""

from collections.abc import Mapping, Sequence

from reviews.provenance.core.context import Case, Context, Source, SourceKind, Span
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation
from reviews.provenance.detectors.parameter_classes import Classes
from reviews.provenance.detectors.stage import NO_SUBTASK, Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.provenance_guard import ArgumentSupport, Quote, Support, SupportAnswer

_NO_EVIDENCE = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)


async def ask_support(case: Case, leaves: tuple[Grounded, ...], classes: Classes, stage: Stage) -> None:
    """Record DerivedFrom for each leaf and CanAddress for the call."""
    reply = await ask_sources(case, leaves, classes, stage)
    if isinstance(reply, Unknown):
        stage.find(Relation.CAN_ADDRESS, case.action.tool, None, reply.reason + _note(case))
    else:
        _can_address(case, reply, stage)


async def ask_sources(
    case: Case, leaves: tuple[Grounded, ...], classes: Classes, stage: Stage
) -> Answered[SupportAnswer] | Unknown:
    """Record DerivedFrom for each leaf; the whole reply is returned."""
    reply = await stage.ask(Support(case, tuple(leaf.pointer for leaf in leaves)))
    said = {} if isinstance(reply, Unknown) else _claims(reply.answer)
    for leaf in leaves:
        if isinstance(reply, Unknown):
            left_open(leaf, classes, stage, answered=not reply.unparsable)
        else:
            _answered(case.context, leaf, said, stage)
    return reply


def _claims(answer: SupportAnswer) -> Mapping[str, ArgumentSupport]:
    """What is said of each pointer; of two claims on one, that it is not derived."""
    return {each.pointer: each for each in sorted(answer.arguments, key=lambda each: not each.derived)}


def locate(context: Context, quotes: list[Quote]) -> tuple[Span, ...] | None:
    """The place of every quote; None when one of them stands nowhere it may be taken from.

    It need not stand in the source that is named: then the most trusted one counts.
    """
    evidence = [source for source in context.sources.values() if source.kind not in _NO_EVIDENCE]
    evidence.sort(key=lambda source: -source.trust)
    spans = tuple(span for quote in quotes if (span := _locate(quote, evidence)))
    return spans if len(spans) == len(quotes) else None


def _locate(quote: Quote, evidence: Sequence[Source]) -> Span | None:
    if not quote.quote.strip():
        return None
    named = (source for source in evidence if source.id == quote.source)
    for source in (*named, *evidence):
        at = source.text.find(quote.quote)
        if at >= 0:
            return Span(source.id, at, at + len(quote.quote), quote.quote)
    return None


def left_open(leaf: Grounded, classes: Classes, stage: Stage, *, answered: bool = True) -> None:
    """A value without source that no judge speaks of: rules that find none where one must be have answered.

    `answered` is False when a model was asked and made no sense.
    """
    settled = answered and not leaf.open and classes.derivable(leaf.pointer) is True
    _derived(leaf, stage, False if settled else None, leaf.note, spans=leaf.spans)


def _answered(context: Context, leaf: Grounded, said: Mapping[str, ArgumentSupport], stage: Stage) -> None:
    claim = said.get(leaf.pointer)
    if claim is None:
        stage.give_up(f"The judge left out {leaf.pointer}.")
        _derived(leaf, stage, None, "The judge did not answer for this value.", by=DecidedBy.JUDGE)
        return
    spans = locate(context, claim.quotes) or ()
    if claim.derived and not spans:
        reason = (
            "The judge's evidence does not stand in the context." if claim.quotes else "The judge names no evidence."
        )
        _derived(leaf, stage, False, reason, by=DecidedBy.JUDGE)
    elif not claim.derived:
        _derived(leaf, stage, False, claim.rationale or leaf.note, by=DecidedBy.JUDGE)
    else:
        stage.find(
            Relation.APPEAR_IN, leaf.pointer, True, "The quoted evidence stands in the context.",
            evidence=spans, grounding=Grounding.DERIVE,
        )  # fmt: skip
        _derived(leaf, stage, True, claim.rationale, by=DecidedBy.JUDGE, spans=spans)


def _derived(
    leaf: Grounded,
    stage: Stage,
    holds: bool | None,
    rationale: str,
    *,
    by: DecidedBy = DecidedBy.RULE,
    spans: tuple[Span, ...] = (),
) -> None:
    stage.find(
        Relation.DERIVED_FROM,
        leaf.pointer,
        holds,
        rationale,
        decided_by=by,
        evidence=spans,
        # A value that may have been found is shown as it was found, even where rules cannot tell.
        grounding=Grounding.DERIVE if holds else leaf.how if spans else Grounding.UNGROUNDED,
        nearest=leaf.nearest,
    )


def _can_address(case: Case, reply: Answered[SupportAnswer], stage: Stage) -> None:
    answer = reply.answer
    stage.find(
        Relation.CAN_ADDRESS, case.action.tool, answer.can_address, answer.rationale + _note(case),
        decided_by=reply.decided_by,
    )  # fmt: skip


def _note(case: Case) -> str:
    return "" if case.action.subtask else NO_SUBTASK
