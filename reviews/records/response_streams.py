"""Long answers, part by part, in constant memory under both kinds of server."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse


def stream_parts(request: HttpRequest, parts: Iterator[bytes], *, content_type: str) -> StreamingHttpResponse:
    """The parts as a response; each is made when the one before has been sent."""
    # Given a plain iterator, Django's ASGI handler would first collect all of it.
    content = _in_threads(parts) if isinstance(request, ASGIRequest) else parts
    return StreamingHttpResponse(content, content_type=content_type)


async def _in_threads(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(parts, None))
    while (part := await following()) is not None:
        yield part
