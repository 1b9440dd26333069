"""Connections on which nothing comes: they neither block the site nor stay. Real server."""

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from guardapp.demo import OTHER_FILES
from guardapp.web import CONNECTIONS
from tests import stack
from tests.api.agent import ACTIONS, NATIVE
from tests.cast import make_cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

MANY: Final = 6300
HALF_A_HEAD: Final = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY: Final = f"POST {ACTIONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{{".encode()
Streams = list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]


@pytest.fixture(scope="module", autouse=True)
def _many_files() -> Iterator[None]:
    """Room for both ends of each connection; the server inherits it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < MANY + OTHER_FILES:
        pytest.skip("This machine allows too few open files.")
    needed = CONNECTIONS + OTHER_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard == resource.RLIM_INFINITY else min(needed, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def site(django_db_setup: None, _many_files: None) -> Iterator[str]:
    with stack.web() as url:
        yield url


@asynccontextmanager
async def connected(site: str, number: int, beginning: bytes) -> AsyncIterator[Streams]:
    """That many connections, on which nothing comes after this beginning."""
    address = urlsplit(site)
    streams: Streams = []
    try:
        # By the hundred: the kernel's queue of connections that nobody has accepted yet is short.
        for begun in range(0, number, 100):
            together = range(min(100, number - begun))
            opened = (asyncio.open_connection(address.hostname, address.port) for _ in together)
            streams += await asyncio.gather(*opened)
        for _, writer in streams:
            writer.write(beginning)
        yield streams
    finally:
        for _, writer in streams:
            writer.close()


async def closed(stream: asyncio.StreamReader) -> bytes:
    """What the server says until it closes the connection."""
    return await stream.read()


@pytest.mark.parametrize("beginning", [b"", HALF_A_HEAD, HALF_A_BODY], ids=["silent", "half a head", "half a body"])
def test_thousands_of_idle_connections_do_not_block_the_site(site: str, beginning: bytes) -> None:
    headers = {"Authorization": f"Bearer {make_cast().agent_secret}"}

    async def submit_among() -> tuple[int, float]:
        async with connected(site, MANY, beginning), httpx.AsyncClient(base_url=site, headers=headers) as agent:
            started = time.monotonic()
            response = await agent.post(ACTIONS, json=NATIVE, timeout=20)
            return response.status_code, time.monotonic() - started

    status, seconds = asyncio.run(submit_among())
    assert status == 202
    assert seconds < 5


def test_connections_on_which_nothing_comes_are_closed() -> None:
    async def ends(site: str, beginning: bytes) -> list[bytes]:
        async with connected(site, 100, beginning) as streams, asyncio.timeout(20):
            return await asyncio.gather(*(closed(reader) for reader, _ in streams))

    with stack.served("--http1-header-read-timeout=1500", MAX_BODY_SECONDS="0.5") as (site, _):
        assert set(asyncio.run(ends(site, b""))) == {b""}
        # What a server says to half a head is its own affair.
        assert len(asyncio.run(ends(site, HALF_A_HEAD))) == 100
        answers = asyncio.run(ends(site, HALF_A_BODY))
    assert all(b" 408 " in answer.splitlines()[0] and b"application/problem+json" in answer for answer in answers)


BROKEN: Final = {
    "no chunk size": b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n",
    "a negative chunk size": b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n",
    "a chunk shorter than it says": b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n0\r\n\r\n",
    "no length": b"Content-Length: abc\r\n\r\n{}",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length beyond all bounds": b"Content-Length: 99999999999999999999\r\n\r\n{}",
    "a header with a null": b"X: a\x00b\r\n\r\n",
    "two thousand headers": b"".join(b"X-%d: a\r\n" % number for number in range(2000)) + b"\r\n",
}


@pytest.mark.parametrize("path", [ACTIONS, "/sign-in"])
@pytest.mark.parametrize("rest", BROKEN.values(), ids=BROKEN)
async def test_a_request_that_is_no_http_is_the_clients_fault(site: str, path: str, rest: bytes) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n".encode()
    async with connected(site, 1, head + rest) as [(reader, _)]:
        status = (await reader.readline()).split()[1]
    assert status.startswith(b"4")
