"""The value is a field of a record that the request takes: the first or last in time of those it describes, or each.

Sound because: the request describes the records by words that stand in their fields, in a phrase of known words
behind the tool's verb; a word that is not quoted in a field that is called by what leads to it ("from"), or that has no
other one written like it beside it. Of "all" the record is one whichever fields those words are meant of, on a day of
the period by any reading. Of the last, the same record comes first by the one time that each of them has, whichever
fields are meant; and the result is in that order, of the only look-up that lists such things, made with nothing but
those words, since which nothing else was done.
Assumes: a look-up that is cut short is cut at its end. "The last" is the latest of what has happened by today; where
some of the records are past and others to come, it is a question.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from math import prod

from reviews.provenance.core.context import leaves
from reviews.provenance.data.document import ANY, CHARACTERS_A_STEP, Pattern
from reviews.provenance.data.sources import Cell, SourceText
from reviews.provenance.proofs.call import Establishment, ProposedCall, establish_term
from reviews.provenance.proofs.description import ALL_WORDS, Description, Take, Token, is_rest_used, read_description
from reviews.provenance.proofs.outdated_record import is_error, may_have_changed
from reviews.provenance.proofs.parameter_field import is_field_of_leaf
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import OWNERS, PREPOSITIONS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import name_of_field
from reviews.provenance.terms.search import cells_with
from reviews.provenance.terms.terms import Comparison, Condition, Selected, Stated
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import READING, local_name, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.moments import datetime_of, moment_of

RULE = "proofs.selected_record"
_NOTE = "A field of the one record that the request takes by time."
# Records of one result, and ways to read the describing words as fields: of more nobody is sure.
_MAX_RECORDS, _MAX_READINGS = 1_000, 64


@dataclass(frozen=True, slots=True)
class SelectedField:
    """A value that is a field of the record that the request takes."""

    pointer: str
    proof: Establishment
    places: tuple[Place, ...]
    """Of the words that take the record, in the text that asks."""


def find_selected_field(call: ProposedCall, request: Request | None) -> SelectedField | None:
    """The value of the call that stands in the record which the request takes."""
    description = read_description(call, request) if request else None
    if request is None or description is None or not is_rest_used(description, request, call):
        return None
    # Whose records a look-up has listed nobody has read.
    behind = words_in(request.text.folded[request.end : request.sentence.end])
    if not OWNERS.isdisjoint(behind):
        return None
    codes = (leaf for leaf in call.decisive if kind_of(leaf) is Kind.CODE)
    leaves_named = [leaf for leaf in codes if not description.noun.isdisjoint(stems_of(leaf.name))]
    for leaf, text in product(leaves_named, call.evidence.data):
        if not _lists(leaf, description.noun, text) or may_have_changed(text, call):
            continue
        if description.take is not Take.ALL and not _is_looked_up_so(leaf, description, text, call):
            continue
        for cell in cells_with(leaf, text):
            call.evidence.budget.spend(1 + len(text.document.starts) + len(text.source.text) // CHARACTERS_A_STEP)
            listing = _list_by_time(cell, description, call.evidence.now)
            if listing is None or not is_field_of_leaf(leaf, cell, call, request) or not listing.takes(cell):
                continue
            words = (description.text.span(*place) for place in description.places)
            if proof := establish_term(RULE, _NOTE, listing.query_for(cell), words, leaf=leaf, call=call):
                return SelectedField(leaf.pointer, proof, description.places)
    return None


def _lists(leaf: Leaf, noun: frozenset[str], text: SourceText) -> bool:
    """Whether a result lists what the noun says, by the look-up's name or the list's, and is no error."""
    document, wanted = text.document, stems_of(leaf.name)
    text.budget.spend(1 + len(document.starts) + len(document.parents))
    kinds = {document.kind_of(record) for record in range(len(document.parents))}
    names = (text.step.tool if text.step else "", *(key for kind in kinds for key in kind))
    fields = {document.field_of(scalar) for scalar in range(len(document.starts))}
    has_field = any(stems_of(name_of_field(field)) in (wanted, wanted - noun) for field in fields if field)
    return has_field and not is_error(text) and any(noun & stems_of(name) for name in names)


def _is_looked_up_so(leaf: Leaf, description: Description, text: SourceText, call: ProposedCall) -> bool:
    """Whether nothing narrowed the look-up but what describes the record, and for the latest one the present day.

    Of two lists nobody can tell which one the last is the last of.
    """
    results = (result for result in call.evidence.data if result.source.text != text.source.text)
    if text.step is None or any(_lists(leaf, description.noun, result) for result in results):
        return False
    words = {word for key in description.keys for word in words_of(key.word)}
    # "List cancelled orders", "list orders of Ann": what the look-up is called by narrows it as its arguments do.
    narrowing = set(tokens_of(local_name(text.step.tool))) - READING - PREPOSITIONS - ALL_WORDS - words
    if not description.noun.issuperset(map(stem_of, narrowing)):
        return False
    for pointer, value in leaves(dict(text.step.arguments)):
        day, _ = moment_of(value) or (None, None)
        is_today = bool(day and call.evidence.now and day == call.evidence.now.date())
        value_words = words_of(Leaf(value, pointer).text)
        is_open = value in (None, "", {}, []) or (is_today and description.take is Take.LATEST)
        if not is_open and not (value_words and words.issuperset(value_words)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Listing:
    """The records of one kind with the one time that each of them has, and what is said of the one that is taken."""

    text: SourceText
    order: Pattern
    times: Mapping[int, datetime]
    description: Description
    now: datetime | None

    def takes(self, cell: Cell) -> bool:
        """Whether the field's record is the one that is taken, or one of all, by every reading."""
        readings, description = tuple(self._readings_of(self.description.keys)), self.description
        # Of two records that differ in this field alone one may have been planted.
        rest, rivals = self._rest_of(cell.record, cell.field), self.times.keys() - {cell.record}
        is_planted = any(self._rest_of(rival, cell.field) == rest for rival in rivals)
        if not readings or is_planted or any(map(self._may_mean_other_field, description.keys)):
            return False
        if description.take is Take.ALL:
            day = self.times[cell.record].date()
            is_described = bool(description.keys or description.periods)
            is_within = all(first <= day <= last for first, last in description.periods)
            return is_described and is_within and all(cell.record in meant for meant in readings)
        times = list(self.times.values())
        if self.now is None or description.periods or times != sorted(times, reverse=description.take is Take.LATEST):
            return False
        return all(self._is_first(cell.record, meant, self.now) for meant in readings)

    def query_for(self, cell: Cell) -> Selected:
        """What takes the field, whichever fields the describing words are meant of."""
        where, take = [], self.description.take
        for key in self.description.keys:
            field, start = next(self._fields_with(key, cell.record)), key.start + key.is_quoted
            stated = Stated(self.description.text.span(start, start + len(key.bare_word)))
            comparison: Comparison = "equals" if key.is_quoted else "contains"
            where.append(Condition(".".join(field), comparison, stated.span.quote, stated))
        return Selected(
            self.text.source.id, "/".join(("", *cell.kind)), ".".join(cell.field), tuple(where), ".".join(self.order),
            descending=take is Take.LATEST, take=None if take is Take.ALL else 1,
        )  # fmt: skip

    def _fields_with(self, key: Token, record: int) -> Iterator[Pattern]:
        """The fields of a record that hold the word, or are what is quoted."""
        for cell in self.text.cells_of(record):
            words = (fold(cell.value).strip(),) if key.is_quoted else words_of(cell.value)
            if key.bare_word.strip() in words and cell.field != self.order:
                yield cell.field

    def _may_mean_other_field(self, key: Token) -> bool:
        """Whether what leads to it does not name its field, and another is written alike: an approver sent nothing."""
        cells = [cell for record in self.times for cell in self.text.cells_of(record) if cell.field != self.order]
        held = {cell.field: cell.value for cell in cells if key.bare_word in words_of(cell.value)}
        return not key.is_quoted and any(
            cell.field != field and key.leading not in tokens_of(name_of_field(field)) and _are_alike(cell.value, value)
            for field, value in held.items()
            for cell in cells
        )

    def _readings_of(self, keys: Sequence[Token]) -> Iterator[frozenset[int]]:
        """The records that are described, for each way to take the words for fields that leaves any."""
        by_key: list[dict[Pattern, set[int]]] = []
        for key in keys:
            by_key.append(defaultdict(set))
            for record in self.times:
                for field in self._fields_with(key, record):
                    by_key[-1][field].add(record)
        if prod(map(len, by_key)) <= _MAX_READINGS:
            readings = (frozenset(self.times).intersection(*way) for way in product(*(by.values() for by in by_key)))
            yield from filter(None, readings)

    def _rest_of(self, record: int, field: Pattern) -> list[tuple[Pattern, str]]:
        return sorted((cell.field, cell.value) for cell in self.text.cells_of(record) if cell.field != field)

    def _is_first(self, record: int, meant: frozenset[int], now: datetime) -> bool:
        """Whether the record alone comes first of those that are meant: all past or, for the earliest, all to come."""
        latest = self.description.take is Take.LATEST
        # Many a clock tells the day alone.
        are_past = {self.times[part].date() <= now.date() for part in meant}
        if len(are_past) > 1 or (latest and False in are_past) or record not in meant:
            return False
        times = sorted((self.times[part] for part in meant), reverse=latest)
        return times[0] == self.times[record] and times[:2].count(times[0]) == 1


def _are_alike(value: str, other: str) -> bool:
    return kind_of(Leaf(value)) is kind_of(Leaf(other)) and ("@" in value) == ("@" in other)


def _list_by_time(cell: Cell, description: Description, now: datetime | None) -> _Listing | None:
    """The records of the field's kind; None where not each of them has one time, in the same field."""
    records = cell.text.document.records_of_kind(cell.kind)
    if cell.kind[-1:] != (ANY,) or len(records) > _MAX_RECORDS:
        return None
    read = ((record, part.field, datetime_of(part.value)) for record in records for part in cell.text.cells_of(record))
    moments = [(record, field, moment) for record, field, moment in read if moment]
    times, orders = {record: moment for record, _, moment in moments}, {field for _, field, _ in moments}
    if not len(moments) == len(times) == len(records) or len(orders) != 1:
        return None
    return _Listing(cell.text, orders.pop(), times, description, now)
