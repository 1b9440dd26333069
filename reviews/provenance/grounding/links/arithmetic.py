"""Numbers worked out from numbers: over a column of records, or from two numbers that the request speaks of.

Chance must not ground an invented number. An operation is tried only when the request or the parameter asks for it,
over a whole column, over the records the request names, or over a few numbers of the request and of those records.
With a table of 20 rows and a request of two or three numbers and words for an operation, fewer than one in a thousand
random numbers from 1 to 10,000 are grounded so; with no such word, none.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from functools import cached_property
from itertools import chain, islice, permutations, product
from typing import TypeAlias

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.links.numeric_columns import Column, Number, Rows, rows_of
from reviews.provenance.grounding.links.workings import Working, Workings, written
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages_of, phrases
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.number import number_of

# Words that ask for each operation. Without one of them no two numbers are put together: with enough numbers at hand
# any value is the sum of two.
_SUM = re.compile(r"\b(?:sum|totals?|totalling|altogether|combined|overall|together|plus|add(?:ed)?|in all|all of)\b")
_DIFFERENCE = re.compile(
    r"\b(?:minus|less|difference|remain\w*|left|rest|balance|owed?s?|subtract\w*|deduct\w*|without|change)\b"
)
_PRODUCT = re.compile(r"\b(?:times|each|per|apiece|double|twice|triple|multipl\w+)\b")
_QUOTIENT = re.compile(r"\b(?:split|divide\w*|share\w*|half|halve|evenly|per|each)\b")
_AVERAGE = re.compile(r"\b(?:average|mean)\b")
_COUNT = re.compile(r"\b(?:how many|number of|counts?)\b")
_EVENLY = re.compile(r"\b(?:split|divide\w*|share\w*|even(?:ly)?|equal(?:ly)?)\b")
# "Raise it by 20" adds, "reduce by 5" takes away; the verb and its number stand in one clause.
_CHANGED_BY = re.compile(
    r"\b(?:increas\w+|rais\w+|ris\w+|(?P<less>decreas\w+|reduc\w+|lower\w+|drop\w*|fall\w*))\b[^.?!\n]{0,40}?\bby "
    r"(?:[$€£¥₹] ?)?(?P<number>\d[\d.,]*)(?P<percent> ?%)?"
)
# "By 20" changes by a number, "by Friday" does not.
_BY_A_NUMBER = re.compile(r"by (?:[$€£¥₹] ?)?\d")
# Characters of a text in which changes of a number are looked for.
_READ_OF_DATA = 20_000
# A number with a percentage is a share of another.
_PERCENT = re.compile(r"%|\bper ?cent(?:age)?\b")
# Words by which a percentage is the change from one number to another.
_GROWTH = re.compile(
    r"\b(?:growth|gr[eo]wn?|change[ds]?|increase[ds]?|decrease[ds]?|higher|lower|rose|fell|drop(?:ped)?)\b"
)
# Numbers of the request, and of the records it names, that are put together: with more, chance would find any.
_MOST_SAID, _MOST_TOLD = 12, 24
# Power of ten from which a number is no result of anything.
_LARGEST = 24
# Arguments among which the result is looked for: a call with more lists records, and each would be held against all.
_MOST_ARGUMENTS = 64
# Records that the request may be said to name one by one.
_FEW = 4
# Characters of a request in which words that ask for an operation are looked for.
_READ = 4000

_Pair: TypeAlias = Callable[[Decimal, Decimal], Decimal]
# By operation, the words that ask for it: over a column, over two numbers, over a share and a whole.
_FOLDS: tuple[tuple[re.Pattern[str], str, Callable[[Column], Decimal]], ...] = (
    (_SUM, "sum", lambda column: column.total),
    (_AVERAGE, "average", lambda column: column.total / column.count),
    (_COUNT, "number", lambda column: Decimal(column.count)),
)
_PAIRS: tuple[tuple[re.Pattern[str], str, _Pair], ...] = (
    (_SUM, "+", lambda one, other: one + other),
    (_DIFFERENCE, "−", lambda one, other: one - other),
    (_PRODUCT, "×", lambda one, other: one * other),
    (_QUOTIENT, "÷", lambda one, other: one / other),
)
_SHARES: tuple[tuple[str, _Pair], ...] = (
    ("of", lambda share, whole: whole * share / 100),
    ("more than", lambda share, whole: whole * (100 + share) / 100),
    ("less than", lambda share, whole: whole * (100 - share) / 100),
)
# Factors that are said as words.
_FACTORS: Mapping[str, int | Decimal] = {
    "double": 2,
    "twice": 2,
    "triple": 3,
    "half": Decimal("0.5"),
    "halve": Decimal("0.5"),
}


@dataclass(frozen=True)
class _Operations:
    """The operations that words ask for."""

    folds: tuple[str, ...]
    pairs: tuple[str, ...]
    factors: tuple[tuple[str, int | Decimal], ...]
    """Each with the word that says it."""
    growth: bool
    evenly: bool
    whole: bool
    """Whether they may be over whole lists, and not only over the records that are named."""


class Arithmetic:
    """What can be worked out from the numbers of one context: once, for all values of its calls."""

    def __init__(self, data: tuple[Indexed, ...], references: References, budget: Budget) -> None:
        self._data = data
        self._references = references
        self._budget = budget
        self._by_hint: dict[str, _Operations] = {}
        self._by_column: dict[_Operations, Workings] = {}
        self._by_number: dict[_Operations, Workings] = {}

    def result(self, leaf: Leaf) -> Found | None:
        """The value as the result of one operation that the words ask for, spelled out with the numbers it used."""
        result = _result(leaf)
        if result is None:
            return None
        operations = self._operations(leaf)
        try:
            return (
                self._over_columns(operations).find(result)
                or self._adjusted(result)
                or self._of_few(operations).find(result)
            )
        except DecimalException:  # a division by zero, or a number beyond all measure
            return None

    def over_all(self, leaf: Leaf) -> Found | None:
        """The value as what the words ask for, over every record of a list of which they name only some."""
        result, operations = _result(leaf), self._operations(leaf)
        if result is None or operations.evenly or not operations.folds:
            return None
        columns = (column for rows in self._rows if rows.some_named for column in rows.whole_columns)
        found = Workings((each for column in columns for each in _over(column, operations)), self._budget).find(result)
        if found is None:
            return None
        note = f"{found.note} The request names only some of them."
        return Found(Grounding.UNGROUNDED, (), note, nearest=found.spans[0], against=found.spans[:1])

    def other_sum(self, leaf: Leaf) -> Found | None:
        """The value as another number than the one sum there is, where the parameter takes a sum."""
        result, operations = _result(leaf), self._operations(leaf)
        plain = operations.folds == ("sum",) and not (operations.factors or operations.growth or operations.evenly)
        if result is None or not plain or not _SUM.search(leaf.hint.lower()):
            return None
        columns = [
            column
            for rows in self._rows
            for column in (rows.named_columns if rows.some_named else rows.whole_columns)
            if column.count > 1
        ]
        if len(columns) != 1 or columns[0].total == result:
            return None
        spans, total = columns[0].spans, written(columns[0].total)
        note = f"The sum over {columns[0].count} records of {columns[0].place} is {total}; this is {written(result)}."
        return Found(Grounding.UNGROUNDED, (), note, nearest=spans[0], against=spans[:1])

    def operand(self, leaf: Leaf, others: Sequence[Leaf]) -> Found | None:
        """The value as the whole of what the words ask to be halved or doubled, where no argument is the result."""
        number, factors = _result(leaf), self._operations(leaf).factors
        whole = next((each for each in self._named if each.value == number), None) if number and factors else None
        if whole is None or not number:
            return None
        given = {number_of(other.value) for other in others[:_MOST_ARGUMENTS]}
        for word, factor in factors:
            if not given & {number * factor, Decimal(factor), Decimal(factor) * 100}:
                meaning = f"“{word}” of {written(number)} is {written(number * factor)}"
                note = f"{meaning}; this is {written(number)} itself."
                return Found(Grounding.UNGROUNDED, (), note, nearest=whole.span, against=(whole.span,))
        return None

    def _operations(self, leaf: Leaf) -> _Operations:
        if leaf.hint not in self._by_hint:
            texts = (text.folded.text[:_READ] for text in self._references.texts)
            self._by_hint[leaf.hint] = _operations_in(" ".join([*texts, leaf.hint.lower()]))
        return self._by_hint[leaf.hint]

    def _over_columns(self, operations: _Operations) -> Workings:
        if operations not in self._by_column:
            columns = (
                column
                for rows in self._rows
                for column in (
                    *(rows.whole_columns if operations.whole and (operations.evenly or not rows.some_named) else ()),
                    *rows.named_columns,
                )
            )
            found = (working for column in columns for working in _of_column(column, operations, self._spoken))
            self._by_column[operations] = Workings(found, self._budget)
        return self._by_column[operations]

    def _of_few(self, operations: _Operations) -> Workings:
        """What comes of one or two numbers that the user wrote, or that stand in records the user named."""
        if operations not in self._by_number:
            spoken = self._spoken[:_MOST_SAID]
            shares = [one for one in spoken if _PERCENT.search(one.span.quote)]
            numbers = [one for one in spoken if one not in shares] + self._named
            found = chain(_of_two(numbers, operations), _of_one(numbers, operations), _of_share(shares, numbers))
            self._by_number[operations] = Workings(found, self._budget)
        return self._by_number[operations]

    @cached_property
    def _rows(self) -> tuple[Rows, ...]:
        return tuple(rows_of(self._data, self._references, self._budget))

    @cached_property
    def _named(self) -> list[Number]:
        """The numbers of the few records that the request names."""
        columns = [column for rows in self._rows for column in rows.named_columns if column.count <= _FEW]
        # "Half of the deposit": a column that is named leaves the others out.
        spoken = self._references.spoken.keys()
        called = [column for column in columns if not spoken.isdisjoint(map(stem, words_of(column.name)))]
        return [number for column in called or columns for number in column.numbers][:_MOST_TOLD]

    @cached_property
    def _spoken(self) -> list[Number]:
        """The numbers of the user's messages, the first of each."""
        return [
            Number(value, text.span(m.start, m.end))
            for text in self._references.texts
            for value, m in islice(text.numbers.items(), _MOST_SAID)
        ]

    def _adjusted(self, wanted: Decimal) -> Found | None:
        """A number of a record, changed by as much as another text says: "the rent increases by 100"."""
        for change in self._changes:
            self._budget.spend()
            whole = wanted - change.by
            for other in self._data if whole > 0 else ():
                if places := other.numeric_places.get(whole, ()):
                    cell = places[0].field
                    spans = (change.span, other.raw_span(cell.start, cell.end))
                    note = f"{written(whole)}, “{change.quote[:40]}”, is {written(wanted)}."
                    return Found(Grounding.DERIVE, spans, note)
        return None

    @cached_property
    def _changes(self) -> tuple["_Change", ...]:
        """By how much numbers change, as the texts say."""
        return tuple(change for text in self._data for change in _changes_in(text))


