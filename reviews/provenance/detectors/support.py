"""Asking the judge for what rules could not trace; its quotes are checked to the character."""

from collections.abc import Sequence
from typing import Final

from reviews.provenance.core.context import Case, Context, SourceKind, Span
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.grounding import Grounded
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.provenance_guard import ArgumentSupport, Quote, Support, SupportAnswer

# What an agent wrote itself proves nothing, and a tool's document says nothing of the user's values.
_NO_EVIDENCE: Final = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)


async def ask_sources(case: Case, leaves: tuple[Grounded, ...], stage: Stage) -> Answered[SupportAnswer] | Unknown:
    """Record DerivedFrom for each leaf; the whole reply is returned. Raises what the judge raises."""
    # One question for all of them: each alone would repeat the whole context.
    reply = await stage.ask(Support(case, tuple(leaf.pointer for leaf in leaves)))
    if isinstance(reply, Unknown):
        for leaf in leaves:
            record_unproven(leaf, stage)
        return reply
    # Of two claims on one pointer the worse counts: those that say "not derived" come last and overwrite.
    claims = {claim.pointer: claim for claim in sorted(reply.answer.arguments, key=lambda claim: not claim.derived)}
    for leaf in leaves:
        _record_claim(case.context, leaf, claims.get(leaf.pointer), stage)
    return reply


def record_unproven(leaf: Grounded, stage: Stage) -> None:
    """A value that no proof and no judge speaks for: a question for a person."""
    stage.find(
        Relation.DERIVED_FROM, leaf.pointer, None, leaf.note,
        evidence=leaf.spans, grounding=leaf.how, nearest=leaf.nearest, rule=leaf.rule,
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
