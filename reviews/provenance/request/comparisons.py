"""What a request compares things by: cheapest, oldest, the last but one; and the fields that tell it.

The words are tables of each language, by dimension: price, weight, age. Which field holds a dimension its name tells.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from reviews.provenance.language.base import Language, languages, languages_of
from reviews.provenance.text.fold import fold, words_of_name
from reviews.provenance.text.stems import stem
from reviews.provenance.values.duration import seconds_of
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

NAMED = "named"
"""The dimension of "the highest": the word behind it names the field."""
# Languages that short texts do not tell apart.
_RELATED = frozenset({"es", "fr", "it", "pt"})
# Dimensions in which a later day is less: the oldest was made first.
_BACKWARDS = frozenset({"age"})
# What stands before a word that compares nothing: at least, at the latest.
_NO_COMPARISON = re.compile(r"(?<!\w)(?:at(?: the)?|no|not|any|or|much|even|the sooner the)\s+$")
# What makes a comparison a bound.
_BOUND = re.compile(r"\s+(?:than|als|que|dan|of all)\b|\s+(?:di|de|da)\s+\d")
# What may follow a word of the tables in a language that inflects adjectives.
_ENDING = r"\w{0,4}"
# Letters from which a word is not a unit, and from which two words that begin alike are of one root.
_TELLING, _ROOT = 3, 4
# A number with what it is counted in: 26.1 kg, 41/night.
_WITH_UNIT = re.compile(r"(?P<number>-?[\d.,\u202f']*\d)\s?(?P<unit>[^\W\d_]{1,12}|%|°c|€|\$|£)?")
# The years that a bare number in a field about age may mean.
_YEARS = (1000, 2200)
# Characters of a field that can be compared; longer ones are prose.
_LONGEST = 40


class Comparison(NamedTuple):
    """Words that compare."""

    start: int
    """Offset in the folded text."""
    end: int
    senses: frozenset[tuple[str, bool]]
    """The dimensions that may be meant, each with whether the most of it is asked for."""
    of_two: bool
    """Whether it picks one of two: "the older"."""


class Ordinal(NamedTuple):
    """A place in a list."""

    start: int
    end: int
    place: int
    """From 1; from the end -1 is the last."""


def comparisons_in(folded: str) -> list[Comparison]:
    """Every comparison of a text, the longest where several begin at one word; bounds, as "older than", are none."""
    found: dict[int, Comparison] = {}
    spoken = languages_of(folded)
    # A few words of a Romance language may be of any of them.
    related = [each for each in languages() if each.code in _RELATED]
    for language in dict.fromkeys((*spoken, *(related if {each.code for each in spoken} & _RELATED else ()))):
        pattern, senses = _comparing(language)
        for hit in pattern.finditer(folded):
            if _NO_COMPARISON.search(folded[max(0, hit.start() - 16) : hit.start()]) or _BOUND.match(folded, hit.end()):
                continue
            two = language.code == "en" and hit.group().endswith("er")
            known = found.get(hit.start())
            if known is None or known.end < hit.end():
                meant = senses[" ".join(hit["word"].split())]
                found[hit.start()] = Comparison(hit.start(), hit.end(), meant, two)
    return [found[at] for at in sorted(found)]


def ordinals_in(folded: str) -> list[Ordinal]:
    """Every place in a list that a text names."""
    found: dict[int, Ordinal] = {}
    for language in languages_of(folded):
        for hit in _placing(language).finditer(folded):
            known = found.get(hit.start())
            if known is None or known.end < hit.end():
                place = _places(language)[" ".join(hit.group().split())]
                found[hit.start()] = Ordinal(hit.start(), hit.end(), place)
    # "The next to last" is one place, not two.
    return [
        each
        for each in found.values()
        if not any(
            other is not each and other.start <= each.start and each.end <= other.end for other in found.values()
        )
    ]


@lru_cache(maxsize=16)
def _comparing(language: Language) -> tuple[re.Pattern[str], Mapping[str, frozenset[tuple[str, bool]]]]:
    senses: dict[str, set[tuple[str, bool]]] = {}
    for table, most in ((language.least, False), (language.greatest, True)):
        for dimension, words in table.items():
            for word in words:
                senses.setdefault(word, set()).add((dimension, most))
    ending = "" if language.code == "en" else _ENDING
    pattern = _any_of(senses, language, ending)
    return pattern, {word: frozenset(meant) for word, meant in senses.items()}


@lru_cache(maxsize=16)
def _placing(language: Language) -> re.Pattern[str]:
    return _any_of(_places(language), language, "")


def _places(language: Language) -> Mapping[str, int]:
    tables = (language.ordinals, language.list_ends)
    return {word: int(place) for table in tables for place, words in table.items() for word in words}


def _any_of(words: Iterable[str], language: Language, ending: str) -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)
    inner = "|".join(r"[\s-]+".join(map(re.escape, word.split())) for word in ordered) or r"(?!)"
    return re.compile(rf"(?<!\w)(?P<word>{inner}){ending}(?!\w)" if language.spaced else rf"(?P<word>{inner})")


@lru_cache(maxsize=64)
def column_words(dimension: str) -> frozenset[str]:
    """The words, of any language, by which the names of fields say a dimension: data are often written in English."""
    return frozenset(word for language in languages() for word in language.columns.get(dimension, ()))


@lru_cache(maxsize=4096)
def words_of_key(key: str) -> frozenset[str]:
    """The words of a field's name, with their stems; each by itself also where the name joins them."""
    plain = words_of_name(key.rpartition(".")[2] or key)
    return frozenset(plain) | frozenset(map(stem, plain))


