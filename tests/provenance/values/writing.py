"""Values as CLDR writes them in each language."""

import gc
from collections.abc import Callable, Iterable
from time import process_time
from typing import Final

from hypothesis import strategies as st

from reviews.provenance.values.locales import LOCALES

LOCALE: Final = st.sampled_from(LOCALES)
# Pieces of the things that are read: put together at random they break readers that text of single signs does not.
_PIECES: Final = (
    "1", "12", "2026", "05", ",", ".", "'", " ", "-", "/", ":", "$", "€", "%", "+", "@", "#", "a", "k", "m", "p", "t",
    "may", "friday", "next", "in", "two", "hundred", "dreissig", "half", "hour", "am", "pm", "月", "日", "三", "\u2044",
    "٣", "z", "usd", "euro", "(", ")", "[", "]", "\n", "ab12cd", "million", "of", "the", "ago", "day", "week",
    # Half a surrogate pair.
    chr(0xD800),
)  # fmt: skip
TEXT: Final = st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=24).map("".join)


def stretched(read: Callable[[str], Iterable[object]], text: str, times: int = 3) -> float:
    """How many times as long a text of twice the length takes."""
    seconds: dict[int, float] = {}
    for factor in (1, 2):
        doubled = text * factor
        seconds[factor] = min(_seconds(read, f"{doubled}{' ' * turn}") for turn in range(times))
    return seconds[2] / seconds[1]


def _seconds(read: Callable[[str], Iterable[object]], text: str) -> float:
    # What else the process keeps is no part of the work.
    gc.disable()
    begun = process_time()
    for _ in read(text):
        pass
    seconds = process_time() - begun
    gc.enable()
    return seconds
