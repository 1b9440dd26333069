"""Numbers as people write them: 1,250.00, 1.250,50 €, ₹1,00,000, $1.5k, 15%, three."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.text.boundaries import UNPARTED, Occurrence
from reviews.provenance.values.currencies import EVERYDAY, currency_codes, currency_names, currency_signs
from reviews.provenance.values.dates import spans_of_days
from reviews.provenance.values.joined_words import end_of_letters, joined_scales, read_joined
from reviews.provenance.values.locales import (
    any_word_of,
    percent_signs,
    powers_of_scales,
    scales_in_full,
    unit_abbreviations,
)
from reviews.provenance.values.numerals import numerals_in

# What ends a word: signs of scripts without spaces do not.
_LETTER: Final = r"[^\W\u3040-\u9fff]"
# The code of a currency may stand right against the figures.
_CODE: Final = rf"(?<=[a-z][0-9])(?<=\b(?:{'|'.join(EVERYDAY).lower()})[0-9])"
# Figures that belong to no word, path, address, date or time on their left. The first figure is matched before what is
# in front of it, since a search skips quickly to a figure; none is given back, so that no piece is taken for a whole.
_NUMBER: Final = re.compile(
    rf"[0-9](?:(?<!{_LETTER}[0-9])|{_CODE})(?<![@^+#\u2044][0-9])(?<![\w.][/.+'][0-9])(?<![0-9][:,-][0-9])"
    rf"(?<![^\W\d]-[0-9])[0-9]*+(?>(?:[.,'][0-9]++)*)"
    # Nor on their right; a word behind a hyphen is what is counted: a 30-minute call.
    r"(?![@_\u2044年月日号號時时]| [0-9]{1,3}\u2044|[:.]\w|/[0-9]|-(?![a-z]{3,}+(?>(?:-[a-z]++)*)(?![\w@]))\w"
    r"| ?[ap]\.? ?m\b| ?uhr\b|h[0-5])"
)
# 10-30: longer figures that a hyphen joins are telephone numbers and identifiers.
_RANGE: Final = re.compile(r"([0-9](?<![\w.,:/@+-][0-9])[0-9]{0,2}) ?- ?([0-9]{1,3})(?![\w@]|-\w|[.,:/][0-9]|[年月日])")
# Thousands set apart by a space, as most of Europe does; they may be separate numbers as well.
_SPACED: Final = re.compile(r"(?>(?: [0-9]{3})+)(?:[.,][0-9]{1,2})?(?!\w|[.,:/-][0-9])")
_FIGURE_BEFORE: Final = re.compile(r"[0-9] ")
# By thousands, or as in India by hundreds above the thousand.
_GROUPED: Final = re.compile(
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,3}(?:'[0-9]{3})+(?:[.,][0-9]+)?"
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"
)
# Points group and a comma parts.
_POINTS: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]+,[0-9]{1,2}")
# 192.168.100.200; no group of an address begins with a zero or is above 255.
_ADDRESS: Final = re.compile(r"(?:(?:1[0-9]{2}|2[0-4][0-9]|25[0-5]|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
# One thousand and a quarter in some countries, one and a quarter in others.
_EITHER_WAY: Final = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_PLAIN: Final = re.compile(r"(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?")
# Half of ½ once it is folded: a common slash is a path or a date.
_FRACTION: Final = re.compile(
    r"(?<![\w.,/])(?:(?P<whole>[0-9]{1,6}) +)?(?P<over>[0-9]{1,3})\u2044(?P<under>[0-9]{1,3})(?![0-9])"
)
# Right behind figures, up to two words or a percent sign.
_TAIL: Final = re.compile(r" ?(%|[^\W\d_]{1,24}+(?: [^\W\d_]{1,24}+)?)")
# A unit in Latin letters against a word of a script that sets none apart, or lets endings grow: 65kg입니다.
_JOINED_UNIT: Final = re.compile(rf"(?P<unit>[a-z]+)(?:[\u1100-\u11ff]|{UNPARTED.pattern})")
# What stands against a number besides units and currencies: endings of ordinals, and units of one letter.
_TOUCHING: Final = frozenset("st nd rd th x h m s g l d".split())
# A power of ten by its first letter is as often a unit: $5m are five million, 5m alone are metres or minutes. By one
# letter only these powers are clear.
_CLEAR: Final = frozenset("k万億亿兆")
UNREAD: Final = Decimal("NaN")
"""What figures mean that letters touch which are not understood: they may be a scale."""
_HALF, _HALF_OF = " and a half", "half a "
# Characters of a value that is one number.
_LONGEST: Final = 64


def number_of(value: JsonValue) -> Decimal | None:
    """The number a JSON value means, or None. A string of digits with leading zeros is an identifier."""
    if isinstance(value, str):
        return _number_of_text(value.lower()) if len(value) < _LONGEST else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = Decimal(str(value))
    except ValueError:  # an integer too long to write
        return None
    return number if number.is_finite() else None


# A value is held against one text after the other.
@lru_cache(maxsize=256)
def _number_of_text(text: str) -> Decimal | None:
    hit = _whole_value().fullmatch(text)
    parsed = _parse_digits(hit["number"]) if hit else None
    return -parsed if parsed is not None and hit and "-" in (hit["minus"], hit["inner"]) else parsed


def numbers_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every number of a folded text that is no piece of a date, time, identifier, path or longer number."""
    unread = None
    for reading in readings_in(text):
        if reading.value.is_nan():
            unread = reading.start
        elif reading.start != unread:
            yield reading


