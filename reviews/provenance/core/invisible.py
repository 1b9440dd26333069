"""Characters that an eye would miss or that bend the text around them, shown as visible tokens.

A bidirectional override can make `attacker.example` read as something else, a zero-width space can split a word that
a rule looks for, and tag characters can carry a whole message. Whoever decides must see each of them.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

_PLAIN: Final = frozenset("\n\t \u00a0\u202f")
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by category that draw nothing."""
_JOINER: Final = "\u200d"
_EMOJI_STYLE: Final = frozenset("\ufe0e\ufe0f")
_MOST_MARKS: Final = 3
"""Combining marks on one letter; what is piled higher is a token, so that it cannot cover the neighbouring lines."""
_TAGS: Final = range(0xE0000, 0xE0080)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stretch of text as it is displayed."""

    text: str
    name: str = ""
    """Accessible name of a token; empty for text that shows itself."""


def reveal(text: str) -> Iterator[Shown]:
    """The text cut into what shows itself and tokens for what does not."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        if text:
            yield Shown(text)
        return
    text = text.replace("\r\n", "\n")
    for hidden, run in groupby(_classified(text), key=lambda pair: pair[1]):
        characters = "".join(character for character, _ in run)
        yield from _tokens(characters) if hidden else [Shown(characters)]


def spelled_out(text: str) -> str:
    """The text with every token in place, for where no markup can go."""
    return "".join(shown.text for shown in reveal(text))


def hides(character: str) -> bool:
    """Whether a character on its own shows nothing, or changes how its neighbours are shown."""
    category = unicodedata.category(character)
    if character in _PLAIN:
        return False
    return category[0] in "CZ" or character in _BLANK_LETTERS or _selects_variation(character)


def _classified(text: str) -> Iterator[tuple[str, bool]]:
    previous, marks = "", 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        hidden = hides(character) and not _belongs_to_emoji(character, previous)
        yield character, hidden or marks > _MOST_MARKS
        previous = character


def _belongs_to_emoji(character: str, previous: str) -> bool:
    before = unicodedata.category(previous) if previous else ""
    if character in _EMOJI_STYLE:
        return before == "So"
    return character == _JOINER and (before in ("So", "Sk") or previous in _EMOJI_STYLE)


def _selects_variation(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _tokens(hidden: str) -> Iterator[Shown]:
    for kind, run in groupby(hidden, key=lambda character: "tag" if ord(character) in _TAGS else character):
        characters = "".join(run)
        yield _tag_message(characters) if kind == "tag" else _token(characters)


def _token(run: str) -> Shown:
    times = f" \u00d7{len(run)}" if len(run) > 1 else ""
    name = unicodedata.name(run[0], "").lower() or _unnamed(run[0])
    return Shown(f"⟦U+{ord(run[0]):04X}{times}⟧", f"{name}{times}")


def _unnamed(character: str) -> str:
    return "control character" if unicodedata.category(character) == "Cc" else "unassigned character"


def _tag_message(run: str) -> Shown:
    message = "".join(chr(ord(tag) - _TAGS.start) for tag in run)
    readable = "".join(character for character in message if character.isprintable())
    return Shown(f"⟦hidden tags “{readable}”⟧", f"invisible tag characters that spell {readable}")
