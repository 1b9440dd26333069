"""Values that are days or times of day, as one source says them. Times with a zone are compared as instants."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice, product

from reviews.provenance.core.context import SourceKind, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at, where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import Meaning, Moment, epoch_meant, meanings_of
from reviews.provenance.values.zone import home_zone, moved, spellings, zone_named

# Only such a parameter takes the zone that a text states.
_ABOUT_ZONES = re.compile(r"time[ _-]?zone|\btz\b|utc offset", re.I)
# Mentions of one day that are tried: the first that fits is shown, and a log may hold thousands.
_MENTIONS = 64
# Characters between a day and a time of day that belong together.
_NEAR = 16
# Times that mean the day as a whole, its beginning or its end.
_DAY_BOUNDS = (time(0, 0), time(23, 59), time(23, 59, 59))
# A day to put two times of day on, so that they can be compared.
_ANY_DAY = date(2000, 1, 3)
# Seconds.
_WEEK = 604800
# Between two walls anywhere: their clocks are up to 26 hours apart.
_FARTHEST_ZONE = timedelta(days=2)
# A time without a zone is in the user's own.
_SAME_ZONE = timedelta(0)
# Only the user and the system prompt say what zone is meant.
_SPOKEN = (SourceKind.USER_QUERY, SourceKind.SYSTEM_PROMPT)


@dataclass(frozen=True)
class Wall:
    """What a calendar and clock on the wall show when the value's moment comes, somewhere."""

    day: date | None
    clock: time | None
    zone: tzinfo | None = None
    """Where the wall is; None where the text names no zone."""