def readings_in(text: str) -> Iterator[Occurrence[Decimal]]:
    """Every number of a folded text, and of figures that are none by themselves `UNREAD`, then what they would mean."""
    readings = _whole_readings_in(text)
    return _with_halves(text, readings) if "half" in text else readings


def _whole_readings_in(text: str) -> Iterator[Occurrence[Decimal]]:
    days = spans_of_days(text)
    starts = [start for start, _ in days]
    ends: set[int] = set()
    for number in _in_figures(text):
        at = bisect_right(starts, number.start) - 1
        if at < 0 or days[at][1] <= number.start:
            ends.add(number.end)
            yield number
    # Not the scale of a number in figures: 2.5 million.
    yield from (numeral for numeral in numerals_in(text) if numeral.end not in ends)


def _with_halves(text: str, numbers: Iterable[Occurrence[Decimal]]) -> Iterator[Occurrence[Decimal]]:
    """The same with the half that English sets behind a number or before a scale: two and a half million."""
    ends: set[int] = set()
    for number in numbers:
        half = None if number.value.is_nan() else _half_behind().match(text, number.end)
        if half:
            ends.add(half.end())
            power = powers_of_scales()[half["scale"]] if half["scale"] else 0
            yield Occurrence(number.start, half.end(), (number.value + Decimal("0.5")).scaleb(power))
        elif text[number.start].isalpha() and text.endswith(_HALF_OF, 0, number.start):
            yield Occurrence(number.start - len(_HALF_OF), number.end, number.value / 2)
        elif number.end not in ends:
            yield number


def _in_figures(text: str) -> Iterator[Occurrence[Decimal]]:
    done = 0
    for hit in _NUMBER.finditer(text):
        # Figures behind a scale belong to the number before: 1億2000万.
        if hit.start() < done:
            continue
        if text[hit.start() - 1 : hit.start()].isnumeric():
            # What stands behind a number in words without a space may be the rest of it.
            yield Occurrence(*hit.span(), UNREAD)
        else:
            for number in _read_figures(text, hit.start(), hit.end()):
                yield number
                done = number.end if text[number.end - 1].isalpha() else done
    if "-" in text:
        for hit in _RANGE.finditer(text):
            yield from _plain_number(*hit.span(1), hit[1])
            yield from _plain_number(*hit.span(2), hit[2])
    if "\u2044" in text:
        for hit in _FRACTION.finditer(text):
            if int(hit["under"]):
                part = Decimal(int(hit["over"])) / int(hit["under"])
                yield Occurrence(*hit.span(), round(int(hit["whole"] or 0) + part, 6).normalize())


def _read_figures(text: str, start: int, end: int) -> Iterator[Occurrence[Decimal]]:
    """The readings of figures with what belongs to them: a sign before them, a scale or a percent sign behind."""
    digits, near = text[start:end], text[end : end + 1]
    number = _parse_digits(digits)
    if number is None or ((text[start - 1 : start] == "[" or near == "]") and "," in digits):
        yield from _list_pieces(start, digits)
        return
    if text[start - 1 : start] == ".":
        number, start = number.scaleb(-len(digits)), start - 1
    before = start - (start > 0 and text[start - 1] in currency_signs())
    if before and text[before - 1] == "-" and not text[max(before - 2, 0) : before - 1].isalnum():
        before, number = before - 1, -number
    # Where a figure stands before it the groups have been read: a row of them is not read again from each.
    begins = near == " " and not _FIGURE_BEFORE.match(text, max(start - 2, 0), start)
    spaced = _SPACED.match(text, end) if begins else None
    if near in ("", ",", "}", "]", "\n", '"', "."):
        yield Occurrence(before, end, number)
    elif spaced:
        yield Occurrence(before, end, number)
        joined = _parse_digits(text[start : spaced.end()].replace(" ", "").replace(",", "."))
        yield from [Occurrence(before, spaced.end(), joined.copy_sign(number))] if joined is not None else ()
    else:
        yield from _with_tail(text, before, end, number)
    if _EITHER_WAY.fullmatch(digits):
        yield Occurrence(before, end, number.scaleb(3))


