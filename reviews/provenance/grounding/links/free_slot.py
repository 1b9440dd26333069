"""The first free time: when the request leaves the start of something to the calendar, the calendar must be read.

"At the earliest time I'm free tomorrow" has one answer, the first gap that is long enough between that day's entries,
within the hours that the situation allows. Without a listing of that day it has none that anyone could know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from operator import attrgetter

from reviews.provenance.core.context import Span, Step, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.calendar_entries import Entry, entries_on
from reviews.provenance.records.index import LONGEST, Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.duration import seconds_of
from reviews.provenance.values.moment import clocks_in, instant_of, moment_of

# Whose time it is: only the user's own calendar was looked up.
_OWN = r"(?:i am|i'm|im|we are|we're|i can|we can|i could|i have|my)"
# What makes it a question of free time.
_FREE = r"(?:free|available|open|do|make|meet|time|slot|gap|calendar|space)"
# "The first time I am free tomorrow"; the words stand close together, or they speak of different things.
_FIRST_FREE = re.compile(
    rf"\b(?:earliest|first|soonest|next)\b[\w ,']{{0,24}}?\b{_OWN} (?:[a-z]{{1,8}} )?{_FREE}\b"
    r"|\bas soon as (?:i am|i'm|im|we are|we're) (?:free|available)\b"
    r"|\bmy (?:earliest|first|next) (?:free|open|available)(?: \w+)?"
)
# Parameters that take the start of the slot.
_START = frozenset("start starts begin begins from time when at datetime date slot".split())
# Parameters that bound a look-up of the calendar, from below and from above.
_LOWER = frozenset("start begin from since min after".split())
_UPPER = frozenset("end ends finish stop until till to before max duration length due deadline".split())
# Parameters that take its length.
_LENGTH = frozenset("duration length minutes mins hours".split())
# Words in a tool's name that make its result a calendar.
_CALENDAR = frozenset(
    "calendar calendars event events meeting meetings appointment appointments schedule agenda availability busy "
    "booking bookings freebusy diary".split()
)
# Arguments that narrow a look-up: what it returned is then not the whole calendar.
_FILTERS = frozenset(
    "query q search filter keyword keywords text title subject name participant participants attendee attendees email "
    "with person user owner organizer".split()
)
# Values of such an argument that narrow nothing: the calendar is the user's own.
_ME = frozenset("me my self primary default mine own".split())
# What the user's working hours may be told of.
_HOURS = re.compile(r"\b(?:meetings?|hours|appointments?|events?|calls?|work(?:ing)?(?: ?day)?|office|business)\b")
# Hours and slot are read by sentence: those of another one are not about this slot.
_SENTENCE = re.compile(r"[^.;\n]+")
# Characters of a message or system prompt that are read for this.
_READ = 20_000


@dataclass(frozen=True)
class _Hours:
    """From when to when something may be arranged."""

    opening: time
    closing: time
    span: Span


def first_free(leaf: Leaf, call: Call) -> Found | None:
    """The start of something that the request puts at the user's first free time.

    Derived from that day's listing when it is the first gap; against the listing when it is not; against the request
    when no listing of that day was read. None where the request asks for no such thing or the hours are unknown.
    """
    words = set(words_of(leaf.name))
    start = instant_of(leaf.value) if words & _START and not words & _UPPER else None
    # The latest message first.
    hits = ((text, hit) for text in call.messages for hit in _FIRST_FREE.finditer(text.folded.text[:_READ]))
    request = next((text.span(*hit.span()) for text, hit in hits), None) if start else None
    if start is None or request is None:
        return None
    listings = [text for text in call.data if _shows_day(text, call, start.date())]
    if not listings:
        note = f"Nothing that was looked up lists the user's own calendar of {start:%Y-%m-%d}."
        return _against(note, request)
    entries = [entry for text in listings for entry in entries_on(text, start.date())]
    return _compare_with_calendar(
        start, timedelta(seconds=_length(leaf, call)), sorted(entries, key=attrgetter("start")), request, call
    )


def _compare_with_calendar(
    start: datetime, length: timedelta, entries: list[Entry], request: Span, call: Call
) -> Found | None:
    taken = next((entry for entry in entries if entry.start < start + length and start < entry.end), None)
    if taken:
        note = f"{start:%H:%M} is taken: an entry begins at {taken.start:%H:%M}; “{request.quote}” is asked for."
        return _against(note, request, taken.span)
    hours = next(_hours(call), None)
    first = _first_gap(start.date(), length, entries, hours, call.now) if hours and length else None
    if hours is None or first is None:
        return None
    lasting = f"first free {int(length.total_seconds() // 60)} minutes of that day start at {first:%H:%M}"
    if first == start:
        earlier = tuple(entry.span for entry in entries if entry.start < start)
        return Found(Grounding.DERIVE, (request, *earlier, hours.span), f"The {lasting}.")
    neighbour = next((entry.span for entry in reversed(entries) if entry.end <= first), hours.span)
    return _against(f"“{request.quote}” is asked for; the {lasting}.", request, neighbour)


def _first_gap(
    day: date, length: timedelta, entries: list[Entry], hours: _Hours, now: datetime | None
) -> datetime | None:
    """The first moment from which nothing is entered for that long; None when the day is full."""
    free, closing = datetime.combine(day, hours.opening), datetime.combine(day, hours.closing)
    if now and now.date() == day:
        free = max(free, now.replace(tzinfo=None))
    for entry in entries:
        if entry.start - free >= length:
            break
        free = max(free, entry.end)
    return free if closing - free >= length else None


def _length(leaf: Leaf, call: Call) -> float:
    """Seconds that the call itself takes up; 0 when it does not say."""
    others = [other for other in call.leaves if other is not leaf]
    durations = (other for other in others if _LENGTH.intersection(words_of(other.name)))
    lengths = (
        seconds for other in durations for seconds in seconds_of(other.value, other.hint) if 0 < seconds < LONGEST
    )
    if length := next(lengths, None):
        return float(length)
    start = instant_of(leaf.value)
    later = [end for other in others if start and (end := instant_of(other.value)) and end > start]
    return (min(later) - start).total_seconds() if start and later else 0.0


def _shows_day(text: Indexed, call: Call, day: date) -> bool:
    """Whether this output shows what the user's own calendar holds on that day."""
    step = call.steps.get(text.source.id)
    if step is None:
        return False
    about = bool(_CALENDAR.intersection(words_of(step.tool))) or any(entries_on(text, day))
    return about and _covers(step, day) and not any(_narrows(leaf, call) for leaf in _texts_of(step))


