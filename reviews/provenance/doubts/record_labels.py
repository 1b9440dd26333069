"""What a person would know a record by: one of its fields that names it, quoted as it stands."""

from collections import Counter
from itertools import islice
from typing import Final

from reviews.provenance.data.sources import Cell
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.numbers import readings_in

# Fields of a record among which one is looked for that names it, and records that may share a field's value.
_MAX_FIELDS: Final = 16
_MAX_RECORDS: Final = 64
# Characters of a name; longer texts are prose.
_LONGEST: Final = 80


def label_of(cell: Cell) -> Cell | None:
    """The other field that names the record of a field best; None where none does.

    One that no other record has comes first, then one of several words.
    """
    fields = [other for other in islice(cell.text.cells_of(cell.record), _MAX_FIELDS) if other.scalar != cell.scalar]
    labels = [other for other in fields if _is_label(other.value.strip())]
    counts = _count_values(cell) if len(labels) > 1 else Counter()
    return min(labels, key=lambda label: (counts[_identify(label)] > 1, " " not in label.value.strip()), default=None)


def key_of(cell: Cell) -> Cell | None:
    """What tells the record of a field from others: its label, else the first of its other fields that may be a key."""
    others = (other for other in islice(cell.text.cells_of(cell.record), _MAX_FIELDS) if other.scalar != cell.scalar)
    return label_of(cell) or next((other for other in others if _may_be_key(other.value.strip())), None)


def _may_be_key(value: str) -> bool:
    return kind_of(Leaf(value)) in (Kind.TEXT, Kind.CODE) and len(value) <= _LONGEST and not _is_quantity(fold(value))


def _count_values(cell: Cell) -> Counter[tuple[object, str]]:
    """How many records of the kind have each value of each field."""
    counts: Counter[tuple[object, str]] = Counter()
    for record in islice(cell.text.document.records_of_kind(cell.kind), _MAX_RECORDS):
        fields = list(islice(cell.text.cells_of(record), _MAX_FIELDS))
        cell.text.budget.spend(1 + len(fields))
        counts.update({_identify(field) for field in fields})
    return counts


def _identify(cell: Cell) -> tuple[object, str]:
    return cell.field, cell.value.strip().casefold()


def _is_label(value: str) -> bool:
    """Whether a person would call a thing so: a name, and no code, no state, no day and no quantity."""
    if not value or len(value) > _LONGEST:
        return False
    is_name = value[0].isalpha() and (not value.isascii() or (value[0].isupper() and not value.isupper()))
    return (
        (is_name or " " in value)
        and not is_identifier(value)
        and moment_of(value) is None
        and not _is_quantity(fold(value))
    )


def _is_quantity(value: str) -> bool:
    """Whether it is a figure with at most one word or sign: "33 %", "EUR 30", "12 kg"."""
    number = next(readings_in(value), None)
    if number is None:
        return False
    before, behind = value[: number.start].strip(), value[number.end :].strip()
    return (not before or currency_of(before) is not None) and len(behind.split()) <= 1
