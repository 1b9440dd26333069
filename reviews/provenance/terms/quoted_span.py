"""Whether the characters that a term quotes stand where they may prove something, and say the value."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Final, TypeAlias

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.data.sources import DATA, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import says_other_field
from reviews.provenance.terms.terms import Documented, Field, Stated, Term
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.durations import seconds_of_unit
from reviews.provenance.values.measures import unit_of_word
from reviews.provenance.values.numbers import number_of

# The word behind a number: 2 hours, 2-hour, 2시간.
_BEHIND: Final = re.compile(r"[ -]?([^\W\d_]{1,24})")
# Words of names that are units elsewhere.
_LEAST: Final = frozenset({"min"})
KINDS: Final[Mapping[type[Term], Sequence[SourceKind]]] = {
    Stated: TRUSTED,
    Documented: (SourceKind.TOOL_DOC, SourceKind.SYSTEM_PROMPT),
    Field: DATA,
}
"""Where a term's characters may stand. What an agent wrote proves nothing, and what documents say is no result."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The term holds: these characters give the value."""

    spans: tuple[Span, ...]
    how: Grounding


@dataclass(frozen=True, slots=True)
class Refused:
    """The term does not hold; the reason is a sentence for a judge and a person."""

    reason: str


Outcome: TypeAlias = Verified | Refused


def text_for(span: Span, evidence: Evidence, kinds: Sequence[SourceKind]) -> SourceText | Refused:
    """The source that the span quotes, if it may prove something and says so at these offsets."""
    text = evidence.texts.get(span.source)
    if text is None or not evidence.context.verifies(span):
        return Refused(f"“{shorten_text(span.quote, 60)}” does not stand there.")
    if text.source.kind not in kinds:
        return Refused(f"{span.source} proves nothing of this kind.")
    return text


def verify_quote(span: Span, leaf: Leaf, evidence: Evidence, kinds: Sequence[SourceKind]) -> Outcome:
    """Whether a quote says the value, and no other field of the data to the character."""
    text = text_for(span, evidence, kinds)
    if isinstance(text, Refused):
        return text
    outcome = find_value_within(span, leaf, text)
    if isinstance(outcome, Verified) and says_other_field(leaf, outcome.spans[0].quote, evidence):
        return Refused(f"“{shorten_text(outcome.spans[0].quote, 60)}” is another one of the data, to the character.")
    return outcome


def find_value_within(span: Span, leaf: Leaf, text: SourceText) -> Outcome:
    """The value as it stands within a quote, narrowed to its own characters."""
    for mention in mentions_of(leaf, text):
        spans = tuple(text.span(*place) for place in mention.places)
        is_within = all(span.start <= part.start and part.end <= span.end for part in spans)
        if is_within and not is_in_other_unit(leaf, mention.place, text):
            return Verified(spans, mention.how)
    return refuse_other_value(span, leaf)


def refuse_other_value(span: Span, leaf: Leaf) -> Refused:
    """That a quote does not say the value."""
    return Refused(f"“{shorten_text(span.quote, 60)}” does not say “{shorten_text(leaf.text or str(leaf.value), 60)}”.")


def is_in_other_unit(leaf: Leaf, place: Place, text: SourceText) -> bool:
    """Whether the number at this place is the value's, and of another unit of the kind that its parameter counts.

    2 hours are no 2 minutes. A parameter's unit is what words of its name are: `timeout_minutes`, `weight_kg`.
    """
    number, quoted_number = number_of(leaf.value), number_of(text.folded[slice(*place)])
    behind = _BEHIND.match(text.folded, place[1])
    if number is None or behind is None or quoted_number not in (None, number):
        return False
    words = (word for word in tokens_of(leaf.name) if len(word) > 1 and word not in _LEAST)
    units, quoted = frozenset(chain.from_iterable(map(_units_of, words))), _units_of(behind[1])
    return not {kind for kind, _ in units}.isdisjoint(kind for kind, _ in quoted) and units.isdisjoint(quoted)


def _units_of(word: str) -> frozenset[tuple[str, Decimal]]:
    """The kind of each unit that a folded word is, and what it comes to."""
    measure = unit_of_word(word)
    times = frozenset(("time", seconds) for seconds in seconds_of_unit(word))
    return times | {(measure.kind, measure.factor)} if measure else times
