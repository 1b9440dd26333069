"""One spelling for one call: an approval is bound to the digest of exactly what may run."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Final

import rfc8785

from reviews.provenance.core.context import JsonValue


class NotCanonicalError(ValueError):
    """The value has no canonical JSON form: a number JSON cannot carry exactly, or a lone surrogate."""


# Made once: the functions of the module make one for each value.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
# RFC 8785 sorts names by UTF-16, the standard library by code point: they differ above this plane only.
_BEYOND_FIRST_PLANE: Final = re.compile("[\U00010000-\U0010ffff]")
# A double is exact up to 53 bits; an integer of 15 digits is below that whatever its digits are.
_EXACT_DIGITS: Final = 15


def canonical_json(value: JsonValue) -> bytes:
    """The value in the JSON Canonicalization Scheme (RFC 8785), as UTF-8. Raises `NotCanonicalError`."""
    plain = _plain_form(value)
    if plain is not None:
        return plain
    try:
        return rfc8785.dumps(value)
    # A lone surrogate has no UTF-8, and values nested too deep end in the recursion limit, not in the library's error.
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonicalError(str(error)) from error


def call_digest(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """SHA-256, as 64 hexadecimal digits, of the canonical form of tool and arguments. Raises `NotCanonicalError`."""
    return content_digest({"tool": tool, "arguments": dict(arguments)})


def content_digest(value: JsonValue) -> str:
    """SHA-256, as 64 hexadecimal digits, of the value's canonical form. Raises `NotCanonicalError`."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _plain_form(value: JsonValue) -> bytes | None:
    """The canonical form of a value without fractions and large numbers, or None.

    The standard library writes such a value to the same bytes, at thirty times the speed of the library that knows how
    doubles are spelt. Whole conversations are hashed, and they hold next to no fractions.
    """
    try:
        text = _ENCODER.encode(value)
        # Read back: numbers are found at the speed of the decoder, and a value that JSON has bent (a number for a name)
        # is not the same any more.
        again = _DECODER.decode(text)
        if again != value or not (text.isascii() or _BEYOND_FIRST_PLANE.search(text) is None):
            return None
        return text.encode()
    except (ValueError, TypeError, RecursionError):
        return None


def _small_integer(digits: str) -> int:
    """The number, where both write it alike. Raises `ValueError` for a fraction, and for one of many digits."""
    if len(digits) > _EXACT_DIGITS:
        raise ValueError(digits)
    return int(digits)


_DECODER: Final = json.JSONDecoder(parse_float=_small_integer, parse_int=_small_integer)
