"""Images, sounds and files that agents send inside a conversation: nobody reads them, so they are not kept."""

import hashlib
import re
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import MEDIA

_CONVERSATIONS: Final = ("messages", "input", "system", "history")
"""The fields in which the formats hold parts of a conversation."""
# What was called with is evidence, whatever it looks like.
_REQUESTS: Final = frozenset({"arguments", "args", "action", "call"})
# Base64 in either alphabet, with the head of a data address (RFC 2397) before it.
_BASE64: Final = re.compile(r"(data:[^,]{0,200};base64,)?[A-Za-z0-9+/_=\r\n-]+", re.ASCII)
# A short value may as well be a name or an id, and shortening it would gain nothing.
_SHORTEST: Final = 256


def without_media(body: JsonValue) -> JsonValue:
    """The body with a hash in place of each inline file of its conversation; everything else is as it was.

    A hash and not nothing: two submissions that differ in a picture remain two.
    """
    if not isinstance(body, dict):
        return body
    return {
        name: _strip_files(value, within=False) if name in _CONVERSATIONS else value for name, value in body.items()
    }


def _strip_files(value: JsonValue, *, within: bool) -> JsonValue:
    """A copy without inline files; `within` tells that the value is part of an image, a sound or a file."""
    match value:
        case dict():
            # Anything else is no type, and may be as large as the body.
            kind = match if isinstance(match := value.get("type"), str) else ""
            # The hosted tool that draws returns its picture in the call's own item.
            inside = within or kind in MEDIA or kind == "image_generation_call"
            # The arguments of an earlier call look like a part when they have a type of their own.
            unchanged = ("input", *_REQUESTS) if kind.endswith("tool_use") else _REQUESTS
            return {
                name: member if name in unchanged else _strip_files(member, within=inside)
                for name, member in value.items()
            }
        case list():
            return [_strip_files(member, within=within) for member in value]
        case str() if within and len(value) >= _SHORTEST and (match := _BASE64.fullmatch(value)):
            return f"{match[1] or ''}sha256-{hashlib.sha256(value.encode()).hexdigest()}"
        case _:
            return value
