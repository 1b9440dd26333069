"""The value is a field of the record that the request takes by time, the first or the last of those that it describes.

Sound because: the request describes the records by words that stand in their fields, in a phrase of known words
behind the tool's verb; whichever fields those words are meant of, the same record comes first by the one time that each
of them has; and the result is in that order, of a look-up that was made with nothing but those words.
Assumes: a look-up that is cut short is cut at its end. "The last" is the latest of what has happened by today; where
some of the records are past and others to come, it is a question.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from itertools import product
from math import prod

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import ANY, Document, Pattern
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.named_record import is_field_of_leaf, scalars_with
from reviews.provenance.proofs.phrase import ARTICLES, PREPOSITIONS, known_words
from reviews.provenance.proofs.requested_tool import Request
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
_LATEST = frozenset({"last", "latest", "newest", "most recent"})
_EARLIEST = frozenset({"first", "earliest", "oldest"})
# What leads from the noun to what describes it; "to" leads to somewhere else.
_DESCRIBING = frozenset({"about", "from", "by", "with", "of"})
_WORD = re.compile(r"most recent(?!\w)|[^\W_]+(?:'[^\W_]+)*")
# Words of one description, records of one result, and ways to read the words as fields: of more nobody is sure.
_MAX_KEYS, _MAX_RECORDS, _MAX_READINGS = 4, 1_000, 64


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a quotation of the request."""

    start: int
    end: int
    word: str
    is_quoted: bool = False

    @property
    def said(self) -> str:
        """It without what says that something is somebody's."""
        return self.word if self.is_quoted else self.word.removesuffix("'s")


@dataclass(frozen=True, slots=True)
class _Description:
    """What the request says of the record that it takes."""

    text: SourceText
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
    leaves_named = [
        leaf
        for leaf in call.decisive
        if kind_of(leaf) is Kind.CODE and not description.noun.isdisjoint(stems_of(leaf.name))
    ]
    for leaf, text in product(leaves_named, call.evidence.data):
        if not _is_looked_up_so(description, text, call):
            continue
        for scalar in scalars_with(leaf, text):
            call.evidence.budget.spend(1 + len(text.document.starts))
            listing = _list_by_time(text, text.document.record_of(scalar))
            if listing is None or not is_field_of_leaf(leaf, scalar, text.document, request):
                continue
            if field := _take_field(leaf, scalar, listing, description, call):
                return field
    return None


def _read_description(call: ProposedCall, request: Request) -> _Description | None:
    """What takes a record behind the verb: a word of order, the noun, and what describes it; None where more does."""
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
    return _Description(request.text, noun, tuple(keys), places, tokens[end:], tokens[order].word in _LATEST)


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
    # Names that nothing of the call was looked up with are left out of it.
    tools = {text.step.tool for text in call.evidence.data if text.step and _gives_value(text, call)}
    looked_up = call.looked_up_names([text for text in call.evidence.data if text.step and text.step.tool in tools])
    places = [(name.start, name.end) for name in looked_up if name.said_in is request.text]
    return all(
        _says_nothing(token, known_stems)
        or is_reply_word(token.word)
        or call.is_used(request.text, token.start, token.end)
        or (token.start, token.end) in places
        for token in description.rest
    )


def _gives_value(text: SourceText, call: ProposedCall) -> bool:
    return any(next(scalars_with(leaf, text), None) is not None for leaf in call.decisive)


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


@dataclass(frozen=True, slots=True)
class _Listing:
    """The records of one kind with the one time that each of them has."""

    text: SourceText
    order: Pattern
    times: Mapping[int, datetime]

    @property
    def document(self) -> Document:
        """The result's records."""
        return self.text.document

    def fields_with(self, key: _Token, record: int) -> Iterator[Pattern]:
        """The fields of a record that hold the word, or are what is quoted."""
        for scalar in self.document.fields_of(record):
            field, value = self.document.field_of(scalar), self.document.value_of(scalar)
            is_held = fold(value).strip() == key.said.strip() if key.is_quoted else key.said in words_of(value)
            if is_held and field != self.order:
                yield field

    def readings_of(self, keys: Sequence[_Token]) -> Iterator[frozenset[int]]:
        """The records that are described, for each way to take the words for fields that leaves any."""
        by_key: list[dict[Pattern, set[int]]] = [{} for _ in keys]
        for by_field, key in zip(by_key, keys, strict=True):
            for record in self.times:
                for field in self.fields_with(key, record):
                    by_field.setdefault(field, set()).add(record)
        if prod(map(len, by_key)) <= _MAX_READINGS:
            readings = (frozenset(self.times).intersection(*way) for way in product(*(by.values() for by in by_key)))
            yield from filter(None, readings)

    def is_first(self, record: int, meant: frozenset[int], now: datetime, *, latest: bool) -> bool:
        """Whether the record alone comes first of those that are meant: all past or, for the earliest, all to come."""
        # Many a clock tells the day alone.
        are_past = {self.times[part].date() <= now.date() for part in meant}
        if len(are_past) > 1 or (latest and False in are_past) or record not in meant:
            return False
        times = sorted((self.times[part] for part in meant), reverse=latest)
        return times[0] == self.times[record] and times[:2].count(times[0]) == 1


def _list_by_time(text: SourceText, record: int) -> _Listing | None:
    """The records of this one's kind; None where not each of them has one time, in the same field."""
    document = text.document
    kind = document.kind_of(record)
    records = document.records_of_kind(kind)
    if kind[-1:] != (ANY,) or len(records) > _MAX_RECORDS:
        return None
    times: dict[int, datetime] = {}
    orders: set[Pattern] = set()
    for part in records:
        moments = [
            (document.field_of(scalar), moment)
            for scalar in document.fields_of(part)
            if (moment := _moment_of(document.value_of(scalar)))
        ]
        if len(moments) != 1:
            return None
        orders.add(moments[0][0])
        times[part] = moments[0][1]
    return _Listing(text, orders.pop(), times) if len(orders) == 1 else None


def _moment_of(value: str) -> datetime | None:
    moment = moment_of(value)
    return datetime.combine(moment[0], moment[1] or time()) if moment and moment[0] else None


def _take_field(
    leaf: Leaf, scalar: int, listing: _Listing, description: _Description, call: ProposedCall
) -> SelectedField | None:
    """The leaf's field with the query that takes it, whichever fields the describing words are meant of."""
    document, latest, now = listing.document, description.takes_latest, call.evidence.now
    record = document.record_of(scalar)
    readings = tuple(listing.readings_of(description.keys))
    times = list(listing.times.values())
    if now is None or not readings or times != sorted(times, reverse=latest):
        return None
    if not all(listing.is_first(record, meant, now, latest=latest) for meant in readings):
        return None
    where = [_as_condition(key, next(listing.fields_with(key, record)), description.text) for key in description.keys]
    kind, field = "/".join(("", *document.kind_of(record))), ".".join(document.field_of(scalar))
    order = ".".join(listing.order)
    term = Selected(listing.text.source.id, kind, field, tuple(where), order, descending=latest)
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    words = (description.text.span(*place) for place in description.places)
    return SelectedField(leaf.pointer, term, tuple(dict.fromkeys((*outcome.spans, *words))), description.places)


def _as_condition(key: _Token, field: Pattern, text: SourceText) -> Condition:
    start = key.start + key.is_quoted
    stated = Stated(text.span(start, start + len(key.said)))
    return Condition(".".join(field), "equals" if key.is_quoted else "contains", stated.span.quote, stated)
