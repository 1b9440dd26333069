"""What would put a wrong value right: the value that the request names, or what is nearest to it."""

import re
from datetime import datetime
from decimal import Decimal
from typing import Final

from reviews.desk.review.case.arguments import Argument
from reviews.desk.text.near_misses import near_miss
from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import name_of
from reviews.provenance.text.fold import fold
from reviews.provenance.values.identifiers import is_opaque
from reviews.provenance.values.moments import moments_in
from reviews.provenance.values.numbers import numbers_in

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
# Verbs of deeds that take an amount: what mends one says so with them.
_VERBS: Final = frozenset(("send", "pay", "transfer", "refund", "withdraw", "deposit", "donate"))


def find_better_value(argument: Argument, now: datetime | None) -> JsonValue:
    """The value that the nearest thing to a wrong one means, of the same JSON type; None where it gives none."""
    nearest = argument.origin.nearest
    if nearest is None or argument.origin.holds:
        return None
    return read_meant_value(argument.json, nearest.quote, now)


def read_meant_value(value: JsonValue, quote: str, now: datetime | None) -> JsonValue:
    """What the quoted words say in place of this value; None where they say nothing of its type, or several things."""
    match value:
        case bool():
            return None
        case int() | float():
            numbers = {mention.value for mention in numbers_in(fold(quote))}
            return _as_json(numbers.pop()) if len(numbers) == 1 else None
        case str() if _DAY.fullmatch(value):
            days = {moment.day for moment in moments_in(fold(quote), now) if moment.day}
            return days.pop().isoformat() if len(days) == 1 else None
        case str() if (is_opaque(value) and is_opaque(quote)) or near_miss(value, quote):
            return quote
    return None


def word_repair(argument: Argument, deed: str) -> str:
    """Such as `Send $30 instead`."""
    nearest, verb = argument.origin.nearest, deed.split(" ", 1)[0]
    quote = nearest.quote if nearest else ""
    if isinstance(argument.json, int | float) and verb in _VERBS:
        return f"{verb.capitalize()} {quote} instead"
    return f"Use “{quote}” for “{name_of(argument.pointer)}” instead"


def _as_json(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
