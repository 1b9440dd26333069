"""The value is a field of the record that the request takes by time, the first or the last of those that it describes.

Sound because: the request describes the records by words that stand in their fields, in a phrase of known words behind
the tool's verb; whichever fields those words are meant of, the same record comes first by the one time that each of them
has; and the result is in that order, of a look-up that was made with nothing but those words.
Assumes: a look-up that is cut short is cut at its end. "The last" is the latest of what has happened by today; where
some of the records are past and others to come, it is a question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from itertools import product

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import ANY, Document, Pattern
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.named_record import is_field_of_leaf, scalars_with
from reviews.provenance.proofs.phrase import ARTICLES, PREPOSITIONS, known_words
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.terms.keys import looked_up_by
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.matching import Kind, kind_of
from reviews.provenance.terms.terms import Condition, Selected, Stated
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import stem_of, stems_of
from reviews.provenance.text.quotations import QUOTATION
from reviews.provenance.text.replies import is_reply_word
from reviews.provenance.values.moments import moment_of

RULE = "proofs.selected_record"
_LATEST = frozenset({"last", "latest", "newest"})
_EARLIEST = frozenset({"first", "earliest", "oldest"})
# What leads from the noun to what describes it; "to" leads to somewhere else.
_DESCRIBING = frozenset({"about", "from", "by", "with", "of"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Words of one description, records of one result, and ways to read the words as fields: of more nobody is sure.
_MAX_KEYS, _MAX_RECORDS, _MAX_READINGS = 4, 1_000, 64


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a quotation of the request."""

    start: int
    end: int
    word: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class _Description:
    """What the request says of the record that it takes."""

    noun: frozenset[str]
    keys: tuple[_Token, ...]
    places: tuple[tuple[int, int], ...]
    """Of the words that take the record."""
    rest: tuple[_Token, ...]
    """What else the request says."""
    takes_latest: bool


@dataclass(frozen=True, slots=True)
class SelectedField:
    """A value that is a field of the record that the request takes."""

    pointer: str
    term: Selected
    spans: tuple[Span, ...]
    places: tuple[tuple[int, int], ...]
    """Of the words that take the record, in the text that asks."""
    how: Grounding = Grounding.RESOLVE


def find_selected_field(call: ProposedCall, request: Request | None) -> SelectedField | None:
    """The value of the call that stands in the record which the request takes. Raises `OutOfBudgetError`."""
    description = _read_description(call, request) if request else None
    if request is None or description is None or not _is_rest_used(description, request, call):
        return None
    for leaf in call.decisive:
        if kind_of(leaf) is not Kind.CODE or description.noun.isdisjoint(stems_of(leaf.name)):
            continue
        for text in call.evidence.data:
            for scalar in scalars_with(leaf, text):
                call.evidence.budget.spend(1 + len(text.document.starts))
                if is_field_of_leaf(leaf, scalar, text.document, request) and _is_looked_up_so(description, text, call):
                    if field := _take_field(leaf, scalar, text, description, request, call):
                        return field
    return None


def _read_description(call: ProposedCall, request: Request) -> _Description | None:
    """What takes a record behind the verb: a word of order, the noun, and what describes it; None where that is not all."""
    tokens = tuple(_tokens_behind(request))
    orders = [n for n, token in enumerate(tokens) if not token.is_quoted and token.word in _LATEST | _EARLIEST]
    if len(orders) != 1:
        return None
    order, known_stems = orders[0], known_words(call)
    keys = [token for token in tokens[:order] if token.word.endswith("'s")]
    if not all(_says_nothing(token, known_stems) for token in tokens[:order] if token not in keys):
        return None
    end = order + 1
    while end < len(tokens) and not tokens[end].is_quoted and stem_of(tokens[end].word) in known_stems:
        end += 1
    noun = frozenset(stem_of(token.word) for token in tokens[order + 1 : end])
    while end + 1 < len(tokens) and tokens[end].word in _DESCRIBING:
        key = tokens[end + 1]
        if key.word in ARTICLES or call.is_used(request.text, key.start, key.end):
            break
        keys.append(key)
        end += 2
    if not noun or len(keys) > _MAX_KEYS:
        return None
    places = tuple((token.start, token.end) for token in (*keys, *tokens[order:end]))
    return _Description(noun, tuple(keys), places, tokens[end:], tokens[order].word in _LATEST)


def _tokens_behind(request: Request) -> Iterator[_Token]:
    """The words and the quotations behind the verb, in order."""
    text, at = request.text.folded, request.end
    quotations = [hit for hit in QUOTATION.finditer(text, at) if hit.start() < request.sentence.end]
    tokens = [_Token(*hit.span(), hit[0][1:-1], is_quoted=True) for hit in quotations]
    tokens += [
        _Token(*hit.span(), hit[0])
        for hit in _WORD.finditer(text, at, request.sentence.end)
        if not any(start <= hit.start() < end for start, end in (quotation.span() for quotation in quotations))
    ]
    return iter(sorted(tokens, key=lambda token: token.start))


def _says_nothing(token: _Token, known_stems: frozenset[str]) -> bool:
    """Whether a word is known, or only joins others."""
    if token.is_quoted:
        return False
    return token.word in ARTICLES | PREPOSITIONS | {"and"} or stem_of(token.word) in known_stems


def _is_rest_used(description: _Description, request: Request, call: ProposedCall) -> bool:
    """Whether values of the call, or what other values were looked up with, take up what else the request says."""
    known_stems = known_words(call)
    looked_up = [looked_up_by(text, call.asking, call.evidence) for text in call.evidence.data]
    places = [(name.start, name.end) for name in looked_up if name and name.said_in is request.text]
    return all(
        _says_nothing(token, known_stems)
        or is_reply_word(token.word)
        or call.is_used(request.text, token.start, token.end)
        or (token.start, token.end) in places
        for token in description.rest
    )


