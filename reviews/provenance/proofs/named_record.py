"""The value is a field of the one record that a key in the user's words names.

Sound because: the key's values are all different among the records of its kind, in every result of the tool, and the
user's words hold one of them whole (or a word of a name that no other has); no other record of the kind is named, or
the parameter's own name or preposition stands before the key; of several records below the named one a word says which,
in a phrase of known words from the tool's verb to the noun; and the field is called like the parameter, or is the only
one of its record that is written like the value.
Assumes: what the user calls a record by is what its key says. "The blue one" is no key, and two Daniels are a question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TypeAlias

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import ANY, Document
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import (
    POSSESSIVE,
    ends_phrase,
    is_covered,
    is_labelled,
    prepositions_before,
    sentence_at,
)
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.sole_reading import places_of_kind
from reviews.provenance.proofs.words import known_words
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.keys import NamedRecord
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import Kind, kind_of, mentions_of
from reviews.provenance.terms.search import fields_with
from reviews.provenance.terms.terms import Field
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.boundaries import find_occurrences
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.identifiers import is_identifier, is_opaque

_Place: TypeAlias = tuple[int, int]
RULE = "proofs.named_record"
# Places of the value in one result that are looked at: what stands in more rows is no record's own.
_MAX_PLACES = 16
# Records of one parent among which a word may tell one apart: nobody describes one of a hundred by a word.
_MAX_SIBLINGS = 100
# Words of a field that may be a name of its record: a letter that mentions somebody does not name that person.
_MAX_NAME_WORDS = 4
# Characters that are searched through for one step of the budget.
_CHARACTERS_A_STEP = 64
# Prepositions that say whom something comes from or goes to.
_PARTS = frozenset({"from", "by", "to", "for", "into"})
# The next name of a list.
_NEXT_NAME = re.compile(r",? and (?=\w)|, (?=\w)")
# Characters behind a possessive in which its noun stands.
_MAX_NOUN = 60


@dataclass(frozen=True, slots=True)
class OfRecord:
    """A value that is a field of a named record."""

    term: Field
    spans: tuple[Span, ...]
    how: Grounding = Grounding.RESOLVE


@dataclass(frozen=True, slots=True)
class _Lead:
    """What names the record of a field."""

    record: NamedRecord
    described: tuple[_Place, ...]
    """Where the request says which of several records below the named one is meant, and what else it names with it."""


def find_named_field(leaf: Leaf, call: ProposedCall, request: Request | None) -> OfRecord | None:
    """The term of the value in a record that is named alone; None otherwise. Raises `OutOfBudgetError`."""
    if kind_of(leaf) in (Kind.NOTHING, Kind.OPTION) or isinstance(leaf.value, bool) or request is None:
        return None
    if _is_said(leaf, request):
        return None
    for text in call.evidence.data:
        for scalar in scalars_with(leaf, text):
            call.evidence.budget.spend()
            if not is_field_of_leaf(leaf, scalar, text.document, request):
                continue
            for lead in _leads_of(scalar, text, leaf, call, request):
                if field := _prove_field(leaf, scalar, text, lead, call, request=request):
                    return field
    return None


def _prove_field(
    leaf: Leaf, scalar: int, text: SourceText, lead: _Lead, call: ProposedCall, *, request: Request
) -> OfRecord | None:
    """The term of a field whose record this names, if the request means that record and says no other value."""
    stretch = _stretch_to(lead, text.document, scalar, call, request)
    if stretch is None:
        return None
    if _has_other_part(lead.record, call):
        # It names the record all the same.
        call.keep_names(lead.record.said_in, [(lead.record.start, lead.record.end)])
        return None
    if _says_other_value(leaf, lead, call) or _has_rival(leaf, scalar, text, lead, call):
        return None
    span = text.raw_span(text.document.starts[scalar], text.document.ends[scalar])
    term = Field(span, (lead.record.key,))
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    call.keep_names(lead.record.said_in, [stretch])
    words = [lead.record.said_in.span(*place) for place in lead.described]
    return OfRecord(term, tuple(dict.fromkeys((*outcome.spans, lead.record.key.by_span, *words))))


def _is_said(leaf: Leaf, request: Request) -> bool:
    """Whether the request says the value itself: for what part is no matter of a record ("from room 12")."""
    return any(request.end <= mention.start < request.sentence.end for mention in mentions_of(leaf, request.text))


def scalars_with(leaf: Leaf, text: SourceText) -> Iterator[int]:
    """The whole fields of a result that give the value."""
    for n, field in enumerate(fields_with(leaf, text)):
        scalar = text.document.scalar_at(field.span.start, field.span.end) if n < _MAX_PLACES else None
        if scalar is not None and (text.document.starts[scalar], text.document.ends[scalar]) == (
            field.span.start,
            field.span.end,
        ):
            yield scalar


def is_field_of_leaf(leaf: Leaf, scalar: int, document: Document, request: Request) -> bool:
    """Whether the field is called like the parameter, or is the only one of its record that is written like the value.

    A field that is called exactly so goes before one that is only written so.
    """
    wanted = stems_of(leaf.name)
    names = _names_of_field(document, scalar)
    fields = [sibling for sibling in document.fields_of(document.record_of(scalar)) if sibling != scalar]
    namesakes = [sibling for sibling in fields if wanted in _names_of_field(document, sibling)]
    if wanted in names:
        differing = [n for n in namesakes if document.value_of(n) != document.value_of(scalar)]
        return not differing or _is_path_said(scalar, document, request)
    if namesakes:
        return False
    if not is_opaque(leaf.folded):
        # A bare result holds one value, which is what was looked up.
        return not any(names) and not fields
    return not any(_is_alike(document.value_of(sibling), leaf) for sibling in fields)


def _is_path_said(scalar: int, document: Document, request: Request) -> bool:
    """Whether the request says the field with the group that it stands in: "the shipping zip"."""
    path = [key for key in document.field_of(scalar) if key not in (ANY, "")][-2:]
    words = [stem_of(word) for word in words_in(request.sentence.text[request.end - request.sentence.start :])]
    wanted = [stem_of(token) for key in path for token in tokens_of(key)]
    return len(path) > 1 and any(words[n : n + len(wanted)] == wanted for n in range(len(words)))


def _is_alike(value: str, leaf: Leaf) -> bool:
    """Whether another field is written like the value: an address beside an address."""
    return is_opaque(value.casefold().strip("#")) and ("@" in value) == ("@" in leaf.text) and value != leaf.text


def _names_of_field(document: Document, scalar: int) -> tuple[frozenset[str], ...]:
    """What the field may be called: its key, and its key with the kind of its record: the `id` of `accounts`."""
    field = [key for key in document.field_of(scalar) if key not in (ANY, "")]
    if not field:
        return (frozenset(),)
    kind = [key for key in document.kind_of(document.record_of(scalar)) if key not in (ANY, "")]
    qualified = stems_of(field[-1]) | stems_of(kind[-1]) if kind else frozenset[str]()
    return stems_of(field[-1]), qualified


def _leads_of(scalar: int, text: SourceText, leaf: Leaf, call: ProposedCall, request: Request) -> Iterator[_Lead]:
    """What names the record of the field, or one around it; with where the request says which of several it is."""
    document = text.document
    record = document.record_of(scalar)
    place = (document.starts[scalar], document.ends[scalar])
    described: tuple[_Place, ...] = ()
    while True:
        records = [
            name
            for name in call.named_records(text, document.kind_of(record))
            if (name.key.span.start, name.key.span.end) != place
        ]
        for name, beside in _keep_sole((text.source.id, record), records, leaf, call):
            yield _Lead(name, (*described, *beside))
        parent = document.parents[record]
        if parent < 0:
            break
        kind = document.kind_of(record)
        siblings = [sibling for sibling in document.records_of_kind(kind) if document.parents[sibling] == parent]
        call.evidence.budget.spend(1 + len(siblings))
        if len(siblings) > 1:
            description = _find_description(record, siblings, document, request)
            if description is None:
                return
            described = (*described, description)
        record = parent
    if record == 0:
        looked_up = call.looked_up_names(call.evidence.results_of(text))
        for name, beside in _keep_sole((text.source.id, 0), looked_up, leaf, call):
            yield _Lead(name, (*described, *beside))


def _find_description(record: int, siblings: Sequence[int], document: Document, request: Request) -> _Place | None:
    """Where the request says a field of the record whose values are all different among its siblings.

    By itself such a word is no key. Between a name and its noun it is: "Daniel's savings account".
    """
    if len(siblings) > _MAX_SIBLINGS:
        return None
    for scalar in document.fields_of(record):
        field, value = document.field_of(scalar), fold(document.value_of(scalar))
        values = [
            fold(document.value_of(counterpart))
            for sibling in siblings
            for counterpart in document.fields_of(sibling)
            if document.field_of(counterpart) == field
        ]
        if not value.isalpha() or len(set(values)) < len(values):
            continue
        text = request.text.folded
        places = (at for at in find_occurrences(text, value) if request.end <= at < request.sentence.end)
        if (start := next(places, None)) is not None:
            return start, start + len(value)
    return None


def _stretch_to(lead: _Lead, document: Document, scalar: int, call: ProposedCall, request: Request) -> _Place | None:
    """From the tool's verb to the record's name, if known words alone lead there: those of the tool and of the record.

    "The manager of Ann" and "whoever replaces Ann" name Ann's record as well, and mean somebody else.
    """
    record, text = lead.record, lead.record.said_in
    if request.text is not text or not request.end <= record.start < request.sentence.end:
        return None
    if call.is_taken(text, record.start, record.end):
        return None
    keys = [
        key
        for scalar_of_record in document.fields_of(document.record_of(scalar))
        for key in (*document.field_of(scalar_of_record), *document.kind_of(document.record_of(scalar)))
    ]
    known_stems = known_words(call).union(*(stems_of(key) for key in keys))
    places = [(record.start, record.end), *lead.described]
    end = max(last for _, last in places)
    possession = POSSESSIVE.match(text.folded, record.end)
    if possession:
        # Whose it is says which record only where the record has one name, and its noun follows.
        noun_end = _end_of_noun(max(end, possession.end()), text, known_stems)
        if noun_end is None or not _is_name_of_record(record) or POSSESSIVE.match(text.folded, noun_end):
            return None
        end, places = noun_end, [*places, possession.span()]
    ends = ends_phrase(end, text, call) or (not possession and _NEXT_NAME.match(text.folded, end) is not None)
    return (request.end, end) if ends and is_covered((request.end, end), text, known_stems, call, places) else None


def _has_other_part(record: NamedRecord, call: ProposedCall) -> bool:
    """Whether a preposition gives the name a part that its field may not have: a parcel "from Ann" is none to her.

    What has a name of its own is itself, and a code names it whatever stands before.
    """
    text = record.said_in
    leading = next(iter(prepositions_before(record.start, text, call)), "")
    key = record.key.span
    quote = fold(key.quote)
    if leading not in _PARTS or is_opaque(quote) or is_identifier(quote) or _is_name_of_record(record):
        return False
    document = record.text.document
    scalar = document.scalar_at(key.start, key.end) if key.source == record.text.source.id else None
    # What a look-up was made with is no field.
    return scalar is not None and not any(leading in tokens_of(name) for name in document.field_of(scalar))


def _says_other_value(leaf: Leaf, lead: _Lead, call: ProposedCall) -> bool:
    """Whether the asking words hold another value of the kind, which names no record and no argument takes up.

    Who writes "to ann@example.org" means that address, whatever a record says; a record may have been planted.
    """
    kind = kind_of(leaf)
    if kind is Kind.TEXT:
        return False
    if "@" in leaf.text and "@" in lead.record.words:
        return True
    own = [(lead.record.start, lead.record.end), *lead.described]
    for text in call.asking.texts:
        call.evidence.budget.spend(1 + len(text.folded) // 64)
        named = [*call.places_of_names(text), *(own if text is lead.record.said_in else ())]
        for start, end in places_of_kind(leaf, kind, text):
            if not call.is_used(text, start, end) and not any(first < end and start < last for first, last in named):
                return True
    return False


def _has_rival(leaf: Leaf, scalar: int, text: SourceText, lead: _Lead, call: ProposedCall) -> bool:
    """Whether something else that the same words name gives the parameter another value, in any kind of record.

    One of the two may have been planted. Where a whole result was looked up by the words, they name all of it.
    """
    for result in call.evidence.data:
        call.evidence.budget.spend(1 + len(result.folded) // _CHARACTERS_A_STEP)
        document = result.document
        named = {document.record_of(naming) for naming in _fields_naming(lead.record.words, result)}
        if any(lookup.words == lead.record.words for lookup in call.looked_up_names([result])):
            call.evidence.budget.spend(len(document.starts))
            named.update(map(document.record_of, range(len(document.starts))))
        if result is text:
            named.discard(document.record_of(scalar))
        if any(_gives_other_value(document, document.fields_of(record), leaf, call) for record in named):
            return True
    return False


def _fields_naming(words: str, result: SourceText) -> Iterator[int]:
    """The fields in which the words stand, and that are short enough to be a name."""
    for at in islice(find_occurrences(result.folded, words), _MAX_PLACES):
        scalar = result.document.scalar_at(*result.view.raw(at, at + len(words)))
        if scalar is not None and len(words_in(fold(result.document.value_of(scalar)))) <= _MAX_NAME_WORDS:
            yield scalar


def _gives_other_value(document: Document, scalars: Sequence[int], leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a field that is called like the parameter, or is an address beside an address, has another value."""
    call.evidence.budget.spend(1 + len(scalars))
    wanted, is_address = stems_of(leaf.name), "@" in leaf.text
    return any(
        fold(value) != leaf.folded
        and ((is_address and "@" in value and is_opaque(fold(value))) or wanted in _names_of_field(document, scalar))
        for scalar in scalars
        if (value := document.value_of(scalar))
    )


