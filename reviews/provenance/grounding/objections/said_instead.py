"""The user says another day, time or amount that no argument takes up: the value is what the record says now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from itertools import islice
from typing import TypeAlias

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links.arithmetic import Arithmetic
from reviews.provenance.grounding.objections.other_field import other_field
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.money import MONEY, SIGNS
from reviews.provenance.values.number import number_of, said_in

# Words by which a parameter takes an amount of money.
_AMOUNTS = frozenset(
    "amount price cost fee total sum value budget limit rate rent deposit payment salary eur usd".split()
)
# Characters of a bare hour: "at 7" may say anything.
_BARE_HOUR = 2

_Value: TypeAlias = date | time | Decimal


@dataclass(frozen=True)
class _Kind:
    """One kind of value that a user may say in the place of what is recorded."""

    read: Callable[[Leaf], _Value | None]
    mentions: Callable[[Indexed], Iterator[tuple[_Value, Span]]]
    takes: Callable[[Leaf], bool] = lambda _: True
    """Whether a parameter is one for such a value at all."""

    def of(self, leaf: Leaf) -> _Value | None:
        """The value that an argument is, where its parameter takes this kind."""
        return self.read(leaf) if self.takes(leaf) else None


def _days(text: Indexed) -> Iterator[tuple[_Value, Span]]:
    return ((each.day, text.span(each.start, each.end)) for each in text.moments if each.day)


def _clocks(text: Indexed) -> Iterator[tuple[_Value, Span]]:
    for each in text.moments:
        if each.clock and each.end - each.start > _BARE_HOUR:
            yield each.clock, text.span(each.start, each.end)


def _amounts(text: Indexed) -> Iterator[tuple[_Value, Span]]:
    folded = text.folded.text
    for number in said_in(folded):
        if folded[number.start] in SIGNS or MONEY.match(folded, number.end):
            yield number.value, text.span(number.start, number.end)


_KINDS = (
    _Kind(lambda leaf: (moment_of(leaf.value) or (None, None))[0], _days),
    _Kind(lambda leaf: (moment_of(leaf.value) or (None, None))[1], _clocks),
    # Most numbers count or name something; money is said for a parameter of money.
    _Kind(lambda leaf: number_of(leaf.value), _amounts, lambda leaf: not _AMOUNTS.isdisjoint(tokens_of(leaf.name))),
)


def recorded_otherwise(
    leaf: Leaf, call: Call, evidence: Evidence, arithmetic: Arithmetic, budget: Budget
) -> Found | None:
    """What speaks against a value that is a field of the record that is meant: something else is to be given."""
    if found := said_instead(leaf, call, evidence) or arithmetic.operand(leaf, call.leaves):
        return found
    places = evidence.collections.places(leaf.folded, number_of(leaf.value))
    other = other_field(call, leaf, places[0], evidence, budget) if len(places) == 1 else None
    return other if other and not other.open else None


def said_instead(leaf: Leaf, call: Call, evidence: Evidence) -> Found | None:
    """The one value of this kind that the last message says, that no argument is and that no data have.

    What data have may describe the record; what neither they nor the call have was meant to be given.
    """
    for kind in _KINDS:
        # Of two days or amounts, which one was meant cannot be told.
        alike = islice((each for each in call.leaves if kind.of(each) is not None), 2)
        if kind.of(leaf) is None or len(tuple(alike)) > 1:
            continue
        # "12 March" is of this year or of the last: each mention with all that it may mean.
        mentions: dict[Span, set[_Value]] = {}
        for value, span in (each for text in evidence.spoken[:1] for each in kind.mentions(text)):
            mentions.setdefault(span, set()).add(value)
        if not mentions or any(kind.of(leaf) in values for values in mentions.values()):
            continue
        # What an earlier call was made with has led to something: an amount to another currency.
        used = (Leaf(value) for step in call.steps.values() for _, value in leaves(dict(step.arguments)))
        recorded = {value for text in evidence.data for value, _ in kind.mentions(text)} | set(map(kind.read, used))
        unused = [span for span, values in mentions.items() if values.isdisjoint(recorded)]
        if unused and all(mentions[unused[0]] & mentions[span] for span in unused):
            span = unused[0]
            note = f"The user says “{shortened(span.quote, 40)}”; “{shortened(leaf.text, 40)}” is what is recorded."
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None
