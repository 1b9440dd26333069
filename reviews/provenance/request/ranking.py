"""Things put in the order that a comparison of the user asks for, in each way the words may be meant."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from reviews.provenance.records.fields import Field
from reviews.provenance.request.entities import Thing, When, parts_of
from reviews.provenance.request.superlatives import By, Order
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.number import number_of

# Fields that rank by urgency.
_PRIORITY = frozenset("priority urgency severity".split())
# Their values, the most urgent lowest; unknown ones rank behind.
_RANKS = {"critical": 0, "urgent": 0, "highest": 0, "p0": 0, "high": 1, "p1": 1, "medium": 2, "normal": 2, "p2": 2}
_RANKS |= {"low": 3, "p3": 3, "lowest": 4}


class Ranked(NamedTuple):
    """A thing with what ranks it."""

    key: datetime | Decimal
    thing: Thing
    field: Field
    told: str
    """The value, for a person."""


Reading: TypeAlias = list[Ranked]
"""The things in the order asked for, the rightful one first."""


def readings(order: Order, things: Sequence[Thing], now: datetime | None) -> tuple[Reading, ...]:
    """Every way in which the comparison may be meant; empty where the things have nothing to compare by."""
    match order.by:
        case By.NEXT:
            found = [_ahead(things, now)]
        case By.FIRST:
            found = [_dated(things), _ahead(things, now), _listed(things)]
        case By.EARLIEST:
            # The place in a list says nothing about age.
            found = [_dated(things), _ahead(things, now)]
        case By.LAST:
            behind = [thing for thing in things if now and thing.when and thing.when.day <= now.date()]
            over = [thing for thing in behind if now and thing.when and thing.when.before(now)]
            found = [list(reversed(_dated(some))) for some in (things, behind, over)]
            found += [] if found[0] else [list(reversed(_listed(things)))]
        case By.URGENT:
            left = [thing for thing in things if not thing.done]
            found = [_by_when(left, lambda thing: thing.due or thing.when), _by_priority(left)]
        case By.LEAST | By.GREATEST:
            found = [_by_number(things, order)]
    return tuple(filter(None, found))


def leading(reading: Reading, count: int) -> Reading:
    """The first so many, and those that equal the last of them."""
    edge = reading[:count][-1].key
    return [one for n, one in enumerate(reading) if n < count or one.key == edge]


def _dated(things: Sequence[Thing]) -> Reading:
    return _by_when(things, lambda thing: thing.when)


def _ahead(things: Sequence[Thing], now: datetime | None) -> Reading:
    return _dated([thing for thing in things if now and thing.when and not thing.when.before(now)])


def _by_when(things: Sequence[Thing], when: Callable[[Thing], When | None]) -> Reading:
    found = [(told, thing) for thing in things if (told := when(thing))]
    return sorted((Ranked(told.moment, thing, told.field, str(told)) for told, thing in found), key=_key)


def _listed(things: Sequence[Thing]) -> Reading:
    """In the order of one list; several lists have none."""
    if len({thing.text.source.id for thing in things}) != 1:
        return []
    return sorted(
        (
            Ranked(Decimal(thing.record.position), thing, thing.record.fields[0], f"number {thing.record.position}")
            for thing in things
        ),
        key=_key,
    )


def _by_priority(things: Sequence[Thing]) -> Reading:
    return sorted((one for thing in things for one in _priority(thing)), key=_key)


def _priority(thing: Thing) -> Iterator[Ranked]:
    for item in thing.record.fields:
        words = words_of(item.text[:32]) if _PRIORITY & parts_of(item.key) else ()
        if words and words[0] in _RANKS:
            yield Ranked(Decimal(_RANKS[words[0]]), thing, item, item.text)
            return


def _by_number(things: Sequence[Thing], order: Order) -> Reading:
    """By the one field that the words speak of and that is a number everywhere; none when two would do."""
    keys = {item.key for thing in things[:1] for item in thing.record.fields if order.keys & parts_of(item.key)}
    if len(keys) != 1:
        return []
    (key,) = keys
    fields = [(thing, item) for thing in things if (item := thing.at(key))]
    ranked = [
        Ranked(number, thing, item, item.text[:40])
        for thing, item in fields
        if (number := number_of(item.text)) is not None
    ]
    return sorted(ranked, key=_key, reverse=order.by is By.GREATEST) if len(ranked) == len(things) else []


def _key(one: Ranked) -> datetime | Decimal:
    return one.key
