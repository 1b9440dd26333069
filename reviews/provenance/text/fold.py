"""Spellings made comparable, with the way back: every offset of a view maps to the raw text."""

import re
import unicodedata
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

# What single-letter escapes mean.
_LETTERS = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "}
# A pair of surrogates before its halves: together they are one character.
_ESCAPE = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\."
_ESCAPES = re.compile(_ESCAPE, re.S)
# Dashes that people type for a hyphen.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
# Quotation marks and apostrophes by what a keyboard has.
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201b": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'})
# The signs that part and follow figures where these are those of Arabic: else a piece of a number would stand alone.
_MARKS_OF_NUMBERS = {"\u066a": "%", "\u066b": ".", "\u066c": ","}
# Underscores separate words: `order_id` is two.
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=8192)
def fold_char(char: str) -> str:
    """One character without case, accent or typographic variant; invisible ones become nothing.

    The figures of any script are 0 to 9.
    """
    if char in _DASHES:
        return "-"
    if char.isdecimal() or char in _MARKS_OF_NUMBERS:
        return _MARKS_OF_NUMBERS.get(char) or str(unicodedata.decimal(char))
    plain = unicodedata.normalize("NFKD", char.translate(_QUOTES)).casefold()
    # Without a mark between them, 2½ would read as twenty-one halves and 10² as 102.
    if len(plain) > 1 and "\u2044" in plain:
        plain = f" {plain}"
    elif plain.isdigit() and unicodedata.decomposition(char).startswith("<super>"):
        plain = f"^{plain}"
    # A sign that is a word, such as №, would make a code of the figures behind it.
    if len(plain) > 1 and plain[-1].isalpha() and unicodedata.category(char) == "So":
        plain += " "
    return "".join(_letter_of(c) for c in plain if unicodedata.category(c) != "Cf")


def _letter_of(char: str) -> str:
    """The character; of an accent nothing, and of the sign of a vowel its letter, as which it is part of a word.

    Without it कल and कुल would be one word.
    """
    name = unicodedata.name(char, "")
    if " VOWEL SIGN " in name:
        # Some scripts have no letter for it.
        with suppress(KeyError):
            return unicodedata.lookup(name.replace(" VOWEL SIGN ", " LETTER "))
    return "" if unicodedata.category(char) == "Mn" else char


def fold(text: str) -> str:
    """The text without case, accents and typographic variants."""
    if text.isascii():
        return text.lower()
    return text.translate({ord(char): fold_char(char) for char in set(text) if not char.isascii()}).lower()


def with_plain_figures(text: str) -> str:
    """The text with 0 to 9 in place of any other script's figures."""
    return text if text.isascii() else "".join(fold_char(char) if char.isdecimal() else char for char in text)


def words_of(text: str) -> tuple[str, ...]:
    """The folded words of a text; punctuation, hyphens and underscores separate them."""
    return tuple(_WORD.findall(fold(text)))


def unescape(text: str) -> str:
    """What a JSON or Python string literal means."""
    return _ESCAPES.sub(lambda hit: _meaning_of_escape(hit[0]), text) if "\\" in text else text


@dataclass(frozen=True)
class View:
    """A text as it is compared; knows where each of its characters stands in the raw text."""

    text: str
    _views: tuple[int, ...] = (0,)
    _raws: tuple[int, ...] = (0,)
    _ends: tuple[int, ...] = (-1,)
    """For a replaced piece the raw offset behind it; -1 for a piece that kept its length."""

    def raw(self, start: int, end: int) -> tuple[int, int]:
        """The raw offsets of the non-empty stretch from `start` to `end`."""
        first, last = bisect_right(self._views, start) - 1, bisect_right(self._views, end - 1) - 1
        begin = self._raws[first] + (start - self._views[first] if self._ends[first] < 0 else 0)
        stop = self._ends[last] if self._ends[last] >= 0 else self._raws[last] + end - self._views[last]
        return begin, stop


def folded_view(text: str, *, escaped: bool) -> View:
    """The text without case, accents and typographic variants, escapes resolved."""
    table = {char: fold_char(char) for char in set(text) if not char.isascii()}
    # The characters whose folding keeps the length of the text.
    even = {ord(char): to for char, to in table.items() if len(to) == 1}
    odd = {char: to for char, to in table.items() if len(to) != 1}
    parts = ([_ESCAPE] if escaped and "\\" in text else []) + ([f"[{''.join(map(re.escape, odd))}]"] if odd else [])
    if not parts:
        return View(text.translate(even).lower())
    out: list[str] = []
    marks: list[tuple[int, int, int]] = []
    at = done = 0
    for hit in re.finditer("|".join(parts), text, re.S):
        marks += [(at, done, -1)] if hit.start() > done else []
        at += hit.start() - done
        piece = fold(odd[hit[0]] if hit[0] in odd else _meaning_of_escape(hit[0]))
        out += [text[done : hit.start()].translate(even).lower(), piece]
        marks += [(at, hit.start(), hit.end())] if piece else []
        at, done = at + len(piece), hit.end()
    out.append(text[done:].translate(even).lower())
    marks.append((at, done, -1))
    views, raws, ends = zip(*marks, strict=True)
    return View("".join(out), views, raws, ends)


# The same few escapes stand in a text again and again.
@lru_cache(maxsize=1024)
def _meaning_of_escape(escape: str) -> str:
    if escape[1] in "ux" and len(escape) > 2:  # noqa: PLR2004
        code = [int(part, 16) for part in re.split(r"\\[ux]", escape)[1:]]
        return chr(code[0]) if len(code) == 1 else chr(0x10000 + ((code[0] - 0xD800) << 10) + code[1] - 0xDC00)
    return _LETTERS.get(escape[1], escape[1])
