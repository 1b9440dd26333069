"""Currency codes that a text says by sign or name, and amounts that name another currency than the value."""

import re

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.values.money import currencies_beside, currency_codes, currency_spellings

# Codes of ISO 4217.
_CODE = re.compile(r"[A-Z]{3}")
# Three capitals may be anything: only a parameter about money takes a currency.
_ABOUT_MONEY = re.compile(r"currenc|\bunit\b|\biso\b", re.I)
# Characters beside an amount in which its currency stands; the longest name, with its number, has about as many.
_AROUND = 16


def named(leaf: Leaf, text: Indexed) -> Found | None:
    """A currency code, such as EUR, that the source says by its sign or name."""
    value = leaf.value.strip() if isinstance(leaf.value, str) else ""
    if not _CODE.fullmatch(value) or value not in currency_codes() or not _ABOUT_MONEY.search(leaf.hint):
        return None
    for spelling in currency_spellings(value):
        edges = (r"(?<![^\W_])", r"(?![^\W_])") if spelling[-1].isalpha() else ("", "")
        if hit := re.search(edges[0] + re.escape(spelling) + edges[1], text.folded.text):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def currencies_of(leaf: Leaf) -> frozenset[str]:
    """The currencies that the value itself may be in, or that the parameter's name or description fixes."""
    if isinstance(leaf.value, str) and len(leaf.text) <= _AROUND * 2:
        value = fold(leaf.text)
        digits = re.search(r"\d[\d.,' ]*\d|\d", value)
        own = currencies_beside(value[: digits.start()], value[digits.end() :], leaf.text) if digits else frozenset()
        if own:
            return own
    codes = {word.upper() for word in re.findall(r"[a-z]{3}", leaf.name.lower().replace("_", " "))} | set(
        _CODE.findall(leaf.description)
    )
    return frozenset(codes & currency_codes()) if len(codes & currency_codes()) == 1 else frozenset()


def currencies_at(text: Indexed, start: int, end: int) -> frozenset[str]:
    """The currencies that the amount at this place of the folded text may be in; none if it names none."""
    folded = text.folded.text
    sign = folded[start : start + 1] if not folded[start : start + 1].isalnum() else ""
    first, last = max(0, start - _AROUND), min(len(folded), end + _AROUND)
    raw = text.span(first, last).quote if last > first else ""
    return currencies_beside(folded[first:start] + sign, folded[end:last], raw)


def another_currency(leaf: Leaf, text: Indexed, start: int, end: int) -> bool:
    """Whether value and source name currencies that cannot be the same."""
    own = currencies_of(leaf)
    stated = currencies_at(text, start, end) if own else frozenset()
    return bool(stated) and not own & stated
