"""How far a hidden order reaches: its own words, the record that carries it, and what came of obeying it.

Whoever planted the order may have written the other fields of its record too, and what a call returned that only the
order asked for is the order's doing.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TypeAlias

from reviews.provenance.core.context import Context, SourceId, Span, Step, leaves
from reviews.provenance.core.places import history_position
from reviews.provenance.core.trust import TRUSTED, WISHES, SourceKind
from reviews.provenance.injection.carriers import Carrier, Extent, carriers_in
from reviews.provenance.injection.instructions import UNTRUSTED, Instruction, without_instructions
from reviews.provenance.injection.segment import Stretch
from reviews.provenance.text.boundaries import find_occurrences, stands_in

Orders: TypeAlias = Mapping[SourceId, tuple[Instruction, ...]]
"""The orders of each source that has any."""

# Characters from which a value is unlikely to stand in a text by chance.
_MIN_VALUE_LENGTH = 4
# A name that stands in a text more often distinguishes no record.
_MAX_NAMES = 200
# Values of earlier calls that are looked up in orders: agents make calls with few, and each costs a search.
_MAX_VALUES = 500
# What an agent may have a value from. Its own messages are none: it may only repeat the order there.
_READABLE = (UNTRUSTED - {SourceKind.AGENT_MESSAGE}) | set(TRUSTED)


@dataclass(frozen=True, slots=True)
class Taint(Stretch):
    """A stretch of one source's text that an order reaches."""

    why: str
    """Continues “this value stands …”."""
    order: Span
    """The words that gave the order away."""
    may_be_ordinary: bool = False
    """Whether ordinary text has such words as well."""
    came_of_it: bool = False
    """Whether it is what came of obeying the order, and not its words."""


Taints: TypeAlias = Mapping[SourceId, tuple[Taint, ...]]
"""What orders reach of each source."""


class OrderIndex:
    """The orders of one text, looked up by extent in logarithmic time: a text may hold thousands."""

    def __init__(self, orders: Sequence[Instruction]) -> None:
        by_end = sorted(orders, key=lambda order: order.end)
        self._ends = [order.end for order in by_end]
        # Orders overlap: of all that end no earlier than one, the one that starts first.
        earliest: Iterator[Instruction] = accumulate(
            reversed(by_end), lambda first, second: first if first.start <= second.start else second
        )
        self._first_from = list(earliest)[::-1]

    def find_touching(self, extent: Extent) -> Instruction | None:
        """An order that shares a character with the extent; None where no order does."""
        start, end = extent
        n = bisect_left(self._ends, start + 1)
        return self._first_from[n] if n < len(self._ends) and self._first_from[n].start < end else None


def in_orders(context: Context, orders: Orders) -> Taints:
    """The orders themselves."""

    def taint(source: SourceId, order: Instruction) -> Taint:
        why, quote = f"in text that {order.reason}", _quote_order(context, source, order)
        return Taint(order.start, order.end, why, quote, order.may_be_ordinary)

    # Where two overlap, what is an order for certain says the most.
    return {
        source: tuple(taint(source, order) for order in sorted(instructions, key=lambda order: order.may_be_ordinary))
        for source, instructions in orders.items()
    }


def beside_orders(context: Context, orders: Orders) -> Taints:
    """The other fields of each record that holds an order, unless the request calls the record by name."""
    taints_by_source: dict[SourceId, tuple[Taint, ...]] = {}
    for source, instructions in orders.items():
        text, index = context.sources[source].text, OrderIndex(instructions)
        request = _NamedRecords(context, text, index)
        taints: list[Taint] = []
        for carrier in carriers_in(text):
            order = next(filter(None, map(index.find_touching, carrier.extents)), None)
            if order and not request.names(carrier):
                why, quote = f"in a record with text that {order.reason}", _quote_order(context, source, order)
                taints += (Taint(start, end, why, quote) for start, end in carrier.extents)
        if taints:
            taints_by_source[source] = tuple(taints)
    return taints_by_source


