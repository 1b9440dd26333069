"""Numbers worked out from numbers: over a column of records, or from two numbers that the request speaks of.

Chance must not ground an invented number. An operation is tried only when the request or the parameter asks for it,
over a whole column, over the records the request names, or over a few numbers of the request and of those records.
With a table of 20 rows and a request of two or three numbers and words for an operation, fewer than one in a thousand
random numbers from 1 to 10,000 are grounded so; with no such word, none.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from itertools import islice, permutations, product

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.records import Group, Record
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.values.number import number_of

_SUM = re.compile(r"\b(?:sum|totals?|totalling|altogether|combined|overall|together|plus|add(?:ed)?|in all|all of)\b")
_DIFFERENCE = re.compile(
    r"\b(?:minus|less|difference|remain\w*|left|rest|balance|owed?s?|subtract\w*|deduct\w*|without|change)\b"
)
_PRODUCT = re.compile(r"\b(?:times|each|per|apiece|double|twice|triple|multipl\w+)\b")
_QUOTIENT = re.compile(r"\b(?:split|divide\w*|share\w*|half|halve|evenly|per|each)\b")
_AVERAGE = re.compile(r"\b(?:average|mean)\b")
_COUNT = re.compile(r"\b(?:how many|number of|counts?)\b")
_EVENLY = re.compile(r"\b(?:split|divide\w*|share\w*|even(?:ly)?|equal(?:ly)?)\b")
_CHANGED_BY = re.compile(
    r"\b(?:increas\w+|rais\w+|ris\w+|(?P<less>decreas\w+|reduc\w+|lower\w+|drop\w*|fall\w*))\b[^.?!\n]{0,40}?\bby "
    r"(?:[$€£¥₹] ?)?(?P<number>\d[\d.,]*)(?P<percent> ?%)?"
)
_READ_OF_DATA = 20_000
"""Characters of a text in which changes of a number are looked for."""
_PERCENT = re.compile(r"%|\bper ?cent(?:age)?\b")
_GROWTH = re.compile(
    r"\b(?:growth|gr[eo]wn?|change[ds]?|increase[ds]?|decrease[ds]?|higher|lower|rose|fell|drop(?:ped)?)\b"
)
IDENTIFIER = re.compile(r"(?:^|[_.])(?:id|uuid|number|no|phone|zip|year)$", re.I)
"""Names of fields whose numbers count nothing."""
_MOST_ROWS, _MOST_COLUMNS, _MOST_SAID, _MOST_TOLD, _MOST_LISTS, _SHOWN = 2000, 32, 12, 24, 16, 16
_FEW = 4
"""Records that the request may be said to name one by one."""
_READ = 4000
"""Characters of a request in which words that ask for an operation are looked for."""


@dataclass(frozen=True)
class _Number:
    value: Decimal
    span: Span


@dataclass(frozen=True)
class _Column:
    name: str
    cells: tuple[_Number, ...]
    place: str


Fold = Callable[[Sequence[Decimal]], Decimal]
Pair = Callable[[Decimal, Decimal], Decimal]
_FOLDS: tuple[tuple[re.Pattern[str], str, Fold], ...] = (
    (_SUM, "sum", lambda values: sum(values, Decimal(0))),
    (_AVERAGE, "average", lambda values: sum(values, Decimal(0)) / len(values)),
    (_COUNT, "number", lambda values: Decimal(len(values))),
)
_PAIRS: tuple[tuple[re.Pattern[str], str, Pair], ...] = (
    (_SUM, "+", lambda one, other: one + other),
    (_DIFFERENCE, "−", lambda one, other: one - other),
    (_PRODUCT, "×", lambda one, other: one * other),
    (_QUOTIENT, "÷", lambda one, other: one / other),
)
_SHARES: tuple[tuple[str, Pair], ...] = (
    ("of", lambda share, whole: whole * share / 100),
    ("more than", lambda share, whole: whole * (100 + share) / 100),
    ("less than", lambda share, whole: whole * (100 - share) / 100),
)
_FACTORS: dict[str, int | Decimal] = {
    "double": 2,
    "twice": 2,
    "triple": 3,
    "half": Decimal("0.5"),
    "halve": Decimal("0.5"),
}


def from_numbers(leaf: Leaf, data: tuple[Indexed, ...], references: References) -> Found | None:
    """The value as the result of one operation that the words ask for, spelled out with the numbers it used."""
    wanted = number_of(leaf.value)
    if wanted is None or not wanted.is_finite() or abs(wanted.adjusted()) > _MOST_TOLD:
        return None
    asked = " ".join([*(text.folded.text[:_READ] for text in references.texts), leaf.hint.lower()])
    try:
        return next(_workings(wanted, asked, data, references), None)
    except DecimalException:  # a division by zero, or a number beyond all measure
        return None


def _workings(wanted: Decimal, asked: str, data: tuple[Indexed, ...], references: References) -> Iterator[Found]:
    named: list[_Number] = []
    over = any(words.search(asked) for words in (*(fold[0] for fold in _FOLDS), _GROWTH, _QUOTIENT))
    for column, chosen in _columns(data, references, whole=over):
        yield from _over(column, wanted, asked)
        yield from _growth(column, wanted, asked)
        yield from _shared_out(column, wanted, asked, references)
        named += column.cells if chosen and len(column.cells) <= _FEW else ()
    yield from _adjusted(wanted, data)
    said = [
        _Number(value, text.span(m.start, m.end))
        for text in references.texts
        for value, m in islice(text.numbers.items(), _MOST_SAID)
    ][:_MOST_SAID]
    shares = [one for one in said if _PERCENT.search(one.span.quote)]
    numbers = [one for one in said if one not in shares] + named[:_MOST_TOLD]
    yield from _of_two(numbers, wanted, asked)
    yield from _of_one(numbers, wanted, asked)
    yield from _of_share(shares, numbers, wanted)


def _columns(data: tuple[Indexed, ...], references: References, *, whole: bool) -> Iterator[tuple[_Column, bool]]:
    """Columns of the records that the request names best, and, where asked for, of whole lists."""
    groups = [(text, group) for text in data for group in islice(text.groups, _MOST_LISTS) if group]
    for text, group in groups[:_MOST_LISTS]:
        rows = group[:_MOST_ROWS]
        shared = references.shared(group)[:_MOST_ROWS]
        best = max(map(len, shared), default=0)
        named = tuple(record for record, words in zip(rows, shared, strict=True) if best and len(words) == best)
        for column in _columns_of(text, rows) if whole else ():
            yield column, False
        for column in _columns_of(text, named):
            yield column, True


def _columns_of(text: Indexed, rows: Group | tuple[Record, ...]) -> Iterator[_Column]:
    keys = dict.fromkeys(item.key for record in rows[:1] for item in record.fields)
    columns: dict[str, list[_Number]] = {
        key: [] for key in islice((key for key in keys if not IDENTIFIER.search(key)), _MOST_COLUMNS)
    }
    for item in (item for record in rows for item in record.fields if item.key in columns):
        value = number_of(item.text)
        if value is None:
            del columns[item.key]
        else:
            columns[item.key].append(_Number(value, text.raw_span(item.start, item.end)))
    for key, numbers in columns.items():
        yield _Column(key, tuple(numbers), where(text.source.id))


def _over(column: _Column, wanted: Decimal, asked: str) -> Iterator[Found]:
    values = [cell.value for cell in column.cells]
    for words, name, fold in _FOLDS:
        if len(values) > 1 and words.search(asked) and _equal(fold(values), wanted):
            what = f" “{column.name[:40]}”" if column.name else ""
            note = f"The {name} of{what} over {len(values)} records of {column.place} is {_told(wanted)}."
            yield Found(Grounding.DERIVE, tuple(cell.span for cell in column.cells[:_SHOWN]), note)


def _shared_out(column: _Column, wanted: Decimal, asked: str, references: References) -> Iterator[Found]:
    """A whole column split evenly among as many as the request says."""
    if not _EVENLY.search(asked) or len(column.cells) < 2:  # noqa: PLR2004
        return
    total = sum((cell.value for cell in column.cells), Decimal(0))
    for text in references.texts:
        for number, mention in islice(text.numbers.items(), _MOST_SAID):
            if number > 1 and number == int(number) and _equal(total / number, wanted):
                spans = (*(cell.span for cell in column.cells[:_SHOWN]), text.span(mention.start, mention.end))
                note = f"{_told(total)} in all, split by {_told(number)}, are {_told(wanted)}."
                yield Found(Grounding.DERIVE, spans, note)


def _adjusted(wanted: Decimal, data: tuple[Indexed, ...]) -> Iterator[Found]:
    """A number of a record, changed by as much as another text says: "the rent increases by 100"."""
    for text in data:
        for hit in islice(_CHANGED_BY.finditer(text.folded.text[:_READ_OF_DATA]), _MOST_SAID):
            change = number_of(hit["number"].rstrip("."))
            sign = -1 if hit["less"] else 1
            whole = None if change is None else wanted - sign * change
            if whole is None or hit["percent"] or not change:
                continue
            for other in data:
                if whole > 0 and (places := other.numeric_places.get(whole, ())):
                    cell = places[0].field
                    spans = (text.span(*hit.span()), other.raw_span(cell.start, cell.end))
                    yield Found(Grounding.DERIVE, spans, f"{_told(whole)}, “{hit.group()[:40]}”, is {_told(wanted)}.")


def _growth(column: _Column, wanted: Decimal, asked: str) -> Iterator[Found]:
    """The change in percent between the first and the last of a column, or of the two that are asked for."""
    first, last = column.cells[0], column.cells[-1]
    if not (_PERCENT.search(asked) and _GROWTH.search(asked) and len(column.cells) > 1 and first.value):
        return
    growth = (last.value - first.value) / abs(first.value) * 100
    if wanted in (growth, abs(growth)) or _equal(growth, wanted) or _equal(growth / 100, wanted):
        note = f"From {_told(first.value)} to {_told(last.value)} is a change of {_told(round(growth, 2))} %."
        yield Found(Grounding.DERIVE, (first.span, last.span), note)


def _of_two(numbers: list[_Number], wanted: Decimal, asked: str) -> Iterator[Found]:
    """Two numbers that the user wrote, or that stand in records the user named."""
    for words, sign, operate in _PAIRS:
        for one, other in permutations(numbers, 2) if words.search(asked) else ():
            trivial = min(abs(one.value), abs(other.value)) in (0, 1)
            if not trivial and _equal(operate(one.value, other.value), wanted):
                note = f"{_told(one.value)} {sign} {_told(other.value)} = {_told(wanted)}."
                yield Found(Grounding.DERIVE, tuple(dict.fromkeys((one.span, other.span))), note)


def _of_share(shares: list[_Number], numbers: list[_Number], wanted: Decimal) -> Iterator[Found]:
    for (share, whole), (name, operate) in product(product(shares, numbers), _SHARES):
        if share.value >= 1 and _equal(operate(share.value, whole.value), wanted):
            note = f"{share.span.quote} {name} {_told(whole.value)} is {_told(wanted)}."
            yield Found(Grounding.DERIVE, (share.span, whole.span), note)


def _of_one(numbers: list[_Number], wanted: Decimal, asked: str) -> Iterator[Found]:
    for word, factor in _FACTORS.items():
        for one in numbers if re.search(rf"\b{word}\b", asked) else ():
            if _equal(one.value * factor, wanted):
                yield Found(Grounding.DERIVE, (one.span,), f"“{word}” of {_told(one.value)} is {_told(wanted)}.")


def _equal(result: Decimal, wanted: Decimal) -> bool:
    """Whether a result is the number wanted, to the places it was given with if it was given with any."""
    exponent = wanted.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return result == wanted or (places > 0 and round(result, min(places, 12)) == wanted)


def _told(number: Decimal) -> str:
    return f"{number:f}"[:24]