def _with_tail(text: str, start: int, end: int, number: Decimal) -> Iterator[Occurrence[Decimal]]:
    """The number with the word behind it; against its figures only a unit, a scale or a currency may stand."""
    unit = None if text.isascii() else _JOINED_UNIT.match(text, end)
    is_joined = not text[end].isascii() or joined_scales().match(text, end)
    if (is_joined or (unit and unit["unit"] in unit_abbreviations())) and not text.startswith(percent_signs(), end):
        yield from _read_joined_word(text, start, end, number)
        return
    tail = _TAIL.match(text, end)
    if tail is None and not (text[end].isalpha() and text[end].isascii()):
        # Nearly every number of a listing.
        yield Occurrence(start, end, number)
        return
    at, words = (tail.start(1), tail[1]) if tail else (end, "")
    first = words.split(" ", maxsplit=1)[0]
    scale = next((word for word in (words, first) if word in scales_in_full()), "")
    if scale and (len(scale) > 1 or scale in _CLEAR or _is_money(text, start, at + 1)):
        yield Occurrence(start, at + len(scale), number.scaleb(scales_in_full()[scale]))
    elif percent := next((sign for sign in percent_signs() if words.startswith(sign)), ""):
        yield Occurrence(start, at + len(percent), number)
        yield Occurrence(start, at + len(percent), number.scaleb(-2))
    elif (
        not text[end].isalpha()
        or first in _TOUCHING
        or first in unit_abbreviations()
        or first.upper() in currency_codes()
    ):
        yield Occurrence(start, end, number)


def _read_joined_word(text: str, start: int, end: int, number: Decimal) -> Iterator[Occurrence[Decimal]]:
    """The number with what touches it in a script without spaces: 3万円; figures by themselves where it is unknown."""
    if not text[end].isalpha() and text[end] != " ":
        yield Occurrence(start, end, number)
    elif joined := read_joined(text, end, number):
        yield Occurrence(start, *joined)
    else:
        yield Occurrence(start, end_of_letters(text, end), UNREAD)
        yield Occurrence(start, end, number)


def _is_money(text: str, start: int, end: int) -> bool:
    if text[start].lstrip("-") in currency_signs() or text[start + 1 : start + 2] in currency_signs():
        return True
    behind = _TAIL.match(text, end)
    return text[end : end + 1] in currency_signs() or (behind is not None and behind[1].split()[0] in currency_names())


def _list_pieces(start: int, digits: str) -> Iterator[Occurrence[Decimal]]:
    """The numbers of a list without spaces: 1,2,3."""
    pieces = list(re.finditer(r"[^,]+", digits))
    if all(_PLAIN.fullmatch(piece[0]) for piece in pieces):
        for piece in pieces:
            yield Occurrence(start + piece.start(), start + piece.end(), Decimal(piece[0]))


def _plain_number(start: int, end: int, digits: str) -> Iterator[Occurrence[Decimal]]:
    if _PLAIN.fullmatch(digits):
        yield Occurrence(start, end, Decimal(digits))


def _parse_digits(digits: str) -> Decimal | None:
    """What figures with grouping and decimal signs mean; None for a version, an address or a code."""
    if not digits.isdecimal():
        if _GROUPED.fullmatch(digits):
            digits = digits.replace(",", "" if "'" not in digits else ".").replace("'", "")
        elif _POINTS.fullmatch(digits) and not _ADDRESS.fullmatch(digits):
            digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits) if _PLAIN.fullmatch(digits) else None


@cache
def _half_behind() -> re.Pattern[str]:
    return re.compile(rf"{_HALF}(?: (?P<scale>{any_word_of(powers_of_scales())}))?(?!\w)")


@cache
def _whole_value() -> re.Pattern[str]:
    """A value that is one number, perhaps with a currency or a percent sign."""
    codes = any_word_of(tuple(code.lower() for code in EVERYDAY))
    unit = rf"(?:[{any_word_of(currency_signs())}]|(?:{codes}|{any_word_of(currency_names())})\b)"
    return re.compile(
        rf"\s*(?P<minus>-)?\s*{unit}?\s*(?P<inner>-)?(?P<number>[0-9](?:[0-9.,']*[0-9])?)\s*(?:%|{unit})?\s*"
    )
