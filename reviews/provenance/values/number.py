"""Numbers as people write them: 1,250.00, 1.250,50 €, ₹1,00,000, $1.5k, 15%, three."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from reviews.provenance.core.context import JsonValue
from reviews.provenance.text.anchors import finditer_near
from reviews.provenance.values.abroad import numbers_abroad
from reviews.provenance.values.money import CODES, EURO, MONEY, SIGNS
from reviews.provenance.values.number_words import spelled_in

# Letters behind a number that leave it one: behind others it is an identifier.
_UNITS = frozenset(
    (
        "k m min mins h hr hrs am pm st nd rd th x kg g mg km cm mm mi ft lb lbs oz l ml gb mb tb kb gib mib kib "
        "kwh mph kmh ghz mhz d w s sec secs ms px mn bn cr lac"
    ).split()
    + CODES
)
# Powers of ten.
_SCALES = {
    "k": 3, "hundred": 2, "thousand": 3, "lakh": 5, "lakhs": 5, "lac": 5, "million": 6, "mn": 6, "mio": 6, "crore": 7,
    "crores": 7, "cr": 7, "bn": 9, "billion": 9, "trillion": 12,
}  # fmt: skip
_WORDED_SCALES = "|".join(sorted((name for name in _SCALES if len(name) > 1), key=len, reverse=True))
# Figures with the separators of any country; how to read them is told afterwards.
_DIGITS = re.compile(r"\d+(?:[.,']\d+)*")
# Figures of other scripts, which patterns match as figures too.
_FOREIGN_FIGURE = re.compile(r"[^\D0-9]")
# By thousands, or as in India by hundreds above the thousand.
_GROUPED = re.compile(r"(?:\d{1,3}(?:[,']\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?")
# Points group and a comma parts; a comma with three figures behind stays ambiguous.
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2}|\d+,\d{1,2}")
_TAIL = re.compile(
    rf"(?P<unit>[^\W\d_]*)(?P<percent>\s?%|\s(?:percent|pct|per cent)\b)?(?:\s(?P<scale>{_WORDED_SCALES})\b)?"
)
_VALUE = re.compile(
    rf"\s*(?P<minus>-)?\s*(?:[{SIGNS}]|(?:{'|'.join(CODES)})\b)?\s*(?P<number>\d[\d.,']*)\s*"
    rf"(?:%|[{SIGNS}]|{'|'.join(CODES)}|dollars?|euros?|pounds?|rupees?|yen|percent)?\s*",
    re.I,
)
# What stands between the digits of ½ once it is folded.
_SLASH = "\u2044"
# The slash that folding makes of ½: a common one is a path or a date.
_FRACTION = re.compile(rf"(?<![\w.,/])(?:(?P<whole>\d{{1,6}}) +)?(?P<over>\d{{1,3}}){_SLASH}(?P<under>\d{{1,3}})(?!\d)")
# Thousands set apart by spaces; without a currency or decimals they may be separate numbers.
_SPACED = re.compile(
    rf"[{SIGNS}]?(?P<digits>\d{{1,3}}(?: \d{{3}})+)(?P<rest>[.,]\d{{1,2}})?(?![\w.,]?\d)"
    rf"(?P<code> ?(?:[{SIGNS}]|(?:{'|'.join(CODES)}|euros?)\b))?"
)
# Longest run of digits in a range such as 10-30; longer runs joined by a hyphen are dates, phones, identifiers.
_SHORT = 3


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


def number_meant(value: JsonValue) -> Decimal | None:
    """The number a value means, in figures or in words: "2 million", "twelve hundred"."""
    number = number_of(value)
    if number is not None or not isinstance(value, str) or not 1 < len(value) < 64:  # noqa: PLR2004
        return number
    return _number_told(value.strip().lower())


@lru_cache(maxsize=1024)
def _number_told(text: str) -> Decimal | None:
    return next((m.value for m in numbers_in(text) if (m.start, m.end) == (0, len(text))), None)


def numbers_in(text: str) -> Iterator[NumberMention]:
    """Every number of a folded text that is not a piece of a date, time, identifier, path or longer number."""
    for hit in _DIGITS.finditer(text):
        if _free_left(text, hit) and _free_right(text, hit):
            yield from _mentions(text, hit)
    yield from worded_in(text)


def worded_in(text: str) -> Iterator[NumberMention]:
    """The numbers among them that are not written in decimal figures."""
    for start, end, value in (*spelled_in(text), *numbers_abroad(text)):
        yield NumberMention(start, end, value)
    for hit in finditer_near(_FRACTION, text, (_SLASH,)):
        if int(hit["under"]):
            part = Decimal(int(hit["over"])) / int(hit["under"])
            yield NumberMention(*hit.span(), round(int(hit["whole"] or 0) + part, 6).normalize())


@lru_cache(maxsize=64)  # a call of thousands of values asks for the same messages each time
def said_in(text: str) -> tuple[NumberMention, ...]:
    """The numbers of a whole folded message, in figures or in words: a piece does not tell its language."""
    return tuple(sorted((*numbers_in(text), *worded_in(text)), key=lambda number: number.start))


def may_say(text: str, number: Decimal) -> bool:
    """Whether a folded text may say the number in figures.

    However it is written, its figures from the first to the last that is no zero keep their order, and no other
    such figure touches them.
    """
    figures = "".join(map(str, number.as_tuple().digits)).strip("0") or "0"
    alone = f"(?<![1-9]{figures[0]})" if figures != "0" else ""
    others = "".join(f"[.,' ]?{figure}" for figure in figures[1:])
    pattern = f"{figures[0]}{alone}{others}(?!0*[1-9])"
    return re.search(pattern, text) is not None or _FOREIGN_FIGURE.search(text) is not None


def _spaced(text: str, start: int) -> Iterator[NumberMention]:
    hit = _SPACED.match(text, start)
    if hit and (hit["rest"] or hit["code"] or text[start] in SIGNS):
        digits = hit["digits"].replace(" ", "") + (hit["rest"] or "").replace(",", ".")
        yield NumberMention(start, hit.end(), Decimal(digits))


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
    if start and text[start - 1] in SIGNS:
        start -= 1
    yield from _with_tail(text, start, hit.end(), number)
    if text[hit.end() : hit.end() + 1] == " ":
        yield from _spaced(text, start)


def _with_tail(text: str, start: int, end: int, number: Decimal) -> Iterator[NumberMention]:
    tail = _TAIL.match(text, end)
    scale = _scale(tail, money=text[start] in SIGNS or MONEY.match(text, tail.end()) is not None) if tail else None
    if tail and scale:
        yield NumberMention(start, tail.end(), _scaled(number, scale))
    elif tail and tail["percent"]:
        yield NumberMention(start, tail.end(), number)
        yield NumberMention(start, tail.end(), _scaled(number, -2))
    else:
        thousands = re.fullmatch(r"\d{1,3}\.\d{3}", text[start:end].lstrip(SIGNS))
        # Where the decimal sign is a comma, a point sets thousands apart; nobody prices to a tenth of a cent.
        grouped = thousands is not None and EURO.search(text[start : end + 6]) is not None
        yield NumberMention(start, end, number.scaleb(3) if grouped else number)


def _scale(tail: re.Match[str], *, money: bool) -> int | None:
    """The power of ten behind a number. $5m are five million; 5m alone are metres or minutes."""
    name = tail["unit"] or tail["scale"] or ""
    return 6 if name == "m" and money else _SCALES.get(name)


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
        return text[max(hit.start() - 3, 0) : hit.start()] in CODES
    if near and near in f"/:.+^{_SLASH}" and beyond.isalnum():
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
    if near and near in f"/:.{_SLASH}" and beyond.isalnum():
        return near == "/" and beyond.isalpha()
    if near == " " and _SLASH in text[hit.end() : hit.end() + 5]:
        return False
    if near == "-" and beyond.isalpha():
        return re.match(r"[a-z]{3,}(?:-[a-z]+)*(?![\w@])", text[hit.end() + 1 : hit.end() + 32]) is not None
    return not (near == "-" and beyond.isdigit()) or _in_range(text, hit)


def _in_range(text: str, hit: re.Match[str]) -> bool:
    around = text[max(hit.start() - 6, 0) : hit.end() + 6]
    return re.search(rf"(?<![\w-])\d{{1,{_SHORT}}}-\d{{1,{_SHORT}}}(?![\w-])", around) is not None
