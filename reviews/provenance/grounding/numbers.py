"""Numbers as people write them: 1,250.00, $30, 15%, 5k, three."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from reviews.provenance.context import JsonValue

_SIGNS = "$€£¥₹"
_CODES = "usd eur gbp jpy inr chf cad aud cny sek nok dkk".split()
_UNITS = frozenset(
    "k m min mins h hr hrs am pm st nd rd th x kg g km cm mm gb mb tb kb d w s sec secs ms px bn".split() + _CODES
)
_SCALES = {"k": 3, "thousand": 3, "million": 6, "bn": 9, "billion": 9}
_DIGITS = re.compile(r"\d+(?:[.,']\d+)*")
_GROUPED = re.compile(r"(?:\d{1,3}(?:[,']\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}")
_TAIL = re.compile(
    r"(?P<unit>[^\W\d_]*)(?P<percent>\s?%|\s(?:percent|pct)\b)?(?:\s(?P<scale>thousand|million|billion)\b)?"
)
_ONES = (
    "zero one two three four five six seven eight nine ten eleven "
    "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL = {word: n for n, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_SMALL = "|".join(sorted(SMALL, key=len, reverse=True))
_SPELLED = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})[ -](?P<ones>{'|'.join(_ONES[1:10])})|(?P<small>{_SMALL})|(?P<dozen>dozen))"
    r"(?:[ ](?P<scale>hundred|thousand|million))?\b"
)
_SPELLED_SCALES = {"hundred": 2, "thousand": 3, "million": 6}
_VALUE = re.compile(
    rf"\s*(?P<minus>-)?\s*(?:[{_SIGNS}]|(?:{'|'.join(_CODES)})\b)?\s*(?P<number>\d[\d.,']*)\s*"
    rf"(?:%|{'|'.join(_CODES)}|dollars?|euros?|pounds?|percent)?\s*",
    re.I,
)
_SHORT = 3
"""Longest run of digits in a range such as 10-30; longer runs joined by a hyphen are dates, phones, identifiers."""


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number in a text."""

    start: int
    end: int
    value: Decimal


def number_of(value: JsonValue) -> Decimal | None:
    """The number a JSON value means, or None. A string of digits with leading zeros is an identifier."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        hit = _VALUE.fullmatch(value) if len(value) < 64 else None  # noqa: PLR2004
        parsed = _parse(hit["number"]) if hit else None
        return -parsed if parsed is not None and hit and hit["minus"] else parsed
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    return number if number.is_finite() else None


def numbers_in(text: str) -> Iterator[NumberMention]:
    """Every number of a folded text that is not a piece of a date, time, identifier, path or longer number."""
    for hit in _DIGITS.finditer(text):
        if _free_left(text, hit) and _free_right(text, hit):
            yield from _mentions(text, hit)
    for hit in _SPELLED.finditer(text):
        base = 12 if hit["dozen"] else SMALL[hit["small"] or hit["tens"]] + SMALL.get(hit["ones"] or "", 0)
        yield NumberMention(*hit.span(), Decimal(base).scaleb(_SPELLED_SCALES.get(hit["scale"] or "", 0)))


def _mentions(text: str, hit: re.Match[str]) -> Iterator[NumberMention]:
    number = _parse(hit.group())
    if number is None:
        parts = re.finditer(r"\d+", hit.group()) if "." not in hit.group() else ()
        yield from (
            NumberMention(hit.start() + part.start(), hit.start() + part.end(), value)
            for part in parts
            if (value := _parse(part.group())) is not None
        )
        return
    start = hit.start()
    if start and text[start - 1] == "-" and not text[start - 2 : start - 1].isalnum():
        start, number = start - 1, -number
    if start and text[start - 1] in _SIGNS:
        start -= 1
    yield from _with_tail(text, start, hit.end(), number)


def _with_tail(text: str, start: int, end: int, number: Decimal) -> Iterator[NumberMention]:
    tail = _TAIL.match(text, end)
    scale = _SCALES.get(tail["unit"] or tail["scale"] or "") if tail else None
    if tail and scale:
        yield NumberMention(start, tail.end(), _scaled(number, scale))
    elif tail and tail["percent"]:
        yield NumberMention(start, tail.end(), number)
        yield NumberMention(start, tail.end(), _scaled(number, -2))
    else:
        yield NumberMention(start, end, number)


def _scaled(number: Decimal, places: int) -> Decimal:
    try:
        return number.scaleb(places)
    except InvalidOperation:
        return number


def _parse(digits: str) -> Decimal | None:
    digits = digits.rstrip(".,'")
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "").replace("'", "")
    elif _EUROPEAN.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    leading_zero = len(digits) > 1 and digits[0] == "0" and digits[1] != "."
    if leading_zero or not re.fullmatch(r"\d{1,30}(?:\.\d{1,30})?", digits):
        return None
    return Decimal(digits)


def _free_left(text: str, hit: re.Match[str]) -> bool:
    near, beyond = text[hit.start() - 1 : hit.start()], text[max(hit.start() - 2, 0) : max(hit.start() - 1, 0)]
    if near.isalnum() or near in ("_", "@"):
        return text[max(hit.start() - 3, 0) : hit.start()] in _CODES
    if near and near in "/:.+" and beyond.isalnum():
        return False
    if near == "-" and (beyond.isalpha() or beyond == "_"):
        return False
    return not (near == "-" and beyond.isdigit()) or _in_range(text, hit)


def _free_right(text: str, hit: re.Match[str]) -> bool:
    near, beyond = text[hit.end() : hit.end() + 1], text[hit.end() + 1 : hit.end() + 2]
    if near.isalpha():
        unit = re.match(r"\w+", text[hit.end() : hit.end() + 12])
        return unit is not None and unit.group() in _UNITS
    if near in ("_", "@"):
        return False
    if near and near in "/:." and beyond.isalnum():
        return near == "/" and beyond.isalpha()
    if near == "-" and beyond.isalpha():
        return re.match(r"[a-z]{3,}(?:-[a-z]+)*(?![\w@])", text[hit.end() + 1 : hit.end() + 32]) is not None
    return not (near == "-" and beyond.isdigit()) or _in_range(text, hit)


def _in_range(text: str, hit: re.Match[str]) -> bool:
    around = text[max(hit.start() - 6, 0) : hit.end() + 6]
    return re.search(rf"(?<![\w-])\d{{1,{_SHORT}}}-\d{{1,{_SHORT}}}(?![\w-])", around) is not None
