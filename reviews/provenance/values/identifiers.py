"""Values that name one thing: an order's number, an account, a booking code, an address."""

import re
from collections.abc import Iterator
from typing import Final

from stdnum import iban, luhn

from reviews.provenance.text.boundaries import UNPARTED, Place
from reviews.provenance.text.fold import fold

# Characters: what is shorter is a count, or stands in words by chance.
_SHORTEST: Final = 4
# Amounts, counts, years, days and times: up to seven figures a bare number is one of these.
_PLAIN: Final = re.compile(r"[-+]?[\d.,]{1,7}|[-+]?\d+[.,]\d+|\d{4}-\d\d-\d\d\S*|\d\d?:\d\d\S*")
# Figures, and the letters around them without any separator: at least six signs with a letter among them.
_CODE: Final = re.compile(r"[0-9](?<![0-9][0-9])(?:(?<=[a-z][0-9])|(?=[0-9]*+[a-z]))[a-z0-9]*+")
_SIX: Final = 6
# Letters before the first figure of a code.
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_LONGEST: Final = 128
# Words with a small number, amounts with their unit, points in time, screens: iphone15, 500ml, 20260306t1500, q32026.
_NO_CODE: Final = re.compile(
    r"[a-z]{4,}[0-9]{1,2}|v(?:ersion)?[0-9]+|[0-9]+[a-z]{1,2}|[0-9]{1,4}[a-z]{3,}|[0-9]{8}t[0-9]{4,6}z?"
    r"|[0-9]+x[0-9]+|q[1-4][0-9]{4}|[0-9]{4}q[1-4]|(?:fy|cw)[0-9]{4}|[0-9]{1,2}h[0-9]{2}m?|p[0-9]*t[0-9hms]+"
    r"|[0-9]{1,2}(?:st|nd|rd|th)?[a-z]{3,9}[0-9]{2,4}|[a-z]{3}[0-9]+(?:\.[0-9]+)?[kmb]"
)
# From its first hyphen, before which eight signs stand.
_UUID: Final = re.compile(r"-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![\w@])(?![.\-_/@+=%~]\w)")
_UUID_BEGINS: Final = re.compile(r"(?<![\w@])(?<!\w[.\-_/@+=%~])[0-9a-f]{8}")
# What glues an identifier to a path, a file's name, a version or a longer identifier.
_GLUED_LEFT: Final = re.compile(r"(?:\w[.\-_/\\@+=%~]|[\w@])$")
_GLUED_RIGHT: Final = re.compile(r"[.\-_/\\@+=%~]\w|[\w@]")
# What may stand before the @ of an address, and its host.
_LOCAL: Final = "abcdefghijklmnopqrstuvwxyz0123456789._%+-'"
_HOST: Final = re.compile(r"@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}(?![\w-]|\.\w)")
_MAX_LOCAL_LENGTH: Final = 64
# Grouped as people group them; a bare row of figures is as often a number. First the sign that a search skips to.
_PHONE: Final = re.compile(
    r"(?:\+(?<![\w.+-]\+)[0-9](?:[ ().-]{0,2}[0-9]){7,14}"
    r"|[0-9](?<![\w.+-][0-9])(?<![\w.+-]\([0-9])[0-9]{2}\)?[ .-][0-9]{3}[ .-][0-9]{4})(?![\w-]|\.[0-9])"
)
# Figures of a payment card's number (ISO/IEC 7812), grouped or not; check digits decide.
_CARD: Final = re.compile(r"[2-6](?<![\w.-][2-6])(?:[ -]?[0-9]){12,18}(?![\w-]|\.[0-9])")
# The check digits behind the letters of a country, then groups of four; check digits decide.
_IBAN: Final = re.compile(r"[0-9]{2}(?<=[^\w][a-z]{2}[0-9]{2})(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,3})?(?!\w)")


def is_identifier(text: str) -> bool:
    """Whether a value is one token that names a thing: it has figures or capitals only, and is no date or amount.

    Where words are not set apart, more letters than figures are a sentence, or words with a number.
    """
    figures = sum(map(str.isdigit, text))
    telling = figures or (text.isupper() and text.isalpha() and len(text) > _SHORTEST)
    is_worded = not text.isascii() and len(UNPARTED.findall(text)) > figures
    return len(text) >= _SHORTEST and " " not in text and bool(telling) and not (is_worded or _PLAIN.fullmatch(text))


def is_opaque(text: str) -> bool:
    """Whether a value is an identifier of which every sign counts and none can be read.

    An e-mail address, a telephone number, an IBAN, a payment card, a UUID, a hash, or a code of letters and figures
    without a separator, of six signs or more. Versions, names of files, days, amounts and words are none: they are near
    their neighbours by design.
    """
    folded = fold(text.strip().removeprefix("#"))
    return (0, len(folded)) in opaque_in(folded)


def opaque_in(text: str) -> Iterator[Place]:
    """Where such identifiers stand in a folded text, kind by kind."""
    yield from _find_addresses(text)
    for hit in _CODE.finditer(text):
        before = text[max(0, hit.start() - _LONGEST) : hit.start()]
        start, end = hit.start() - len(before) + len(before.rstrip(_LETTERS)), hit.end()
        is_glued = _GLUED_LEFT.search(text[max(start - 2, 0) : start]) or _GLUED_RIGHT.match(text, end)
        if end - start >= _SIX and not is_glued and not _NO_CODE.fullmatch(text, start, end):
            yield start, end
    for hit in _UUID.finditer(text):
        if _UUID_BEGINS.match(text, max(0, hit.start() - 8), hit.start()):
            yield hit.start() - 8, hit.end()
    for hit in _PHONE.finditer(text):
        yield hit.start() - (text[hit.start() - 1 : hit.start()] == "("), hit.end()
    for hit in _CARD.finditer(text):
        if luhn.is_valid(re.sub(r"[ -]", "", hit.group())):
            yield hit.span()
    for hit in _IBAN.finditer(f" {text}"):
        if iban.is_valid(text[hit.start() - 3 : hit.end() - 1]):
            yield hit.start() - 3, hit.end() - 1


def _find_addresses(text: str) -> Iterator[Place]:
    for hit in _HOST.finditer(text):
        before = text[max(0, hit.start() - _MAX_LOCAL_LENGTH) : hit.start()]
        if local := before[len(before.rstrip(_LOCAL)) :]:
            yield hit.start() - len(local.lstrip(".'")), hit.end()
