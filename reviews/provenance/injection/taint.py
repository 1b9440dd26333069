"""How far a hidden order reaches: its own words, the record that carries it, and what came of obeying it.

Whoever planted the order may have written the other fields of its record too, and what a call returned that only the
order asked for is the order's doing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TypeAlias

from reviews.provenance.core.context import Context, SourceId, SourceKind, Span, Step, leaves
from reviews.provenance.injection.instructions import UNTRUSTED, Instruction, without_instructions
from reviews.provenance.injection.records import Carrier, Place, carriers_in
from reviews.provenance.text.boundaries import occurrences

Orders: TypeAlias = Mapping[SourceId, tuple[Instruction, ...]]
_TELLING = 4
"""Characters from which a value is unlikely to stand in a text by chance."""
_MOST_NAMES = 200
"""A name that stands in a text more often distinguishes no record."""
_MOST_VALUES = 500
"""Values of earlier calls that are looked up in orders: agents make calls with few, and each costs a search."""
_READABLE = (UNTRUSTED - {SourceKind.AGENT_MESSAGE}) | {SourceKind.USER_QUERY, SourceKind.SYSTEM_PROMPT}


@dataclass(frozen=True, slots=True)
class Taint:
    """A stretch of one source's text that an order reaches."""

    start: int
    end: int
    why: str
    """Continues “this value stands …”."""
    order: Span
    """The words that gave the order away."""


Taints: TypeAlias = Mapping[SourceId, tuple[Taint, ...]]


def in_orders(context: Context, orders: Orders) -> Taints:
    """The orders themselves."""
    return {
        source: tuple(
            Taint(order.start, order.end, f"in text that {order.reason}", _shown(context, source, order))
            for order in found
        )
        for source, found in orders.items()
    }


def beside_orders(context: Context, orders: Orders) -> Taints:
    """The other fields of each record that holds an order."""
    found = {source: tuple(_beside(context, source, each)) for source, each in orders.items()}
    return {source: taints for source, taints in found.items() if taints}


def behind_orders(context: Context, orders: Orders, sources: Collection[SourceId]) -> Taints:
    """Those of the sources that are outcomes of a call with a value which nothing but an earlier order names."""
    clean, ordered = without_instructions(context, orders), _ordered(context, orders)
    found: dict[SourceId, tuple[Taint, ...]] = {}
    for source, value in islice(_asked_with(context, sources), _MOST_VALUES):
        position = _position(source)
        behind = None if source in found else _ordering(value, position, ordered)
        if behind and not _named(value, clean, position):
            why = f"in the outcome of a call that was asked for by text that {behind[1].reason}"
            text = context.sources[source].text
            found[source] = (Taint(0, len(text), why, _shown(context, *behind)),)
    return found


def joined(*reaches: Taints) -> Taints:
    """All of them, the earlier ones first."""
    sources = dict.fromkeys(source for taints in reaches for source in taints)
    return {source: tuple(taint for taints in reaches for taint in taints.get(source, ())) for source in sources}


def reached(span: Span, taints: Taints) -> Taint | None:
    """The first taint that the span touches."""
    here = taints.get(span.source, ())
    return next((taint for taint in here if taint.start < span.end and span.start < taint.end), None)


def _shown(context: Context, source: SourceId, order: Instruction) -> Span:
    text = context.sources[source].text
    at = text.find(order.quote, order.start)
    start, end = (at, at + len(order.quote)) if at >= 0 else (order.start, order.end)
    return Span(source, start, end, text[start:end])


def _beside(context: Context, source: SourceId, orders: Sequence[Instruction]) -> Iterator[Taint]:
    text = context.sources[source].text
    holders = _Orders(orders)
    request = _Request(context, text, holders)
    for carrier in carriers_in(text):
        holding = (order for place in carrier.places if (order := holders.at(place)))
        order = next(holding, None)
        if order and not request.names(carrier):
            why, shown = f"in a record with text that {order.reason}", _shown(context, source, order)
            yield from (Taint(start, end, why, shown) for start, end in carrier.places)


