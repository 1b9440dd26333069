"""ARGUS's ContentSegmenter, the rules' part: which stretches of an observation are anomalous.

A text is benign unless it gives orders to an agent, imitates the marks or messages of the conversation, or is hidden
from people. What follows from its meaning alone is left to a judge.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from reviews.provenance.core.context import Context, Source, SourceId, Span
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.injection.disguise import disguised_in
from reviews.provenance.injection.hidden import hidden_in
from reviews.provenance.injection.instructions import find_instructions, may_be_tainted
from reviews.provenance.injection.segment import Segment, merge_segments
from reviews.provenance.text.short_text_cache import cache_short_texts

Anomalies: TypeAlias = Mapping[SourceId, tuple[Segment, ...]]
"""The anomalous stretches of each source that has any, in order, none overlapping."""

PIECE: Final = 12_000
"""Characters of a text that a judge is shown in one go: of a longer one it would skip the middle, which is no less
dangerous."""
# How far back from there a blank to cut at is looked for: a text without one for so long has no words to cut.
_BREAK: Final = 1_000


def sources_to_segment(context: Context) -> Iterator[Source]:
    """The sources that are looked through: all that others than the user and the operator write, unless attested."""
    # An empty text is worth no question.
    return (source for source in context.sources.values() if may_be_tainted(source) and source.text)


def is_own_turn(source: Source) -> bool:
    """Whether the agent itself said this in the conversation: it proves nothing, and no judge is asked about it."""
    return source.kind is SourceKind.AGENT_MESSAGE and source.id.startswith("history/")


@cache_short_texts
def anomalies_in(text: str) -> tuple[Segment, ...]:
    """Every anomalous stretch that rules can tell, in time linear in the length of the text."""
    # Orders come first: of overlapping segments the first one's reason stands, and theirs says the most.
    orders = (Segment(order.start, order.end, order.reason) for order in find_instructions(text))
    return merge_segments((*orders, *hidden_in(text), *disguised_in(text)))


def pieces_of(text: str) -> Iterator[tuple[int, str]]:
    """The text cut into pieces at blanks, each with its offset."""
    at = 0
    while at < len(text):
        end = at + PIECE
        if end < len(text):
            blank = max(text.rfind(mark, end - _BREAK, end) for mark in "\n ")
            end = blank + 1 if blank >= 0 else end
        yield at, text[at:end]
        at = end


def spans_of(context: Context, anomalies: Anomalies) -> tuple[Span, ...]:
    """The anomalous stretches as spans."""
    return tuple(
        Span(source, segment.start, segment.end, context.sources[source].text[segment.start : segment.end])
        for source, segments in anomalies.items()
        for segment in segments
    )
