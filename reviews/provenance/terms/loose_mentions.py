"""Where words say a value to whoever reads them, as far as code can hold the two against each other. Never a proof.

A judge names such words, or takes them from the candidates. What code still checks: that the value's figures stand
there whole, that its letters do, that a weekday is that day by what is most likely the clock, and that a choice is not
another one of the list.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import MAXYEAR, date, time, timedelta, tzinfo
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.other_tellings import MAX_PLACES, find_other_tellings
from reviews.provenance.terms.same_value import PHONE
from reviews.provenance.terms.value_mentions import CHARACTERS_A_STEP, MAX_READ, find_grouped_code, places_of_moment
from reviews.provenance.text.boundaries import Place, blank_places, overlaps, stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.days_of_month import DAY_OF_MONTH, days_without_year_in
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import Moment, moment_of, moments_in, zone_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.months import is_next_to, month_of, months_in
from reviews.provenance.values.numbers import number_of, numbers_in
from reviews.provenance.values.numerals import lone_numerals_in
from reviews.provenance.values.phones import is_national_form
from reviews.provenance.values.relative_days import quoted_weekdays_in
from reviews.provenance.values.zones import moment_in

# Signs of scripts whose words are not set apart, or that grow by what is written behind them: Thai to Khmer, kana,
# Chinese characters, Hangul by its letters, as folding leaves it.
_UNPARTED: Final = re.compile(r"[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
# Letters of Hangul that end a syllable, which begins before them.
_WITHIN_SYLLABLE: Final = re.compile(r"[\u1160-\u11ff]")
# A sign that multiplies, between two figures.
_TIMES_BEFORE: Final = re.compile(r"[0-9][x×*]")
_TIMES_BEHIND: Final = re.compile(r"[x×*][0-9]")
# What makes two stretches one word, number, address or path.
_GLUED_BEFORE: Final = re.compile(r"(?:\w|\w[.,:/@+-])$")
_GLUED_BEHIND: Final = re.compile(r"\w|[.,:/@+-]\w")
# Characters between the two days of a range, and what would be another day among them.
_MAX_BETWEEN: Final = 12
_FIGURE: Final = re.compile(r"[0-9]")
# A letter, but no sign of a script without spaces.
_LETTER: Final = r"[^\W\d_\u1100-\u11ff\u3040-\u9fff]"
# Figures that may be an hour, also in a stretch and before an h ("10h-12h", "2-4"), but no piece of a day or a code.
_HOUR: Final = re.compile(
    rf"(?<![\d_$€£¥₹])(?<!{_LETTER})(?<![0-9][.,:/])(?:(?<!-)|(?<=[0-9]-)|(?<=[0-9]h-))(?<![0-9]{{4}}-)(?<!-[0-9]{{2}}-)"
    rf"(?:[01]?[0-9]|2[0-4])(?![\d_%°€£]|[.,:/][0-9]|-[0-9]{{2}}-)(?!(?!h(?!{_LETTER})){_LETTER})"
)
# Minutes that languages name by the hour before or the next one: a quarter past, half, a quarter to.
_QUARTER: Final = 15
# A time that tells its half of the day by itself.
_HALF_TOLD: Final = re.compile(r"[ap]\.? ?m\b")
# The hours that languages have words for.
_NAMED_HOURS: Final = ((0, 0), (12, 0))
# Signs of letters and figures from which people may part them to whoever reads it: 3512 JE.
_MIN_GROUPED: Final = 4
# A word or a code as a whole.
_TOKEN: Final = re.compile(r"[\w/@#&-]+")
# From the day before yesterday to the day after tomorrow.
_NEAR: Final = timedelta(days=2)
# A week ahead; the first day of a period of so many months, and the last one of the period before.
_WEEK: Final = timedelta(weeks=1)
_AT_TURN: Final = (timedelta(), timedelta(days=1))
_PERIODS: Final = (1, 3, 6, 12)
# A word that may tell which weekday is meant: prepositions are shorter.
_WHICH: Final = re.compile(r"[^\W\d_]{4}")
# Characters of such words: a sentence says more than a day.
_MAX_WORDS: Final = 40
# Characters that are looked through for a day's figures in one step of the budget: each is looked at.
_CHARACTERS_A_DAY_STEP: Final = 4
# To make the pattern of a value, or to look at one of its places.
_STEPS_A_PLACE: Final = 16


def is_read_by_people(leaf: Leaf, quote: str, evidence: Evidence) -> bool:
    """Whether words that hold no such value can still say it: a switch, a listed choice, "tomorrow", "half an hour".

    Words that name another choice of the list, or another day, say that one.
    """
    # A code or a figure says nothing of a switch.
    words = _TOKEN.findall(quote)
    if not any(word.isalpha() and not is_identifier(word) for word in words):
        return False
    if isinstance(leaf.value, bool):
        return True
    if (month := month_of(leaf.text)) and evidence.presumed_now:
        is_told = any(map(str.isdigit, quote)) or any(months_in(fold(quote)))
        return is_next_to(month, evidence.presumed_now.date()) and not is_told and len(quote) <= _MAX_WORDS
    day, clock = moment_of(leaf.value) or (None, None)
    if day and not clock:
        return _may_be_near_day(day, quote, evidence)
    if clock and not day and len(quote) <= _MAX_WORDS:
        return _may_be_worded_time(clock, quote, evidence) or _may_be_between_hours(clock, quote, evidence)
    choices = set(map(fold, leaf.choices))
    return leaf.folded in choices and not any(stands_in(fold(quote), other) for other in choices - {leaf.folded})


def _may_be_near_day(day: date, quote: str, evidence: Evidence) -> bool:
    """Whether a few words without figures may mean a day that languages have words for: near, or a month's turn."""
    now = evidence.presumed_now
    if now is None or len(quote) > _MAX_WORDS or any(map(str.isdigit, quote)):
        return False
    read = [moment for moment in moments_in(fold(quote), now) if moment.day]
    if read:
        # Words beside a weekday may put it a week ahead: nächste Woche Dienstag.
        return any(moment.day == day - _WEEK and _has_more_words(quote, moment) for moment in read)
    if named := list(quoted_weekdays_in(fold(quote))):
        # Who says which one, and no preposition alone, may mean that of the week behind.
        beside = blank_places(fold(quote), [name.place for name in named])
        weeks = 2 if _WHICH.search(beside) else 1
        return {name.value for name in named} == {day.weekday()} and -_WEEK <= day - now.date() <= weeks * _WEEK
    return abs(day - now.date()) <= _NEAR or _is_turn(day, now.date()) or day - now.date() == _WEEK


