"""Inline files that agents send inside a conversation do not count against the bounds of a body."""

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.aliases import CONVERSATION, HOLDERS
from reviews.provenance.formats.inline_files import without_files


def without_media(body: JsonValue) -> JsonValue:
    """The body with a digest in place of each inline file of its conversation; everything else is as it was."""
    if not isinstance(body, dict):
        return body
    return {
        name: without_media(value) if name in HOLDERS else without_files(value) if name in CONVERSATION else value
        for name, value in body.items()
    }
