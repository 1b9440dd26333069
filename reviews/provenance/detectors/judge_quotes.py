"""A judge's quotes, held against the context to the character: what does not stand there counts for nothing."""

from collections.abc import Mapping, Sequence
from typing import Final

from reviews.provenance.core.context import Context, Source, Span
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.injection.segmenter import is_own_turn
from reviews.provenance.judges.questions.question_forms import Quote
from reviews.provenance.text.boundaries import MAX_CANDIDATES, cuts_figure, stands_in_whole

QUOTED: Final = "quotes.verified"
# What an agent wrote itself proves nothing, and a tool's document says nothing of the user's values.
_REFUSED: Final[Mapping[SourceKind | None, str]] = {
    SourceKind.TOOL_CALL: "The judge quotes an earlier call of the agent, which proves nothing.",
    SourceKind.AGENT_MESSAGE: "The judge quotes the agent's own message, which proves nothing.",
    SourceKind.TOOL_DOC: "The judge quotes a tool's document, which says nothing of this value.",
}


def locate_quotes(context: Context, quotes: Sequence[Quote], *, with_agents: bool = False) -> tuple[Span, ...] | None:
    """The place of every quote; None when one of them stands nowhere it may be taken from.

    A quote need not stand in the source it names: models mix up labels, not words. Then the most trusted one counts.
    `with_agents`: what another agent says counts too, with its trust.
    """
    evidence = [
        source
        for source in context.sources.values()
        if source.kind not in _REFUSED or (with_agents and is_of_other_agent(source))
    ]
    evidence.sort(key=lambda source: -source.trust)
    spans = []
    for quote in quotes:
        sources = [*(source for source in evidence if source.id == quote.source), *evidence]
        place = next((source for source in sources if quote.quote in source.text), None)
        if place is None or not quote.quote.strip():
            return None
        start = _place_of(quote.quote, place.text)
        spans.append(Span(place.id, start, start + len(quote.quote), quote.quote))
    return tuple(spans)


def _place_of(quote: str, text: str) -> int:
    """Where the quote stands as whole words, else where it first stands: who quotes "25" means no piece of "250"."""
    first = at = text.index(quote)
    for _ in range(MAX_CANDIDATES):
        end = at + len(quote)
        if at < 0 or (stands_in_whole(text, at, end) and not cuts_figure(text, at, end)):
            break
        at = text.find(quote, at + 1)
    return first if at < 0 else at


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
