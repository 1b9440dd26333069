"""One spelling for one call: an approval is bound to the digest of exactly what may run."""

import hashlib
from collections.abc import Mapping

import rfc8785

from reviews.provenance.core.context import JsonValue


class NotCanonicalError(ValueError):
    """The value has no canonical JSON form: a number JSON cannot carry exactly, or a lone surrogate."""


def canonical(value: JsonValue) -> bytes:
    """The value in the JSON Canonicalization Scheme (RFC 8785), as UTF-8. Raises `NotCanonicalError`."""
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
    return hashlib.sha256(canonical(value)).hexdigest()
