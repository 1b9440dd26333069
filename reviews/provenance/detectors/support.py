"""Asking the judge for what rules could not trace; its quotes are checked to the character."""

from collections.abc import Sequence
from typing import Final

from reviews.provenance.core.context import Case, Context, SourceKind, Span
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.detectors.parameter_classes import DerivableParameters
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.provenance_guard import ArgumentSupport, Quote, Support, SupportAnswer

# What an agent wrote itself proves nothing, and a tool's document says nothing of the user's values.
PROVEN: Final = "The user asks for this, and every value that needs a source has one."
_NO_EVIDENCE: Final = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)


async def ask_support(
    case: Case,
    leaves: tuple[Grounded, ...],
    classes: DerivableParameters,
    stage: Stage,
    *,
    proven: bool = False,
    left_out: str = "",
) -> None:
    """Record DerivedFrom for each leaf and CanAddress for the call. Raises what the judge raises.

    `proven` says that rules have proved the call as a whole, which counts where no judge answers; `left_out` names a
    parameter that is not given although the request speaks of what it is for.
    """
    reply = await ask_sources(case, leaves, classes, stage)
    if isinstance(reply, Unknown):
        if proven and not reply.unparsable:
            stage.find(Relation.CAN_ADDRESS, case.action.tool, True, PROVEN)
        elif left_out:
            note = f"The request speaks of what {left_out[:40]} is for, and the call leaves it out."
            stage.find(Relation.CAN_ADDRESS, pointer_to(left_out), None, note)
        else:
            stage.find(Relation.CAN_ADDRESS, case.action.tool, None, reply.reason)
        return
    stage.find(
        Relation.CAN_ADDRESS, case.action.tool, reply.answer.can_address, reply.answer.rationale,
        decided_by=reply.decided_by,
    )  # fmt: skip


async def ask_sources(
    case: Case, leaves: tuple[Grounded, ...], classes: DerivableParameters, stage: Stage
) -> Answered[SupportAnswer] | Unknown:
    """Record DerivedFrom for each leaf; the whole reply is returned. Raises what the judge raises."""
    # One question for all of them: each alone would repeat the whole context.
    reply = await stage.ask(Support(case, tuple(leaf.pointer for leaf in leaves)))
    if isinstance(reply, Unknown):
        for leaf in leaves:
            record_without_source(leaf, classes, stage, answered=not reply.unparsable)
        return reply
    # Of two claims on one pointer the worse counts: those that say "not derived" come last and overwrite.
    claims = {claim.pointer: claim for claim in sorted(reply.answer.arguments, key=lambda claim: not claim.derived)}
    for leaf in leaves:
        _record_claim(case.context, leaf, claims.get(leaf.pointer), stage)
    return reply


def record_without_source(leaf: Grounded, classes: DerivableParameters, stage: Stage, *, answered: bool = True) -> None:
    """A value without source that no judge speaks of: rules that find none where one must be have answered.

    `answered` is False when a model was asked and its output could not be read.
    """
    is_refuted = answered and not leaf.open and classes.derivable(leaf.pointer) is True
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, False if is_refuted else None, leaf.note,
        evidence=leaf.spans, grounding=leaf.how if leaf.spans else Grounding.UNGROUNDED, nearest=leaf.nearest,
    )  # fmt: skip


def locate(context: Context, quotes: Sequence[Quote]) -> tuple[Span, ...] | None:
    """The place of every quote; None when one of them stands nowhere it may be taken from.

    A quote need not stand in the source it names: models mix up labels, not words. Then the most trusted one counts.
    """
    evidence = [source for source in context.sources.values() if source.kind not in _NO_EVIDENCE]
    evidence.sort(key=lambda source: -source.trust)
    spans = []
    for quote in quotes:
        sources = [*(source for source in evidence if source.id == quote.source), *evidence]
        place = next((source for source in sources if quote.quote in source.text), None)
        if place is None or not quote.quote.strip():
            return None
        start = place.text.index(quote.quote)
        spans.append(Span(place.id, start, start + len(quote.quote), quote.quote))
    return tuple(spans)


def _record_claim(context: Context, leaf: Grounded, claim: ArgumentSupport | None, stage: Stage) -> None:
    """Record what the judge claims of one value, as far as its quotes stand in the context."""
    holds: bool | None = False
    spans: tuple[Span, ...] = ()
    if claim is None:
        # An answer that skips a value must not count as one that allows it.
        stage.require_person(f"The judge left out {leaf.pointer}.")
        holds, rationale = None, "The judge did not answer for this value."
    # A "no" needs no quotes: nothing can be quoted for what is not there.
    elif not claim.derived:
        rationale = claim.rationale or leaf.note
    elif spans := locate(context, claim.quotes) or ():
        holds, rationale = True, claim.rationale
        stage.find(
            Relation.APPEAR_IN, leaf.pointer, True, "The quoted evidence stands in the context.",
            evidence=spans, grounding=Grounding.DERIVE,
        )  # fmt: skip
    elif claim.quotes:
        rationale = "The judge's evidence does not stand in the context."
    else:
        rationale = "The judge names no evidence."
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, holds, rationale,
        decided_by=DecidedBy.JUDGE, evidence=spans,
        grounding=Grounding.DERIVE if holds else Grounding.UNGROUNDED, nearest=leaf.nearest,
    )  # fmt: skip
