"""Readings of texts that are asked for again: calls of one conversation share most of what was said before them."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

T = TypeVar("T")

# Characters. Longer ones are read in linear time anyway, and would make the memory that this takes unbounded.
MAX_REMEMBERED: Final = 20_000
# A long conversation has some dozens of sources; a process works on one or two conversations at a time.
_MAX_TEXTS: Final = 128


def cache_short_texts(read: Callable[[str], T]) -> Callable[[str], T]:
    """The same reading, not done again for a short text that was read lately. What it returns is shared: no change."""
    remembered = lru_cache(maxsize=_MAX_TEXTS)(read)

    @wraps(read)
    def read_or_remember(text: str) -> T:
        return remembered(text) if len(text) <= MAX_REMEMBERED else read(text)

    return read_or_remember