def dated(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as a day, a time of day, or both that the source says."""
    for meaning in _meanings(leaf):
        for wall in walls(text, meaning) if _may_name(text, meaning) else ():
            if found := _on_wall(text, wall):
                return found
    return None


def ending(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as the end that a start and a length in the source give."""
    # A day alone is no end: only a time of day may come of a start and a length.
    timed = [meaning for meaning in _meanings(leaf) if meaning.clock is not None]
    for meaning in timed if timed and text.durations else ():
        for wall in walls(text, meaning) if _may_name(text, meaning, _WEEK) else ():
            if found := _ending_on(text, wall):
                return found
    return None


def across(leaf: Leaf, texts: tuple[Indexed, ...]) -> Found | None:
    """The day from one source, the time of day from another."""
    for meaning in _meanings(leaf):
        if meaning.day and meaning.clock is not None:
            day = _first(texts, meaning, days=True)
            clock = _first(texts, meaning, days=False) if day else None
            if day and clock:
                note = f"The day is in {where(day.source)}, the time in {where(clock.source)}."
                return Found(Grounding.DERIVE, (day, clock), note)
    return None


def zoned(leaf: Leaf, text: Indexed) -> Found | None:
    """A time zone's name, such as America/New_York, that the source says in everyday words: "New York", "ET"."""
    if not isinstance(leaf.value, str) or not _ABOUT_ZONES.search(leaf.hint):
        return None
    for spelling in spellings(leaf.folded):
        if hit := re.search(rf"(?<![^\W_]){re.escape(spelling)}(?![^\W_])", text.folded.text):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    zones = zone_named(leaf.folded)
    for moment in text.moments if zones else ():
        if moment.zone in zones:
            return found_at(Grounding.NORMALIZE, _span(text, moment))
    return None


def walls(text: Indexed, meaning: Meaning) -> Iterator[Wall]:
    """The moment in every zone in which the source may speak of it.

    A text without a zone speaks of the user's own zone where that is told; a tool may also answer in the zone of
    the call. Without that knowledge the figures as they stand are all there is to compare.
    """
    home = home_zone(text.now)
    spoken = text.source.kind in _SPOKEN
    if meaning.clock is None or meaning.zone is None or home is None or not spoken:
        yield Wall(meaning.day, meaning.clock)
    if meaning.clock is None:
        return
    if meaning.zone and home:
        yield _wall_in(meaning, meaning.zone, home, text, named=None)
    for zone in list(dict.fromkeys(m.zone for m in text.moments if m.zone is not None))[:_MENTIONS]:
        if meaning.zone or home:
            yield _wall_in(meaning, meaning.zone or home or zone, zone, text, named=zone)
        if meaning.zone is None:
            yield Wall(meaning.day, meaning.clock, zone)


def days_on(text: Indexed, day: date | None) -> list[Moment]:
    """The mentions of a day."""
    return list(islice((m for m in text.moments if day is not None and m.on(day)), _MENTIONS))


def clocks_at(text: Indexed, day: date | None, clock: time | None, zone: tzinfo | None = None) -> list[Moment]:
    """The mentions of a time of day in a zone, or in none, that are not fixed to another day."""
    mentions = (
        m
        for m in text.moments
        if clock is not None and m.clock == clock and m.zone == zone and not _on_another_day(text, m, day)
    )
    return list(islice(mentions, _MENTIONS))


def _may_name(text: Indexed, meaning: Meaning, before: int = 0) -> bool:
    """Whether the text may name the day in some zone, or one up to so many seconds before it."""
    if meaning.day is None:
        return True
    moved_by = _FARTHEST_ZONE if meaning.clock is not None and (meaning.zone or home_zone(text.now)) else _SAME_ZONE
    try:
        return text.may_name(meaning.day - moved_by - timedelta(seconds=before), meaning.day + moved_by)
    except OverflowError:  # at either end of the calendar
        return True


def _meanings(leaf: Leaf) -> tuple[Meaning, ...]:
    return meanings_of(leaf.value) or epoch_meant(leaf.value, leaf.hint)


def _wall_in(meaning: Meaning, here: tzinfo, there: tzinfo, text: Indexed, *, named: tzinfo | None) -> Wall:
    today = text.now.date() if text.now else _ANY_DAY
    day, clock = moved(meaning.day, meaning.clock or time(), here, there, today)
    return Wall(day, clock, named)


def _on_wall(text: Indexed, wall: Wall) -> Found | None:
    days, clocks = days_on(text, wall.day), clocks_at(text, wall.day, wall.clock, wall.zone)
    if wall.day is None:
        return found_at(Grounding.NORMALIZE, _span(text, clocks[0])) if clocks else None
    if wall.clock is None or (not clocks and wall.clock in _DAY_BOUNDS and wall.zone is None):
        # "End of May" says more than the "of May" in it.
        return found_at(Grounding.NORMALIZE, _span(text, max(days, key=lambda m: m.end - m.start))) if days else None
    if not days or not clocks:
        return None
    day, clock = min(product(days, clocks), key=lambda pair: _distance(*pair))
    if _distance(day, clock) <= _NEAR:
        return found_at(Grounding.NORMALIZE, text.span(min(day.start, clock.start), max(day.end, clock.end)))
    spans = (_span(text, day), _span(text, clock))
    return Found(Grounding.DERIVE, spans, "The day and the time are both in " + where(text.source.id) + ".")


def _ending_on(text: Indexed, wall: Wall) -> Found | None:
    if wall.clock is None:
        return None
    end = datetime.combine(wall.day or _ANY_DAY, wall.clock)
    for length in text.durations if end.year > 1 else ():
        start = end - timedelta(seconds=int(length.seconds)) if length.seconds < _WEEK else end
        starts = clocks_at(text, wall.day and start.date(), start.time(), wall.zone) if start < end else []
        # "In an hour" is a time of day already, not also a length from then on.
        clocks = [m for m in starts if not m.start <= length.start < m.end]
        days = days_on(text, start.date())
        if clocks and (days or wall.day is None):
            spans = (*(_span(text, m) for m in (*days[:1], clocks[0])), text.span(length.start, length.end))
            return Found(Grounding.DERIVE, spans, "The start and the length give this end.")
    return None


def _first(texts: tuple[Indexed, ...], meaning: Meaning, *, days: bool) -> Span | None:
    for text in texts:
        for wall in walls(text, meaning) if not days or _may_name(text, meaning) else ():
            clocks = clocks_at(text, wall.day, wall.clock, wall.zone) if not days else ()
            for mention in days_on(text, wall.day) if days else clocks:
                return _span(text, mention)
    return None


def _on_another_day(text: Indexed, clock: Moment, day: date | None) -> bool:
    bound = text.days_before.get(clock.start, ())
    return day is not None and bool(bound) and not any(m.on(day) for m in bound)


def _distance(one: Moment, other: Moment) -> int:
    return max(one.start, other.start) - min(one.end, other.end)


def _span(text: Indexed, moment: Moment) -> Span:
    return text.span(moment.start, moment.end)
