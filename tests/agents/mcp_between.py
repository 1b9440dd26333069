"""What a test needs on both sides of the MCP gateway."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
from mcp import Client
from mcp_types import CallToolResult, TextContent

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.client.provenanceguard.testing import FakeGuard
from reviews.agents.mcp_gateway.gateway import Gateway, build_server
from tests.agents.mcp_bank import build_bank

PAY = {"to": "Ann", "amount": 30}


@asynccontextmanager
async def connect(
    guard: AsyncGuard, payments: list[str] | None = None, *, client: dict[str, Any] | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client of the gateway before the bank; `client` are the options of the client itself."""
    async with Client(build_bank([] if payments is None else payments), cache=None) as bank:
        gateway = Gateway(bank, guard, **{"server": "bank", **options})
        async with guard, Client(build_server(gateway, bank), **(client or {})) as connected:
            yield connected


def text_of(result: CallToolResult) -> str:
    """All that a result says."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


@contextmanager
def serve_guard(fake: FakeGuard) -> Iterator[str]:
    """The address of a fake guard that other processes reach."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = f"http://guard.test{self.path}"
            answer = fake.answer(httpx.Request(self.command, url, headers=dict(self.headers), content=content))
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
