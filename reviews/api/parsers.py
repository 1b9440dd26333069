"""The API's body parser: JSON within bounds, as it is or packed with gzip."""

import tempfile
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from django.conf import settings
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from reviews.api.problems import UnreadableBodyError
from reviews.errors import ReviewError
from reviews.intake.wire.bounded_json_body import decode_submission, largest_body, too_large
from reviews.provenance.core.context import JsonValue

# zlib's sign for a gzip header and trailer around the stream.
_GZIP: Final = 16 + zlib.MAX_WBITS
# Read at once of a packed body: enough to be quick, little beside the body's own bound.
_CHUNK: Final = 64 * 1024
# Unpacked at once: memory must not depend on how well a body is packed.
_MAX_PIECE: Final = 1024 * 1024


class BoundedJSONParser(BaseParser):
    """Parses `application/json` within the configured bounds."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> JsonValue:
        """The body's value. Raises `TooLargeError`, `MalformedJsonError`, `InvalidError`, and as `_unpack_pieces`."""
        request = (parser_context or {}).get("request")
        encoding = request.headers.get("Content-Encoding", "").strip().lower() if request is not None else ""
        if encoding in ("gzip", "x-gzip"):
            return self.decode(b"".join(_unpack_pieces(stream, largest_body())))
        if encoding not in ("", "identity"):
            raise UnsupportedMediaType(encoding, "Content-Encoding takes gzip, or nothing.")
        # One byte more than allowed: a body of any size is told from one within the bound, without holding it.
        return self.decode(stream.read(largest_body() + 1))

    def decode(self, body: bytes) -> Any:
        """What the view is given of the unpacked body."""
        return decode_submission(body)


class JsonLinesParser(BaseParser):
    """Takes a file of JSON lines as it comes, or packed with gzip, into a temporary file, which the view closes."""

    media_type = "application/jsonl"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """The file, read from its beginning. Raises what `_unpack_pieces` does."""
        request = (parser_context or {}).get("request")
        encoding = request.headers.get("Content-Encoding", "").strip().lower() if request is not None else ""
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise UnsupportedMediaType(encoding, "Content-Encoding takes gzip, or nothing.")
        # As much as a page may upload: the body itself is bounded before it comes here, what is packed in it is not.
        most = settings.GUARD.max_upload_megabytes * 1024 * 1024
        plain = iter(lambda: stream.read(_CHUNK), b"")
        file = tempfile.TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - the view closes it
        try:
            file.writelines(_unpack_pieces(stream, most) if encoding.endswith("gzip") else plain)
        except ReviewError:
            file.close()
            raise
        file.seek(0)
        return file


class ArchiveParser(JsonLinesParser):
    """Takes a zip file."""

    media_type = "application/zip"


def _unpack_pieces(stream: IO[bytes], limit: int) -> Iterator[bytes]:
    """The content of a gzip body, piece by piece.

    Raises `TooLargeError` as soon as it is larger than the limit, and `UnreadableBodyError`.
    """
    unpacker, remaining = zlib.decompressobj(_GZIP), limit
    try:
        chunk, cut = stream.read(_CHUNK), False
        while (chunk or cut) and not unpacker.eof:
            # Bounded before it is unpacked: a few kilobytes may hold gigabytes.
            most = min(remaining + 1, _MAX_PIECE)
            piece = unpacker.decompress(chunk, most)
            remaining -= len(piece)
            if remaining < 0:
                raise too_large(limit)
            yield piece
            # Behind a piece that was cut there may be more inside the unpacker, though it has taken all of the chunk.
            cut = len(piece) == most
            chunk = unpacker.unconsumed_tail or (b"" if cut else stream.read(_CHUNK))
    except zlib.error:
        raise UnreadableBodyError("The body is not gzip, though Content-Encoding says so.") from None
    if not unpacker.eof or unpacker.unused_data or chunk or stream.read(1):
        raise UnreadableBodyError("The gzip body is cut off, or something follows it.")
