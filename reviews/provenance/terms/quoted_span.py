"""Whether the characters that a term quotes stand where they may prove something, and say the value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.data.sources import DATA, Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.other_unit import is_in_other_unit
from reviews.provenance.terms.search import says_other_field
from reviews.provenance.terms.terms import Documented, Field, Stated, Term
from reviews.provenance.terms.value_mentions import mentions_of

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
