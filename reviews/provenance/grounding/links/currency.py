"""Currencies by sign, code or name: $, USD, US dollars; and amounts that name another currency than the value."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from babel.numbers import get_currency_name, get_currency_symbol, list_currencies

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold

_CODE = re.compile(r"[A-Z]{3}")
_ABOUT_MONEY = re.compile(r"currenc|\bunit\b|\biso\b", re.I)
_BEFORE = re.compile(r"(?:([^\W\d_]{1,3}) ?|([^\w\s.,;:()]) ?)$")
_BEHIND = re.compile(r" ?([^\w\s.,;:()])| ?([^\W\d_]{1,12})(?![\w])")
_SHARED = {"$": "dollar", "£": "pound", "¥": "yen yuan", "kr": "krona krone kroner", "₹": "rupee"}
"""Signs of several currencies, and the last word of the names of those."""
_LOCALE = "en"
_AROUND = 16


def named(leaf: Leaf, text: Indexed) -> Found | None:
    """A currency code, such as EUR, that the source says by its sign or name."""
    value = leaf.value.strip() if isinstance(leaf.value, str) else ""
    if not _CODE.fullmatch(value) or value not in _codes() or not _ABOUT_MONEY.search(leaf.hint):
        return None
    for spelling in _spellings(value):
        edges = (r"(?<![^\W_])", r"(?![^\W_])") if spelling[-1].isalpha() else ("", "")
        if hit := re.search(edges[0] + re.escape(spelling) + edges[1], text.folded.text):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def currency_told(leaf: Leaf) -> frozenset[str]:
    """The currencies that the value itself may be in, or that the parameter's name or description fixes."""
    if isinstance(leaf.value, str) and len(leaf.text) <= _AROUND * 2:
        value = fold(leaf.text)
        digits = re.search(r"\d[\d.,' ]*\d|\d", value)
        own = _meant(value[: digits.start()], value[digits.end() :], leaf.text) if digits else frozenset()
        if own:
            return own
    codes = {word.upper() for word in re.findall(r"[a-z]{3}", leaf.name.lower().replace("_", " "))} | set(
        _CODE.findall(leaf.description)
    )
    return frozenset(codes & _codes()) if len(codes & _codes()) == 1 else frozenset()


def currency_at(text: Indexed, start: int, end: int) -> frozenset[str]:
    """The currencies that the amount at this place of the folded text may be in; none if it names none."""
    folded = text.folded.text
    sign = folded[start : start + 1] if not folded[start : start + 1].isalnum() else ""
    first, last = max(0, start - _AROUND), min(len(folded), end + _AROUND)
    raw = text.span(first, last).quote if last > first else ""
    return _meant(folded[first:start] + sign, folded[end:last], raw)


def another_currency(leaf: Leaf, text: Indexed, start: int, end: int) -> bool:
    """Whether value and source name currencies that cannot be the same."""
    told = currency_told(leaf)
    said = currency_at(text, start, end) if told else frozenset()
    return bool(said) and not told & said


def _meant(before: str, behind: str, raw: str) -> frozenset[str]:
    for hit in (_BEFORE.search(before), _BEHIND.match(behind)):
        if hit and (codes := _by_spelling(hit[1] or hit[2], raw)):
            return codes
    return frozenset()


def _by_spelling(spelling: str, raw: str) -> frozenset[str]:
    """A code counts in capitals only: ALL and TRY are currencies, all and try are not."""
    if spelling.upper() in _codes():
        return frozenset({spelling.upper()}) if spelling.upper() in raw else frozenset()
    return _by_name().get(spelling, frozenset())


def _spellings(code: str) -> Iterator[str]:
    """The longest first: a sign or a last word alone means the currency that has it to itself in English."""
    names = {fold(get_currency_name(code, count, _LOCALE)) for count in (None, 1, 2)}
    yield from sorted(names, key=len, reverse=True)
    symbol = fold(get_currency_symbol(code, _LOCALE))
    if symbol != code.lower():
        yield symbol
        yield from {name.rpartition(" ")[2] for name in names} if len(symbol) == 1 else ()


@cache
def _codes() -> frozenset[str]:
    return frozenset(list_currencies(_LOCALE))


@cache
def _by_name() -> Mapping[str, frozenset[str]]:
    """The codes that each sign, and each last word of a name, may mean."""
    found: dict[str, set[str]] = {}
    for code in _codes():
        found.setdefault(fold(get_currency_symbol(code, _LOCALE)), set()).add(code)
        for count in (1, 2):
            word = fold(get_currency_name(code, count, _LOCALE)).rpartition(" ")[2]
            found.setdefault(word, set()).add(code)
    for sign, words in _SHARED.items():
        found.setdefault(sign, set()).update(*(found.get(word, set()) for word in words.split()))
    return {name: frozenset(codes) for name, codes in found.items() if not name.isdigit()}
