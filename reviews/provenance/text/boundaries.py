"""Where a value may stand: whole words, whole numbers, whole addresses; never a piece of a larger thing."""

import re
from collections.abc import Iterator

# Signs of scripts that put no spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Signs that make two stretches one address, path, number or identifier.
_GLUE = ".-_+/:@,&=~%?\\"


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the stretch is not part of a longer word, number, address, path or identifier."""
    return _ends_left(text, start, end) and _ends_right(text, start, end)


def find_occurrences(text: str, value: str, limit: int = 200) -> Iterator[int]:
    """Where the value stands alone in the text, at most `limit` candidates looked at."""
    at = text.find(value) if value else -1
    while at >= 0 and limit:
        if stands_alone(text, at, at + len(value)):
            yield at
        at, limit = text.find(value, at + 1), limit - 1


def stands_in(text: str, value: str) -> bool:
    """Whether the value stands alone anywhere in the text."""
    return next(find_occurrences(text, value), None) is not None


def is_separated(text: str, start: int, end: int) -> bool:
    """Whether at least punctuation separates the stretch from its neighbours."""
    return not (_is_word_character(text, start - 1) and _is_word_character(text, start)) and not (
        _is_word_character(text, end - 1) and _is_word_character(text, end)
    )


def _ends_left(text: str, start: int, end: int) -> bool:
    near, edge = text[start - 1 : start], text[start : start + 1]
    if (
        not near
        or not _is_word_character(text, start)
        or (_has_letters(text[start:end]) and _parts_scripts(text, start))
    ):
        return True
    if _is_word_character(text, start - 1):
        return False
    if near not in _GLUE or not _is_word_character(text, start - 2):
        return near != "@"
    return _loose_glue(near, text[start - 2], edge, text[start:end])


def _ends_right(text: str, start: int, end: int) -> bool:
    near, edge = text[end : end + 1], text[end - 1 : end]
    if (
        not near
        or not _is_word_character(text, end - 1)
        or (_has_letters(text[start:end]) and _parts_scripts(text, end))
    ):
        return True
    if _is_word_character(text, end):
        return False
    if near not in _GLUE or not _is_word_character(text, end + 1):
        return near != "@"
    return _loose_glue(near, text[end + 1], edge, text[start:end])


def _has_letters(value: str) -> bool:
    """Whether a value is more than a number: a bare number beside a sign may count what the sign says."""
    return any(sign.isalpha() and not sign.isnumeric() for sign in value)


def _loose_glue(glue: str, outside: str, inside: str, value: str) -> bool:
    """Punctuation between two word characters that still separates: `front-end`, `name:Daniel`, `a,b`, `15%x`."""
    both_digits = outside.isdigit() and inside.isdigit()
    match glue:
        case "-":
            return (
                outside.isalpha()
                and inside.isalpha()
                and re.fullmatch(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*", value) is not None
            )
        case "," | ":":
            return not both_digits
        case "=" | "&":
            return True
    return False


def _parts_scripts(text: str, at: int) -> bool:
    """Whether a letter or figure meets a sign of a script without spaces there: 会議室B|を, 3|番."""
    pair = text[max(at - 1, 0) : at + 1]
    return len(pair) > 1 and pair[0].isascii() != pair[1].isascii() and _UNSPACED.search(pair) is not None


def _is_word_character(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
