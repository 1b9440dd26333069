"""The message that asks says another value of the kind, which no argument takes up, and not this one."""

from collections.abc import Iterator
from itertools import islice

from rapidfuzz import fuzz

from reviews.provenance.core.context import Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.sole_reading import places_of_kind
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import Kind, has_mention, kind_of
from reviews.provenance.values.identifiers import is_opaque

RULE = "doubts.other_value"
# Similarity, 0 to 100, from which something else in the context is worth a look: below it codes share a few characters.
_SIMILAR = 80
# Values of one message that are looked at: nobody who asks for one thing names more.
_MAX_SHOWN = 200
# Identifiers of one source that are compared.
_MAX_COMPARED = 2_000


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value in whose place the user says another. Raises `OutOfBudgetError`."""
    kind = kind_of(leaf)
    if kind is Kind.NOTHING or any(has_mention(leaf, text) for text in call.asking.texts):
        return None
    for text in call.asking.texts:
        spans = [text.span(*place) for place in islice(_unused_places(leaf, kind, text, call), _MAX_SHOWN)]
        if spans:
            near = max(spans, key=lambda span: fuzz.ratio(span.quote.lower(), leaf.folded))
            note = (
                f"{describe_source(text.source.id).capitalize()} says “{shorten_text(near.quote, 40)}”; the call has "
                f"“{shorten_text(leaf.text, 40)}”. Is that meant?"
            )
            return Doubt(RULE, note, (near,), near)
    return None


def _unused_places(leaf: Leaf, kind: Kind, text: SourceText, call: ProposedCall) -> Iterator[tuple[int, int]]:
    # Both are written without spaces, and yet an address is no other path, nor a path another address.
    alike = (
        place for place in places_of_kind(leaf, kind, text) if ("@" in text.folded[slice(*place)]) == ("@" in leaf.text)
    )
    return (place for place in alike if not call.is_used(text, *place))


def most_similar(leaf: Leaf, call: ProposedCall) -> Span | None:
    """The identifier anywhere that is most like a value that stands nowhere; None where none is like it."""
    value = leaf.folded
    best: tuple[float, Span | None] = (_SIMILAR, None)
    for text in call.evidence.texts.values() if is_opaque(value) else ():
        for start, end in text.opaque[:_MAX_COMPARED]:
            call.evidence.budget.spend()
            score = fuzz.ratio(value, text.folded[start:end], score_cutoff=best[0])
            if score > best[0] and text.folded[start:end] != value:
                best = score, text.span(start, end)
    return best[1]
