"""ContentSegmenter, the rules' part: which stretches of an observation are anomalous.

A text is benign unless it gives orders to an agent, imitates the marks or messages of the conversation, or is hidden
from people. What follows from its meaning alone is left to a judge.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias

from cachetools import LRUCache

from reviews.provenance.core.context import Context, Source, SourceId, SourceKind, Span
from reviews.provenance.injection.disguise import disguised_in
from reviews.provenance.injection.hidden import hidden_in
from reviews.provenance.injection.instructions import UNTRUSTED, find_instructions
from reviews.provenance.injection.segment import Segment, merged

Anomalies: TypeAlias = Mapping[SourceId, tuple[Segment, ...]]
"""The anomalous stretches of each source that has any, in order, none overlapping."""

PIECE: Final = 12_000
"""Characters of a text that are read in one go: what stands in the middle of a longer one is no less dangerous."""
_BREAK: Final = 1_000
"""How far back from there a blank to cut at is looked for."""
_MOST_CHARACTERS: Final = 4_000_000
"""Of the texts whose segments are kept in this process: every call of a conversation is judged after the same ones."""

_kept: LRUCache[str, "_Read"] = LRUCache(_MOST_CHARACTERS, getsizeof=lambda read: len(read.text) + 1)
_lock = Lock()


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    segments: tuple[Segment, ...]


def segmented(context: Context) -> Iterator[Source]:
    """The sources that are looked through: all that others than the user and the operator write."""
    return (source for source in context.sources.values() if source.kind in UNTRUSTED and source.text)


def is_own_turn(source: Source) -> bool:
    """Whether the agent itself said this in the conversation: it proves nothing, and no judge is asked about it."""
    return source.kind is SourceKind.AGENT_MESSAGE and source.id.startswith("history/")


def anomalies_in(text: str) -> tuple[Segment, ...]:
    """Every anomalous stretch that rules can tell, in time linear in the length of the text."""
    with _lock:
        known = _kept.get(text)
    if known is None:
        orders = (Segment(order.start, order.end, order.reason) for order in find_instructions(text))
        known = _Read(text, merged((*orders, *hidden_in(text), *disguised_in(text))))
        with _lock:
            if len(text) < _MOST_CHARACTERS:
                _kept[text] = known
    return known.segments


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
        Span(source, each.start, each.end, context.sources[source].text[each.start : each.end])
        for source, found in anomalies.items()
        for each in found
    )
