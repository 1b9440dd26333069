"""Characters of other scripts that pass for Latin ones (Unicode Technical Standard 39, confusables).

To the eye a name with a Cyrillic letter in it is the Latin one; to a mail server it is somebody else.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

from confusable_homoglyphs import confusables  # type: ignore[import-untyped]  # it ships no types

# What is written as one word, an address or a path.
_WORD: Final = re.compile(r"[^\s\"'“”<>()\[\]{},;]+")
_ASCII_LETTER: Final = re.compile("[A-Za-z]")
_ASCII_SIGN: Final = re.compile("[A-Za-z0-9]")


def lookalikes_in(text: str) -> Iterator[tuple[int, str]]:
    """Where a word of Latin letters holds a character that only passes for one, and which one it passes for."""
    if text.isascii():
        return
    table = _latin_twins()
    for word in _WORD.finditer(text):
        # A word without any Latin letter is honest: Cyrillic is written in Cyrillic.
        if word.group().isascii() or not _ASCII_LETTER.search(word.group()):
            continue
        for at, character in enumerate(word.group(), start=word.start()):
            if ord(character) in table:
                yield at, table[ord(character)]


def as_latin(text: str) -> str:
    """The text with every character that passes for a Latin one replaced by that; of the same length."""
    return text if text.isascii() else text.translate(_latin_twins())


def name_of_character(character: str) -> str:
    """What Unicode calls it, in small letters."""
    return unicodedata.name(character, f"U+{ord(character):04X}").lower()


@cache
def _latin_twins() -> dict[int, str]:
    """The code points of other scripts that look like an ASCII letter or figure, with what they look like."""
    twins: dict[int, str] = {}
    for character, likenesses in confusables.confusables_data.items():
        # Not the Latin letters of other languages: an i without its dot is at home in Turkish, and no disguise.
        if len(character) != 1 or character.isascii() or unicodedata.name(character, "LATIN").startswith("LATIN"):
            continue
        twin = next((likeness["c"] for likeness in likenesses if _ASCII_SIGN.fullmatch(likeness["c"])), None)
        if twin and unicodedata.category(character)[0] == "L":
            twins[ord(character)] = twin
    return twins
