"""A lower bound above its upper one: `start` after `end`, `min_price` over `max_price`."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import product

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

# Arguments that are looked at: a call has one or two ranges.
_MOST_ARGUMENTS = 24
# Words that tell the two ends of a range apart, where the rest of both names is the same.
_LOW = frozenset("start begin first from min minimum lower earliest low".split())
_HIGH = frozenset("end finish last to until till max maximum upper latest high".split())
# Of two numbers only these bound a range: "from" and "to" may be accounts.
_NUMBERS = frozenset("min minimum lower low max maximum upper high".split())


def upside_down(leaves: Sequence[Leaf]) -> Iterator[tuple[Leaf, Found]]:
    """Both ends of each range of numbers or of days whose first is the greater one.

    Times without a day are left out: a night shift ends before it begins.
    """
    if len(leaves) > _MOST_ARGUMENTS:
        return
    for low, high in product(leaves, leaves):
        names = frozenset(tokens_of(low.name)), frozenset(tokens_of(high.name))
        if not names[0] & _LOW or not names[1] & _HIGH or names[0] - _LOW != names[1] - _HIGH:
            continue
        first, last = _measured(low), _measured(high)
        if (isinstance(first, Decimal) and isinstance(last, Decimal) and first > last) or (
            isinstance(first, datetime) and isinstance(last, datetime) and first > last
        ):
            note = f"It would begin at {shortened(low.text, 40)} and end at {shortened(high.text, 40)}."
            yield from ((leaf, Found(Grounding.UNGROUNDED, (), note)) for leaf in (low, high))


def _measured(leaf: Leaf) -> Decimal | datetime | None:
    if isinstance(leaf.value, int | float) and not isinstance(leaf.value, bool):
        number = number_of(leaf.value)
        return number if number and number.is_finite() and _NUMBERS.intersection(tokens_of(leaf.name)) else None
    day, clock = moment_of(leaf.value) or (None, None)
    return datetime.combine(day, clock or datetime.min.time()) if day else None
