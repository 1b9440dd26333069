"""Times of day in scripts without spaces, behind the half of the day as CLDR names it: 下午三点半, 午後3時.

Without that half the hour is anything that has such a counter: 三点 are also three points.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import time
from functools import cache
from typing import Final

from babel import Locale

from reviews.provenance.text.fold import fold
from reviews.provenance.values.dates import Moment
from reviews.provenance.values.locales import any_word_of
from reviews.provenance.values.numerals import read_ideographs

_LOCALES: Final = ("ja", "zh", "zh_Hant", "ko")
_WIDTHS: Final = ("wide", "abbreviated")
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
        minute = 30 if hit["half"] else minute
        yield Moment(*hit.span(), clock=time(hour % _NOON + _halves()[hit["period"]], minute))


def _number_of(figures: str) -> int | None:
    return int(figures) if figures.isascii() else read_ideographs(figures)


@cache
def _halves() -> Mapping[str, int]:
    """The hours that each name of a half of the day adds."""
    names = ((Locale.parse(locale).day_periods["format"][width], locale) for locale in _LOCALES for width in _WIDTHS)
    return {
        fold(named[half]): hours
        for named, _ in names
        for half, hours in (("am", 0), ("pm", _NOON))
        if half in named and not named[half].isascii()
    }


@cache
def _pattern() -> re.Pattern[str]:
    # What is not understood behind the hour may be a part of the time.
    return re.compile(
        rf"(?P<period>{any_word_of(_halves())}) ?(?P<hour>{_FIGURES}) ?(?:{_HOUR})"
        rf"(?: ?(?P<half>{_HALF})| ?(?P<minute>{_FIGURES}) ?(?:{_MINUTE})|(?! ?(?:{_FIGURES}|[间間過过差刻])))"
    )
