"""The user's words name other records of the kind that the value stands in: which one is meant is a question.

Values are rivals when the same key of records of one kind leads to them, never because they look alike.
"""

from collections.abc import Iterator
from itertools import islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.document import Document
from reviews.provenance.doubts.doubt import Doubt, Rival
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.keys import NamedRecord
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import same_value
from reviews.provenance.terms.search import fields_with

RULE = "doubts.other_records"
# Rivals that a person is shown: with more, the request has to be made clearer instead.
MAX_RIVALS = 10
# Records that the value stands in and whose neighbours are looked at.
_MAX_PLACES = 4


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value whose record is not the only one that is named. Raises `OutOfBudgetError`."""
    for text in call.evidence.data:
        for field in islice(fields_with(leaf, text), _MAX_PLACES):
            document = text.document
            scalar = document.scalar_at(field.span.start, field.span.end)
            if scalar is None:
                continue
            records = call.named_records(text, document.kind_of(document.record_of(scalar)))
            own_record = (text.source.id, document.record_of(scalar))
            rivals = tuple(islice(_find_rivals(leaf, document, scalar, records, own_record), MAX_RIVALS))
            if rivals:
                is_named = any((name.text.source.id, name.record) == own_record for name in records)
                return Doubt(RULE, _ask_which(leaf, rivals, is_named=is_named), (field.span,), rivals=rivals)
    return None


def _find_rivals(
    leaf: Leaf, document: Document, scalar: int, records: tuple[NamedRecord, ...], own_record: tuple[str, int]
) -> Iterator[Rival]:
    field = document.field_of(scalar)
    for name in records:
        if (name.text.source.id, name.record) == own_record:
            continue
        rival_document = name.text.document
        for candidate in rival_document.fields_of(name.record):
            value = rival_document.value_of(candidate)
            if rival_document.field_of(candidate) == field and not same_value(leaf, value):
                span = name.text.raw_span(rival_document.starts[candidate], rival_document.ends[candidate])
                yield Rival(value, (span, name.key.span), name.key.span.quote)
                break


def _ask_which(leaf: Leaf, rivals: tuple[Rival, ...], *, is_named: bool) -> str:
    labels = " and ".join(f"“{shorten_text(rival.label, 40)}”" for rival in rivals[:2])
    if is_named:
        return f"The request's words also fit {labels}. Is “{shorten_text(leaf.text, 40)}” the one that is meant?"
    return f"The request names {labels}; “{shorten_text(leaf.text, 40)}” is another record's. Is it meant?"
