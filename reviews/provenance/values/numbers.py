"""Numbers as people write them: 1,250.00, 1.250,50 €, ₹1,00,000, $1.5k, 15%, three."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Final, NamedTuple

from reviews.provenance.core.context import JsonValue
from reviews.provenance.values.currencies import EVERYDAY, currency_codes, currency_names, currency_signs
from reviews.provenance.values.dates import spans_of_days
from reviews.provenance.values.locales import any_word_of, percent_words, powers_of_scales, unit_abbreviations
from reviews.provenance.values.numerals import has_numerals, numerals_in

# What ends a word: signs of scripts without spaces do not.
_LETTER: Final = r"[^\W\u3040-\u9fff]"
# The code of a currency may stand right against the figures.
_CODE: Final = rf"(?<=[a-z][0-9])(?<=\b(?:{'|'.join(EVERYDAY).lower()})[0-9])"
# Figures that belong to no word, path, address, date or time on their left. The first figure is matched before what is
# in front of it, since a search skips quickly to a figure; none is given back, so that no piece is taken for a whole.
_NUMBER: Final = re.compile(
    rf"[0-9](?:(?<!{_LETTER}[0-9])|{_CODE})(?<![@^+#\u2044][0-9])(?<![\w.][/.+'][0-9])(?<![0-9][:,-][0-9])"
    rf"(?<![^\W\d]-[0-9])[0-9]*+(?:[.,'][0-9]++)*+"
    # Nor on their right; a word behind a hyphen is what is counted: a 30-minute call.
    r"(?![@_\u2044年月日号號時时]| [0-9]{1,3}\u2044|[:.]\w|/[0-9]|-(?![a-z]{3,}+(?:-[a-z]++)*+(?![\w@]))\w"
    r"| ?[ap]\.? ?m\b| ?uhr\b|h[0-5])"
)
# 10-30: longer figures that a hyphen joins are telephone numbers and identifiers.
_RANGE: Final = re.compile(
    r"([0-9])(?<![\w.,:/@+-][0-9])([0-9]{0,2}) ?- ?([0-9]{1,3})(?![\w@]|-\w|[.,:/][0-9]|[年月日])"
)
# Thousands set apart by a space, as most of Europe does; they may be separate numbers as well.
_SPACED: Final = re.compile(r"(?: [0-9]{3})++(?:[.,][0-9]{1,2})?(?!\w|[.,:/-][0-9])")
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
_FOREIGN_FIGURE: Final = re.compile(r"[^\D0-9]")
# What may stand between the figures of one number.
_SEPARATORS: Final = dict.fromkeys(map(ord, ".,' "))
# Figures of which there are so few that a hundred words hold all such numbers.
_MAX_FEW: Final = 2
_ZERO: Final = re.compile(r"0(?<!00)0*+(?![1-9])")
_ONE_FIGURE: Final = re.compile(r"[1-9](?<![1-9][1-9])(?!0*+[1-9])")
_TWO_FIGURES: Final = re.compile(r"([1-9])(?<![1-9][1-9])(?=[.,' ]?([1-9])(?!0*+[1-9]))")
# Right behind figures, up to two words or a percent sign.
_TAIL: Final = re.compile(r" ?(%|[^\W\d_]{1,24}+(?: [^\W\d_]{1,24}+)?)")
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th", "x"})
# A power of ten by its first letter is as often a unit: $5m are five million, 5m alone are metres or minutes.
_MONEY_ONLY: Final = 1
# By one letter only these powers are clear.
_CLEAR: Final = frozenset("k万億亿兆")
# Characters of a value that is one number.
_LONGEST: Final = 64


class NumberMention(NamedTuple):
    """A number in a text; one that can be read in two ways is mentioned twice."""

    start: int
    end: int
    value: Decimal


def number_of(value: JsonValue) -> Decimal | None:
    """The number a JSON value means, or None. A string of digits with leading zeros is an identifier."""
    match value:
        case bool():
            return None
        case int() | float():
            return _finite_decimal(value)
        case str() if len(value) < _LONGEST:
            return _number_of_text(value.lower())
    return None


# A value is held against one text after the other.
@lru_cache(maxsize=256)
def _number_of_text(text: str) -> Decimal | None:
    hit = _whole_value().fullmatch(text)
    parsed = _parse_digits(hit["number"]) if hit else None
    return -parsed if parsed is not None and hit and "-" in (hit["minus"], hit["inner"]) else parsed


def numbers_in(text: str) -> Iterator[NumberMention]:
    """Every number of a folded text that is no piece of a date, time, identifier, path or longer number."""
    plain = _with_common_figures(text)
    days = spans_of_days(plain)
    starts = [start for start, _ in days]
    ends: set[int] = set()
    for mention in _in_figures(plain):
        at = bisect_right(starts, mention.start) - 1
        if at < 0 or days[at][1] <= mention.start:
            ends.add(mention.end)
            yield mention
    for start, end, value in numerals_in(plain):
        # The scale of a number in figures: 2.5 million.
        if end not in ends:
            yield NumberMention(start, end, value)


class WrittenFigures:
    """Which numbers a folded text may say, told for any number after one pass over the text.

    However a number is written, its figures from the first to the last that is no zero keep their order, and no other
    such figure touches them.
    """

    def __init__(self, text: str) -> None:
        self._joined = text.translate(_SEPARATORS)
        # Of so few figures many stand in every listing, within other numbers: there their neighbours count.
        self._few = {*_ONE_FIGURE.findall(text), *map("".join, _TWO_FIGURES.findall(text))}
        self._few |= {"0"} if _ZERO.search(text) else set()
        self._in_other_signs = "\u2044" in text or _FOREIGN_FIGURE.search(text) is not None or has_numerals(text)

    def may_say(self, number: Decimal) -> bool:
        """Whether the text may say the number; never false for one that `numbers_in` finds."""
        figures = "".join(map(str, number.as_tuple().digits)).strip("0") or "0"
        return self._in_other_signs or (figures in self._few if len(figures) <= _MAX_FEW else figures in self._joined)


def _in_figures(text: str) -> Iterator[NumberMention]:
    for hit in _NUMBER.finditer(text):
        yield from _read_figures(text, hit.start(), hit.end())
    if "-" in text:
        for hit in _RANGE.finditer(text):
            if "-" in text[hit.end(1) : hit.start(3)]:
                yield from _plain_mention(hit.start(), hit.end(2), hit[1] + hit[2])
                yield from _plain_mention(*hit.span(3), hit[3])
    if "\u2044" in text:
        for hit in _FRACTION.finditer(text):
            if int(hit["under"]):
                part = Decimal(int(hit["over"])) / int(hit["under"])
                yield NumberMention(*hit.span(), round(int(hit["whole"] or 0) + part, 6).normalize())


def _read_figures(text: str, start: int, end: int) -> Iterator[NumberMention]:
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
    if near in ("", ",", "}", "]", "\n", '"', "."):
        yield NumberMention(before, end, number)
    elif near == " " and not _continues_number(text, start) and (spaced := _SPACED.match(text, end)):
        yield NumberMention(before, end, number)
        joined = _parse_digits(text[start : spaced.end()].replace(" ", "").replace(",", "."))
        yield from [NumberMention(before, spaced.end(), joined.copy_sign(number))] if joined is not None else ()
    else:
        yield from _with_tail(text, before, end, number)
    if _EITHER_WAY.fullmatch(digits):
        yield NumberMention(before, end, number.scaleb(3))


def _continues_number(text: str, start: int) -> bool:
    return text[start - 1 : start] == " " and text[max(start - 2, 0) : start - 1].isdecimal()


def _with_tail(text: str, start: int, end: int, number: Decimal) -> Iterator[NumberMention]:
    """The number with the word behind it; against its figures only a unit, a scale or a currency may stand."""
    tail = _TAIL.match(text, end)
    word, power, length = _scale_of(tail[1]) if tail else ("", 0, 0)
    if power and tail and (len(word) > _MONEY_ONLY or word in _CLEAR or _is_money(text, start, tail.start(1) + length)):
        yield NumberMention(start, tail.start(1) + length, _scale_by(number, power))
    elif tail and (percent := next((sign for sign in _percent_signs() if tail[1].startswith(sign)), None)):
        yield NumberMention(start, tail.start(1) + len(percent), number)
        yield NumberMention(start, tail.start(1) + len(percent), _scale_by(number, -2))
    elif not text[end].isalpha() or not text[end].isascii() or (tail and _may_touch(tail[1].split()[0])):
        yield NumberMention(start, end, number)


def _scale_of(words: str) -> tuple[str, int, int]:
    """The scale, its power of ten and its length, in the one or two words behind a number."""
    first = words.split(" ", maxsplit=1)[0]
    word = words if words in powers_of_scales() else first
    return word, powers_of_scales().get(word, 0), len(word)


def _is_money(text: str, start: int, end: int) -> bool:
    if text[start].lstrip("-") in currency_signs() or text[start + 1 : start + 2] in currency_signs():
        return True
    behind = _TAIL.match(text, end)
    return text[end : end + 1] in currency_signs() or (behind is not None and behind[1].split()[0] in currency_names())


def _may_touch(word: str) -> bool:
    return (
        word in unit_abbreviations()
        or word in _ORDINALS
        or word.upper() in currency_codes()
        or word in ("h", "m", "s", "g", "l", "d")
    )


def _list_pieces(start: int, digits: str) -> Iterator[NumberMention]:
    """The numbers of a list without spaces: 1,2,3."""
    pieces = list(re.finditer(r"[^,]+", digits))
    if all(_PLAIN.fullmatch(piece.group()) for piece in pieces):
        for piece in pieces:
            yield from _plain_mention(start + piece.start(), start + piece.end(), piece.group())


def _plain_mention(start: int, end: int, digits: str) -> Iterator[NumberMention]:
    if _PLAIN.fullmatch(digits):
        yield NumberMention(start, end, Decimal(digits))


def _parse_digits(digits: str) -> Decimal | None:
    """What figures with grouping and decimal signs mean; None for a version, an address or a code."""
    if not digits.isdecimal():
        if _GROUPED.fullmatch(digits):
            digits = digits.replace(",", "" if "'" not in digits else ".").replace("'", "")
        elif _POINTS.fullmatch(digits) and not _ADDRESS.fullmatch(digits):
            digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits) if _PLAIN.fullmatch(digits) else None


def _finite_decimal(value: float) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):  # an integer too long to write
        return None
    return number if number.is_finite() else None


def _scale_by(number: Decimal, places: int) -> Decimal:
    try:
        return number.scaleb(places)
    except InvalidOperation:
        return number


@cache
def _percent_signs() -> tuple[str, ...]:
    return ("%", *sorted(percent_words(), key=len, reverse=True), "per cent")


@cache
def _whole_value() -> re.Pattern[str]:
    """A value that is one number, perhaps with a currency or a percent sign."""
    codes = any_word_of(tuple(code.lower() for code in EVERYDAY))
    unit = rf"(?:[{any_word_of(currency_signs())}]|(?:{codes}|{any_word_of(currency_names())})\b)"
    return re.compile(
        rf"\s*(?P<minus>-)?\s*{unit}?\s*(?P<inner>-)?(?P<number>[0-9](?:[0-9.,']*[0-9])?)\s*(?:%|{unit})?\s*"
    )


def _with_common_figures(text: str) -> str:
    """The text with the figures of other scripts as 0 to 9, each in its place."""
    if text.isascii() or not _FOREIGN_FIGURE.search(text):
        return text
    return _FOREIGN_FIGURE.sub(lambda hit: str(int(hit.group())), text)
