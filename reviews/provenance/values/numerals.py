"""Whole numbers below a million as languages other than English spell them: dreihundertfünf, setecientas cincuenta."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from reviews.provenance.language.base import Language

_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000
_HALF = Decimal("0.5")
# Where two words are written as one, the first of two vowels falls away: ventuno, centotto.
_VOWELS = "aeiou"


@dataclass(frozen=True)
class _Spelling:
    """How a language spells numbers."""

    whole: re.Pattern[str]
    token: re.Pattern[str]
    half: re.Pattern[str]
    values: Mapping[str, int]


def numerals_in(text: str, language: Language) -> Iterator[tuple[int, int, Decimal]]:
    """Start, end and value of each number that a folded text spells; with a half behind it, both readings."""
    spelling = _spelling(language) if language.spaced and language.numbers else None
    for hit in spelling.whole.finditer(text) if spelling else ():
        # "Une" and "ein" by themselves are articles.
        if spelling is None or (hit.group() in language.ones and hit.group() not in number_words(language)):
            continue
        value = _value(hit.group(), spelling)
        if behind := spelling.half.match(text, hit.end()):
            yield hit.start(), behind.end(), value + _HALF
        elif hit.end() == len(text) or not text[hit.end()].isalnum():
            yield *hit.span(), value


@lru_cache(maxsize=16)
def number_words(language: Language) -> Mapping[str, int]:
    """The words of the table, and those made of a ten and a one: zweiundzwanzig, treinta y dos."""
    named = {word: int(number) for number, words in language.numbers.items() for word in words}
    tens = {word: number for word, number in named.items() if _TEN < number < _HUNDRED and not number % _TEN}
    ones = {word: number for word, number in named.items() if 1 < number < _TEN} | dict.fromkeys(language.ones, 1)
    made = {
        join.format(ten=_elided(ten, one, join), one=one): tens[ten] + ones[one]
        for join in language.number_joins
        for ten in tens
        for one in ones
    }
    return MappingProxyType(made | named)


def _value(words: str, spelling: _Spelling) -> Decimal:
    total = part = 0
    for hit in spelling.token.finditer(words):
        if hit.lastgroup == "thousand":
            total, part = total + (part or 1) * _THOUSAND, 0
        elif hit.lastgroup == "hundred":
            part = (part or 1) * _HUNDRED
        else:
            part += spelling.values[hit.group().replace("-", " ")]
    return Decimal(total + part)


@lru_cache(maxsize=16)
def _spelling(language: Language) -> _Spelling:
    words = number_words(language)
    below = {word: number for word, number in words.items() if number < _HUNDRED} | dict.fromkeys(language.ones, 1)
    multiplied = language.hundred
    hundreds = {word: n for word, n in words.items() if _HUNDRED <= n < _THOUSAND and word not in multiplied}
    thousand = language.thousand | {word for word, number in words.items() if number == _THOUSAND}
    gap = rf"(?:{'|'.join(sorted(map(re.escape, language.number_gaps), key=len, reverse=True))})"
    # "Centotto": the last vowel falls away before another.
    beginning = _any(word for word in below if word[0] in _VOWELS)
    hundred = "|".join(rf"{word[:-1]}(?={beginning})|{word}" for word in multiplied if "" in language.number_gaps)
    hundred = hundred or _any(multiplied)
    known = {**below, **hundreds}
    one = rf"(?:{_any(below)})"
    by_hundreds = rf"(?:(?:{one}{gap})?(?:{hundred})|{_any(hundreds)})"
    part = rf"(?:{by_hundreds}(?:{gap}{one})?|{one})"
    whole = rf"(?:(?:{part}{gap})?(?:{_any(thousand)})(?:{gap}{part})?|{part})"
    halves = _any(language.half_added)
    return _Spelling(
        re.compile(rf"(?<![\w]){whole}(?=(?:{halves})?(?!\w))"),
        re.compile(rf"(?P<thousand>{_any(thousand)})|(?P<known>{_any(known)})|(?P<hundred>{hundred})"),
        re.compile(rf"(?:{halves})(?!\w)"),
        MappingProxyType({word.replace("-", " "): number for word, number in known.items()}),
    )


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first; a hyphen may be a space."""
    each = (re.escape(word).replace(r"\-", "[ -]") for word in sorted(words, key=len, reverse=True))
    return "|".join(each) or r"(?!)"


def _elided(ten: str, one: str, join: str) -> str:
    touching = join == "{ten}{one}" and ten[-1] in _VOWELS and one[0] in _VOWELS
    return ten[:-1] if touching else ten