def _is_looked_up_so(description: _Description, text: SourceText, call: ProposedCall) -> bool:
    """Whether nothing narrowed the look-up but what describes the record, and for the latest one the present day."""
    if text.step is None:
        return False
    words = {word for key in description.keys for word in words_of(key.word)}
    for pointer, value in leaves(dict(text.step.arguments)):
        moment = moment_of(value) if isinstance(value, str) else None
        is_today = bool(moment and call.evidence.now and moment[0] == call.evidence.now.date())
        if value in (None, "") or (is_today and description.takes_latest):
            continue
        if not words.issuperset(words_of(Leaf(value, pointer).text)):
            return False
    return True


def _take_field(
    leaf: Leaf, scalar: int, text: SourceText, description: _Description, request: Request, call: ProposedCall
) -> SelectedField | None:
    """The leaf's field with the query that takes it, whichever fields the describing words are meant of."""
    document = text.document
    record = document.record_of(scalar)
    kind = document.kind_of(record)
    records = document.records_of_kind(kind)
    order = _field_of_order(records, document) if kind[-1:] == (ANY,) and len(records) <= _MAX_RECORDS else None
    if order is None or not _is_in_order(records, document, order, latest_first=description.takes_latest):
        return None
    readings = _readings_of(description.keys, records, document, order)
    for meant in readings:
        if not _is_first_in_time(record, meant, document, order, description, call.evidence.now):
            return None
    fields = [next(iter(_fields_with(key, record, document))) for key in description.keys] if readings else None
    if fields is None:
        return None
    term = Selected(
        text.source.id, "/".join(("", *kind)), _dotted(document.field_of(scalar)),
        tuple(_as_condition(key, field, request.text) for key, field in zip(description.keys, fields, strict=True)),
        _dotted(order), descending=description.takes_latest,
    )  # fmt: skip
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    words = (request.text.span(*place) for place in description.places)
    return SelectedField(leaf.pointer, term, tuple(dict.fromkeys((*outcome.spans, *words))), description.places)


def _is_in_order(records: Sequence[int], document: Document, order: Pattern, *, latest_first: bool) -> bool:
    times = [_time_of(record, document, order) for record in records]
    return times == sorted(times, reverse=latest_first)


def _time_of(record: int, document: Document, order: Pattern) -> datetime:
    """What the record's field of order says, which was read before."""
    scalar = next(n for n in document.fields_of(record) if document.field_of(n) == order)
    return _moment_of(document.value_of(scalar)) or datetime.min  # noqa: DTZ901


def _field_of_order(records: Sequence[int], document: Document) -> Pattern | None:
    """The one field that tells a time of every record."""
    by_record = [
        {document.field_of(n) for n in document.fields_of(record) if _moment_of(document.value_of(n))}
        for record in records
    ]
    fields = set.intersection(*by_record) if by_record else set()
    return fields.pop() if len(fields) == 1 and all(len(found) == 1 for found in by_record) else None


def _moment_of(value: str) -> datetime | None:
    moment = moment_of(value)
    return datetime.combine(moment[0], moment[1] or time()) if moment and moment[0] else None


def _readings_of(
    keys: Sequence[_Token], records: Sequence[int], document: Document, order: Pattern
) -> Sequence[frozenset[int]]:
    """The records that are described, for each way to take the words for fields that holds any."""
    by_key: list[list[set[int]]] = []
    for key in keys:
        by_field: dict[Pattern, set[int]] = {}
        for record in records:
            for field in _fields_with(key, record, document):
                by_field.setdefault(field, set()).add(record)
        by_field.pop(order, None)
        by_key.append(list(by_field.values()))
    ways = 1
    for fields in by_key:
        ways *= len(fields)
    if not 0 < ways <= _MAX_READINGS:
        return ()
    meant = (frozenset(records).intersection(*way) for way in product(*by_key))
    return tuple(part for part in meant if part)


def _fields_with(key: _Token, record: int, document: Document) -> Iterator[Pattern]:
    """The fields of a record that hold the word, or are what is quoted."""
    word = key.word.removesuffix("'s")
    for scalar in document.fields_of(record):
        value = document.value_of(scalar)
        if fold(value).strip() == fold(word).strip() if key.is_quoted else word in words_of(value):
            yield document.field_of(scalar)


def _is_first_in_time(
    record: int,
    meant: frozenset[int],
    document: Document,
    order: Pattern,
    description: _Description,
    now: datetime | None,
) -> bool:
    """Whether the record alone comes first of those that are meant, all of which are past, or for the earliest to come."""
    times = {part: _time_of(part, document, order) for part in meant}
    if record not in times or now is None:
        return False
    # Many a clock tells the day alone.
    are_past = all(moment.date() <= now.date() for moment in times.values())
    are_ahead = all(moment.date() > now.date() for moment in times.values())
    if not (are_past or (are_ahead and not description.takes_latest)):
        return False
    best = (max if description.takes_latest else min)(times.values())
    return times[record] == best and list(times.values()).count(best) == 1


def _as_condition(key: _Token, field: Pattern, text: SourceText) -> Condition:
    # Without its marks, and without what says that something is somebody's.
    word = key.word.removesuffix("'s")
    start = key.start + key.is_quoted
    stated = Stated(text.span(start, start + len(word)))
    return Condition(_dotted(field), "equals" if key.is_quoted else "contains", stated.span.quote, stated)


def _dotted(field: Pattern) -> str:
    return ".".join(field)
