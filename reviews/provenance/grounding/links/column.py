"""Values that name a field of records: "status" for a call that changes a record's status to Lost."""

from collections.abc import Sequence

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.collections import Collections, Document
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.moment import moment_of

# Characters of a value whose kind is told by how it is written.
_LONGEST = 80
# Characters of a value that stands in a request by no accident.
_SHORTEST = 4
# Values of one field that are looked for in the request.
_MOST_VALUES = 200
# Share of a field's words that the user must say for it to be the field that is meant: "name" of event_name.
_PARTS_SAID = 0.5


def column(leaf: Leaf, others: Sequence[Leaf], collections: Collections, references: References) -> Found | None:
    """The value as a field's name: one that holds another argument's value elsewhere, or whose words the user says."""
    for document in collections.documents:
        fields = (at for pattern, at in document.by_pattern.items() if pattern[-1:] == (leaf.text,))
        scalars = next(fields, None) if leaf.text else None
        if scalars is None:
            continue
        for other in others:
            scalar = next((at for at in document.holding(other.folded) if at in scalars), None) if other.text else None
            if scalar is not None:
                place = where(document.text.source.id)
                note = f"“{document.span(scalar).quote[:60]}” is such a field of a record in {place}."
                return Found(Grounding.DERIVE, (document.span(scalar),), note)
        found = (
            _by_name(leaf, document, references)
            or _by_kind(leaf, others, document, scalars)
            or _by_mentioned_value(leaf, document, references)
        )
        if found:
            return found
    return None


def _by_name(leaf: Leaf, document: Document, references: References) -> Found | None:
    words = [stem(word) for word in words_of(leaf.text)]
    spoken_of = references.spoken.keys()
    spoken = [word for word in words if word in spoken_of]
    # Of "lamp.hall" and "lamp.kitchen" the one is meant of which the user says more.
    others = (set(map(stem, words_of(pattern[-1]))) & spoken_of for pattern in document.by_pattern if pattern)
    if not words or len(spoken) < _PARTS_SAID * len(words) or any(set(spoken) < other for other in others):
        return None
    span = references.spoken[spoken[0]]
    return Found(Grounding.DERIVE, (span,), f"“{span.quote}” names this field of the records that were looked up.")


def _by_kind(leaf: Leaf, others: Sequence[Leaf], document: Document, scalars: "Sequence[int]") -> Found | None:
    """The only field whose values are written as another argument is: a time for a time, an address for an address."""
    kinds = {other.name: kind for other in others if (kind := _kind(other.text))}
    own_kind = _kind(document.value(scalars[0]))
    if own_kind not in kinds.values():
        return None
    alike = {pattern for pattern, at in document.by_pattern.items() if _kind(document.value(at[0])) == own_kind}
    span = document.span(scalars[0])
    if len(alike) > 1 or not span.quote:
        return None
    return Found(Grounding.DERIVE, (span,), f"“{leaf.text[:40]}” is the only field that holds such a value.")


def _kind(text: str) -> str | None:
    if len(text) > _LONGEST:
        return None
    return "address" if "@" in text else "time" if moment_of(text) else None


def _by_mentioned_value(leaf: Leaf, document: Document, references: References) -> Found | None:
    """The only field of which the user says a value: "tasks that are in progress" are so by their list."""
    fields: dict[str, Span] = {}
    for pattern, scalars in document.by_pattern.items():
        for value in dict.fromkeys(document.value(at) for at in scalars[:_MOST_VALUES]):
            places = ((text, at) for text in references.texts for at in occurrences(text.folded.text, value))
            if len(value) >= _SHORTEST and (place := next(places, None)):
                text, at = place
                fields.setdefault(pattern[-1] if pattern else "", text.span(at, at + len(value)))
    if list(fields) != [leaf.text]:
        return None
    span = fields[leaf.text]
    return Found(Grounding.DERIVE, (span,), f"“{span.quote[:60]}” is a value of this field.")
