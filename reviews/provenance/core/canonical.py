"""One spelling for one call: an approval is bound to the digest of exactly what may run."""

import hashlib
from collections.abc import Mapping

import rfc8785

from reviews.provenance.core.context import JsonValue


class NotCanonicalError(ValueError):
    """The value has no canonical JSON form: a number JSON cannot carry exactly, or a lone surrogate."""


def canonical(value: JsonValue) -> bytes:
    """RFC 8785 canonical JSON. Raises `NotCanonicalError`."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonicalError(str(error)) from error


def call_digest(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """SHA-256, in hexadecimal, over the canonical form of tool and arguments."""
    return content_digest({"tool": tool, "arguments": dict(arguments)})


def content_digest(value: JsonValue) -> str:
    """SHA-256, in hexadecimal, over the canonical form of any JSON value."""
    return hashlib.sha256(canonical(value)).hexdigest()
