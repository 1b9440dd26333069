"""Records of one kind held against each other, and against what the user has said."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from reviews.desk.review.case.arguments import Argument, write_value
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.document import ANY, CHARACTERS_A_STEP, Pattern
from reviews.provenance.data.sources import Cell, Evidence, SourceText
from reviews.provenance.text.boundaries import find_occurrences, stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of

# Characters of a result that are read for a page, and records that are compared.
MAX_TEXT: Final = 100_000
MAX_COMPARED: Final = 50
# Places of one value that are looked at in a result.
MAX_PLACES: Final = 4
# To fold a value and to look for it in what the user wrote.
STEPS_A_VALUE: Final = 10
# Records and fields that are seen at a glance, on a laptop's screen without scrolling.
MAX_ROWS: Final = 6
MAX_COLUMNS: Final = 5
# Messages of the user that are compared with the records, and characters of each.
MAX_MESSAGES: Final = 8
MAX_MESSAGE: Final = 4_000
# Words of a name, of which one stands for it: "Daniel" for "Daniel Kim".
MAX_NAME_WORDS: Final = 3
# Figures of a code: shorter ones are quantities and years.
MIN_CODE: Final = 5
# Records within a record that are told by their first words: the items of an order.
MAX_PARTS: Final = 4


@dataclass(frozen=True)
class Record:
    """One record of a result."""

    text: SourceText
    number: int

    @cached_property
    def cells(self) -> Mapping[Pattern, Cell]:
        """Its fields by the keys that lead to them. Raises `OutOfBudgetError`."""
        cells = self.text.cells_of(self.number)
        self.text.budget.spend(1 + STEPS_A_VALUE * len(cells))
        fields: dict[Pattern, Cell] = {}
        for cell in cells:
            fields.setdefault(cell.field, cell)
        return fields

    @cached_property
    def texts(self) -> Mapping[Pattern, str]:
        """What its fields say, what those of the record around it say, and what the records in its lists are called."""
        # Of a list of bare values one says no more than another.
        fields = {path: cell.value for path, cell in self.cells.items() if any(path) and ANY not in path}
        return fields | self._read_around() | self._name_parts()

    @property
    def name(self) -> str:
        """The first words that it has, which mostly are its name; empty where it has none."""
        return next((cell.value for cell in self.cells.values() if any(map(str.isalpha, cell.value))), "")

    def _read_around(self) -> dict[Pattern, str]:
        document = self.text.document
        around = next((Record(self.text, n) for n in document.ancestors_of(self.number) if document.fields_of(n)), None)
        if around is None:
            return {}
        names = tuple(key for key in document.kind_of(around.number) if key != ANY)
        return {(*names, *path): cell.value for path, cell in around.cells.items() if any(path) and ANY not in path}

    def _name_parts(self) -> dict[Pattern, str]:
        document = self.text.document
        self.text.budget.spend(1 + len(document.parents) // STEPS_A_VALUE)
        depth = len(document.kind_of(self.number))
        names: dict[Pattern, list[str]] = {}
        for part, parent in enumerate(document.parents):
            path = document.kind_of(part)[depth:-1]
            if parent == self.number and path and (name := Record(self.text, part).name):
                names.setdefault(path, []).append(name)
        cut = {path: [*parts[:MAX_PARTS], *("…" for _ in parts[MAX_PARTS:][:1])] for path, parts in names.items()}
        return {path: ", ".join(parts) for path, parts in cut.items()}


class Wishes:
    """What the user has said, as records are held against it."""

    def __init__(self, evidence: Evidence) -> None:
        messages = evidence.user_messages[:MAX_MESSAGES]
        self.words = "\n".join(message.folded[:MAX_MESSAGE] for message in messages)
        moments = (moment for text in messages for moment in evidence.presumed_moments(text))
        self.days = {moment.day for moment in moments if moment.day}
        self._known: dict[str, bool] = {}

    def say(self, value: str) -> bool:
        """Whether the value stands in the user's words: the whole of it, a word of a name, or its day."""
        if value not in self._known:
            self._known[value] = self._look_for(value)
        return self._known[value]

    def _look_for(self, value: str) -> bool:
        day, _ = moment_of(value) or (None, None)
        if day:
            return day in self.days
        return 1 < len(value) <= MAX_MESSAGE and any(stands_in(self.words, fold(part)) for part in _say_shorter(value))


