"""Numbers in words: `text_to_num` reads them, and what it can read is known from the words that `num2words` writes."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from num2words import num2words
from text_to_num import Token, find_numbers, text2num

from reviews.provenance.text.fold import fold
from reviews.provenance.values.locales import either

# The languages that `text_to_num` reads, with the countries whose numerals differ; Danish has too many English words.
_LANGUAGES: Final = (
    ("en", "en"), ("de", "de"), ("fr", "fr"), ("fr", "fr_BE"), ("fr", "fr_CH"), ("es", "es"), ("it", "it"),
    ("pt", "pt"), ("pt", "pt_BR"), ("nl", "nl"),
)  # fmt: skip
# Languages that write a number below a million as one word.
_COMPOUNDING: Final = ("de", "it", "nl")
_NAMED: Final = (*range(101), 101, *range(200, 1001, 100), 2000, 10**6, 2 * 10**6)
# English words that elsewhere are numbers, and names: by themselves they are read in English.
_ENGLISH_TOO: Final = frozenset("cent dos due elf mil nul nove once otto sei seize sept set sette vent".split())
# English words without which hardly a sentence is made. Where one stands nearby, only English is read.
_ENGLISH: Final = frozenset("the to and of for is are at please my me you with this that it its on from by".split())
# Characters on either side in which they are looked for.
_NEARBY: Final = 120
# Letters of the longest word that is taken apart; "siebenhundertsiebenundsiebzigtausend…" has about seventy.
_LONGEST: Final = 80
# Characters between two words of one number: " and ", "-et-", " e ".
_GAP: Final = re.compile(r"[ -](?:[^\W\d_]{1,3}[ -])?|, ?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_HAN_FIGURES: Final = "零〇一二两三四五六七八九十百千万億亿"
# Counting something, and no place in a row, weekday or month.
_HAN: Final = re.compile(rf"(?<![第周週期曜{_HAN_FIGURES}])[{_HAN_FIGURES}]{{1,16}}(?=[\u3040-\u9fff])(?![月曜])")
_MYRIAD: Final = 10_000


class _Word(Token):
    """A word of a folded text, as the library spells it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.written, self.start, self.end = text, start, end

    def text(self) -> str:
        return self.written


