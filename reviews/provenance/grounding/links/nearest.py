"""For a value without source: the most similar thing the context does say."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, time
from decimal import Decimal
from itertools import groupby
from operator import itemgetter

from rapidfuzz import fuzz, process

from reviews.provenance.core.context import TRUSTED, SourceKind, Span
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import Moment, moment_of
from reviews.provenance.values.number import number_of

# What is shown is fitted to whole words.
_WORD = re.compile(r"[^\s\"'<>()\[\]{},;]+")
# Characters of a word that are looked at: longer ones are no words.
_WORD_LENGTH = 200
# Signs that belong to the sentence around the words.
_EDGES = " \t\r\n\"'.,;:()[]{}<>"
# Characters of a source compared with a text value.
_READ = 50_000
# How many times the smaller of two numbers the larger may be: 30 is worth showing for 300, two is not for 210.75.
_FARTHEST = 10
# Of how many parts the number in data may differ by one: data say many numbers.
_TENTH = 10
# Days between days of about one time, and parts of a date that a slip leaves as they are.
_MONTH, _TWO_PARTS = 31, 2
# Lowest similarity, 0 to 100, worth showing.
_ALIKE = 60.0


def nearest(leaf: Leaf, texts: tuple[Indexed, ...]) -> Span | None:
    """The nearest number, address, day or phrase; of equally near ones the most trusted."""
    if not leaf.text:
        return None
    if "@" in leaf.text:
        return _address(leaf.folded, texts)
    # What the user says comes before what a system prompt says: that it is Tuesday today explains no other day.
    users = [text for text in texts if text.source.kind is SourceKind.USER_QUERY]
    others = [text for text in texts if text.source.kind is not SourceKind.USER_QUERY]
    tiers = [
        tier for tier in (users, *(list(t) for _, t in groupby(others, key=lambda text: text.source.trust))) if tier
    ]
    if (number := number_of(leaf.value)) is not None:
        return _number(tiers, number)
    if (moment := moment_of(leaf.value)) and (found := _moment(tiers, *moment)):
        return found
    return _phrase(leaf.folded, texts)


def _first(tiers: list[list[Indexed]], offers: Callable[[Indexed], Iterable[tuple[Decimal, Moment]]]) -> Span | None:
    """The mention at the smallest distance within the most trusted sources that have any."""
    for tier in tiers:
        found = [(distance, text, mention) for text in tier for distance, mention in offers(text)]
        if found:
            _, text, mention = min(found, key=itemgetter(0))
            return text.span(mention.start, mention.end)
    return None


def _moment(tiers: list[list[Indexed]], day: date | None, clock: time | None) -> Span | None:
    """The nearest day, or the nearest time where a source says the day itself."""
    texts = (text for tier in tiers for text in tier)
    is_stated = day is None or any(m.day == day for text in texts if text.may_name(day, day) for m in text.moments)
    if clock is not None and is_stated and (found := _first(tiers, lambda text: _clocks(text, clock))):
        return found
    if day is None:
        return None
    return _first(tiers, lambda text: _days(text, day))


def _days(text: Indexed, day: date) -> Iterator[tuple[Decimal, Moment]]:
    """The days that the user says, and of data those of about the same time or differing in one part alone."""
    for m in text.moments:
        if m.day is None:
            continue
        distance = abs((m.day - day).days)
        parts = (m.day.year == day.year) + (m.day.month == day.month) + (m.day.day == day.day)
        if text.source.kind in TRUSTED or distance <= _MONTH or parts >= _TWO_PARTS:
            yield Decimal(distance), m


def _number(tiers: list[list[Indexed]], number: Decimal) -> Span | None:
    """The nearest number that the most trusted sources with any say, unless it is another order of magnitude."""
    for tier in tiers:
        candidates = [(abs(value - number), value, text) for text in tier for value in text.near_numbers(number)]
        if candidates:
            distance, value, text = min(candidates, key=itemgetter(0))
            if sum(each[0] == distance and each[2] is text for each in candidates) > 1:
                # One as far below as another is above: the one that the text mentions first.
                value = next(each for each in text.numbers if abs(each - number) == distance)
            mention = text.numbers[value]
            if text.source.kind not in TRUSTED and distance > abs(number) / _TENTH:
                # Data say many numbers: one that is not near was hardly meant.
                return None
            low, high = min(abs(value), abs(number)), max(abs(value), abs(number))
            return text.span(mention.start, mention.end) if high <= max(low, Decimal(1)) * _FARTHEST else None
    return None


def _clocks(text: Indexed, clock: time) -> Iterator[tuple[Decimal, Moment]]:
    minutes = 60 * clock.hour + clock.minute
    mentions = ((m, 60 * m.clock.hour + m.clock.minute) for m in text.moments if m.clock is not None)
    return ((Decimal(abs(each - minutes)), m) for m, each in mentions)


def _address(value: str, texts: tuple[Indexed, ...]) -> Span | None:
    best: tuple[float, Span | None] = (0.0, None)
    for text in texts:
        match = process.extractOne(value, list(text.addresses), scorer=fuzz.ratio, score_cutoff=_ALIKE)
        if match and match[1] > best[0]:
            start = text.addresses[match[0]]
            best = (match[1], text.span(start, start + len(match[0])))
    return best[1]


def _phrase(value: str, texts: tuple[Indexed, ...]) -> Span | None:
    best: tuple[float, Span | None] = (_ALIKE, None)
    for text in texts:
        read = text.folded.text[:_READ]
        match = (
            fuzz.partial_ratio_alignment(value[:200], read, score_cutoff=best[0]) if len(value) <= len(read) else None
        )
        if match and match.score > best[0] and match.dest_end > match.dest_start:
            start, end = _to_words(read, match.dest_start, match.dest_end)
            best = (match.score, text.span(start, end)) if end > start else best
    return best[1]


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch fitted to whole words: a word that lies mostly inside is taken whole, another is left out."""
    for word in _WORD.finditer(text, max(0, start - _WORD_LENGTH), end + _WORD_LENGTH):
        inside = min(word.end(), end) - max(word.start(), start)
        mostly = 2 * inside > word.end() - word.start()
        if word.start() < start < word.end():
            start = word.start() if mostly else word.end()
        if word.start() < end < word.end():
            end = word.end() if mostly else word.start()
    part = text[start:end]
    return start + len(part) - len(part.lstrip(_EDGES)), start + len(part.rstrip(_EDGES))
