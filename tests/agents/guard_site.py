"""A fake guard at an address, for clients in other processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from reviews.agents.client.provenanceguard.testing import FakeGuard


@contextmanager
def serve_guard(fake: FakeGuard) -> Iterator[str]:
    """The address of a fake guard that other processes reach."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = f"http://guard.test{self.path}"
            answer = fake.answer(httpx.Request(self.command, url, headers=dict(self.headers), content=content))
            # A client may have given up.
            with suppress(ConnectionError):
                self.send_response(answer.status_code)
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

        do_GET = do_PUT = do_POST  # noqa: N815 - the server calls them so

        def log_message(self, *_: Any) -> None:
            """Nothing: the test says what matters."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