@dataclass(frozen=True)
class _Change:
    """An amount by which a text says something rises or falls."""

    by: Decimal
    span: Span
    quote: str


def _changes_in(text: Indexed) -> Iterator[_Change]:
    read = text.folded.text[:_READ_OF_DATA]
    # The pattern may begin at any word, and few texts have what it ends with.
    for hit in islice(_CHANGED_BY.finditer(read), _MOST_SAID) if _BY_A_NUMBER.search(read) else ():
        change = number_of(hit["number"].rstrip("."))
        if change and not hit["percent"]:
            yield _Change(-change if hit["less"] else change, text.span(*hit.span()), hit.group())


def _operations_in(words: str) -> _Operations:
    over = any(pattern.search(words) for pattern in (*(fold[0] for fold in _FOLDS), _GROWTH, _QUOTIENT))
    return _Operations(
        folds=tuple(name for pattern, name, _ in _FOLDS if pattern.search(words)),
        pairs=tuple(sign for pattern, sign, _ in _PAIRS if pattern.search(words)),
        factors=tuple(_factors_in(words)),
        growth=_PERCENT.search(words) is not None and _GROWTH.search(words) is not None,
        evenly=_EVENLY.search(words) is not None,
        whole=over,
    )


def _factors_in(words: str) -> Iterator[tuple[str, int | Decimal]]:
    yield from ((word, factor) for word, factor in _FACTORS.items() if re.search(rf"\b{word}\b", words))
    for language in languages_of(words):
        for told, factor in ((language.halves, Decimal("0.5")), (language.doubles, 2)):
            hit = phrases(told).search(words) if language.spaced else None
            if hit and hit.group() not in _FACTORS:
                yield hit.group(), factor


