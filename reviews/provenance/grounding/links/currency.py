"""Currency codes that a text says by sign or name, and amounts that name another currency than the value."""

import re
from collections.abc import Iterator

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.fold import fold
from reviews.provenance.values.money import by_sign_alone, currencies_beside, currency_codes, currency_spellings
from reviews.provenance.values.number import said_in

# Codes of ISO 4217.
_CODE = re.compile(r"[A-Z]{3}")
# Three capitals may be anything: only a parameter about money takes a currency.
_ABOUT_MONEY = re.compile(r"currenc|\bunit\b|\biso\b", re.I)
# Characters of a message in which amounts are looked for.
_READ = 20_000
# Characters beside an amount in which its currency stands; the longest name, with its number, has about as many.
_AROUND = 16


def is_currency(leaf: Leaf) -> bool:
    """Whether the value is the code of a currency, for a parameter that takes one."""
    code = leaf.value.strip() if isinstance(leaf.value, str) else ""
    return _CODE.fullmatch(code) is not None and code in currency_codes() and _ABOUT_MONEY.search(leaf.hint) is not None


def named(leaf: Leaf, text: Indexed) -> Found | None:
    """A currency code, such as EUR, that the source says by its sign or name."""
    if not is_currency(leaf):
        return None
    value = leaf.text.strip()
    for spelling in currency_spellings(value):
        edges = (r"(?<![^\W_])", r"(?![^\W_])") if spelling[-1].isalpha() else ("", "")
        if hit := re.search(edges[0] + re.escape(spelling) + edges[1], text.folded.text):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    for start, end, codes in amounts_with_currency(text):
        if meant_by(codes, leaf) == {value}:
            return found_at(Grounding.NORMALIZE, text.span(start, end))
    return None


def amounts_with_currency(text: Indexed) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Start and end of each amount of the folded text that says its currency, with those that it may be in."""
    for number in said_in(text.folded.text[:_READ]):
        if codes := currencies_at(text, number.start, number.end):
            yield number.start, number.end, codes


def meant_by(codes: frozenset[str], leaf: Leaf) -> frozenset[str]:
    """Of several currencies of one name those that the tool offers, else the one that is meant without more."""
    offered = frozenset((*leaf.choices, *_CODE.findall(leaf.description))) & codes
    return offered or codes & by_sign_alone() or codes


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
