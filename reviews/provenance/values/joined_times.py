"""Times of day in scripts without spaces, behind the part of the day as CLDR names it: 下午三点半, 午後3時, 晚上八点.

Without that part the hour is anything that has such a counter: 三点 are also three points.
"""

import re
from collections.abc import Iterator
from datetime import time
from functools import cache
from typing import Final

from reviews.provenance.text.fold import fold
from reviews.provenance.values.dates import Moment
from reviews.provenance.values.day_periods import hours_beside_period, joined_period_names
from reviews.provenance.values.locales import any_word_of
from reviews.provenance.values.numerals import read_ideographs

# Hours of half a day.
_NOON: Final = 12
_LAST_MINUTE: Final = 59
_FIGURES: Final = r"[0-9]{1,2}|[〇零一二两兩三四五六七八九十]{1,3}"
# Signs behind the hour and the minutes, and for half an hour, folded as texts are.
_HOUR, _MINUTE, _HALF = (any_word_of(map(fold, signs)) for signs in (("時", "时", "点", "點", "시"), "分분", "半반"))


def joined_clocks_in(text: str) -> Iterator[Moment]:
    """Every such time of day of a folded text."""
    for hit in _pattern().finditer(text) if not text.isascii() else ():
        hour, minute = (_number_of(hit[part] or "0") for part in ("hour", "minute"))
        if hour is None or minute is None or not 0 <= hour <= _NOON or minute > _LAST_MINUTE:
            continue
        readings = hours_beside_period(hour, text, *hit.span("hour"))
        if len(readings) == 1:
            yield Moment(*hit.span(), clock=time(readings[0], 30 if hit["half"] else minute))


def _number_of(figures: str) -> int | None:
    return int(figures) if figures.isascii() else read_ideographs(figures)


@cache
def _pattern() -> re.Pattern[str]:
    # What is not understood behind the hour may be a part of the time.
    return re.compile(
        rf"(?:{any_word_of(joined_period_names())}) ?(?P<hour>{_FIGURES}) ?(?:{_HOUR})"
        rf"(?: ?(?P<half>{_HALF})| ?(?P<minute>{_FIGURES}) ?(?:{_MINUTE})|(?! ?(?:{_FIGURES}|[间間過过差刻])))"
    )
