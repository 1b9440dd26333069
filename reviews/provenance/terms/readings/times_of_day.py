"""Times of day as people tell them: by words beside an hour, between two hours, and by the hour's figure alone."""

import re
from collections.abc import Iterator, Sequence
from datetime import time
from decimal import Decimal
from functools import cache
from typing import Final

from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.readings.days import has_more_words
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import any_word_of, quoted_unit_words
from reviews.provenance.values.moments import moments_in
from reviews.provenance.values.numbers import numbers_in
from reviews.provenance.values.numerals import lone_numerals_in
from reviews.provenance.values.times import hours_beside_period
from reviews.provenance.values.worded_hours import worded_hours_in

# A letter, but no sign of a script without spaces.
_LETTER: Final = r"[^\W\d_\u1100-\u11ff\u3040-\u9fff]"
# Figures that may be an hour, also in a stretch and before an h ("10h-12h", "2-4"), but no piece of a day or a code.
_HOUR: Final = re.compile(
    rf"(?<![\d_$€£¥₹])(?<!{_LETTER})(?<![0-9][.,:/])(?:(?<!-)|(?<=[0-9]-)|(?<=[0-9]h-))(?<![0-9]{{4}}-)(?<!-[0-9]{{2}}-)"
    rf"(?:[01]?[0-9]|2[0-4])(?![\d_%°€£]|[.,:/][0-9]|-[0-9]{{2}}-)(?!(?!h(?!{_LETTER})){_LETTER})"
)
# Hours and minutes with the sign between that most of Europe writes there, an amount or a day to others: 18.30, 18,30.
_PARTED: Final = re.compile(
    rf"(?<![\w$€£¥₹.,:/+])(?:(?<!-)|(?<=[0-9]-))(?P<hour>[01]?[0-9]|2[0-3])[.,](?P<minute>[0-5][0-9])"
    rf"(?!\d| ?[%°$€£¥₹]|[.,:/][0-9]|-[0-9]+-|(?!h(?!{_LETTER})){_LETTER})(?: uhr)?"
)
# Minutes that languages name by the hour before or the next one: a quarter past, half, a quarter to.
_QUARTER: Final = 15
# A time that tells its half of the day by itself.
_HALF_TOLD: Final = re.compile(r"[ap]\.? ?m\b")
# Hours of a dial.
_NOON: Final = 12
# The hours that languages have words for.
_NAMED_HOURS: Final = ((0, 0), (12, 0))


