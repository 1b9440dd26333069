"""The API's body parser: JSON within bounds, as it is or packed with gzip."""

import zlib
from collections.abc import Mapping
from typing import IO, Any, Final

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from reviews.api.problems import UnreadableBodyError
from reviews.intake.wire.json_body import decode_submission, largest_body, too_large
from reviews.provenance.core.context import JsonValue

# zlib's sign for a gzip header and trailer around the stream.
_GZIP: Final = 16 + zlib.MAX_WBITS
# Read at once of a packed body: enough to be quick, little beside the body's own bound.
_CHUNK: Final = 64 * 1024


class BoundedJSONParser(BaseParser):
    """Parses `application/json` within the configured bounds."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> JsonValue:
        """The body's value. Raises `TooLargeError`, `MalformedJsonError`, `InvalidError` and what `_unpacked` does."""
        request = (parser_context or {}).get("request")
        encoding = request.headers.get("Content-Encoding", "").strip().lower() if request is not None else ""
        if encoding in ("gzip", "x-gzip"):
            return decode_submission(_unpacked(stream))
        if encoding not in ("", "identity"):
            raise UnsupportedMediaType(encoding, "Content-Encoding takes gzip, or nothing.")
        # One byte more than allowed: a body of any size is told from one within the bound, without holding it.
        return decode_submission(stream.read(largest_body() + 1))


def _unpacked(stream: IO[bytes]) -> bytes:
    """The content of a gzip body. Raises `TooLargeError` as soon as it is too large, and `UnreadableBodyError`."""
    limit, unpacker, content = largest_body(), zlib.decompressobj(_GZIP), bytearray()
    try:
        while chunk := unpacker.unconsumed_tail or stream.read(_CHUNK):
            # Bounded before it is unpacked: a few kilobytes may hold gigabytes.
            content += unpacker.decompress(chunk, limit + 1 - len(content))
            if len(content) > limit:
                raise too_large(limit)
            if unpacker.eof:
                break
    except zlib.error:
        raise UnreadableBodyError("The body is not gzip, though Content-Encoding says so.") from None
    if not unpacker.eof or unpacker.unused_data or stream.read(1):
        raise UnreadableBodyError("The gzip body is cut off, or something follows it.")
    return bytes(content)