def columns_for(dimension: str, keys: Iterable[str]) -> list[str]:
    """The fields whose names say a dimension; those that only have a unit of it where no name says more."""
    found: dict[str, int] = {}
    for key in keys:
        held = words_of_key(key) & column_words(dimension)
        if not held and not key.isascii():
            held = frozenset(word for word in column_words(dimension) if not word.isascii() and word in fold(key))
        if held:
            found[key] = max(len(word) if word.isascii() else _TELLING for word in held)
    telling = [key for key, length in found.items() if length >= _TELLING]
    return telling or list(found)


def of_one_root(word: str, key: str) -> bool:
    """Whether a verb or adjective says what a field is called: "expires" and `expiry_date`, "used" and `last_used`."""
    bare = _root(word)
    if len(word) >= _TELLING and not {word, f"un{word}"}.isdisjoint(words_of_key(key)):
        return True
    if len(bare) < _TELLING:
        return False
    for part in words_of_key(key):
        other = _root(part)
        if bare == other or (
            min(len(bare), len(other)) >= _ROOT and (bare.startswith(other) or other.startswith(bare))
        ):
            return True
    return False


@lru_cache(maxsize=4096)
def _root(word: str) -> str:
    return re.sub(r"(?:ation|ture|ity|ing|ies|ed|es|al|ry|er|e|s|y|d)$", "", word) if len(word) > _TELLING else word


def is_backwards(dimension: str, values: Iterable[object]) -> bool:
    """Whether the most of a dimension is the earliest of these values: the oldest has the earliest birthday."""
    if dimension not in _BACKWARDS:
        return False
    return all(
        isinstance(value, datetime) or (isinstance(value, Decimal) and _YEARS[0] < value < _YEARS[1])
        for value in values
    )


def comparable(text: str, key: str) -> tuple[str, Decimal | datetime] | None:
    """A field's value to compare by, with what it is counted in; None for what has no order."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if (number := number_of(text)) is not None:
        return "", number
    if (meant := moment_of(text)) is not None:
        day, clock = meant
        return ("day" if day else "clock"), datetime.combine(day or date.min, clock or time.min)
    hit = _WITH_UNIT.fullmatch(fold(text))
    if hit and (number := number_of(hit["number"])) is not None:
        return hit["unit"] or "", number
    lengths = seconds_of(text, key)
    return ("seconds", lengths[0]) if len(lengths) == 1 else None


def daypart_words(folded: str) -> Iterator[tuple[int, int, str]]:
    """Each part of the day that a text names, with where."""
    for language in languages_of(folded):
        # The longest first: "après-midi" is no "midi".
        part_of = {_unjoined(word): part for part, words in language.dayparts.items() for word in words}
        for hit in _any_of(part_of, language, "").finditer(folded):
            yield hit.start(), hit.end(), part_of[_unjoined(hit["word"])]


def _unjoined(words: str) -> str:
    return " ".join(re.split(r"[\s-]+", words))


# Hours of each part of the day, from and until. They overlap: people do not agree where one ends.
_HOURS = {"morning": (4, 12), "midday": (11, 14), "afternoon": (12, 18), "evening": (17, 24), "night": (20, 6)}


def in_daypart(part: str, clock: time) -> bool:
    """Whether a time of day may be called so."""
    begin, end = _HOURS[part]
    return begin <= clock.hour < end if begin < end else clock.hour >= begin or clock.hour < end