def _result(leaf: Leaf) -> Decimal | None:
    """The value as a number that operations may lead to."""
    result = number_of(leaf.value)
    return result if result is not None and result.is_finite() and abs(result.adjusted()) <= _LARGEST else None


def _of_column(column: Column, operations: _Operations, spoken: list[Number]) -> Iterator[Working]:
    if column.count > 1:
        yield from _over(column, operations)
        yield from _growth(column, operations)
        yield from _shared_out(column, operations, spoken)


def _over(column: Column, operations: _Operations) -> Iterator[Working]:
    what = f" “{column.name[:40]}”" if column.name else ""
    for _, name, fold in _FOLDS:
        if name in operations.folds:
            note = f"The {name} of{what} over {column.count} records of {column.place} is"
            yield Working(fold(column), column.spans, note)


def _growth(column: Column, operations: _Operations) -> Iterator[Working]:
    """The change in percent between the first and the last of a column, or of the two that are asked for."""
    first, last = column.numbers[0], column.last
    if not (operations.growth and first.value):
        return
    growth = (last.value - first.value) / abs(first.value) * 100
    note = f"From {written(first.value)} to {written(last.value)} is a change of {f'{growth:.2f}'[:24]} %."
    spans = (first.span, last.span)
    # A fall by 12 % is told as 12 too, and either as a share of one.
    yield Working(abs(growth), spans, note, whole=True, exact=True)
    yield Working(growth, spans, note, whole=True)
    yield Working(growth / 100, spans, note, whole=True)


