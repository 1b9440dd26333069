"""Lengths of time as languages other than English word them: anderthalb Stunden, un quart d'heure, 2時間半."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache

from reviews.provenance.language.base import Language, languages, languages_of
from reviews.provenance.values.numerals import number_words, numerals_in

# Characters of the longest text that is read.
_READ = 4_000
_HALF = Decimal("0.5")
# English is read by patterns of its own, in `duration.py`.
_ENGLISH = "en"
# Chinese numerals that count hours and days.
_HAN = {figure: number for number, figure in enumerate("一二三四五六七八九十", start=1)} | {"两": 2, "半": 0}


def lengths_abroad(text: str) -> Iterator[tuple[int, int, Decimal, str]]:
    """Start, end, amount and unit, by its English name, of the lengths that a folded message words in its language."""
    if len(text) > _READ or not _telling().search(text):
        return
    for language in (each for each in languages_of(text) if each.code != _ENGLISH and each.lengths):
        for hit in _worded(language).finditer(text):
            yield *hit.span(), Decimal(_minutes(language)[hit.group()]), "minute"
        worded = {hit.start() for hit in _worded(language).finditer(text)}
        for hit in _counted(language).finditer(text):
            amount = _amount(hit["amount"], language)
            if amount is not None and not any(hit.start() <= at < hit.end() for at in worded):
                yield *hit.span(), amount + (_HALF if hit["half"] else 0), _units(language)[hit["unit"]]


def _amount(words: str, language: Language) -> Decimal | None:
    if words[0].isdecimal():
        return Decimal(words.replace(",", "."))
    if words in language.ones:
        return Decimal(1)
    if not language.spaced:
        return Decimal(_HAN[words]) if words in _HAN else None
    # A number with a half has two readings, the whole of it last.
    found = [value for start, end, value in numerals_in(words, language) if (start, end) == (0, len(words))]
    return found[-1] if found else None


@lru_cache(maxsize=16)
def _minutes(language: Language) -> dict[str, str]:
    return {word: minutes for minutes, words in language.spans.items() for word in words}


@lru_cache(maxsize=16)
def _units(language: Language) -> dict[str, str]:
    return {word: unit for unit, words in language.lengths.items() for word in words}


@lru_cache(maxsize=16)
def _worded(language: Language) -> re.Pattern[str]:
    edges = (r"(?<!\w)", r"(?!\w)") if language.spaced else (r"(?<!\d)", "")
    return re.compile(rf"{edges[0]}(?:{_either(_minutes(language))}){edges[1]}")


@lru_cache(maxsize=16)
def _counted(language: Language) -> re.Pattern[str]:
    """An amount before a unit, perhaps with a half behind it: deux heures et demie, 2時間半."""
    figures, units = r"\d{1,3}(?:[.,]\d{1,2})?", _either(_units(language))
    if not language.spaced:
        # A day of the month and a minute of the hour are no lengths.
        return re.compile(rf"(?<![\d月.:時点])(?P<amount>{figures}|[{''.join(_HAN)}]) ?(?P<unit>{units})(?P<half>半)?")
    halves = _either({*language.half_behind, *(each.strip() for each in language.half_added if each.startswith(" "))})
    numbers = _either({*number_words(language), *language.ones})
    joined = _either({each for each in language.half_added if not each.startswith(" ")})
    amount = rf"{figures}|(?:{numbers})(?:{joined}|{_either(language.half_added)})?"
    return re.compile(rf"(?<![\w.,:/-])(?P<amount>{amount}) ?(?P<unit>{units})(?!\w)(?: (?P<half>{halves})(?!\w))?")


@lru_cache(maxsize=1)
def _telling() -> re.Pattern[str]:
    """Any unit of any language: most texts have none, and what language they are in need not be told."""
    spoken = [each for each in languages() if each.spaced and each.code != _ENGLISH]
    words = {word for each in spoken for word in (*_units(each), *_minutes(each))}
    return re.compile(rf"(?<![^\W\d])(?:{_either(words)})(?!\w)|[分時日泊週月天周夜晚刻半小]")


def _either(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first; of none it matches nothing."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)) or r"(?!)"
