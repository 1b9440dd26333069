"""The record that a value is taken from, beside the others of its kind: which one is meant is seen by comparing."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.arguments import Argument, Arguments, write_value
from reviews.desk.review.case.interpretations import Reading, build_repair
from reviews.desk.review.case.record_comparison import Comparison, Record, Wishes, find_cell
from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.core.pointers import name_of
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.work_budget import Budget, OutOfBudgetError
from reviews.provenance.data.document import NO_VALUE, Pattern
from reviews.provenance.data.sources import Evidence
from reviews.provenance.values.numbers import number_of

# A page has no process to spare: to read 100 KB of a result and to compare fifty records takes some 20 ms.
MAX_STEPS: Final = 40_000
MAX_TABLES: Final = 3
# Fields that are the same in all records tell none apart, and stand in one line.
MAX_SHARED: Final = 3
MAX_VALUE: Final = 60
# Fields of a record in a question to the user: the identifier, and two that say something.
MAX_TOLD: Final = 3

CopiedFields: TypeAlias = Sequence[tuple[Argument, Pattern]]
"""The values that the call copies from one record, with the fields that they stand in."""


@dataclass(frozen=True)
class RecordValue:
    """One field of a record."""

    text: str
    is_said: bool
    """The user's words have it."""


@dataclass(frozen=True)
class RecordRow:
    """One record."""

    values: Sequence[RecordValue]
    arguments: Sequence[Argument]
    """The values that the call copies from this one."""
    reading: Reading | None
    """The call with this record in place of the proposed one; None where it has no such values, or is in the call."""

    @property
    def is_proposed(self) -> bool:
        """Whether the call takes a value from this one."""
        return bool(self.arguments)

    @property
    def refs(self) -> str:
        """Tie it to these values."""
        return " ".join(argument.ref for argument in self.arguments)


@dataclass(frozen=True)
class RecordTable:
    """Records side by side."""

    argument: Argument
    place: str
    columns: Sequence[str]
    rows: Sequence[RecordRow]
    shared: Sequence[tuple[str, RecordValue]]
    """Fields that are the same in all of them."""
    unlisted: int
    """Records that are not shown."""

    @property
    def readings(self) -> list[Reading]:
        """The calls with another record."""
        return [row.reading for row in self.rows if row.reading]

    @property
    def in_words(self) -> list[str]:
        """Each record with the first of what tells it of the others, the proposed one first."""
        rows = sorted(self.rows, key=lambda row: not row.is_proposed)
        rows_texts = [[value.text for value in row.values if value.text not in NO_VALUE][:MAX_TOLD] for row in rows]
        return [", ".join(texts) for texts in rows_texts]


def compare_records(
    case: Case, arguments: Arguments, readings: Sequence[Reading], *, first_number: int
) -> list[RecordTable]:
    """The records among which the open values were chosen that a result gives, those of the headline first.

    To take another record is a reading as well: one of `readings`, or a further one, numbered from `first_number`.
    """
    tables: list[RecordTable] = []
    try:
        evidence = Evidence(case.context, Budget(steps=MAX_STEPS))
        wishes = Wishes(evidence)
        fields_by_record = _list_copied_fields(evidence, arguments)
        compared_records: set[Record] = set()
        for argument in arguments.open:
            cell = find_cell(evidence, argument)
            if cell is None or Record(cell.text, cell.record) in compared_records:
                continue
            compared = Comparison(evidence, wishes, cell, fields_by_record)
            copied = _list_copied(argument, compared, fields_by_record)
            swaps = [
                None if record in copied else _take_instead(case, copied[compared.proposed], record)
                for record in compared.shown
            ]
            number = 1 + max([first_number - 1, *(reading.number for table in tables for reading in table.readings)])
            offered = _number_readings(swaps, readings, number)
            tables += _build_table(argument, copied, compared, offered)
            compared_records.update(compared.shown)
            if len(tables) == MAX_TABLES:
                break
    except OutOfBudgetError:
        pass
    return tables


