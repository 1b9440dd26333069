"""Sources as they were read before: each call of a conversation is judged after the outcomes of the calls before it."""

import re
from datetime import datetime, time
from threading import Lock

from cachetools import LRUCache

from reviews.provenance.core.context import Source
from reviews.provenance.records.index import Indexed

MOST_CHARACTERS = 4_000_000
"""Of the sources kept in this process, the least recently used leaving first. What is read of one takes about twenty
bytes for each character."""
# A text that counts minutes or hours from now reads differently each minute; all others once a day.
_BY_THE_MINUTE = re.compile(r"\b(?:minute|hour)s?\b", re.I)

_Key = tuple[Source, datetime | None, frozenset[str]]
# By characters, since that is what a text costs; one more each, so that empty ones are counted.
_cache: LRUCache[_Key, Indexed] = LRUCache(MOST_CHARACTERS, getsizeof=lambda text: len(text.source.text) + 1)
# The cache itself is not safe to use from two threads.
_lock = Lock()


def indexed(source: Source, now: datetime | None, arguments: frozenset[str]) -> Indexed:
    """The source with what it mentions at that moment. `arguments`: the values of the call this is the outcome of."""
    key = (source, _moment(source, now), arguments)
    with _lock:
        text = _cache.get(key)
        if text is None:
            text = Indexed(*key)
            if len(source.text) < MOST_CHARACTERS:
                _cache[key] = text
    return text


def forget() -> None:
    """Keep nothing: for measuring what reading costs."""
    with _lock:
        _cache.clear()


def _moment(source: Source, now: datetime | None) -> datetime | None:
    """The clock as far as the source depends on it: unless it speaks of minutes or hours, the day is enough."""
    folded = source.text.lower()
    # Most texts have neither, which a plain search tells much sooner.
    spoken = ("minute" in folded or "hour" in folded) and _BY_THE_MINUTE.search(source.text)
    if now is None or spoken:
        return now
    return datetime.combine(now.date(), time.min, now.tzinfo)
