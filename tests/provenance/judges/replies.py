"""An OpenAI-compatible endpoint that gives prepared replies, one a request, and remembers the requests."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One HTTP response."""

    body: Any
    status: int = 200
    delay: float = 0.0
    """Seconds before it is sent."""


@dataclass
class Endpoint:
    """What the server will say and what it was asked."""

    replies: list[Reply]
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)


def said(content: str | None, **message: Any) -> Reply:
    """A completion with this content."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content, **message}}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return Reply(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    )


@contextmanager
def serving(*replies: Reply) -> Iterator[Endpoint]:
    """Serve the replies in order; the last one is repeated."""
    endpoint = Endpoint(list(replies))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    endpoint.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            endpoint.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            reply = endpoint.replies.pop(0) if len(endpoint.replies) > 1 else endpoint.replies[0]
            time.sleep(reply.delay)
            body = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # a client that lost patience is gone
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    return Handler