def numerals_in(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of every cardinal number that a folded text writes in words."""
    for start, end in _stretches(text):
        seen: set[tuple[int, int, Decimal]] = set()
        around = _WORD.findall(text, max(0, start - _NEARBY), end + _NEARBY)
        languages = ("en",) if not _ENGLISH.isdisjoint(around) else tuple(_vocabulary())
        for language in languages:
            seen.update(_read(text, start, end, language))
        yield from _longest(seen)
    if not text.isascii():
        yield from _han_numerals(text)


def _longest(numbers: set[tuple[int, int, Decimal]]) -> Iterator[tuple[int, int, Decimal]]:
    """Those that are no part of another: "million" is French, too, and a part of "two million"."""
    last, reached = (-1, -1), -1
    for start, end, value in sorted(numbers, key=lambda number: (number[0], -number[1])):
        if end > reached or (start, end) == last:
            yield start, end, value
            last, reached = (start, end), end


@lru_cache(maxsize=64)
def has_numerals(text: str) -> bool:
    """Whether any word of a folded text may be a number."""
    return bool(_numeral_words(text)) or (not text.isascii() and _HAN.search(text) is not None)


def _read(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int, Decimal]]:
    words = [_Word(_spelled(hit.group(), language), *hit.span()) for hit in _WORD.finditer(text, start, end)]
    for number in find_numbers(words, language, 0):
        first, last = words[number.start], words[number.end - 1]
        alone = number.end - number.start == 1
        if number.is_ordinal or (alone and not _counts(text, first, number.value, language)):
            continue
        yield first.start, last.end, Decimal(str(number.value)).quantize(Decimal(1))


def _counts(text: str, word: _Word, value: float, language: str) -> bool:
    """Whether a single word is a number: "the blue one", "une" and "due" hardly are."""
    if language != "en":
        return value != 1 and text[word.start : word.end] not in _ENGLISH_TOO
    behind = _WORD.match(text, word.end + 1)
    return value != 1 or word.end - word.start == len(text) or (behind is not None and behind.group() not in _ENGLISH)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """From the first to the last word of what may be one number, or several in a row."""
    begin = end = -1
    for start, stop in _places(text):
        if end >= 0 and (start == end or _GAP.fullmatch(text, end, start)):
            end = stop
            continue
        if end >= 0:
            yield begin, end
        begin, end = start, stop
    if end >= 0:
        yield begin, end


def _places(text: str) -> list[tuple[int, int]]:
    """Where the words stand that may be numbers, in order."""
    words = _numeral_words(text)
    if not words:
        return []
    pattern = re.compile(rf"(?<![\w@])(?<!\w\.)(?:{either(words)})(?![\w@]|\.\w)")
    return [hit.span() for hit in pattern.finditer(text)]


def _numeral_words(text: str) -> set[str]:
    """The words of a text that the library may read as numbers; it is asked about nothing else."""
    distinct = set(_WORD.findall(text))
    known = {word for words in _vocabulary().values() for word in distinct & words.keys()}
    return known | {word for word in distinct - known if _is_compound(word)}


@cache
def _vocabulary() -> Mapping[str, Mapping[str, str]]:
    """For each language its words of numbers, folded, and how they are spelled."""
    words: dict[str, dict[str, str]] = {}
    for language, country in _LANGUAGES:
        written = set(_WORD.findall(" ".join(num2words(number, lang=country) for number in _NAMED)))
        # Spanish and Portuguese hundreds have a gender, and only one is written.
        written |= {f"{word[:-2]}as" for word in written if word.endswith("os")}
        words.setdefault(language, {}).update((fold(word), word) for word in written if _is_number(word, language))
    return MappingProxyType({language: MappingProxyType(known) for language, known in words.items()})


def _is_number(word: str, language: str) -> bool:
    """Whether the library takes the word for a number by itself: "and" is none."""
    try:
        return len(word) > 1 and text2num(word, language) >= 0
    except ValueError:
        return False


@cache
def _multiples() -> Mapping[str, str]:
    """What stands in every number of several hundreds or thousands that is one word, and its language."""
    found: dict[str, str] = {}
    for language in _COMPOUNDING:
        two, three = (num2words(number, lang=language) for number in (2, 3))
        for word, times in ((200, two), (3000, three)):
            # "Centottanta": before a vowel the hundred loses its own.
            found[fold(num2words(word, lang=language)).removeprefix(fold(times)).rstrip("aeiou")] = language
    return MappingProxyType(found)


@cache
def _multiple() -> re.Pattern[str]:
    return re.compile(either(_multiples()))


@cache
def _piece(language: str) -> re.Pattern[str]:
    return re.compile(either(_vocabulary()[language]))


def _is_compound(word: str) -> bool:
    """Whether a folded word is a number that is put together of others."""
    hit = _multiple().search(word) if len(word) <= _LONGEST else None
    return hit is not None and _is_number(_spelled(word, _multiples()[hit.group()]), _multiples()[hit.group()])


def _spelled(word: str, language: str) -> str:
    """A folded word with its accents: funf is fünf, also within a longer word."""
    known = _vocabulary()[language]
    if word in known or language not in _COMPOUNDING:
        return known.get(word, word)
    return _piece(language).sub(lambda hit: known[hit.group()], word)


def _han_numerals(text: str) -> Iterator[tuple[int, int, Decimal]]:
    for hit in _HAN.finditer(text):
        value = _han_value(hit.group())
        # One is a part of many words.
        if value > 1:
            yield *hit.span(), Decimal(value)


def _han_value(figures: str) -> int:
    total = part = figure = 0
    for sign in figures:
        value = int(unicodedata.numeric(sign, 2))
        if value >= _MYRIAD:
            total, part, figure = total + (part + figure or 1) * value, 0, 0
        elif value >= 10:
            part, figure = part + (figure or 1) * value, 0
        else:
            figure = figure * 10 + value
    return total + part + figure
