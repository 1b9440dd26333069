"""Load from one process: keep-alive connections over plain sockets, so that the generator costs little."""

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Request:
    """One request, encoded when it is sent."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self, host: str) -> bytes:
        """The bytes on the wire."""
        named = {"Host": host, "Content-Length": str(len(self.body)), **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode() + self.body


@dataclass(frozen=True)
class Answer:
    """One answer and when it came."""

    status: int
    head: bytes
    body: bytes
    seconds: float
    at: float
    """On the monotonic clock."""

    def json(self) -> Any:
        """The body's value."""
        return json.loads(self.body)


class Connection:
    """A keep-alive connection."""

    def __init__(self, url: str) -> None:
        self._address = urlsplit(url)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect, if it is not connected."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._address.hostname, self._address.port, limit=2**20)
        return self._streams

    async def send(self, request: Request) -> Answer:
        """Send, and read the whole answer."""
        reader, writer = await self.open()
        started = time.monotonic()
        writer.write(request.encoded(self._address.netloc))
        head = await reader.readuntil(b"\r\n\r\n")
        names = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
        if b"content-length" in names:
            body = await reader.readexactly(int(names[b"content-length"]))
        else:
            body = await _chunked(reader) if names.get(b"transfer-encoding") == b"chunked" else b""
        now = time.monotonic()
        return Answer(int(head[9:12]), head, body, now - started, now)

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            await self._streams[1].wait_closed()


async def _chunked(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(parts)


@dataclass(frozen=True)
class Load:
    """What a number of clients got done."""

    answers: list[Answer]
    elapsed: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.answers) / self.elapsed

    def milliseconds(self, percent: int) -> float:
        """That percentile of the answers' times."""
        return 1000 * percentile([answer.seconds for answer in self.answers], percent)

    def statuses(self) -> dict[int, int]:
        """How often each status was answered."""
        return dict(Counter(answer.status for answer in self.answers))


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that this share of them does not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else values[0]


async def drive(url: str, requests: Sequence[Request], *, clients: int) -> Load:
    """Send all requests over that many connections, each taking the next one that is left."""
    left = iter(requests)
    answers: list[Answer] = []

    async def client() -> None:
        connection = Connection(url)
        answers.extend([await connection.send(request) for request in left])
        await connection.close()

    started = time.monotonic()
    await asyncio.gather(*(client() for _ in range(clients)))
    return Load(answers, time.monotonic() - started)
