"""The user says another day, time or amount that no argument takes up: the value is what the record says now."""

from collections.abc import Iterator
from datetime import date, time
from decimal import Decimal
from itertools import islice
from typing import TypeAlias

from reviews.provenance.core.context import Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.evidence import Evidence
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


class _Day:
    """Days."""

    @staticmethod
    def of(leaf: Leaf) -> _Value | None:
        meant = moment_of(leaf.value)
        return meant[0] if meant else None

    read = of

    @staticmethod
    def said_in(text: Indexed) -> Iterator[tuple[_Value, Span]]:
        for moment in text.moments:
            if moment.day:
                yield moment.day, text.span(moment.start, moment.end)


class _Clock:
    """Times of day."""

    @staticmethod
    def of(leaf: Leaf) -> _Value | None:
        meant = moment_of(leaf.value)
        return meant[1] if meant else None

    read = of

    @staticmethod
    def said_in(text: Indexed) -> Iterator[tuple[_Value, Span]]:
        for moment in text.moments:
            if moment.clock and moment.end - moment.start > _BARE_HOUR:
                yield moment.clock, text.span(moment.start, moment.end)


class _Amount:
    """Amounts of money."""

    @staticmethod
    def of(leaf: Leaf) -> _Value | None:
        return number_of(leaf.value) if _AMOUNTS.intersection(tokens_of(leaf.name)) else None

    @staticmethod
    def read(leaf: Leaf) -> _Value | None:
        return number_of(leaf.value)

    @staticmethod
    def said_in(text: Indexed) -> Iterator[tuple[_Value, Span]]:
        folded = text.folded.text
        for number in said_in(folded):
            if folded[number.start] in SIGNS or MONEY.match(folded, number.end):
                yield number.value, text.span(number.start, number.end)


_KINDS = (_Day, _Clock, _Amount)


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
        said: dict[Span, set[_Value]] = {}
        for value, span in (each for text in evidence.spoken[:1] for each in kind.said_in(text)):
            said.setdefault(span, set()).add(value)
        # What an earlier call was made with has led to something: an amount to another currency.
        used = (Leaf(value) for step in call.steps.values() for _, value in leaves(dict(step.arguments)))
        known = {kind.of(leaf), *map(kind.read, used)}.union(
            *({value for value, _ in kind.said_in(text)} for text in evidence.data)
        )
        missing = [span for span, values in said.items() if values.isdisjoint(known)]
        is_one = bool(missing) and all(said[missing[0]] & said[span] for span in missing)
        if is_one and not any(kind.of(leaf) in values for values in said.values()):
            span = missing[0]
            note = f"The user says “{shortened(span.quote, 40)}”; “{shortened(leaf.text, 40)}” is what is recorded."
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None
