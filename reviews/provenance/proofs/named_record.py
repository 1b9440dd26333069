"""The value is a field of the one record that a key in the user's words names.

Sound because: the key's values are all different among the records of its kind, in every result of the tool, and the
user's words hold one of them whole (or a word of a name that no other has); no other record of the kind is named, or
the parameter's own name or preposition stands before the key; and the field is called like the parameter, or is the
only one of its record that is written like the value.
Assumes: what the user calls a record by is what its key says. "The blue one" is no key, and two Daniels are a question.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import ANY, Document
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_covered, is_labelled, known_words, stands_plainly
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.keys import NamedRecord, looked_up_by
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.matching import Kind, kind_of
from reviews.provenance.terms.search import fields_with
from reviews.provenance.terms.terms import Field
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.names import stems_of
from reviews.provenance.values.identifiers import is_opaque

RULE = "proofs.named_record"
# Places of the value in one result that are looked at: what stands in more rows is no record's own.
_MAX_PLACES = 16


@dataclass(frozen=True, slots=True)
class OfRecord:
    """A value that is a field of a named record."""

    term: Field
    spans: tuple[Span, ...]
    how: Grounding = Grounding.RESOLVE


def find_named_field(leaf: Leaf, call: ProposedCall, request: Request | None) -> OfRecord | None:
    """The term of the value in a record that is named alone; None otherwise. Raises `OutOfBudgetError`."""
    if kind_of(leaf) in (Kind.NOTHING, Kind.OPTION) or isinstance(leaf.value, bool):
        return None
    for text in call.evidence.data:
        for scalar in _scalars_with(leaf, text):
            call.evidence.budget.spend()
            if not _is_field_of_leaf(leaf, scalar, text.document):
                continue
            for record in _names_of(scalar, text, leaf, call):
                if not _leads_to(record, text.document, scalar, call, request):
                    continue
                span = text.raw_span(text.document.starts[scalar], text.document.ends[scalar])
                term = Field(span, (record.key,))
                outcome = verify_term(term, leaf, call.evidence)
                if isinstance(outcome, Verified):
                    return OfRecord(term, tuple(dict.fromkeys((*outcome.spans, record.key.by_span))))
    return None


def _scalars_with(leaf: Leaf, text: SourceText) -> Iterator[int]:
    """The whole fields of a result that give the value."""
    for n, field in enumerate(fields_with(leaf, text)):
        scalar = text.document.scalar_at(field.span.start, field.span.end) if n < _MAX_PLACES else None
        if scalar is not None and (text.document.starts[scalar], text.document.ends[scalar]) == (
            field.span.start,
            field.span.end,
        ):
            yield scalar


def _is_field_of_leaf(leaf: Leaf, scalar: int, document: Document) -> bool:
    """Whether the field is called like the parameter, or is the only one of its record that is written like the value.

    A field that is called exactly so goes before one that is only written so.
    """
    field_name = _stems_of_field(document, scalar)
    wanted = stems_of(leaf.name)
    fields = [sibling for sibling in document.fields_of(document.record_of(scalar)) if sibling != scalar]
    if field_name == wanted:
        return not any(
            _stems_of_field(document, sibling) == wanted and document.value_of(sibling) != document.value_of(scalar)
            for sibling in fields
        )
    if any(_stems_of_field(document, sibling) == wanted for sibling in fields):
        return False
    if not is_opaque(leaf.folded):
        # A bare result holds one value, which is what was looked up.
        return not field_name and not fields
    alike = [sibling for sibling in fields if _is_alike(document.value_of(sibling), leaf)]
    return not alike


def _is_alike(value: str, leaf: Leaf) -> bool:
    """Whether another field is written like the value: an address beside an address."""
    return is_opaque(value.casefold().strip("#")) and ("@" in value) == ("@" in leaf.text) and value != leaf.text


def _stems_of_field(document: Document, scalar: int) -> frozenset[str]:
    field = [key for key in document.field_of(scalar) if key not in (ANY, "")]
    return stems_of(field[-1]) if field else frozenset()


def _names_of(scalar: int, text: SourceText, leaf: Leaf, call: ProposedCall) -> Iterator[NamedRecord]:
    """What names the record of the field, or one around it in which it is the only one of its kind."""
    document = text.document
    record = document.record_of(scalar)
    place = (document.starts[scalar], document.ends[scalar])
    while True:
        records = [
            name
            for name in call.named_records(text, document.kind_of(record))
            if (name.key.span.start, name.key.span.end) != place
        ]
        yield from _keep_sole((text.source.id, record), records, leaf, call)
        parent = document.parents[record]
        if parent < 0:
            break
        kind = document.kind_of(record)
        siblings = [sibling for sibling in document.records_of_kind(kind) if document.parents[sibling] == parent]
        if len(siblings) > 1:
            return
        record = parent
    if record == 0:
        results = call.evidence.results_of(text)
        looked_up = [name for sibling in results if (name := looked_up_by(sibling, call.asking, call.evidence))]
        yield from _keep_sole((text.source.id, 0), looked_up, leaf, call)


def _leads_to(
    record: NamedRecord, document: Document, scalar: int, call: ProposedCall, request: Request | None
) -> bool:
    """Whether the tool's verb leads to the record's name over known words alone: those of the tool and of the record.

    "The manager of Ann" and "whoever replaces Ann" name Ann's record as well, and mean somebody else.
    """
    if request is None or request.text is not record.said_in or not request.end <= record.start < request.sentence.end:
        return False
    fields = (
        key
        for scalar_of_record in document.fields_of(document.record_of(scalar))
        for key in document.field_of(scalar_of_record)
    )
    known_stems = known_words(call).union(*(stems_of(key) for key in fields))
    return is_covered(request.end, record.start, record.said_in, known_stems, call)


def _keep_sole(
    wanted: tuple[str, int], records: list[NamedRecord], leaf: Leaf, call: ProposedCall
) -> Iterator[NamedRecord]:
    """The record's name, if no other record is named, or if the parameter's own name stands before this one."""
    for name in records:
        if (name.text.source.id, name.record) != wanted or not stands_plainly(name.start, name.end, name.said_in):
            continue
        label = is_labelled(leaf, name.start, name.end, name.said_in, call)
        rivals = [rival for rival in records if (rival.text.source.id, rival.record) != wanted]
        # The same words name them both, whatever stands before.
        if any(rival.said_in is name.said_in and rival.start < name.end and name.start < rival.end for rival in rivals):
            continue
        if label is True or (label is None and not rivals and not _shares_kind(leaf, call)):
            yield name


def _shares_kind(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether another parameter takes the same kind of value from data."""
    kind = kind_of(leaf)
    names = stems_of(leaf.name)
    return any(
        kind_of(argument) is kind
        and path_of(argument.pointer) != path_of(leaf.pointer)
        and argument.text != leaf.text
        and (stems_of(argument.name) & names)
        for argument in call.decisive
    )
