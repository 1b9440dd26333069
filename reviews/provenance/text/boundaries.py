"""Where a value may stand: whole words, whole numbers, whole addresses; never a piece of a larger thing."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Generic, NamedTuple, TypeAlias, TypeVar

ValueT = TypeVar("ValueT")
Place: TypeAlias = tuple[int, int]
"""Where a stretch of a text begins and ends."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""A sign of a script that puts no spaces between words."""
UNPARTED = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""The same, with those of Thai to Khmer."""
MAX_CANDIDATES = 200
"""Places of one value that are looked at in one text."""
# Words of letters alone.
_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
# A figure right beside a place, also behind a sign that a number has within.
_FIGURE_BEFORE = re.compile(r"\d[.,:]?$")
_FIGURE_BEHIND = re.compile(r"[.,:]?\d")
# Letters behind an apostrophe that end a word: the "s" of "let's", the "ll" of "you'll".
_MAX_ENDING = 2
# Signs that belong to what stands right behind them: "*.txt", "!admins", ".env", "O'Brien".
_SIGNS_BEFORE = frozenset("*!^~%+=\\/$.'&-")
# Signs that make two stretches one address, path, number or identifier.
_GLUE = ".-_+/:@,&=~%?\\"


class Occurrence(NamedTuple, Generic[ValueT]):
    """A value in a folded text, as every reader of values finds it; what can be read in two ways is found twice."""

    start: int
    end: int
    value: ValueT

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.start, self.end


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the stretch is not part of a longer word, number, address, path or identifier."""
    value = text[start:end]
    if _is_ending(text, start, value):
        return False
    return _is_free(text, value, inside=start, near=start - 1) and _is_free(text, value, inside=end - 1, near=end)


def _is_ending(text: str, start: int, value: str) -> bool:
    """Whether the letters end the word before an apostrophe."""
    is_short = len(value) <= _MAX_ENDING and value.isalpha()
    return (
        is_short
        and text[max(0, start - 1) : start] in ("'", "\u2019")
        and text[max(0, start - 2) : start - 1].isalpha()
    )


def cuts_figure(text: str, start: int, end: int) -> bool:
    """Whether a figure at either end of the stretch goes on beyond it: "2 days" of "12 days", "4" of "4.50"."""
    begins, ends = text[start : start + 1].isdigit(), text[max(start, end - 1) : end].isdigit()
    goes_on_before = begins and _FIGURE_BEFORE.search(text[max(0, start - 2) : start]) is not None
    return goes_on_before or (ends and _FIGURE_BEHIND.match(text, end) is not None)


def stands_in_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter or figure goes on at either end of the stretch: "acme" of "acme/portal", and not of "acmes"."""
    joined = (text[max(start - 1, 0) : start + 1], text[max(end - 1, 0) : end + 1])
    return not any(len(pair) > 1 and pair.isalnum() and not UNSPACED.search(pair) for pair in joined)


def is_glued(text: str, start: int) -> bool:
    """Whether a sign stands right before this place that belongs to the name behind it."""
    return start > 0 and text[start - 1] in _SIGNS_BEFORE


def overlaps(places: Iterable[Place], start: int, end: int) -> bool:
    """Whether any of these places shares a character with the stretch."""
    return any(first < end and start < last for first, last in places)


def blank_places(text: str, places: Iterable[Place]) -> str:
    """The text with spaces in place of these, which may overlap: all else keeps its offset. Linear in the text."""
    parts, at = [], 0
    for start, end in sorted(places):
        parts += [text[at:start], " " * (end - max(start, at))]
        at = max(at, end)
    return "".join((*parts, text[at:]))


def find_occurrences(text: str, value: str, limit: int = MAX_CANDIDATES) -> Iterator[int]:
    """Where the value stands alone in the text, at most `limit` candidates looked at."""
    return (at for at in islice(find_all(text, value), limit) if stands_alone(text, at, at + len(value)))


def find_all(text: str, value: str) -> Iterator[int]:
    """Where the value stands in the text, whatever is around it."""
    at = text.find(value) if value else -1
    while at >= 0:
        yield at
        at = text.find(value, at + 1)


def stands_in(text: str, value: str) -> bool:
    """Whether the value stands alone anywhere in the text."""
    return next(find_occurrences(text, value), None) is not None


def is_separated(text: str, start: int, end: int) -> bool:
    """Whether at least punctuation separates the stretch from its neighbours."""
    return not any(_is_word_character(text, at - 1) and _is_word_character(text, at) for at in (start, end))


def _is_free(text: str, value: str, *, inside: int, near: int) -> bool:
    """Whether a value ends at the character `inside`, beside the character `near`."""
    if not 0 <= near < len(text) or not _is_word_character(text, inside):
        return True
    # A bare number beside a sign may count what the sign says.
    if _parts_scripts(text, max(inside, near)) and any(sign.isalpha() and not sign.isnumeric() for sign in value):
        return True
    if _is_word_character(text, near):
        return False
    beyond = 2 * near - inside
    if text[near] not in _GLUE or not _is_word_character(text, beyond):
        return text[near] != "@"
    return _loose_glue(text[near], text[beyond], text[inside], value)


def _loose_glue(glue: str, outside: str, inside: str, value: str) -> bool:
    """Punctuation between two word characters that still separates: `front-end`, `name:Daniel`, `a,b`, `15%x`."""
    match glue:
        case "-":
            return outside.isalpha() and inside.isalpha() and _NAME.fullmatch(value) is not None
        case "," | ":":
            return not (outside.isdigit() and inside.isdigit())
        case "=" | "&":
            return True
    return False


def _parts_scripts(text: str, at: int) -> bool:
    """Whether a letter or figure meets a sign of a script without spaces there: 会議室B|を, 3|番."""
    pair = text[max(at - 1, 0) : at + 1]
    return len(pair) > 1 and pair[0].isascii() != pair[1].isascii() and UNSPACED.search(pair) is not None


def _is_word_character(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
