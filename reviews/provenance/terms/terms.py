"""What a claim about a value is: a small language whose every sentence code can check to the character.

A term is data. Search, an agent and a judge propose terms; `verify` believes none of them. The vocabulary refines
ProvenanceGuard's DerivedFrom(a, e) and AppearIn(e, q/h) (paper, section 4.2.4).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from reviews.provenance.core.context import JsonValue, SourceId, Span
from reviews.provenance.terms.argument_leaf import Leaf

MAX_INPUTS: Final = 64
"""Inputs of one computation, keys of one field, conditions of one query: more than anybody states."""

Comparison: TypeAlias = Literal["equals", "differs", "contains", "below", "above", "at_most", "at_least"]


@dataclass(frozen=True, slots=True)
class Stated:
    """These characters of the user's words or the system prompt read as the value: "$30.00" as 30."""

    span: Span


@dataclass(frozen=True, slots=True)
class Documented:
    """The tool's document or the system prompt gives the value."""

    span: Span


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The agent's message says the value, and the user's next message answers it."""

    offer: Span
    answer: Span


@dataclass(frozen=True, slots=True)
class Key:
    """A field by which a record is known, and why it is known by that."""

    span: Span
    """The field's characters; for a look-up, those of the argument it was made with."""
    by: "Stated | Confirmed"
    """The words that name it: the field's whole value, or whole words of it."""

    @property
    def by_span(self) -> Span:
        """The words that name the record."""
        return next(spans_of(self.by))


@dataclass(frozen=True, slots=True)
class Field:
    """The value stands in a field of a result; each key is a field of the same record, or of one around it."""

    span: Span
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a query; the value it compares with is somebody's words."""

    field: str
    comparison: Comparison
    value: JsonValue
    stated: Stated | None = None
    """Where the value comes from; None for one that the query itself fixes, which proves nothing."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The value is a field of the records of one kind that a small query takes."""

    source: SourceId
    kind: str
    """JSON Pointer to the list of the records, with `*` for positions; empty for the whole result."""
    field: str
    """Dotted path within the record."""
    where: tuple[Condition, ...] = ()
    order: str = ""
    """Field by which the records are ordered; empty: as they stand."""
    descending: bool = False
    take: int | None = 1
    """Which of them, from 1; None: the value is that of any."""
    total: Literal["count", "sum"] | None = None
    """The value is how many the records are, or the sum of the field over all of them."""


@dataclass(frozen=True, slots=True)
class OtherArgument:
    """Another argument of the call, which has a term of its own."""

    leaf: Leaf
    term: "Term"


@dataclass(frozen=True, slots=True)
class Computed:
    """The value follows from others."""

    operation: str
    """A formula over the inputs, such as "q1 * q2 + q3", or "concatenate", "time_after", "time_before"."""
    inputs: "tuple[Input, ...]"
    """In their order; of "concatenate", the pieces; of "time_after" and "time_before", a day, a time of day or both,
    and a length of time; that alone counts from now."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of the user or the system prompt that say the value to whoever reads them: "w/o fee" as false.

    Code holds against them what it can, and no more: it speaks for a value only where a judge names it.
    """

    span: Span


@dataclass(frozen=True, slots=True)
class DayAndTime:
    """A moment whose day stands in one place and whose time of day, or the zone of both, in another."""

    day: "Stated | Field | Reading"
    clock: "Stated | Field | Reading | Computed"
    zone: "Stated | None" = None
    """The words that name the zone by whose clock both are said."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A text that the agent words itself; its facts have terms."""

    facts: "tuple[Stated | Field, ...]" = ()


Input: TypeAlias = Stated | Field | Documented | OtherArgument
Term: TypeAlias = Stated | Documented | Confirmed | Field | Selected | Computed | Reading | DayAndTime | Composed


def spans_of(term: Term | OtherArgument) -> Iterator[Span]:
    """Every span that a term names, the value's own first."""
    match term:
        case Stated() | Documented() | Reading():
            yield term.span
        case OtherArgument():
            yield from spans_of(term.term)
        case Confirmed():
            yield from (term.offer, term.answer)
        case Field():
            yield term.span
            for key in term.keys:
                yield key.span
                yield from spans_of(key.by)
        case Selected():
            yield from (condition.stated.span for condition in term.where if condition.stated)
        case DayAndTime():
            yield from spans_of(term.day)
            yield from spans_of(term.clock)
            yield from [term.zone.span] if term.zone else ()
        case Computed(inputs=parts) | Composed(facts=parts):
            for part in parts:
                yield from spans_of(part)
