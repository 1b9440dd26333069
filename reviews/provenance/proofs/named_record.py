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
from reviews.provenance.terms.verify import Verified, verify
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


def field_of_named(leaf: Leaf, call: ProposedCall, request: Request | None) -> OfRecord | None:
    """The term of the value in a record that is named alone; None otherwise. Raises `OutOfBudgetError`."""
    if kind_of(leaf) in (Kind.NOTHING, Kind.OPTION) or isinstance(leaf.value, bool):
        return None
    for text in call.evidence.data:
        for scalar in _scalars_with(leaf, text):
            call.evidence.budget.spend()
            if not _fits(leaf, scalar, text.document):
                continue
            for named in _names_of(scalar, text, leaf, call):
                if not _leads_to(named, text.document, scalar, call, request):
                    continue
                span = text.raw_span(text.document.starts[scalar], text.document.ends[scalar])
                term = Field(span, (named.key,))
                outcome = verify(term, leaf, call.evidence)
                if isinstance(outcome, Verified):
                    return OfRecord(term, tuple(dict.fromkeys((*outcome.spans, named.key.by_span))))
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


def _fits(leaf: Leaf, scalar: int, document: Document) -> bool:
    """Whether the field is called like the parameter, or is the only one of its record that is written like the value.

    A field that is called exactly so goes before one that is only written so.
    """
    own = _name(document, scalar)
    wanted = stems_of(leaf.name)
    fields = [other for other in document.fields_of(document.record_of(scalar)) if other != scalar]
    if own == wanted:
        return not any(
            _name(document, other) == wanted and document.value_of(other) != document.value_of(scalar)
            for other in fields
        )
    if any(_name(document, other) == wanted for other in fields):
        return False
    if not is_opaque(leaf.folded):
        # A bare result holds one value, which is what was looked up.
        return not own and not fields
    alike = [other for other in fields if _is_alike(document.value_of(other), leaf)]
    return not alike


def _is_alike(value: str, leaf: Leaf) -> bool:
    """Whether another field is written like the value: an address beside an address."""
    return is_opaque(value.casefold().strip("#")) and ("@" in value) == ("@" in leaf.text) and value != leaf.text


def _name(document: Document, scalar: int) -> frozenset[str]:
    field = [key for key in document.field_of(scalar) if key not in (ANY, "")]
    return stems_of(field[-1]) if field else frozenset()


def _names_of(scalar: int, text: SourceText, leaf: Leaf, call: ProposedCall) -> Iterator[NamedRecord]:
    """What names the record of the field, or one around it in which it is the only one of its kind."""
    document = text.document
    record = document.record_of(scalar)
    own = (document.starts[scalar], document.ends[scalar])
    while True:
        named = [
            name
            for name in call.named_records(text, document.kind_of(record))
            if (name.key.span.start, name.key.span.end) != own
        ]
        yield from _sole((text.source.id, record), named, leaf, call)
        parent = document.parents[record]
        if parent < 0:
            break
        kind = document.kind_of(record)
        siblings = [other for other in document.records_of_kind(kind) if document.parents[other] == parent]
        if len(siblings) > 1:
            return
        record = parent
    if record == 0:
        results = call.evidence.results_of(text)
        looked_up = [name for other in results if (name := looked_up_by(other, call.asking, call.evidence))]
        yield from _sole((text.source.id, 0), looked_up, leaf, call)


def _leads_to(named: NamedRecord, document: Document, scalar: int, call: ProposedCall, request: Request | None) -> bool:
    """Whether the tool's verb leads to the record's name over known words alone: those of the tool and of the record.

    "The manager of Ann" and "whoever replaces Ann" name Ann's record as well, and mean somebody else.
    """
    if request is None or request.text is not named.said_in or not request.end <= named.start < request.sentence.end:
        return False
    fields = (key for other in document.fields_of(document.record_of(scalar)) for key in document.field_of(other))
    known = known_words(call).union(*(stems_of(key) for key in fields))
    return is_covered(request.end, named.start, named.said_in, known, call)


def _sole(wanted: tuple[str, int], named: list[NamedRecord], leaf: Leaf, call: ProposedCall) -> Iterator[NamedRecord]:
    """The record's name, if no other record is named, or if the parameter's own name stands before this one."""
    for name in named:
        if (name.text.source.id, name.record) != wanted or not stands_plainly(name.start, name.end, name.said_in):
            continue
        label = is_labelled(leaf, name.start, name.end, name.said_in, call)
        others = [other for other in named if (other.text.source.id, other.record) != wanted]
        # The same words name them both, whatever stands before.
        if any(other.said_in is name.said_in and other.start < name.end and name.start < other.end for other in others):
            continue
        if label is True or (label is None and not others and not _shares_kind(leaf, call)):
            yield name


def _shares_kind(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether another parameter takes the same kind of value from data."""
    kind = kind_of(leaf)
    names = stems_of(leaf.name)
    return any(
        kind_of(other) is kind
        and path_of(other.pointer) != path_of(leaf.pointer)
        and other.text != leaf.text
        and (stems_of(other.name) & names)
        for other in call.decisive
    )
