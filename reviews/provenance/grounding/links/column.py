"""Values that name a field of records: "status" for a call that changes a record's status to Lost."""

from collections.abc import Sequence

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.collections import Collections, Document
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

_PARTS_SAID = 0.5
"""Share of a field's words that the user must say for it to be the field that is meant: "name" of event_name."""


def column(leaf: Leaf, others: Sequence[Leaf], collections: Collections, references: References) -> Found | None:
    """The value as a field's name: one that holds another argument's value elsewhere, or whose words the user says."""
    for document in collections.documents:
        scalars = next((at for pattern, at in document.by_pattern.items() if _named(pattern, leaf)), None)
        if scalars is None:
            continue
        for other in others:
            held = next((at for at in document.holding(other.folded) if at in scalars), None) if other.text else None
            if held is not None:
                note = f"“{document.span(held).quote[:60]}” is such a field of a record in {where(document.text.source.id)}."
                return Found(Grounding.DERIVE, (document.span(held),), note)
        if found := _said(leaf, document, references):
            return found
    return None


def _named(pattern: tuple[str, ...], leaf: Leaf) -> bool:
    return bool(pattern) and bool(leaf.text) and pattern[-1] == leaf.text


def _said(leaf: Leaf, document: Document, references: References) -> Found | None:
    words = [stem(word) for word in words_of(leaf.text)]
    spoken = [word for word in words if word in references.spoken]
    if not words or len(spoken) < _PARTS_SAID * len(words):
        return None
    span = references.spoken[spoken[0]]
    return Found(Grounding.DERIVE, (span,), f"“{span.quote}” names this field of the records that were looked up.")
