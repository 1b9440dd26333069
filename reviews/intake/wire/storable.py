"""JSON whose texts can be stored: what PostgreSQL cannot keep of them is replaced before anything reads them."""

import re
from typing import Final

REPLACEMENT: Final = rb"\ufffd"
"""The escape of U+FFFD, which Unicode has for what cannot be shown."""
# Every escape of a JSON text, so that a backslash which is escaped itself begins none. A pair of halves comes first: it
# is one character, and only what stands alone cannot be stored. A NUL and half a pair have no other way into JSON than
# as escapes: bytes that would mean them are neither JSON nor UTF-8.
_ESCAPES: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u0000|u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
# Nearly every body holds none of these, and looking for them costs a hundredth of taking it apart.
_SIGNS: Final = (rb"\u0000", rb"\ud", rb"\uD")


def replace_unstorable(body: bytes) -> tuple[bytes, int]:
    """The JSON text with each NUL and each half of a surrogate pair replaced, and how many there were."""
    if not any(sign in body for sign in _SIGNS):
        return body, 0
    replaced = 0

    def storable(escape: re.Match[bytes]) -> bytes:
        nonlocal replaced
        if escape[1] is None:
            return escape[0]
        replaced += 1
        return REPLACEMENT

    return _ESCAPES.sub(storable, body), replaced