def _end_of_noun(start: int, text: SourceText, known_stems: frozenset[str]) -> int | None:
    """Where the known words behind a place end; None where the next word is not known."""
    end = None
    for word in re.finditer(r" ([^\W\d_]+)", text.folded[start : start + _MAX_NOUN]):
        if stem_of(word[1]) not in known_stems or word.start() + start != (start if end is None else end):
            break
        end = start + word.end()
    return end


def _is_name_of_record(record: NamedRecord) -> bool:
    """Whether the key is the one field of the record that is called a name: of a letter's two, nobody could tell."""
    document = record.text.document
    name_fields = [
        scalar
        for scalar in document.fields_of(record.record)
        if "name" in tokens_of(next((key for key in reversed(document.field_of(scalar)) if key != ANY), ""))
    ]
    return [document.starts[scalar] for scalar in name_fields] == [record.key.span.start]


def _keep_sole(
    wanted: tuple[str, int], records: Sequence[NamedRecord], leaf: Leaf, call: ProposedCall
) -> Iterator[tuple[NamedRecord, tuple[_Place, ...]]]:
    """The record's name, if no other record is named, or if the parameter's own name stands before this one.

    With it the names that stand in one list with it.
    """
    for name in records:
        if (name.text.source.id, name.record) != wanted or not _is_in_plain_sentence(name):
            continue
        label = is_labelled(leaf, name.start, name.end, name.said_in, call, of_record=True)
        rivals = [rival for rival in records if (rival.text.source.id, rival.record) != wanted]
        beside: tuple[_Place, ...] = ()
        if _is_enumerated(name, rivals, call):
            beside, rivals = tuple((rival.start, rival.end) for rival in rivals), []
        # The same words name them both, whatever stands before.
        if any(rival.said_in is name.said_in and rival.start < name.end and name.start < rival.end for rival in rivals):
            continue
        if label is True or (label is None and not rivals and not _shares_kind(leaf, call)):
            yield name, beside


def _is_enumerated(name: NamedRecord, rivals: Sequence[NamedRecord], call: ProposedCall) -> bool:
    """Whether the names stand in one list with "and", each for a call of its own; a quantity might be shared out."""
    if any(rival.said_in is not name.said_in for rival in rivals) or any(map(_is_number, call.decisive)):
        return False
    places = sorted({(name.start, name.end), *((rival.start, rival.end) for rival in rivals)})
    joints = [words_in(name.said_in.folded[end:start]) for (_, end), (start, _) in pairwise(places)]
    return bool(joints) and joints[-1] == ("and",) and all(words in ((), ("and",)) for words in joints)


def _is_number(leaf: Leaf) -> bool:
    return kind_of(leaf) is Kind.NUMBER


def _is_in_plain_sentence(name: NamedRecord) -> bool:
    sentence = sentence_at(name.start, name.said_in)
    return sentence is not None and sentence.is_plain


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