class _Orders:
    """The orders of one text, looked up by place."""

    def __init__(self, orders: Sequence[Instruction]) -> None:
        ordered = sorted(orders, key=lambda order: order.end)
        self._ends = [order.end for order in ordered]
        # Orders overlap: of all that end no earlier than one, the one that starts first.
        earliest = accumulate(reversed(ordered), _earlier)
        self._first = list(earliest)[::-1]

    def at(self, place: Place) -> Instruction | None:
        """An order that the place touches."""
        n = bisect_left(self._ends, place[0] + 1)
        return self._first[n] if n < len(self._ends) and self._first[n].start < place[1] else None


def _earlier(one: Instruction, other: Instruction) -> Instruction:
    return one if one.start <= other.start else other


class _Request:
    """Which records of one text the user's words call by name."""

    def __init__(self, context: Context, text: str, orders: _Orders) -> None:
        said = (source.text for source in context.sources.values() if source.kind is SourceKind.USER_QUERY)
        self._said, self._text, self._orders = "\n".join(said).casefold(), text, orders
        self._known: dict[str, tuple[int, ...] | None] = {}

    def names(self, carrier: Carrier) -> bool:
        """Whether the request calls the record by a field that no other record has: then it may have its values."""
        for place in carrier.names:
            if self._orders.at(place) is None:
                name = self._text[place[0] : place[1]]
                places = self._places(name)
                if places is not None and all(carrier.holds(at, at + len(name)) for at in places):
                    return True
        return False

    def _places(self, name: str) -> tuple[int, ...] | None:
        """Where a name that the user says stands outside orders; None when unsaid, or said by too many to tell."""
        if name not in self._known:
            told = _stands_in(self._said, name.casefold()) and self._text.count(name) <= _MOST_NAMES
            self._known[name] = tuple(self._outside(name)) if told else None
        return self._known[name]

    def _outside(self, name: str) -> Iterator[int]:
        places = occurrences(self._text, name, _MOST_NAMES)
        return (at for at in places if self._orders.at((at, at + len(name))) is None)


def _stands_in(text: str, value: str) -> bool:
    return any(True for _ in occurrences(text, value))


def _asked_with(context: Context, sources: Collection[SourceId]) -> Iterator[tuple[SourceId, str]]:
    """The telling values of each call whose outcome is among the sources."""
    for position, step in enumerate(context.history, start=1):
        source = f"history/{position}/outcome"
        if source in sources and isinstance(step, Step) and step.outcome is not None:
            values = (value for _, value in leaves(dict(step.arguments)) if isinstance(value, str))
            yield from ((source, value) for value in dict.fromkeys(values) if len(value) >= _TELLING)


def _ordered(context: Context, orders: Orders) -> Mapping[SourceId, tuple[str, Sequence[Instruction]]]:
    """The words of each source's orders as one text, line by line, so that a value is looked up in all at once."""
    texts = ((source, context.sources[source].text, found) for source, found in orders.items())
    return {source: ("\n".join(text[each.start : each.end] for each in found), found) for source, text, found in texts}


def _ordering(
    value: str, position: int, ordered: Mapping[SourceId, tuple[str, Sequence[Instruction]]]
) -> tuple[SourceId, Instruction] | None:
    """The order before this position that names the value, with its source."""
    for source, (words, orders) in ordered.items():
        at = next(occurrences(words, value), None) if _position(source) < position else None
        if at is not None:
            ends = list(accumulate(each.end - each.start + 1 for each in orders))
            return source, orders[bisect_right(ends, at)]
    return None


def _named(value: str, context: Context, before: int) -> bool:
    readable = (source for source in context.sources.values() if source.kind in _READABLE)
    return any(_stands_in(source.text, value) for source in readable if _position(source.id) < before)


def _position(source: SourceId) -> int:
    """The history position of a source; 0 for what was there before."""
    kind, _, rest = source.partition("/")
    return int(rest.partition("/")[0]) if kind == "history" else 0
