"""The API's body parser: JSON within bounds."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from reviews.intake.wire.json_body import decode, too_large
from reviews.provenance.core.context import JsonValue


class BoundedJSONParser(BaseParser):
    """Parses `application/json` within the configured bounds."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> JsonValue:
        """The body's value. Raises `TooLargeError`, `MalformedJsonError` and `InvalidError`."""
        limit = settings.GUARD.max_body_bytes
        # One byte more than allowed: a body of any size is told from one within the bound, without holding it.
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise too_large(limit)
        return decode(body, max_nesting=settings.GUARD.max_nesting)
