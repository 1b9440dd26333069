"""Where a text says a value: to the character, or in another spelling that code can compute."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from itertools import islice
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import LINK
from reviews.provenance.terms.same_value import (
    MIN_GROUPED,
    PHONE,
    has_other_figures,
    is_disguised,
    is_respelt_code,
    names_another_code,
    ungroup,
    unit_of_number,
    unit_of_text,
)
from reviews.provenance.text.boundaries import (
    MAX_CANDIDATES,
    Place,
    find_occurrences,
    is_separated,
    overlaps,
    stands_alone,
)
from reviews.provenance.values.durations import seconds_of
from reviews.provenance.values.moments import Moment, moment_of, zone_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.phones import last_figures, same_phone

MAX_MENTIONS: Final = 64
"""Places of one value in one text that are looked at: more tell nothing new."""
# Characters of a code that people group with blanks or hyphens when they write it.
_MAX_GROUPED: Final = 64
MAX_READ: Final = 20_000
"""Characters of a text in which lengths of time, and days, are looked for: they are read slowly."""
CHARACTERS_A_STEP: Final = 256
"""Of a text that is searched for a value: a search is far quicker than a loop."""
# To look at a place where the value may stand, or a number beside it.
_STEPS_A_PLACE: Final = 4
# Of however short a text every reader is asked.
_STEPS_A_TEXT: Final = 16
# A pattern that begins like the value is tried at each such place.
_CHARACTERS_A_PATTERN_STEP: Final = 16
# Half of the distance at which the last such day and the next are equally near.
_NEAR: Final = timedelta(days=90)
# Between two sentences.
_ENDED: Final = re.compile(r"[.!?:\n][ \n]*$")
_MAX_ENDED: Final = 3
_JOINED: Final = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+)+")


@dataclass(frozen=True, slots=True)
class Mention:
    """One place, or the places of the parts, at which a folded text says a value."""

    places: tuple[Place, ...]
    how: Grounding

    @property
    def place(self) -> Place:
        """From the beginning of its first part to the end of the last."""
        return self.places[0][0], self.places[-1][1]


def mentions_of(leaf: Leaf, text: SourceText) -> Sequence[Mention]:
    """Every place at which the text says the value, none twice; at most `MAX_MENTIONS`."""
    # Search, proofs and doubts ask for the same value one after the other; the name tells the unit of a length.
    key = (leaf.text, type(leaf.value).__name__, leaf.name)
    if key not in text.mentions:
        text.budget.spend(_STEPS_A_TEXT + len(text.folded) // CHARACTERS_A_STEP)
        by_places: dict[tuple[Place, ...], Mention] = {}
        for mention in islice(_find_mentions(leaf, text), MAX_MENTIONS) if leaf.text else ():
            by_places.setdefault(mention.places, mention)
        text.mentions[key] = tuple(by_places.values())
    return text.mentions[key]


def _find_mentions(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    yield from _match_verbatim(leaf, text)
    if is_respelt_code(leaf):
        return
    for find_other_spelling in (
        _find_worded_name, _find_number, _find_moment, _find_duration, find_grouped_code, _find_link, _find_phone,
    ):  # fmt: skip
        for places in find_other_spelling(leaf, text):
            yield Mention(places, Grounding.NORMALIZE)


def spans_with(leaf: Leaf, text: SourceText) -> Iterator[Span]:
    """The evidence that each mention of the value is."""
    return (text.span(*mention.place) for mention in mentions_of(leaf, text))


def has_other_reading(leaf: Leaf, mention: Mention, text: SourceText) -> bool:
    """Whether the place that says the value may say another: 03/04/2026, 12.500, 7:30 in either half of the day.

    A text that is copied to the character leaves the reading to whoever runs the call.
    """
    if mention.how is Grounding.COPY and isinstance(leaf.value, str):
        return False
    if number_of(leaf.value) is None and len(set(seconds_of(leaf.text, leaf.name))) > 1:
        # A length of 1:30 may be hours or minutes itself.
        return True
    if meant := moment_of(leaf.value):
        text.budget.spend(1 + len(text.moments))
        zone = zone_of(leaf.text)
        return any(
            overlaps(mention.places, *moment.place) and _says_otherwise(moment, *meant, zone, text.now)
            for moment in text.moments
        )
    number = number_of(leaf.value)
    if number is None:
        return False
    if any(has_other_figures(leaf, text.folded[start:end]) for start, end in mention.places):
        return True
    text.budget.spend(1 + _STEPS_A_PLACE * sum(map(len, text.numbers.values())))
    rivals = (place for value, places in text.numbers.items() if value != number for place in places)
    # Of copied figures no longer reading counts: the share of "30%".
    is_copied, end = mention.how is Grounding.COPY, mention.place[1]
    return any(overlaps(mention.places, *place) and (place[1] == end or not is_copied) for place in rivals)


def _says_otherwise(
    moment: Moment, day: date | None, clock: time | None, zone: timedelta | None, now: datetime | None
) -> bool:
    """Whether this reading differs from the day, the time and the zone that a value says."""
    # The text names this very offset with the time of day, or none where the value has none.
    is_in_zone = zone is None if moment.zone is None else zone is not None and moment.zone.utcoffset(None) == zone
    if clock and moment.clock and (moment.clock != clock or not is_in_zone):
        return True
    if day is None or moment.day is None or (moment.day == day and not moment.any_year):
        return False
    # Who leaves out the year speaks of the next such day if that is near; else the last one may be meant as well.
    is_same_but_for_year = (moment.day.month, moment.day.day) == (day.month, day.day)
    return not (is_same_but_for_year and now is not None and timedelta() <= day - now.date() <= _NEAR)


def _find_places(value: str, text: SourceText) -> Iterator[int]:
    """Where the value stands alone."""
    candidates = min(text.folded.count(value), MAX_CANDIDATES) if value else 0
    text.budget.spend(_STEPS_A_PLACE * candidates)
    return find_occurrences(text.folded, value) if candidates else iter(())


def _match_verbatim(leaf: Leaf, text: SourceText) -> Iterator[Mention]:
    number = number_of(leaf.value)
    for at in _find_places(leaf.folded, text):
        end = at + len(leaf.folded)
        # The full stop behind a word says no ".".
        if not any(map(str.isalnum, leaf.folded)) and any(map(str.isalnum, text.folded[max(0, at - 1) : end + 1])):
            continue
        quote = text.span(at, end).quote
        is_respelt = is_disguised(leaf.text) or is_respelt_code(leaf)
        # At the beginning of a sentence people and their keyboards write a capital.
        opens = not at or _ENDED.search(text.folded, max(0, at - _MAX_ENDED), at)
        meant = (quote, quote[:1].lower() + quote[1:]) if opens else (quote,)
        if quote != leaf.text and (is_respelt or all(names_another_code(name, leaf) for name in meant)):
            continue
        if number is not None:
            places = text.numbers.get(number, ())
            text.budget.spend(1 + len(places) // 4)
            # A number in figures is one only as a whole: "3" does not stand in "3.5", nor "2023" in a day.
            if not any(start <= at and end <= stop for start, stop in places):
                continue
        yield Mention(((at, end),), Grounding.COPY if quote == leaf.text else Grounding.NORMALIZE)


def _find_worded_name(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    """A name that joins words by underscores or hyphens, where a person writes the words."""
    if isinstance(leaf.value, str) and _JOINED.fullmatch(leaf.folded):
        words = re.sub(r"[_-]", " ", leaf.folded)
        yield from (((at, at + len(words)),) for at in _find_places(words, text))


def _find_number(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    number = number_of(leaf.value)
    unit = unit_of_number(leaf) if number is not None else ""
    for place in text.numbers.get(number, ()) if number is not None else ():
        # 30 € are not $30, and a bare 30 is neither.
        if unit in ("", unit_of_text(text.folded[slice(*place)])) or unit in (
            amount.currency for amount in text.amounts_at(*place)
        ):
            yield (place,)


def _find_moment(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    day, clock = moment_of(leaf.value) or (None, None)
    if not (day or clock) or (day and text.step is not None and not _may_name(day, text.folded)):
        return
    text.budget.spend(1 + len(text.moments))
    offset = zone_of(leaf.text)
    if not (day and clock) or offset is None:
        yield from places_of_moment(day, clock, text.moments)
        return
    instant = datetime.combine(day, clock, timezone(offset))
    # Where somebody names the zone, the same figures in another one are another moment.
    zoned = ((moment, moment.zone or (text.zone if text.step is None else None)) for moment in text.moments)
    moments = [moment for moment, zone in zoned if not (zone and moment.clock) or _offset_in(zone, instant) == offset]
    yield from places_of_moment(day, clock, moments)
    yield from _find_in_other_zones(instant, text)


def _offset_in(zone: tzinfo, instant: datetime) -> timedelta | None:
    # Beyond the calendar there is none.
    with suppress(OverflowError):
        return instant.astimezone(zone).utcoffset()
    return None


def _find_in_other_zones(instant: datetime, text: SourceText) -> Iterator[tuple[Place, ...]]:
    """Where the same moment is told by another zone's clock: "3pm Paris time" for 14:00Z."""
    home = text.now.tzinfo if text.now else None
    for zone in filter(None, dict.fromkeys(moment.zone or home for moment in text.moments if moment.clock)):
        text.budget.spend(1 + len(text.moments))
        # Beyond the calendar there is none.
        with suppress(OverflowError):
            there = instant.astimezone(zone)
            moments = [moment for moment in text.moments if moment.clock is None or (moment.zone or home) == zone]
            # The day of "tomorrow 3-4pm" is that of both.
            dated = ((moment, moment.day_place) for moment in moments if moment.day_place)
            moments += [Moment(*place, moment.day, None, moment.any_year) for moment, place in dated]
            if there.utcoffset() != instant.utcoffset():
                yield from places_of_moment(there.date(), there.time(), moments)


