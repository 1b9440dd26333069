"""Where words say a value to whoever reads them, as far as code can hold the two against each other.

What code checks: that the value's figures stand there whole, that its letters do, that a weekday is that day by what
is most likely the clock, and that a choice is not another one of the list.
"""

import re
from collections.abc import Iterator
from datetime import date, time, tzinfo
from itertools import islice
from typing import Final

from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.readings.conversions import MAX_PLACES, find_conversions, find_joined
from reviews.provenance.terms.readings.days import (
    find_days_without_year,
    find_first_of_range,
    may_mean_day,
    may_mean_weekday,
)
from reviews.provenance.terms.readings.times_of_day import find_times, may_mean_time
from reviews.provenance.terms.readings.unparted_numbers import find_unparted
from reviews.provenance.terms.readings.worded_numbers import MAX_WORDS
from reviews.provenance.terms.readings.worded_texts import find_worded_text
from reviews.provenance.terms.same_value import PHONE
from reviews.provenance.terms.value_mentions import CHARACTERS_A_STEP, MAX_READ, find_grouped_code, places_of_moment
from reviews.provenance.text.boundaries import Place, overlaps, stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_identifier
from reviews.provenance.values.moments import moment_of, zone_of
from reviews.provenance.values.money import currency_of
from reviews.provenance.values.months import is_next_to, month_of, months_in
from reviews.provenance.values.phones import is_national_form
from reviews.provenance.values.zones import moment_in

# Signs of letters and figures from which people may part them to whoever reads it: 3512 JE.
_MIN_GROUPED: Final = 4
# A word or a code as a whole.
_TOKEN: Final = re.compile(r"[\w/@#&-]+")
# Characters that are looked through for a day's figures in one step of the budget: each is looked at.
_CHARACTERS_A_DAY_STEP: Final = 4
# Where a field takes a moment, a day is written as the first or the last one of it.
_ENDS_OF_DAY: Final = (time(), time(23, 59), time(23, 59, 59))
# To make the pattern of a value, or to look at one of its places.
_STEPS_A_PLACE: Final = 16


def may_mean(leaf: Leaf, quote: str, evidence: Evidence) -> bool:
    """Whether words that hold no such value can still say it: a switch, a listed choice, "tomorrow", "half an hour".

    Words that name another choice of the list, or another day, say that one.
    """
    # A code or a figure says nothing of a switch.
    words = _TOKEN.findall(quote)
    if not any(word.isalpha() and not is_identifier(word) for word in words):
        return False
    if isinstance(leaf.value, bool) or may_mean_weekday(leaf, quote):
        return True
    if (month := month_of(leaf.text)) and evidence.presumed_now:
        is_told = any(map(str.isdigit, quote)) or any(months_in(fold(quote)))
        return is_next_to(month, evidence.presumed_now.date()) and not is_told and len(quote) <= MAX_WORDS
    day, clock = moment_of(leaf.value) or (None, None)
    if day and not clock:
        return may_mean_day(day, quote, evidence)
    if clock and not day and len(quote) <= MAX_WORDS:
        return may_mean_time(clock, quote, evidence)
    choices = set(map(fold, leaf.choices))
    return leaf.folded in choices and not any(stands_in(fold(quote), choice) for choice in choices - {leaf.folded})


def find_readings(leaf: Leaf, text: SourceText, evidence: Evidence) -> Iterator[Place]:
    """The places that may be read as the value."""
    if leaf.text:
        text.budget.spend(_STEPS_A_PLACE + len(text.folded) // CHARACTERS_A_STEP)
        yield from find_joined(leaf, text)
        if not any(map(str.isspace, leaf.text)) and any(map(str.isalpha, leaf.text)):
            yield from (places[0] for places in find_grouped_code(leaf, text, _MIN_GROUPED))
    if leaf.text.isascii() and leaf.text.isupper() and currency_of(leaf.text) == leaf.text:
        yield from (amount[:2] for amount in text.amounts if amount.currency == leaf.text)
    yield from _find_national_phone(leaf, text)
    yield from find_conversions(leaf, text, evidence)
    yield from find_worded_text(leaf, text)
    yield from find_unparted(leaf, text)
    day, clock = local_moment(leaf, evidence.zone)
    if (day or clock) and len(text.folded) <= MAX_READ:
        # What names its own zone is read exactly, or is another moment.
        moments = [
            moment for moment in evidence.presumed_moments(text) if not moment.zone or zone_of(leaf.text) is None
        ]
        text.budget.spend(1 + len(moments) + len(text.folded) // _CHARACTERS_A_DAY_STEP)
        for places in places_of_moment(day, clock, moments):
            yield places[0][0], places[-1][1]
        if clock and not day:
            read = [place for moment in moments for place in moment.parts]
            yield from (place for place in find_times(clock, text) if not overlaps(read, *place))
        if day and clock in _ENDS_OF_DAY:
            alone = [moment for moment in moments if moment.clock is None]
            yield from (places[0] for places in places_of_moment(day, None, alone))
        if day and (not clock or clock in _ENDS_OF_DAY) and evidence.presumed_now:
            yield from find_days_without_year(day, evidence.presumed_now.date(), text)
            yield from find_first_of_range(day, moments, text)


def _find_national_phone(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """A telephone number with its country's code, where the user writes it as it is dialled within the country."""
    if not leaf.text.startswith("+") or not PHONE.fullmatch(leaf.text):
        return
    text.budget.spend(1 + len(text.folded) // CHARACTERS_A_STEP)
    for hit in islice(PHONE.finditer(text.folded), MAX_PLACES):
        text.budget.spend(_STEPS_A_PLACE)
        # The pattern also takes what stands behind a number: "(uk)", or the end of a sentence.
        figures = hit[0].rstrip(" ()./-").lstrip(" )./-")
        if is_national_form(leaf.text, figures):
            begin = hit.start() + hit[0].index(figures)
            yield begin, begin + len(figures)


def local_moment(leaf: Leaf, zone: tzinfo | None) -> tuple[date | None, time | None]:
    """The day and the time of day that a value means by the clock of the zone that somebody names, if one does."""
    there = moment_in(zone, leaf.text) if zone else None
    return (there.date(), there.time()) if there else moment_of(leaf.value) or (None, None)