class Comparison:
    """The record that a value stands in, and those of its kind."""

    def __init__(self, evidence: Evidence, wishes: Wishes, cell: Cell, copied_records: Collection[Record]) -> None:
        """`copied_records` are the records of which the call has other values."""
        self.wishes = wishes
        self.proposed, self.field = Record(cell.text, cell.record), cell.field
        # The same may have been looked up twice.
        distinct = {tuple(self.proposed.texts.items()): self.proposed}
        kin = _list_kin(evidence, cell)
        self.records = [record for record in kin if distinct.setdefault(tuple(record.texts.items()), record) == record]
        fits = {record: sum(map(self.wishes.say, record.texts.values())) for record in self.records}
        ranked = sorted(
            self.records, key=lambda record: (record != self.proposed, record not in copied_records, -fits[record])
        )
        self.shown = [record for record in self.records if record in ranked[:MAX_ROWS]]
        """The records of the call and those that the user's words fit best, in the order of the conversation."""
        self.paths = list(dict.fromkeys([self.field, *(path for record in self.shown for path in record.texts)]))
        """Every field of these, first that of the value."""

    def is_shared(self, path: Pattern) -> bool:
        """Whether a field tells none of several records apart."""
        return len(self.records) > 1 and len({self.read(record, path) for record in self.records}) == 1

    def choose_columns(self) -> Sequence[Pattern]:
        """The fields that tell the records apart: first those that the user's words have, last codes, each once."""
        telling = [path for path in self.paths if not self.is_shared(path)]
        mentioned = [path for path in telling if any(map(self.wishes.say, self._column(path)))]
        codes = [path for path in telling if all(map(_is_code, filter(None, self._column(path))))]
        worded = [path for path in telling if path not in codes]
        columns: dict[tuple[str, ...], Pattern] = {}
        for path in (self.field, *mentioned, *worded, *codes):
            first_path = columns.setdefault(self._column(path), path)
            # Of a map's own keys there is no name: the field that repeats them has one.
            if not any(first_path):
                columns[self._column(path)] = path
        return list(columns.values())[:MAX_COLUMNS]

    def is_only_in(self, record: Record, path: Pattern) -> bool:
        """Whether no other record says the same in this field."""
        value = self.read(record, path)
        return all(sibling == record or self.read(sibling, path) != value for sibling in self.records)

    def _column(self, path: Pattern) -> tuple[str, ...]:
        return tuple(self.read(record, path) for record in self.shown)

    def read(self, record: Record, path: Pattern) -> str:
        """What the field says; empty where the record has none."""
        cell = record.cells.get(path) if path == self.field else None
        return cell.value if cell else record.texts.get(path, "")


def find_cell(evidence: Evidence, argument: Argument) -> Cell | None:
    """The field of a result that the value is a copy of: where a check has found it, else where it stands last.

    Raises `OutOfBudgetError`.
    """
    value = write_value(argument.json)
    places = [(evidence.texts[span.source], span.start, span.end) for span in argument.spans[:1]]
    # Of a list of bare values nothing tells these apart; the record itself may stand elsewhere.
    if any(text.source.kind is SourceKind.TOOL_OUTPUT for text, _, _ in places):
        places += _find_places(evidence, value)
    for text, start, end in places:
        if text.source.kind is SourceKind.TOOL_OUTPUT and len(text.source.text) <= MAX_TEXT:
            scalar = text.document.scalar_at(start, end)
            cell = None if scalar is None else Cell(text, scalar)
            if cell is not None and cell.value == value and ANY not in cell.field:
                return cell
    return None


def _find_places(evidence: Evidence, value: str) -> Iterator[tuple[SourceText, int, int]]:
    """Where the value stands in results, the latest first."""
    for text in evidence.data:
        evidence.budget.spend(1 + len(text.source.text) // CHARACTERS_A_STEP)
        for start in islice(find_occurrences(text.source.text, value), MAX_PLACES):
            yield text, start, start + len(value)


def _list_kin(evidence: Evidence, cell: Cell) -> Iterator[Record]:
    """The record of the field and others of its kind near it, in the order of the conversation."""
    if cell.kind:
        alike = cell.text.document.records_of_kind(cell.kind)
        start = max(0, list(alike).index(cell.record) - MAX_COMPARED // 2)
        yield from (Record(cell.text, record) for record in alike[start : start + MAX_COMPARED])
        return
    # A result that is one record stands beside those of other look-ups that have the field; of each the latest.
    latest: dict[str, Record] = {cell.value: Record(cell.text, cell.record)}
    for text in evidence.data:
        if text.source.kind is SourceKind.TOOL_OUTPUT and len(text.source.text) <= MAX_TEXT:
            record = Record(text, 0)
            if cell.field in record.cells:
                latest.setdefault(record.cells[cell.field].value, record)
    places = {text: position for position, text in enumerate(evidence.texts.values())}
    yield from sorted(list(latest.values())[:MAX_COMPARED], key=lambda record: places[record.text])


def _is_code(value: str) -> bool:
    """Whether nobody knows a record by it: an identifier, or figures that are written as one."""
    return is_identifier(value) or (value.isdigit() and len(value) >= MIN_CODE)


def _say_shorter(value: str) -> Sequence[str]:
    """The value, and the words of a name that people say for the whole of it."""
    words = value.split()
    is_name = 1 < len(words) <= MAX_NAME_WORDS and all(word.isalpha() and word[0].isupper() for word in words)
    return [value, *words] if is_name else [value]
