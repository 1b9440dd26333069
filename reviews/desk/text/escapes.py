"""Letters that JSON writes as escapes, as people read them: most programs write so whatever is not ASCII."""

import json
import re
from typing import Final

# A run of escapes, two of which may be one letter; behind an even number of backslashes, which are letters themselves.
_RUN: Final = re.compile(r"(?<!\\)(?P<letters>(?:\\\\)*)(?P<run>(?:\\u[0-9a-fA-F]{4})+)")
_OPENING: Final = ("{", "[", '"')


def is_escaped_json(text: str) -> bool:
    """Whether a text may be JSON in which letters are written as escapes."""
    return "\\u" in text and text.lstrip()[:1] in _OPENING


def with_letters(text: str) -> str:
    """The text, or a stretch of it, with letters in place of their escapes; those of ASCII stay, which part JSON."""
    return _RUN.sub(lambda hit: hit["letters"] + _letters_of(hit["run"]), text)


def _letters_of(run: str) -> str:
    letters = str(json.loads(f'"{run}"'))
    # Half of a pair is no letter.
    is_whole = not any("\ud800" <= letter <= "\udfff" for letter in letters)
    return letters if is_whole and not any(map(str.isascii, letters)) else run