def may_mean_time(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words may mean this time of day."""
    return (
        _may_be_worded(clock, quote, evidence)
        or _may_be_between_hours(clock, quote, evidence)
        or _may_be_worded_hour(clock, quote, evidence)
    )


def _may_be_worded(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words may mean noon or midnight, or the later half of the day beside an hour: 3 Uhr nachmittags."""
    folded = fold(quote)
    read = [moment for moment in moments_in(folded, evidence.presumed_now) if moment.clock]
    if not read:
        # The word for one is another one elsewhere: um, a.
        numerals = {numeral.value for numeral in lone_numerals_in(folded)} - {1}
        is_figureless = not numerals and not any(map(str.isdigit, quote))
        return is_figureless and (clock.hour, clock.minute) in _NAMED_HOURS
    earlier = time(clock.hour - _NOON, clock.minute) if clock.hour >= _NOON else None
    return all(
        moment.clock == earlier and not _tells_half(folded, moment.place, clock) and has_more_words(quote, moment)
        for moment in read
    )


def _may_be_worded_hour(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words without a figure may mean a full hour: в пять вечера."""
    folded = fold(quote)
    if clock.minute or any(map(str.isdigit, quote)) or any(moments_in(folded, evidence.presumed_now)):
        return False
    hours = {hour.value for hour in worded_hours_in(folded)}
    return len(hours) == 1 and hours <= _figures_of(clock.hour)


def is_in_other_half(clock: time, quote: str, behind: str) -> bool:
    """Whether the part of the day behind a quoted time says that this one, on the same dial, is twelve hours off."""
    folded, length = fold(quote + behind), len(fold(quote))
    quoted = (moment for moment in moments_in(folded, None) if moment.clock and moment.start < length)
    opposite = clock.replace(hour=(clock.hour + _NOON) % 24)
    if any(_tells_half(folded, moment.place, clock) and moment.clock == opposite for moment in quoted):
        return True
    afternoons = {_begins_hour(hour, clock) >= _NOON for hour in _hours_told(folded, length)}
    return afternoons == {clock.hour < _NOON}


def _begins_hour(hour: int, clock: time) -> int:
    """The hour that a time is in which is told by this one: half past nine also by the tenth, as half of it."""
    is_next = clock.minute and hour % _NOON == (clock.hour + 1) % _NOON
    return (hour - 1) % 24 if is_next else hour


def _hours_told(folded: str, length: int) -> Iterator[int]:
    """The hours in words, up to so many characters of a text, of which a part of the day beside tells the half."""
    for hour in worded_hours_in(folded):
        readings = _hours_beside(hour.value, folded, hour.place)
        if hour.start < length and len(readings) == 1:
            yield readings[0]


def _tells_half(folded: str, place: Place, clock: time) -> bool:
    """Whether a time tells by itself, or a part of the day beside it, which half of the day it is in."""
    is_told = clock.hour % _NOON and len(_hours_beside(clock.hour % _NOON, folded, place)) == 1
    return bool(is_told or _HALF_TOLD.search(folded, *place))


def _hours_beside(hour: int, folded: str, place: Place) -> Sequence[int]:
    """The hours that an hour of a dial may be; its unit may stand before the part of the day: 6 часов вечера."""
    unit = _hour_unit().match(folded, place[1])
    return hours_beside_period(hour, folded, place[0], unit.end() if unit else place[1])


@cache
def _hour_unit() -> re.Pattern[str]:
    return re.compile(rf" ?(?:{any_word_of(quoted_unit_words('duration-hour'))})(?![^\W\d_])")


def _may_be_between_hours(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words with the figure of an hour, or of the next one, may mean a time in between: "half 10".

    Words that code reads as a time say that one: "7 pm".
    """
    folded = fold(quote)
    if not clock.minute or clock.minute % _QUARTER or any(moments_in(folded, evidence.presumed_now)):
        return False
    worded = {number.value for number in numbers_in(folded) if _is_worded(folded[slice(*number.place)])}
    worded.update(numeral.value for numeral in lone_numerals_in(folded))
    worded.update(Decimal(hour.value) for hour in worded_hours_in(folded))
    hours = worded.union(int(hit[0]) for hit in _HOUR.finditer(folded))
    return not hours.isdisjoint(_figures_of(clock.hour) | _figures_of(clock.hour + 1))


def find_times(clock: time, text: SourceText) -> Iterator[Place]:
    """Where a time is said as "18.30", or a full hour by its figure alone: "2 till 4", "at six"."""
    amounts = [(amount.start, amount.end) for amount in text.amounts]
    for hit in _PARTED.finditer(text.folded):
        is_same = int(hit["hour"]) in _figures_of(clock.hour) and int(hit["minute"]) == clock.minute
        if is_same and not overlaps(amounts, *hit.span()) and _is_in_half(clock.hour, text, hit.span()):
            yield hit.span()
    if clock == time(clock.hour):
        yield from _find_hours(clock.hour, text)


def _find_hours(hour: int, text: SourceText) -> Iterator[Place]:
    figures = _figures_of(hour)
    worded = (place for figure in figures for place in text.numbers.get(Decimal(figure), ()))
    places = {place for place in worded if _is_worded(text.folded[slice(*place)])}
    places.update(hit.span() for hit in _HOUR.finditer(text.folded) if int(hit[0]) in figures)
    yield from (at for at in sorted(places) if _is_in_half(hour, text, at))


def _is_in_half(hour: int, text: SourceText, place: Place) -> bool:
    """Whether no part of the day beside a time says that it is in the other half."""
    dial = hour % _NOON
    return not dial or hour in _hours_beside(dial, text.folded, place)


def _is_worded(number: str) -> bool:
    """Whether it is written in words: figures are looked at where they stand, without units and signs."""
    return not any(map(str.isdigit, number))


def _figures_of(hour: int) -> frozenset[int]:
    """The figures by which people name an hour: 14 or 2, and at midnight 0, 12 or 24."""
    hour %= 24
    return frozenset({hour, hour - _NOON} if hour > _NOON else {0, _NOON, 24} if hour == 0 else {hour})
