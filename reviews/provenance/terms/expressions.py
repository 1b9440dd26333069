"""The operation of a `Computed` term: what it gives of quoted words, and whether that is the value."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import chain, islice, product
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.formulas import Formula, NoFormulaError, Operand
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.readings.worded_numbers import quoted_lengths_in, ratios_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.days_of_month import days_without_year_in
from reviews.provenance.values.durations import durations_in, seconds_of_units_in, whole_months_of
from reviews.provenance.values.locales import percent_signs
from reviews.provenance.values.measures import measures_in
from reviews.provenance.values.moments import ANY_DAY, moment_of, moments_in, zone_of
from reviews.provenance.values.money import amounts_in
from reviews.provenance.values.numbers import number_of, numbers_in
from reviews.provenance.values.numerals import lone_numerals_in, written_numerals_in
from reviews.provenance.values.times import clocks_in

DayAndClock: TypeAlias = tuple[date | None, time | None]
"""A day, a time of day, or both."""
# Seconds.
_DAY: Final = 86_400
_MIN_MONTH: Final = 28 * _DAY
# Characters of a length of time in words.
_MAX_LENGTH: Final = 64
# Two places behind the decimal sign: half a cent is how far a rounded amount may be from the exact one.
_CENTS = -2
_HALF_A_CENT = Fraction(1, 200)
_HUNDRED = 100
# Ways to read the inputs of one operation together.
_MAX_READINGS = 64
# A letter or a figure with the signs before it; signs by which people group the figures of a code.
_SPELT: Final = re.compile(r"([\W_]*)([^\W_])")
_GROUPING: Final = re.compile(r"[ ()-]+")
# Figures before or behind the decimal sign.
_MAX_DIGITS = 30


def why_not_result(operation: str, quotes: Sequence[str], leaf: Leaf, now: datetime | None = None) -> str:
    """Why the operation over these words does not give the value; empty where it does.

    `now`: the clock by which days are told that stand there without their year, or by words such as "tomorrow".
    """
    match operation:
        case "concatenate":
            joined = shorten_text("".join(quotes), 60) or "nothing"
            return "" if is_concatenation(leaf, quotes) else _gives(operation, joined, leaf)
        case "time_after" | "time_before":
            return _why_not_moved(operation, quotes, leaf, now)
    return _why_not_computed(operation, quotes, leaf, now)


def _why_not_moved(operation: str, quotes: Sequence[str], leaf: Leaf, now: datetime | None) -> str:
    *begin, length = quotes
    moved = (_move_by(operation, at, seconds) for at, seconds in product(_beginnings(begin, now), _lengths_in(length)))
    moments = [moment for moment in moved if moment]
    # Another offset is another time; what is said without one is said by the clock.
    zones = {zone_of(quote) for quote in begin} - {None} or {None, now.utcoffset() if now else None}
    if not moments or zone_of(leaf.text) not in zones:
        return _takes_others(operation)
    if any(_is_moment(leaf.value, moment) for moment in moments):
        return ""
    return _gives(operation, " ".join(part.isoformat() for part in moments[0] if part), leaf)


def _why_not_computed(formula: str, quotes: Sequence[str], leaf: Leaf, now: datetime | None) -> str:
    try:
        read = Formula(formula, len(quotes))
    except NoFormulaError as error:
        return str(error)
    if read.adds and _are_in_several_units(quotes, is_scaled=bool(read.numbers)):
        return f"“{shorten_text(formula, 60)}” takes values of one unit, and these are in several."
    operands = [list(operands_of(quote, leaf, now)) for quote in quotes]
    if not leaf.is_in_percent and not all(_is_share(meanings) for meanings in operands if meanings):
        # Of something else a percentage is a share, unless the formula divides by a hundred itself.
        meant = slice(0, 1) if _HUNDRED in read.divisors else slice(1, 2)
        operands = [meanings[meant] if _is_share(meanings) else meanings for meanings in operands]
    words = [at for at, meanings in enumerate(operands) if not meanings]
    for at in words:
        # One word may tell the share or the multiple of something else; others are only counted.
        is_ratio = len(words) == 1 and read.multiplies(at + 1)
        operands[at] = [*(ratios_in(quotes[at]) if is_ratio else ()), quotes[at]]
    readings = islice(product(*operands), _MAX_READINGS)
    computed = [result for inputs in readings if (result := read.evaluate(inputs)) is not None]
    if any(is_result(leaf.value, operand) for operand in computed):
        return ""
    if not computed or words:
        unread = f" “{shorten_text(quotes[words[0]], 60)}” is no number or day." if words else ""
        return f"{_takes_others(formula)}{unread}"
    first = float(computed[0]) if isinstance(computed[0], Fraction) else computed[0]
    return _gives(formula, str(first), leaf)


def operands_of(quote: str, leaf: Leaf, now: datetime | None) -> Iterator[Operand]:
    """What an input may mean: a day, else a time of day or its one number, of a percentage also the share."""
    if days := [day for day, _ in _read_moments(quote, now) if day]:
        yield from days
        return
    folded = fold(quote[:_MAX_LENGTH])
    clocks = list(clocks_in(folded))
    if len({moment.place for moment in clocks}) == 1:
        yield from (moment.clock for moment in clocks if moment.clock)
    if now and any(moment_of(leaf.value) or ()) and len(quote) <= _MAX_LENGTH:
        # Of a day that is looked for also "the 17th".
        yield from (day for _, day in days_without_year_in(fold(quote), now.date()))
    numbers = {number.value for number in numbers_in(fold(quote))}
    worded = chain(lone_numerals_in(folded), written_numerals_in(folded))
    numbers = numbers or {word.value for word in worded if word.place == (0, len(folded))}
    is_percentage = any(sign in folded for sign in percent_signs())
    if is_percentage and len(numbers) > 1 and {max(numbers), max(numbers).scaleb(-2)} == numbers:
        # It is read as its share, too: 4 Prozent.
        numbers = {max(numbers)}
    number = numbers.pop() if len(numbers) == 1 else number_of(quote.strip())
    if number is not None and number.is_finite() and abs(number.adjusted()) <= _MAX_DIGITS:
        yield Fraction(number)
        if is_percentage:
            yield Fraction(number) / _HUNDRED


def _is_share(operands: Sequence[Operand]) -> bool:
    """Whether they are the two readings of a percentage."""
    match operands:
        case [Fraction() as number, Fraction() as share]:
            return number == share * _HUNDRED
    return False


def _are_in_several_units(quotes: Sequence[str], *, is_scaled: bool) -> bool:
    """Whether amounts are in several currencies, or measures in units between which nothing converts them."""
    folded = [fold(quote[:_MAX_LENGTH]) for quote in quotes]
    currencies = {amount.currency for text in folded for amount in amounts_in(text)}
    lengths = {unit for text in folded for unit in seconds_of_units_in(text)}
    measures = {measure.value for text in folded for measure in measures_in(text)}
    return len(currencies) > 1 or (not is_scaled and len(lengths) + len(measures) > 1)


def _takes_others(operation: str) -> str:
    return f"“{shorten_text(operation, 60)}” does not take these inputs."


def _gives(operation: str, result: str, leaf: Leaf) -> str:
    return f"“{shorten_text(operation, 60)}” gives {result}, not “{shorten_text(leaf.text, 60)}”."


def _lengths_in(words: str) -> Sequence[Decimal]:
    """The length of time, in seconds, that words say; else each one that they may mean to whoever reads them."""
    lengths = list(durations_in(fold(words))) if len(words) <= _MAX_LENGTH else []
    read, places = [length.value for length in lengths], {length.place for length in lengths}
    if not read:
        return sorted(quoted_lengths_in(words))
    # The calendar's reading of months stands first; beside other units a month is no whole number of days.
    is_one = len(read) == 1 and (read[0] <= _MIN_MONTH or not read[0] % _DAY)
    return read[:1] if is_one or (len(places) == 1 and whole_months_of(read[0])) else ()


def _move_by(operation: str, begin: DayAndClock, seconds: Decimal) -> DayAndClock | None:
    """Where a length of time leads to; a day alone is moved by whole days."""
    if months := whole_months_of(seconds):
        return _move_months(begin, -months if operation == "time_before" else months)
    day, clock = begin
    with suppress(OverflowError):
        by = timedelta(seconds=float(seconds))
        start = datetime.combine(day or ANY_DAY, clock or time())
        met = start - by if operation == "time_before" else start + by
        if clock or met.time() == time():
            return (met.date() if day else None, met.time() if clock else None)
    return None


def _move_months(begin: DayAndClock, months: int) -> DayAndClock | None:
    """To the same day of another month; nowhere where that month has no such day, or no day is known."""
    day, clock = begin
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12) if day else (0, 0)
    with suppress(ValueError, OverflowError):
        return (day.replace(year=year, month=month + 1), clock) if day else None
    return None


def _beginnings(quotes: Sequence[str], now: datetime | None) -> Iterator[DayAndClock]:
    """Each moment that the quotes may mean: one that is written, a day and a time of day; without any it is now."""
    match quotes:
        case [] if now:
            # A moment is told to the minute, and one that is days ahead by its day.
            yield from (
                (now.date(), None),
                *((now.date(), at) for at in (now.time().replace(second=0, microsecond=0), now.time())),
            )
        case [quote]:
            yield from _read_moments(quote, now)
        case [first, second]:
            for (day, no_clock), (no_day, clock) in product(_read_moments(first, now), _read_moments(second, now)):
                if day and clock and not (no_clock or no_day):
                    yield day, clock


def _read_moments(quote: str, now: datetime | None) -> Sequence[DayAndClock]:
    """The readings of the one moment that is written, or told against the clock: "12 May", "next Tuesday at noon"."""
    if literal := moment_of(quote):
        return [literal]
    worded = list(moments_in(fold(quote), now)) if now and len(quote) <= _MAX_LENGTH else []
    return [(moment.day, moment.clock) for moment in worded] if len({moment.place for moment in worded}) == 1 else []


def _is_moment(value: JsonValue, moment: DayAndClock) -> bool:
    """Whether a value is this moment, or its day, or its time of day."""
    day, clock = moment_of(value) or (None, None)
    return (day or clock) is not None and day in (None, moment[0]) and clock in (None, moment[1])


def is_result(value: JsonValue, result: Operand) -> bool:
    """Whether a value is the result: to half a cent where the exact one has more decimal places."""
    if isinstance(result, date):
        return moment_of(value) == (result, None)
    number = number_of(value)
    if number is None or not number.is_finite() or not isinstance(result, Fraction):
        return False
    exponent = number.as_tuple().exponent
    has_cents = isinstance(exponent, int) and exponent <= _CENTS
    return number == result or (has_cents and abs(Fraction(number) - result) <= _HALF_A_CENT)


def is_concatenation(leaf: Leaf, pieces: Sequence[str]) -> bool:
    """Whether a value has the letters and figures of the pieces in their order, with any signs between two pieces.

    Within a piece its own signs stand there, but for spaces, and for what groups the figures of a code: 1.5 is no 15.
    """
    characters = _spell(leaf.folded)
    joined = [(at, *part) for piece in pieces for at, part in enumerate(_spell(fold(piece)))]
    if not characters or [character for _, character in characters] != [character for *_, character in joined]:
        return False
    is_number = kind_of(leaf) is Kind.NUMBER
    for n, ((signs, character), (at, piece_signs, _)) in enumerate(zip(characters, joined, strict=True)):
        are_figures = n > 0 and f"{characters[n - 1][1]}{character}".isdigit()
        is_free = not at or (not signs and _GROUPING.fullmatch(piece_signs) if are_figures else piece_signs.isspace())
        if signs != (piece_signs if at or not n else "") and (is_number or not is_free):
            return False
    return True


def _spell(folded: str) -> list[tuple[str, str]]:
    """Each letter and figure of a text, with the signs before it."""
    return _SPELT.findall(folded)
