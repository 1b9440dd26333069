"""Answers of the API packed with gzip for clients that take it."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

# A smaller one fits into a packet or two as it is; nearly all answers about one action do.
MIN_BYTES: Final = 2000


class CompressedAnswers(GZipMiddleware):
    """Django's own, for the API alone: the length of a packed page betrays the secret beside what a request repeats."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The response, packed where it is large enough."""
        is_small = not isinstance(response, HttpResponse) or len(response.content) < MIN_BYTES
        if is_small or not request.path.startswith("/api/"):
            return response
        return super().process_response(request, response)
