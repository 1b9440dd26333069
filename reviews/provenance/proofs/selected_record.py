"""The value is a field of a record that the request takes: the first or last in time of those it describes, or each.

Sound because: the request describes the records by words that stand in their fields, in a phrase of known words
behind the tool's verb. Of "all" the record is one whichever fields those words are meant of, on a day of the period by
any reading. Of the last, the same record comes first by the one time that each of them has, whichever fields are meant;
and the result is in that order, of a look-up that was made with nothing but those words.
Assumes: a look-up that is cut short is cut at its end. "The last" is the latest of what has happened by today; where
some of the records are past and others to come, it is a question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from itertools import product
from math import prod

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import ANY, CHARACTERS_A_STEP, Document, Pattern
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.description import Description, Take, Token, is_rest_used, read_description
from reviews.provenance.proofs.named_record import is_field_of_leaf, scalars_with
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.mentions import Kind, kind_of
from reviews.provenance.terms.terms import Condition, Selected, Stated
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import stems_of
from reviews.provenance.values.moments import moment_of

RULE = "proofs.selected_record"
# Records of one result, and ways to read the describing words as fields: of more nobody is sure.
_MAX_RECORDS, _MAX_READINGS = 1_000, 64


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
    description = read_description(call, request) if request else None
    if request is None or description is None or not is_rest_used(description, request, call):
        return None
    leaves_named = [
        leaf
        for leaf in call.decisive
        if kind_of(leaf) is Kind.CODE and not description.noun.isdisjoint(stems_of(leaf.name))
    ]
    for leaf, text in product(leaves_named, call.evidence.data):
        if description.take is not Take.ALL and not _is_looked_up_so(description, text, call):
            continue
        for scalar in scalars_with(leaf, text):
            call.evidence.budget.spend(1 + len(text.document.starts) + len(text.source.text) // CHARACTERS_A_STEP)
            listing = _list_by_time(text, text.document.record_of(scalar))
            if listing is None or not is_field_of_leaf(leaf, scalar, text.document, request):
                continue
            if field := _take_field(leaf, scalar, listing, description, call):
                return field
    return None


def _is_looked_up_so(description: Description, text: SourceText, call: ProposedCall) -> bool:
    """Whether nothing narrowed the look-up but what describes the record, and for the latest one the present day."""
    if text.step is None:
        return False
    words = {word for key in description.keys for word in words_of(key.word)}
    for pointer, value in leaves(dict(text.step.arguments)):
        moment = moment_of(value) if isinstance(value, str) else None
        is_today = bool(moment and call.evidence.now and moment[0] == call.evidence.now.date())
        if value in (None, "") or (is_today and description.take is Take.LATEST):
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

    def fields_with(self, key: Token, record: int) -> Iterator[Pattern]:
        """The fields of a record that hold the word, or are what is quoted."""
        for scalar in self.document.fields_of(record):
            field, value = self.document.field_of(scalar), self.document.value_of(scalar)
            is_held = fold(value).strip() == key.said.strip() if key.is_quoted else key.said in words_of(value)
            if is_held and field != self.order:
                yield field

    def readings_of(self, keys: Sequence[Token]) -> Iterator[frozenset[int]]:
        """The records that are described, for each way to take the words for fields that leaves any."""
        by_key: list[dict[Pattern, set[int]]] = [{} for _ in keys]
        for by_field, key in zip(by_key, keys, strict=True):
            for record in self.times:
                for field in self.fields_with(key, record):
                    by_field.setdefault(field, set()).add(record)
        if prod(map(len, by_key)) <= _MAX_READINGS:
            readings = (frozenset(self.times).intersection(*way) for way in product(*(by.values() for by in by_key)))
            yield from filter(None, readings)

    def is_taken(
        self, record: int, readings: Sequence[frozenset[int]], description: Description, now: datetime | None
    ) -> bool:
        """Whether the record is the one that is taken, or one of all, by every reading."""
        if description.take is Take.ALL:
            day = self.times[record].date()
            is_described = bool(description.keys or description.periods) and all(record in meant for meant in readings)
            return is_described and all(period.first <= day <= period.last for period in description.periods)
        latest, times = description.take is Take.LATEST, list(self.times.values())
        if now is None or description.periods or times != sorted(times, reverse=latest):
            return False
        return all(self.is_first(record, meant, now, latest=latest) for meant in readings)

    def has_copy(self, record: int, field: Pattern) -> bool:
        """Whether another record differs in this field alone: one of the two may have been planted."""
        own = self._rest_of(record, field)
        return any(self._rest_of(other, field) == own for other in self.times if other != record)

    def _rest_of(self, record: int, field: Pattern) -> list[tuple[Pattern, str]]:
        scalars = self.document.fields_of(record)
        rest = ((self.document.field_of(scalar), self.document.value_of(scalar)) for scalar in scalars)
        return sorted(pair for pair in rest if pair[0] != field)

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
    leaf: Leaf, scalar: int, listing: _Listing, description: Description, call: ProposedCall
) -> SelectedField | None:
    """The leaf's field with the query that takes it, whichever fields the describing words are meant of."""
    document = listing.document
    record = document.record_of(scalar)
    readings = tuple(listing.readings_of(description.keys))
    if not readings or not listing.is_taken(record, readings, description, call.evidence.now):
        return None
    if listing.has_copy(record, document.field_of(scalar)):
        return None
    where = [_as_condition(key, next(listing.fields_with(key, record)), description.text) for key in description.keys]
    kind, field = "/".join(("", *document.kind_of(record))), ".".join(document.field_of(scalar))
    order, latest = ".".join(listing.order), description.take is Take.LATEST
    take = None if description.take is Take.ALL else 1
    term = Selected(listing.text.source.id, kind, field, tuple(where), order, descending=latest, take=take)
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    words = (description.text.span(*place) for place in description.places)
    return SelectedField(leaf.pointer, term, tuple(dict.fromkeys((*outcome.spans, *words))), description.places)


def _as_condition(key: Token, field: Pattern, text: SourceText) -> Condition:
    start = key.start + key.is_quoted
    stated = Stated(text.span(start, start + len(key.said)))
    return Condition(".".join(field), "equals" if key.is_quoted else "contains", stated.span.quote, stated)