def behind_orders(context: Context, orders: Orders, sources: Collection[SourceId]) -> Taints:
    """The sources that are outcomes of a call with a value which nothing but an earlier order names."""
    clean = without_instructions(context, orders)
    readable = [source for source in clean.sources.values() if source.kind in _READABLE]
    # The words of a source's orders as one text, so that a value is looked up in all at once.
    texts = {source: context.sources[source].text for source in orders}
    wordings = {
        source: "\n".join(texts[source][order.start : order.end] for order in instructions)
        for source, instructions in orders.items()
    }
    taints_by_source: dict[SourceId, tuple[Taint, ...]] = {}
    for outcome, value in islice(_arguments_behind(context, sources), _MAX_VALUES):
        position = history_position(outcome)
        naming = None if outcome in taints_by_source else _order_naming(value, position, orders, wordings)
        earlier = (source.text for source in readable if history_position(source.id) < position)
        if naming is None or any(stands_in(text, value) for text in earlier):
            continue
        source, order = naming
        why = f"in the outcome of a call that was asked for by text that {order.reason}"
        end, quote = len(context.sources[outcome].text), _quote_order(context, source, order)
        taints_by_source[outcome] = (Taint(0, end, why, quote, order.may_be_ordinary, came_of_it=True),)
    return taints_by_source


def join_taints(*reaches: Taints) -> Taints:
    """All of them, the earlier ones first."""
    sources = dict.fromkeys(source for taints in reaches for source in taints)
    return {source: tuple(taint for taints in reaches for taint in taints.get(source, ())) for source in sources}


def find_taint(span: Span, taints: Taints) -> Taint | None:
    """The first taint that the span touches; None where it touches none."""
    here = taints.get(span.source, ())
    return next((taint for taint in here if taint.start < span.end and span.start < taint.end), None)


def _quote_order(context: Context, source: SourceId, order: Instruction) -> Span:
    text = context.sources[source].text
    # An order found behind look-alikes or escapes is not spelled so in the text: then all of it is quoted.
    at = text.find(order.quote, order.start)
    start, end = (at, at + len(order.quote)) if at >= 0 else (order.start, order.end)
    return Span(source, start, end, text[start:end])


class _NamedRecords:
    """The records of one text that the user's words call by name."""

    def __init__(self, context: Context, text: str, orders: OrderIndex) -> None:
        requests = (source.text for source in context.sources.values() if source.kind in WISHES)
        self._request, self._text, self._orders = "\n".join(requests).casefold(), text, orders
        self._places: dict[str, tuple[int, ...] | None] = {}

    def names(self, carrier: Carrier) -> bool:
        """Whether the request calls the record by a field that no other record has: then it may have its values."""
        for start, end in carrier.names:
            # A name that the order itself gives is the attacker's choice.
            if self._orders.find_touching((start, end)):
                continue
            name = self._text[start:end]
            places = self._places_of(name)
            if places is not None and all(carrier.holds(at, at + len(name)) for at in places):
                return True
        return False

    def _places_of(self, name: str) -> tuple[int, ...] | None:
        """Where a name of the request stands outside orders; None when it is no such name, or of too many records."""
        if name not in self._places:
            is_named = stands_in(self._request, name.casefold()) and self._text.count(name) <= _MAX_NAMES
            starts = find_occurrences(self._text, name, _MAX_NAMES) if is_named else ()
            outside = tuple(at for at in starts if not self._orders.find_touching((at, at + len(name))))
            self._places[name] = outside if is_named else None
        return self._places[name]


def _arguments_behind(context: Context, sources: Collection[SourceId]) -> Iterator[tuple[SourceId, str]]:
    """The longer texts among the arguments of each call whose outcome is one of the sources, with that source."""
    for position, step in enumerate(context.history, start=1):
        source = f"history/{position}/outcome"
        if source in sources and isinstance(step, Step) and step.outcome is not None:
            values = (value for _, value in leaves(dict(step.arguments)) if isinstance(value, str))
            yield from ((source, value) for value in dict.fromkeys(values) if len(value) >= _MIN_VALUE_LENGTH)


def _order_naming(
    value: str, position: int, orders: Orders, wordings: Mapping[SourceId, str]
) -> tuple[SourceId, Instruction] | None:
    """The order before this position that names the value, with its source; None where no order does."""
    for source, words in wordings.items():
        at = next(find_occurrences(words, value), None) if history_position(source) < position else None
        if at is not None:
            # One character between two orders: the end of a line.
            ends = list(accumulate(order.end - order.start + 1 for order in orders[source]))
            return source, orders[source][bisect_right(ends, at)]
    return None