def _build_table(
    argument: Argument, copied: Mapping[Record, CopiedFields], compared: Comparison, readings: Iterable[Reading | None]
) -> Iterator[RecordTable]:
    columns = compared.choose_columns()
    # An identifier alone tells no more than the call does, and what all records say was not chosen among them.
    if len(columns) > 1 and not compared.is_shared(compared.field):
        shared = [path for path in compared.paths if compared.is_shared(path)][:MAX_SHARED]
        yield RecordTable(
            argument=argument,
            place=vocabulary.name_place(compared.proposed.text.source.id),
            columns=_name_columns(columns, compared.proposed),
            rows=[
                RecordRow(
                    [_show(compared, record, path) for path in columns],
                    [row for row, _ in copied.get(record, ())],
                    reading,
                )
                for record, reading in zip(compared.shown, readings, strict=True)
            ],
            shared=[(_name_column(path), _show(compared, compared.proposed, path)) for path in shared],
            unlisted=len(compared.records) - len(compared.shown),
        )


def _show(compared: Comparison, record: Record, path: Pattern) -> RecordValue:
    text = compared.read(record, path)
    return RecordValue(shorten_text(text, MAX_VALUE), compared.wishes.say(text))


def _list_copied_fields(evidence: Evidence, arguments: Arguments) -> Mapping[Record, CopiedFields]:
    """The values that the call copies from each record, with the fields that they stand in."""
    fields_by_record: defaultdict[Record, list[tuple[Argument, Pattern]]] = defaultdict(list)
    for argument in arguments.listed:
        if cell := find_cell(evidence, argument):
            fields_by_record[Record(cell.text, cell.record)].append((argument, cell.field))
    return fields_by_record


def _list_copied(
    argument: Argument, compared: Comparison, fields_by_record: Mapping[Record, CopiedFields]
) -> dict[Record, CopiedFields]:
    """What the call copies from the record of this value, the value first, and from others that are shown.

    Of another record only what no other says: all orders are sent to one country.
    """
    copied: dict[Record, CopiedFields] = {}
    for record in compared.shown:
        rows = fields_by_record.get(record, ())
        if record == compared.proposed:
            copied[record] = sorted(rows, key=lambda row: row[0] != argument)
        elif only := [(row, path) for row, path in rows if compared.is_only_in(record, path)]:
            copied[record] = only
    return copied


def _take_instead(case: Case, fields: CopiedFields, record: Record) -> Reading | None:
    """The call with the values of this record; None where it lacks one of them, or where they are the call's own."""
    cells = [(row, record.cells.get(path)) for row, path in fields]
    values = {row.pointer: _read_as(row.json, cell.value) if cell else None for row, cell in cells}
    if None in values.values() or all(row.json == values[row.pointer] for row, _ in fields):
        return None
    rows = [row for row, _ in fields]
    value = shorten_text(write_value(values[rows[0].pointer]), MAX_VALUE)
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    repair = build_repair(case, rows, values, f"Use “{value}” for “{name_of(rows[0].pointer)}”{more} instead")
    return replace(repair, mends="", record=f"{record.text.source.id}:{record.number}")


def _number_readings(
    swaps: Iterable[Reading | None], readings: Sequence[Reading], number: int
) -> Iterator[Reading | None]:
    """Each with its number; one that is offered already is that one."""
    for swap in swaps:
        same = next((reading for reading in readings if swap and reading.arguments == swap.arguments), None)
        yield same or (replace(swap, number=number) if swap else None)
        number += swap is not None and same is None


def _read_as(proposed: JsonValue, text: str) -> JsonValue:
    """What a field says as the JSON type of the proposed value; None where that cannot carry it."""
    if isinstance(proposed, str):
        return text
    number = None if isinstance(proposed, bool) else number_of(text)
    if number is None:
        return None
    return int(number) if number == number.to_integral_value() else float(number)


def _name_columns(paths: Sequence[Pattern], record: Record) -> list[str]:
    """Each by its last key, where it is a field of the record itself and no other column ends so: `address.city`."""
    ends = Counter(path[-1] for path in paths)
    return [
        path[-1] if path in record.cells and any(path) and ends[path[-1]] == 1 else _name_column(path) for path in paths
    ]


def _name_column(path: Pattern) -> str:
    """The keys that lead to a field; of a map's own keys there is no name."""
    return ".".join(path) if any(path) else "key"
