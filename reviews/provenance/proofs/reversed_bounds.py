"""A lower bound above its upper one: `start` after `end`, `min_price` over `max_price`.

Sound because: nothing lies between two bounds of one object that are the wrong way round, by any reading of them, and
no message of the user says them in this order.
Assumes: the names of the two parameters differ in nothing but which end they are; times without a zone are of one zone,
and numbers are of a line. Times without a day are left out: a night shift ends before it begins. So are numbers below
zero: depths count downwards, and a box of longitudes may hold the date line; and so is a zero, which may be no bound.
So are "from" and "to": what is moved goes from the one to the other; and numbers that are only high and low, or upper
and lower: two upper berths and four lower ones bound nothing. And who names both says so, odd as it is.
"""

from collections.abc import Iterable
from datetime import datetime, time
from itertools import product

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.proofs.call import ProposedCall, Refutation
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.value_mentions import Mention, mentions_of
from reviews.provenance.text.names import tokens_of
from reviews.provenance.values.moments import literal_moments_in, moment_of
from reviews.provenance.values.numbers import number_of

RULE = "proofs.reversed_bounds"
# Arguments that are looked at: a call has one or two ranges.
_MAX_ARGUMENTS = 24
# Words that tell the two ends of a range apart, where the rest of both names is the same.
_LOW = frozenset("start begin first min minimum lower earliest low".split())
_HIGH = frozenset("end finish last until till max maximum upper latest high".split())
# Of two numbers only these bound a range.
_NUMBERS = frozenset("min minimum max maximum".split())


def refute_leaves(call: ProposedCall) -> dict[str, Refutation]:
    """The refutation of both ends of each reversed range, by pointer."""
    refuted: dict[str, Refutation] = {}
    for low, high in product(call.leaves, call.leaves) if len(call.leaves) <= _MAX_ARGUMENTS else ():
        lower, upper = frozenset(tokens_of(low.name)), frozenset(tokens_of(high.name))
        are_ends = lower & _LOW and upper & _HIGH and lower - _LOW == upper - _HIGH
        if are_ends and _holder(low) == _holder(high) and _is_reversed(low, high) and not _is_said_so(low, high, call):
            note = f"{low.name} is “{shorten_text(low.text, 40)}”, after {high.name}, “{shorten_text(high.text, 40)}”."
            refuted |= {leaf.pointer: Refutation(RULE, note) for leaf in (low, high)}
    return refuted


def _holder(leaf: Leaf) -> str:
    """The pointer to the object that has the bound: each entry of a list has bounds of its own."""
    return leaf.pointer.rpartition("/")[0]


def _is_reversed(low: Leaf, high: Leaf) -> bool:
    first, last = _days_of(low), _days_of(high)
    if first and last:
        return min(first) > max(last)
    are_numbers = not any(_NUMBERS.isdisjoint(tokens_of(leaf.name)) for leaf in (low, high))
    smaller, greater = number_of(low.value), number_of(high.value)
    return are_numbers and smaller is not None and greater is not None and smaller > greater > 0


def _is_said_so(low: Leaf, high: Leaf, call: ProposedCall) -> bool:
    """Whether the user says the one before the other, or names both: then the call does what is asked, odd as it is."""
    for text in call.evidence.user_messages:
        lows, highs = mentions_of(low, text), mentions_of(high, text)
        # Of an earlier message nobody has read which is which.
        is_read = text is call.text
        if any(not is_read or lower.place[0] < upper.place[0] for lower, upper in product(lows, highs)):
            return True
        if is_read and _is_named(low, lows, call) and _is_named(high, highs, call):
            return True
    return False


def _is_named(leaf: Leaf, mentions: Iterable[Mention], call: ProposedCall) -> bool:
    """Whether the message that asks says the value beside the name of its parameter."""
    return any(is_labelled(leaf, *mention.place, call) for mention in mentions)


def _days_of(leaf: Leaf) -> list[datetime]:
    """What the value may say; 01/03/2026 is two days."""
    meant = moment_of(leaf.value)
    if meant is None or meant[0] is None:
        return []
    readings = [(moment.day, moment.clock) for moment in literal_moments_in(leaf.folded)]
    return [datetime.combine(day, clock or time()) for day, clock in (meant, *readings) if day]
