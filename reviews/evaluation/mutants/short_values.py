"""Values that name or count something, and of what kind they are."""

import re
from datetime import datetime
from typing import Final

from reviews.provenance.core.context import JsonValue

# A longer text, or one of more words, says something: the agent composes it, and no digit of it is an identifier's.
_LONGEST: Final = 40
_MAX_WORDS: Final = 3
# Above this share of digits a text of many words is still a number or a code: an IBAN in groups, a phone number.
_DIGITS_OF_A_CODE: Final = 1 / 3
# The first that fits: an address holds a dot like a path, and a number is a code, too.
_KINDS: Final = (
    ("email", re.compile(r"[^\s@]+@[^\s@]+")),
    ("number", re.compile(r"[+$€£]?[\d .,/()-]*\d[\d .,/()%-]*")),
    ("path", re.compile(r"\S*(?:/\S*|\.[A-Za-z]\w{0,4})")),
    ("code", re.compile(r"(?=\S*\d)\S+")),
)


def is_short(value: JsonValue) -> bool:
    """Whether the value is a number, or a text that names something rather than says something."""
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return False
    letters = sum(char.isalnum() for char in value)
    digits = sum(char.isdigit() for char in value)
    return len(value.split()) <= _MAX_WORDS or digits >= letters * _DIGITS_OF_A_CODE


def kind_of(value: JsonValue) -> str | None:
    """What a value could be taken for: two of one kind can be mistaken for each other. None for what has no kind."""
    if isinstance(value, list):
        kinds = {kind_of(item) for item in value}
        return f"list of {kinds.pop()}" if len(kinds) == 1 and None not in kinds else None
    if not is_short(value):
        return None
    if not isinstance(value, str):
        return "JSON number"
    if is_moment(value):
        return "moment"
    return next((kind for kind, pattern in _KINDS if pattern.fullmatch(value)), "words")


def is_moment(text: str) -> bool:
    """Whether the text is an ISO date, with or without a time."""
    # Python takes eight digits for a date, too: they are as likely a number.
    if text.isdigit():
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
