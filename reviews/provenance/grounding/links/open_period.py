"""Periods that the request leaves open: it says "since Monday", and the call must put an end to it.

Until when such a period runs is settled by the clock and by the data, not by the request: it runs to the last day
that is over, or to the last day for which there is data. Any other end is a choice nobody made.
"""

import re
from collections.abc import Iterator
from datetime import date, time, timedelta

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.naming import Mention
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import Moment, moment_of

# Parameters that take the end of a period.
_ENDS = frozenset("end finish stop to until till through max before latest upper last".split())
# "Since May" leaves the end open, "from May" only where "on" follows.
_BEFORE = re.compile(r"\b(?:since|starting(?: on| from)?|beginning(?: on| from)?)(?: on)?(?: the)? $")
_FROM = re.compile(r"\bfrom(?: the)? $")
_ONWARDS = re.compile(r" ?(?:on\b(?! (?!ward))|onwards?\b|forwards?\b)")
# "The last two weeks" end now.
_LAST = re.compile(r"(?:last|past|previous) (?:\d{1,3}|[a-z]+) [a-z]+s?")
# Words that open a period again, and name no end.
_UNSAID = re.compile(rf"since|so far|{_LAST.pattern}")
# "Since then" begins at a day that was named before.
_THEN = re.compile(r"\bsince then\b|\bfrom then on(?:wards?)?\b")
# Before this time of day there is nothing of the day to speak of.
_BARELY = time(1, 0)


def open_ended(leaf: Leaf, call: Call) -> Found | None:
    """The end of a period that the request leaves open, when it is an arbitrary one.

    Today competes with yesterday while today has barely begun, and with the last day of the data when these end
    earlier. An end before yesterday at which no data end goes against the request.
    """
    end = call.day_of(leaf)
    is_end = bool(_ENDS.intersection(words_of(leaf.name)))
    start = next((day for other, day in call.starts if other is not leaf), None) if is_end else None
    opening = next(_openings(start, call), None) if start and end else None
    if end is None or opening is None or _is_named(end, opening, call):
        return None
    last = _last_day(call)
    return None if last and last[0] == end else _objection_to(leaf, end, opening, last, call)


def _objection_to(leaf: Leaf, end: date, opening: Mention, last: tuple[date, Span] | None, call: Call) -> Found | None:
    today = call.now.date() if call.now else None
    if today and end < today - timedelta(days=1):
        note = f"“{opening.span.quote}” leaves the end open; nobody asked for an end on {leaf.text[:32]}."
        return Found(Grounding.UNGROUNDED, (), note, against=(opening.span,))
    if today not in (None, end):
        return None
    if last and last[0] < end:
        return _other_end(leaf, opening, last[0], (last[1],), "The data end before.")
    if today and _barely_begun(leaf, call):
        return _other_end(leaf, opening, today - timedelta(days=1), (), "That day has hardly begun.")
    return None


def _openings(start: date, call: Call) -> Iterator[Mention]:
    """The stretches of the user's messages that start a period on this day and leave its end open."""
    for text in call.messages:
        folded = text.folded.text
        begun = [moment for moment in text.moments if moment.on(start)]
        for moment in begun:
            if (opening := _opening_at(text, moment)) is not None:
                yield opening
        for hit in _THEN.finditer(folded) if begun else ():
            yield Mention(text, *hit.span())


def _opening_at(text: Indexed, moment: Moment) -> Mention | None:
    folded = text.folded.text
    lead = max(0, moment.start - 24)
    if hit := _BEFORE.search(folded[lead : moment.start]):
        return Mention(text, lead + hit.start(), moment.end)
    if _LAST.fullmatch(_words(text, moment)):
        return Mention(text, moment.start, moment.end)
    hit, tail = _FROM.search(folded[lead : moment.start]), _ONWARDS.match(folded, moment.end)
    return Mention(text, lead + hit.start(), tail.end()) if hit and tail else None


def _is_named(end: date, opening: Mention, call: Call) -> bool:
    """Whether the user names this day apart from the words that open the period."""
    for text in call.messages:
        for moment in text.moments:
            within = text is opening.text and opening.start <= moment.start and moment.end <= opening.end
            if moment.on(end) and not within and not _UNSAID.fullmatch(_words(text, moment)):
                return True
    return False


def _words(text: Indexed, moment: Moment) -> str:
    return text.folded.text[moment.start : moment.end]


def _last_day(call: Call) -> tuple[date, Span] | None:
    """The last day of the series looked up, unless the lookup itself cut them off there."""
    found = []
    for text, series in call.series:
        point = series.points[-1]
        bounds = (moment[0] for argument in text.asked if (moment := moment_of(argument)))
        if point.day not in bounds:
            found.append((point.day, point.span))
    return max(found, default=None, key=lambda pair: pair[0])


def _barely_begun(leaf: Leaf, call: Call) -> bool:
    """Whether the value takes in a whole day of which nothing has passed yet."""
    clock = call.clock_of(leaf)
    begun = call.now is not None and call.now.time() >= _BARELY
    return not begun and (clock is None or clock > _BARELY)


def _other_end(leaf: Leaf, opening: Mention, other: date, spans: tuple[Span, ...], why: str) -> Found:
    note = f"“{opening.span.quote}” leaves the end open; this takes {leaf.text[:32]}. {why}"
    competing = Competing(other.isoformat(), spans or (opening.span,), f"Up to {other.isoformat()}")
    return Found(Grounding.COMPETING, (opening.span, *spans), note, (competing,))
