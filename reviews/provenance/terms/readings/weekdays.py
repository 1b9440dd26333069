"""Weekdays that a call gives as a name, a code or a number, and the user in another language or in full: TH for jeudi.

A number is that of a weekday only where the parameter's description says which number one of them has.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from babel.dates import get_day_names

from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at
from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import any_word_of, quoted_weekday_names
from reviews.provenance.values.relative_days import quoted_weekdays_in

_WEEK: Final = 7
# Characters of words that name weekdays: a few of them, or from one to another.
_MAX_QUOTE: Final = 80
_ENDS: Final = 2
# The number before the name or behind it, with a sign or a short word between: 1 is Monday, Sunday=0, 7 (Sunday).
_BETWEEN: Final = r"[ =:(-]{1,3}(?:[^\W\d_]{1,5} )?"


def may_mean_weekday(leaf: Leaf, quote: str) -> bool:
    """Whether the words name the weekday that the value is, or the two weekdays between which it lies."""
    number = _weekday_of(leaf)
    if number is None or len(quote) > _MAX_QUOTE:
        return False
    named = [name.value for name in quoted_weekdays_in(fold(quote))]
    is_between = len(named) == _ENDS and (number - named[0]) % _WEEK <= (named[1] - named[0]) % _WEEK
    return number in named or is_between


def _weekday_of(leaf: Leaf) -> int | None:
    """The weekday, from Monday on, that a whole value means."""
    if isinstance(leaf.value, str) and not leaf.text.isdecimal():
        return _names().get(leaf.bare)
    is_number = leaf.text.isdecimal() and int(leaf.text) <= _WEEK
    # A list is described as a whole.
    described = leaf.description or leaf_at(None, pointer_to(leaf.parameter), leaf.tool).description
    first = _number_of_monday(described) if is_number else None
    return None if first is None else (int(leaf.text) - first) % _WEEK


@cache
def _names() -> Mapping[str, int]:
    """Every full name, and the short ones of English, of which codes are made: mon, tues, su."""
    widths = (get_day_names(width, locale="en") for width in ("abbreviated", "short"))
    short = {fold(name): number for names in widths for number, name in names.items()}
    return {**short, **quoted_weekday_names()}


def _number_of_monday(description: str) -> int | None:
    """The number that Monday has, as far as all weekdays agree whose number the description tells."""
    firsts = set(_firsts_told(fold(description)))
    return firsts.pop() if len(firsts) == 1 else None


def _firsts_told(folded: str) -> Iterator[int]:
    for pattern in _patterns():
        for hit in pattern.finditer(folded):
            yield (int(hit["number"]) - _names()[hit["name"]]) % _WEEK


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    number, name = "(?P<number>[0-7])", f"(?P<name>{any_word_of(_names())})"
    return (
        re.compile(rf"(?<![\w.,-]){number}{_BETWEEN}{name}(?![^\W\d_])"),
        re.compile(rf"(?<![^\W\d_]){name}{_BETWEEN}{number}(?![\w-]|[.,][0-9])"),
    )