def _is_turn(day: date, today: date) -> bool:
    """Whether it is the last day of this month, quarter, half-year or year, or the first of the next one."""
    for months in _PERIODS:
        behind = today.month - 1 - (today.month - 1) % months + months
        begins = date(today.year + behind // 12, behind % 12 + 1, 1) if today.year < MAXYEAR else today
        if begins - day in _AT_TURN:
            return True
    return False


def _has_more_words(quote: str, moment: Moment) -> bool:
    """Whether words stand beside this moment in a quote."""
    folded = fold(quote)
    return any(map(str.isalpha, folded[: moment.start] + folded[moment.end :]))


def _may_be_worded_time(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words may mean noon or midnight, or the later half of the day beside an hour: 3 Uhr nachmittags."""
    folded = fold(quote)
    read = [moment for moment in moments_in(folded, evidence.presumed_now) if moment.clock]
    if not read:
        # The word for one is another one elsewhere: um, a.
        numerals = {numeral.value for numeral in lone_numerals_in(folded)} - {1}
        is_figureless = not numerals and not any(map(str.isdigit, quote))
        return is_figureless and (clock.hour, clock.minute) in _NAMED_HOURS
    earlier = time(clock.hour - 12, clock.minute) if clock.hour >= 12 else None  # noqa: PLR2004 - of a dial
    return all(
        moment.clock == earlier and not _HALF_TOLD.search(folded, *moment.place) and _has_more_words(quote, moment)
        for moment in read
    )


def _may_be_between_hours(clock: time, quote: str, evidence: Evidence) -> bool:
    """Whether a few words with the figure of an hour, or of the next one, may mean a time in between: "half 10".

    Words that code reads as a time say that one: "7 pm".
    """
    folded = fold(quote)
    if not clock.minute or clock.minute % _QUARTER or any(moments_in(folded, evidence.presumed_now)):
        return False
    worded = {number.value for number in numbers_in(folded) if _is_worded(folded[slice(*number.place)])}
    worded.update(numeral.value for numeral in lone_numerals_in(folded))
    hours = worded.union(int(hit[0]) for hit in _HOUR.finditer(folded))
    return not hours.isdisjoint(_figures_of(clock.hour) | _figures_of(clock.hour + 1))


def _is_worded(number: str) -> bool:
    """Whether it is written in words: figures are looked at where they stand, without units and signs."""
    return not any(map(str.isdigit, number))


def _figures_of(hour: int) -> frozenset[int]:
    """The figures by which people name an hour: 14 or 2, and at midnight 0, 12 or 24."""
    hour %= 24
    return frozenset({hour, hour - 12} if hour > 12 else {0, 12, 24} if hour == 0 else {hour})  # noqa: PLR2004 - of a dial


def told_moment(leaf: Leaf, zone: tzinfo | None) -> tuple[date | None, time | None]:
    """The day and the time of day that a value means by the clock of the zone that somebody names, if one does."""
    there = moment_in(zone, leaf.text) if zone else None
    return (there.date(), there.time()) if there else moment_of(leaf.value) or (None, None)


def find_loose_mentions(leaf: Leaf, text: SourceText, evidence: Evidence) -> Iterator[Place]:
    """The places that may be read as the value."""
    if leaf.text and not any(map(str.isspace, leaf.text)):
        text.budget.spend(_STEPS_A_PLACE + len(text.folded) // CHARACTERS_A_STEP)
        yield from _find_joined(leaf, text)
        if any(map(str.isalpha, leaf.text)):
            yield from (places[0] for places in find_grouped_code(leaf, text, _MIN_GROUPED))
    if leaf.text.isascii() and leaf.text.isupper() and currency_of(leaf.text) == leaf.text:
        yield from (amount[:2] for amount in text.amounts if amount.currency == leaf.text)
    yield from _find_national_phone(leaf, text)
    yield from find_other_tellings(leaf, text, evidence)
    day, clock = told_moment(leaf, evidence.zone)
    if (day or clock) and len(text.folded) <= MAX_READ:
        # What names its own zone is read exactly, or is another moment.
        moments = [said for said in evidence.presumed_moments(text) if not said.zone or zone_of(leaf.text) is None]
        text.budget.spend(1 + len(moments) + len(text.folded) // _CHARACTERS_A_DAY_STEP)
        for places in places_of_moment(day, clock, moments):
            yield places[0][0], places[-1][1]
        if clock and not day and clock == time(clock.hour):
            read = [place for moment in moments for place in moment.parts]
            yield from (place for place in _find_hours(clock.hour, text) if not overlaps(read, *place))
        if day and not clock and evidence.presumed_now:
            yield from _find_days_without_year(day, evidence.presumed_now.date(), text)
            yield from _find_first_of_range(day, moments, text)


def _find_first_of_range(day: date, moments: Sequence[Moment], text: SourceText) -> Iterator[Place]:
    """The figure alone of a day whose month the later day of a range tells: del 4 al 6 de mayo."""
    later = {moment.start for moment in moments if moment.day and day < moment.day <= day.replace(day=_last_day(day))}
    for hit in DAY_OF_MONTH.finditer(text.folded) if later else ():
        between = text.folded[hit.end() : hit.end() + _MAX_BETWEEN]
        begins = {hit.end() + length for length in range(len(between) + 1) if not _FIGURE.search(between[:length])}
        if not hit["month"] and int(hit["day"]) == day.day and not later.isdisjoint(begins):
            yield hit.span()


def _last_day(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _find_days_without_year(day: date, today: date, text: SourceText) -> Iterator[Place]:
    """A day of the month in figures, with the month's or alone, where the value is the next such day: 23.12., 28th."""
    yield from (place for place, meant in days_without_year_in(text.folded, today) if meant == day)


def _find_national_phone(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A telephone number with its country's code, where the user writes it as it is dialled within the country."""
    if not leaf.text.startswith("+") or not PHONE.fullmatch(leaf.text):
        return
    text.budget.spend(1 + len(text.folded) // CHARACTERS_A_STEP)
    for hit in islice(PHONE.finditer(text.folded), MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        # The pattern also takes what stands behind a number: "(uk)", or the end of a sentence.
        written = hit[0].rstrip(" ()./-").lstrip(" )./-")
        if is_national_form(leaf.text, written):
            begin = hit.start() + hit[0].index(written)
            yield begin, begin + len(written)


def _find_hours(hour: int, text: SourceText) -> Iterator[Place]:
    """Where a full hour is said by its figure alone: "2 till 4", "at six"."""
    figures = _figures_of(hour)
    worded = (place for figure in figures for place in text.numbers.get(Decimal(figure), ()))
    places = {place for place in worded if _is_worded(text.folded[slice(*place)])}
    yield from sorted(places.union(hit.span() for hit in _HOUR.finditer(text.folded) if int(hit[0]) in figures))


def _find_joined(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A value against signs of a script without spaces; a number also beside one that multiplies: 1200x630, 2.5時間."""
    number = number_of(leaf.value)
    beside = (_TIMES_BEFORE, _TIMES_BEHIND) if number is not None else ()
    # The figures of 3万 say no 3.
    read = () if number is None else tuple(chain.from_iterable(text.numbers.values()))
    text.budget.spend(1 + len(read))
    for hit in islice(re.finditer(re.escape(leaf.folded), text.folded), MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        if _has_edges(text.folded, *hit.span(), beside=beside) and not overlaps(read, *hit.span()):
            yield hit.span()


def _has_edges(text: str, start: int, end: int, *, beside: tuple[re.Pattern[str], ...]) -> bool:
    """Whether words may end at both places, and at one of them only to whoever reads them."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    is_read_before = _parts_words(text, start) or bool(beside and beside[0].fullmatch(before))
    is_read_behind = _parts_words(text, end) or bool(beside and beside[1].fullmatch(behind))
    return (
        (is_read_before or is_read_behind)
        and (is_read_before or not _GLUED_BEFORE.search(before))
        and (is_read_behind or not _GLUED_BEHIND.match(behind))
    )


def _parts_words(text: str, at: int) -> bool:
    """Whether a word may end before this character in a script that does not part them."""
    pair = text[max(at - 1, 0) : at + 1]
    is_inside = 0 < at < len(text) and all(sign.isalnum() for sign in pair)
    return is_inside and _UNPARTED.search(pair) is not None and not _WITHIN_SYLLABLE.match(pair, 1)
