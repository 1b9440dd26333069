"""Which half of the day an hour is in, by the part of the day beside it: 8:00 in the evening, 8 Uhr abends, 晚上8:00.

CLDR names the parts, tells their hours, and on which side of a time each language writes them. No time is read by
them that is not read without.
"""

import re
from functools import cache
from typing import Final

from reviews.provenance.values.locales import any_word_of, hours_of_day_periods

# Hours of half a day.
_NOON: Final = 12
# Of Chinese and Japanese, and of Korean, which is folded to its letters.
_JOINED: Final = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")
# Characters that the longest name takes.
_NEAR: Final = 24


def hours_beside_period(hour: int, text: str, start: int, end: int) -> tuple[int, ...]:
    """The hours of the day that an hour of a dial at this place of a folded text may be: one where a part tells it.

    What is in both halves by what stands beside it, or in neither, may be either.
    """
    either = (hour % _NOON, hour % _NOON + _NOON)
    behind, before = _behind().match(text, end), _before().search(text[max(0, start - _NEAR) : start])
    if behind:
        meant = hours_of_day_periods(before=False)[behind["name"]]
    elif before:
        meant = hours_of_day_periods(before=True)[before["name"]]
    else:
        return either
    within = tuple(reading for reading in either if reading in meant)
    return within if len(within) == 1 else either


@cache
def _behind() -> re.Pattern[str]:
    # What goes on behind the name is another word.
    return re.compile(rf" ?(?P<name>{any_word_of(hours_of_day_periods(before=False))})(?!\w)")


@cache
def _before() -> re.Pattern[str]:
    joined = joined_period_names()
    spaced = any_word_of(hours_of_day_periods(before=True).keys() - joined)
    return re.compile(rf"(?P<name>{any_word_of(joined)}|(?<![^\W\d])(?:{spaced})) ?$")


@cache
def joined_period_names() -> frozenset[str]:
    """The names that stand before a time in scripts in which other words may stand right before them."""
    return frozenset(filter(_JOINED.match, hours_of_day_periods(before=True)))