def _shared_out(column: Column, operations: _Operations, spoken: list[Number]) -> Iterator[Working]:
    """A whole column split evenly among as many as the request says."""
    for number in spoken if operations.evenly else ():
        if number.value > 1 and number.value == int(number.value):
            note = f"{written(column.total)} in all, split by {written(number.value)}, are"
            yield Working(column.total / number.value, (*column.spans, number.span), note)


def _of_two(numbers: list[Number], operations: _Operations) -> Iterator[Working]:
    for _, sign, operate in _PAIRS:
        for one, other in permutations(numbers, 2) if sign in operations.pairs else ():
            # Adding nothing, or once, is no working.
            if min(abs(one.value), abs(other.value)) not in (0, 1):
                note = f"{written(one.value)} {sign} {written(other.value)} ="
                spans = tuple(dict.fromkeys((one.span, other.span)))
                yield Working(operate(one.value, other.value), spans, note)


def _of_share(shares: list[Number], numbers: list[Number]) -> Iterator[Working]:
    for share, whole in product(shares, numbers):
        for name, operate in _SHARES if share.value >= 1 else ():
            note = f"{share.span.quote} {name} {written(whole.value)} is"
            yield Working(operate(share.value, whole.value), (share.span, whole.span), note)


def _of_one(numbers: list[Number], operations: _Operations) -> Iterator[Working]:
    for word, factor in operations.factors:
        for one in numbers:
            yield Working(one.value * factor, (one.span,), f"“{word}” of {written(one.value)} is")
