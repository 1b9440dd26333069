"""Characters that an eye would miss, mistake for others, or that bend the text around them: each is shown and named.

A bidirectional override can make `attacker.example` read as something else, a zero-width space can split a word that
a rule looks for, and tag characters can carry a whole message (Unicode Technical Report 36). Whoever decides must see
each of them.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from reviews.provenance.core.lookalikes import lookalikes_in, name_of_character

# Blanks that a page draws as blanks. Every other control character or separator becomes a token.
_PLAIN: Final = frozenset("\n\t \u00a0\u202f")
# Visible wherever they stand, and in most sentences that the product itself writes.
_TYPOGRAPHIC: Final = str.maketrans("", "", "\u00b7\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2192\u20ac")
# Letters and marks by category, yet a font draws nothing for them: Hangul and Khmer fillers, the Braille blank.
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Joins emoji into one picture (a family, a flag); between letters it hides.
_JOINER: Final = "\u200d"
# Variation selectors 15 and 16: a character as text, or as an emoji.
_EMOJI_STYLE: Final = frozenset("\ufe0e\ufe0f")
# Vietnamese and pointed Hebrew pile up to three marks on a letter. What is piled higher is a token, so that it cannot
# cover the neighbouring lines.
_MAX_MARKS: Final = 3
# The block of tag characters: each is an ASCII character, shifted to where nothing is drawn.
_TAGS: Final = range(0xE0000, 0xE0080)


@dataclass(frozen=True, slots=True)
class DisplayText:
    """A stretch of text as it is displayed."""

    text: str
    name: str = ""
    """Accessible name of a token; empty for text that shows itself."""


def reveal_hidden(text: str) -> Iterator[DisplayText]:
    """The text cut into what shows itself and tokens for what does not."""
    # Nearly every text is plain, and pages show many: they are spared the look at each character.
    plain = text if text.isascii() else text.translate(_TYPOGRAPHIC)
    if plain.isascii() and plain.replace("\n", "").replace("\t", "").isprintable():
        if text:
            yield DisplayText(text)
        return
    for hidden, run in groupby(_classify_characters(text.replace("\r\n", "\n")), key=lambda pair: pair[1]):
        characters = "".join(character for character, _ in run)
        yield from _tokens_for(characters) if hidden else _with_lookalikes(characters)


def spelled_out(text: str) -> str:
    """The text with every token in place, for where no markup can go."""
    return "".join(display.text for display in reveal_hidden(text))


def is_unseen(character: str) -> bool:
    """Whether a character on its own shows nothing, or changes how its neighbours are shown."""
    if character in _PLAIN:
        return False
    selects_variation = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    # Categories C (controls, formats, surrogates, unassigned) and Z (separators).
    return unicodedata.category(character)[0] in "CZ" or character in _BLANK_LETTERS or selects_variation


def _classify_characters(text: str) -> Iterator[tuple[str, bool]]:
    """Each character with whether it is shown as a token; what makes up an emoji is not."""
    previous, marks = "", 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        before = unicodedata.category(previous) if previous else ""
        if character in _EMOJI_STYLE:
            in_emoji = before == "So"
        else:
            # A joiner follows a symbol, a skin tone (Sk) or the selector that made the symbol an emoji.
            in_emoji = character == _JOINER and (before in ("So", "Sk") or previous in _EMOJI_STYLE)
        yield character, (is_unseen(character) and not in_emoji) or marks > _MAX_MARKS
        previous = character


def _with_lookalikes(text: str) -> Iterator[DisplayText]:
    """The text, with each character that passes for a Latin one apart and named."""
    start = 0
    for at, twin in lookalikes_in(text):
        if at > start:
            yield DisplayText(text[start:at])
        yield DisplayText(text[at], f"{name_of_character(text[at])}, which looks like “{twin}”")
        start = at + 1
    if start < len(text):
        yield DisplayText(text[start:])


def _tokens_for(hidden: str) -> Iterator[DisplayText]:
    """One token for each run of the same character, and one for each message of tag characters."""
    for kind, run in groupby(hidden, key=lambda character: "tag" if ord(character) in _TAGS else character):
        characters = "".join(run)
        if kind == "tag":
            message = "".join(chr(ord(tag) - _TAGS.start) for tag in characters)
            readable = "".join(character for character in message if character.isprintable())
            yield DisplayText(f"⟦hidden tags “{readable}”⟧", f"invisible tag characters that spell {readable}")
            continue
        times = f" \u00d7{len(characters)}" if len(characters) > 1 else ""
        # Control characters have no name in Unicode.
        unnamed = "control character" if unicodedata.category(kind) == "Cc" else "unassigned character"
        name = unicodedata.name(kind, "").lower() or unnamed
        yield DisplayText(f"⟦U+{ord(kind):04X}{times}⟧", f"{name}{times}")