def places_of_moment(day: date | None, clock: time | None, moments: Sequence[Moment]) -> Iterator[tuple[Place, ...]]:
    """Where moments of one text give this day, this time of day, or both."""
    on_day = [moment for moment in moments if day and moment.on(day)]
    for moment in on_day if day else moments:
        # Of a day with its time the value may be one of the two; the other is another value's, or left out.
        place = None if day and clock else moment.day_place if day else moment.clock_place
        if moment.clock == clock or (clock is None and place):
            yield (place or moment.place,)
    if day and clock:
        # The day in one place and the time in another: “on Monday … at 3 pm”.
        day_place = next((moment.place for moment in on_day if moment.clock is None), None)
        clocks = (moment.place for moment in moments if moment.day is None and moment.clock == clock)
        clock_place = next(clocks, None)
        if day_place and clock_place:
            yield tuple(sorted((day_place, clock_place)))


def _may_name(day: date, folded: str) -> bool:
    """Whether a result may name the day at all, which costs a hundredth of reading its days."""
    return f"{day.month:02}-{day.day:02}" in folded or f"{day:%b}".lower() in folded or "/" in folded or "." in folded


def _find_duration(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    meant = seconds_of(leaf.text, leaf.name)
    if meant and len(text.folded) <= MAX_READ:
        text.budget.spend(1 + len(text.durations))
        yield from ((length.place,) for length in text.durations if length.value in meant)


def find_grouped_code(leaf: Leaf, text: SourceText, shortest: int = MIN_GROUPED) -> Iterator[tuple[Place, ...]]:
    """A code that one of the two writes in groups: an account's number, a card's."""
    bare = ungroup(leaf.folded)
    is_code = shortest <= len(bare) <= _MAX_GROUPED and bare.isalnum() and any(map(str.isdigit, bare))
    if not is_code or bare not in text.ungrouped:
        return
    text.budget.spend(1 + len(text.folded) // _CHARACTERS_A_PATTERN_STEP)
    for hit in re.finditer("[ -]?".join(map(re.escape, bare)), text.folded):
        if stands_alone(text.folded, *hit.span()) and hit[0] != leaf.folded:
            yield (hit.span(),)


def _find_link(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    """A link without its scheme."""
    scheme = LINK.match(leaf.text)
    bare = leaf.folded[scheme.end() :].rstrip("/") if scheme else ""
    for at in _find_places(bare, text):
        if is_separated(text.folded, at, at + len(bare)):
            yield ((at, at + len(bare)),)


def _find_phone(leaf: Leaf, text: SourceText) -> Iterator[tuple[Place, ...]]:
    """A telephone number that the text has with its country's code, grouped in any way."""
    if not isinstance(leaf.value, str) or not PHONE.fullmatch(leaf.text):
        return
    if last_figures(leaf.text) in text.ungrouped:
        text.budget.spend(1 + len(text.opaque))
        for start, end in text.opaque:
            if text.folded[start] == "+" and same_phone(leaf.text, text.folded[start:end]):
                yield ((start, end),)
