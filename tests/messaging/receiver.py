"""A receiver of webhooks on this machine, which answers as it is told."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What it answers, and what it was sent."""

    url: str = ""
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    drips: bool = False
    """Answers byte by byte, and never to the end of a line."""
    requests: list[tuple[dict[str, str], str]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve_receiver(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that runs until the block ends."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            receiver.requests.append((dict(self.headers), body))
            if receiver.hangs:
                receiver.closed.wait(20)
                return
            while receiver.drips and not receiver.closed.wait(0.05):
                self.wfile.write(b"H")
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - the server calls it so

        def log_message(self, *_: Any) -> None:
            """Nothing: the test says what matters."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that goes away is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
