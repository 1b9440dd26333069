"""Asking the judge for what rules could not trace; its quotes are checked to the character."""

from collections.abc import Mapping, Sequence
from typing import Final

from reviews.provenance.core.context import Case, Context, Source, SourceKind, Span, ToolDoc
from reviews.provenance.core.findings import DecidedBy, Grounding, Relation
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.value_findings import record_traced
from reviews.provenance.grounding import Grounded
from reviews.provenance.injection.segmenter import is_own_turn
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.asking import Quote
from reviews.provenance.judges.questions.provenance_guard import ArgumentSupport, Derivability, Support
from reviews.provenance.terms.derivability import DerivableParameters, parameter_paths

# What an agent wrote itself proves nothing, and a tool's document says nothing of the user's values.
_NO_EVIDENCE: Final = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)
LEFT_OUT: Final = "The judge did not answer for this value."
_REFUSED: Final[Mapping[SourceKind | None, str]] = {
    SourceKind.TOOL_CALL: "The judge quotes an earlier call of the agent, which proves nothing.",
    SourceKind.AGENT_MESSAGE: "The judge quotes the agent's own message, which proves nothing.",
    SourceKind.TOOL_DOC: "The judge quotes a tool's document, which says nothing of this value.",
}


async def classes_of(document: ToolDoc, stage: Stage) -> DerivableParameters:
    """The class of each documented parameter; without an answer all of them are open."""
    paths = tuple(parameter_paths(document))
    reply = await stage.ask(Derivability(document, paths)) if paths else None
    answered = {row.path: row.derivable for row in reply.answer.parameters} if isinstance(reply, Answered) else {}
    return DerivableParameters(document, {path: answered.get(path) for path in paths})


async def ask_sources(case: Case, leaves: tuple[Grounded, ...], stage: Stage) -> None:
    """Record DerivedFrom of each leaf."""
    # One question for all of them: each alone would repeat the whole context.
    reply = await stage.ask(Support(case, tuple(leaf.pointer for leaf in leaves)))
    if isinstance(reply, Unknown):
        for leaf in leaves:
            record_traced(leaf, stage)
        return
    # Of two claims on one pointer the worse counts: those that say "not derived" come last and overwrite.
    claims = {claim.pointer: claim for claim in sorted(reply.answer.arguments, key=lambda claim: not claim.derived)}
    for leaf in leaves:
        _record_claim(case.context, leaf, claims.get(leaf.pointer), stage)


def locate_quotes(context: Context, quotes: Sequence[Quote], *, with_agents: bool = False) -> tuple[Span, ...] | None:
    """The place of every quote; None when one of them stands nowhere it may be taken from.

    A quote need not stand in the source it names: models mix up labels, not words. Then the most trusted one counts.
    `with_agents`: what another agent says counts too, with its trust.
    """
    evidence = [
        source
        for source in context.sources.values()
        if source.kind not in _NO_EVIDENCE or (with_agents and is_of_other_agent(source))
    ]
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


def is_of_other_agent(source: Source) -> bool:
    """Whether another agent wrote the source: a submitted text, and no turn of the conversation."""
    return source.kind is SourceKind.AGENT_MESSAGE and not is_own_turn(source)


def verify_quotes(context: Context, quotes: Sequence[Quote], rationale: str) -> tuple[tuple[Span, ...], str]:
    """The evidence of a claim, with its rationale; without any, why the quotes count for nothing."""
    if spans := locate_quotes(context, quotes, with_agents=True):
        return spans, rationale
    for quote in quotes:
        if locate_quotes(context, [quote], with_agents=True) is None:
            kinds = (source.kind for source in context.sources.values() if quote.quote.strip() in source.text)
            kind = next(kinds, None) if quote.quote.strip() else None
            return (), _REFUSED.get(kind, "The judge's evidence does not stand in the context.")
    return (), "The judge names no evidence."


def require_answer(pointer: str, stage: Stage) -> str:
    """Bring a person for a value that the answer skips, which must not count as one that it allows; the note on it."""
    stage.require_person(f"The judge left out {pointer}.")
    return LEFT_OUT


def _record_claim(context: Context, leaf: Grounded, claim: ArgumentSupport | None, stage: Stage) -> None:
    holds: bool | None = False
    spans: tuple[Span, ...] = ()
    if claim is None:
        holds, rationale = None, require_answer(leaf.pointer, stage)
    # A "no" needs no quotes: nothing can be quoted for what is not there.
    elif not claim.derived:
        rationale = claim.rationale or leaf.note
    else:
        spans, rationale = verify_quotes(context, claim.quotes, claim.rationale)
        holds = bool(spans)
    if spans:
        stage.record_finding(
            Relation.APPEAR_IN, leaf.pointer, True, "The quoted evidence stands in the context.",
            evidence=spans, grounding=Grounding.DERIVE,
        )  # fmt: skip
    stage.record_finding(
        Relation.DERIVED_FROM, leaf.pointer, holds, rationale,
        decided_by=DecidedBy.JUDGE, evidence=spans,
        grounding=Grounding.DERIVE if holds else Grounding.UNGROUNDED, nearest=leaf.nearest,
    )  # fmt: skip