def _texts_of(step: Step) -> Iterator[Leaf]:
    """What a lookup was called with, in words."""
    for pointer, value in leaves(dict(step.arguments)):
        if isinstance(value, str) and value.strip():
            yield Leaf(value, pointer)


def _narrows(leaf: Leaf, call: Call) -> bool:
    """Whether an argument of a lookup keeps it to something or somebody."""
    if moment_of(leaf.value) or leaf.folded in _ME:
        return False
    named = bool(_FILTERS.intersection(words_of(leaf.name))) or "@" in leaf.text
    return named or any(any(True for _ in occurrences(text.folded.text, leaf.folded)) for text in call.messages)


def _covers(step: Step, day: date) -> bool:
    """Whether a lookup reaches that day, by the days among its arguments."""
    dated = [(set(words_of(leaf.name)), moment[0]) for leaf in _texts_of(step) if (moment := moment_of(leaf.value))]
    lowest = [low for words, low in dated if low and not words & _UPPER]
    highest = [high for words, high in dated if high and not words & _LOWER]
    return all(low <= day for low in lowest) and all(day <= high for high in highest)


def _hours(call: Call) -> Iterator[_Hours]:
    """The hours that the situation or the user states."""
    for text in (*call.situation, *call.messages):
        for sentence in _SENTENCE.finditer(text.folded.text[:_READ]):
            if not _HOURS.search(sentence.group()):
                continue
            clocks = sorted((m.start, m.clock) for m in clocks_in(sentence.group()) if m.clock is not None)
            later = [clock for at, clock in clocks if at > clocks[0][0] and clock > clocks[0][1]]
            if later:
                yield _Hours(clocks[0][1], later[0], text.span(*sentence.span()))


def _against(note: str, *spans: Span) -> Found:
    return Found(Grounding.UNGROUNDED, (), note, nearest=spans[-1], against=spans)
