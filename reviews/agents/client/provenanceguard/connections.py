"""HTTP with a deadline over everything, bounded retries, and a rule for who may hold a connection while it waits.

Every event loop and every process has connections of its own: those of another would hang, or mix up its answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from json import JSONDecodeError
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import httpx

from .errors import MalformedAnswerError, ProblemError, UnreachableError, UnusableKeyError

T = TypeVar("T")

# The first comes while the other processes of the server answer, or the next one begins; whoever waits for a whole
# machine needs not ask more often than the last.
FIRST_DELAY_SECONDS = 0.1
MAX_DELAY_SECONDS = 2.0
# Budgets are those of a minute: who has used up several of them proposes too much, and hears of it.
MAX_EXTENSIONS = 4
# A connection is there within that, or the way is blocked.
CONNECT_SECONDS = 5.0
# What an answer may take on top of the wait that was asked for; half of the patience, so that another try fits in.
ANSWER_SECONDS = 10.0
# Too many requests, and what a proxy answers while the server behind it restarts. A 500 is a bug and stays one.
_PASSING_TROUBLE = frozenset({429, 502, 503, 504})
# No later try ends differently: the address or the request is wrong, or the certificate is another's.
_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.TooManyRedirects)
# What a header may hold, and more than a key ever does. Anything else is refused further down with an error that quotes
# the whole header; and what an agent catches is often handed to its model.
_KEY = re.compile(r"[\x21-\x7e]+")
_SCHEME = "Bearer "
# What httpx and asyncio import with the first request alone. A process that is forked meanwhile would wait for the lock
# of an import that no thread of it goes on with: for ever, whatever its time-outs are.
_IMPORTED_WITH_A_REQUEST = (
    "anyio._backends._asyncio",
    "concurrent.futures.thread",
    "encodings.idna",
    "httpcore._backends.anyio",
)
_API_PATH = re.compile(r"/+api(?:/+v1)?\Z")


def headers_for(key: str) -> dict[str, str]:
    """What every request says, signed with the key. Raises `UnusableKeyError`."""
    if not isinstance(key, str):
        raise UnusableKeyError(f"The agent key is text, not {type(key).__name__}. Is its variable set?")
    # White space around a key is how files end and how people copy.
    key = key.strip()
    if not _KEY.fullmatch(key):
        raise UnusableKeyError("The agent key is empty, or holds a line end or another character that no key has.")
    return {"Authorization": _SCHEME + key, "Accept": "application/json", "Content-Type": "application/json"}


def site_address(base_url: str) -> str:
    """The address of the site, also where it was given with the API's own path. Raises TypeError."""
    if not isinstance(base_url, str):
        raise TypeError(f"the guard's address is text, not {type(base_url).__name__}; is its variable set?")
    return _API_PATH.sub("", base_url.strip().rstrip("/")).rstrip("/")


def tls_context(address: str) -> ssl.SSLContext:
    """How the server at this address proves who it is; whatever is sent without TLS trusts nobody instead."""
    return _context_for(is_encrypted=address.lower().startswith("https:"))


# Once in a process: to read all certificates takes longer than a call does, and every event loop has a client.
@cache
def _context_for(*, is_encrypted: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False) if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


async def within(seconds: float | None, work: Awaitable[T]) -> T:
    """What the work returns. Raises TimeoutError after so many seconds, whatever the work is doing then."""
    # Not `asyncio.wait_for`, which before Python 3.12 could swallow a cancellation that came at the wrong moment.
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=None if seconds is None else max(seconds, 0))
        if not task.done():
            raise TimeoutError
    finally:
        task.cancel()
    return task.result()


class BrokenStreamError(Exception):
    """The stream ended, or never began, for what may pass."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("the stream of events broke off")
        self.retry_after = retry_after
        """Seconds that the server asks to be left alone."""


class Connections:
    """The guard's address as one agent reaches it, from any event loop, thread or fork."""

    def __init__(
        self, base_url: str, key: str, *, limit: int, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        for name in _IMPORTED_WITH_A_REQUEST:
            # Other releases of httpx may be made otherwise.
            with suppress(ImportError):
                import_module(name)
        self._options: dict[str, Any] = {
            "base_url": site_address(base_url),
            "verify": tls_context(base_url.strip()),
            "headers": headers_for(key),
            # How long a request may take is bounded from outside; a free connection may be waited for as long.
            "timeout": httpx.Timeout(None, connect=CONNECT_SECONDS),
            "limits": httpx.Limits(max_connections=limit, max_keepalive_connections=limit),
            "transport": transport,
            # The guard is named by its address; a proxy meant for the agent's web access would see its key.
            "trust_env": False,
        }
        # One is kept free, so that who proposes or reports never stands behind those who wait.
        self._max_held = limit - 1
        self._held = 0
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    def take_hold(self) -> bool:
        """Whether a wait may keep a connection; then it must be let go of."""
        self._forget_before_fork()
        with self._lock:
            if self._held >= self._max_held:
                return False
            self._held += 1
            return True

    def let_go(self) -> None:
        """A wait that kept a connection has ended."""
        with self._lock:
            self._held = max(self._held - 1, 0)

    async def request(
        self,
        method: str,
        path: str,
        *,
        patience: float,
        limit: float | None = None,
        wait: float = 0,
        **options: Any,
    ) -> httpx.Response:
        """A successful answer. Retries broken connections and passing trouble of the server for `patience` seconds.

        `wait` is how long the server was asked to take. Nothing takes longer than `limit`.
        Raises `ProblemError`, `MalformedAnswerError` and `UnreachableError`.
        """
        trouble, tries = "never tried", _Tries(patience, limit)
        while await tries.has_another():
            try:
                client = self._client()
                response = await within(tries.time_for(wait + ANSWER_SECONDS), client.request(method, path, **options))
            except TimeoutError:
                trouble = "no answer in time"
                continue
            except httpx.TransportError as error:
                trouble = _tell_trouble(self._options["headers"], error)
                if _is_hopeless(error):
                    raise UnreachableError(f"{method} {path}: {trouble}") from None
                continue
            except httpx.DecodingError:
                raise MalformedAnswerError(f"{method} {path}: the answer is not encoded as its header says") from None
            if response.is_success:
                return response
            if response.status_code not in _PASSING_TROUBLE:
                raise ProblemError(response.status_code, _problem(response))
            trouble, tries.asked = f"status {response.status_code}", _retry_after(response)
        raise UnreachableError(f"{method} {path}: {trouble}, after {tries.made} attempts")

    @asynccontextmanager
    async def stream(self, path: str, *, silence: float, **options: Any) -> AsyncIterator[httpx.Response]:
        """An answer that is read while it comes, with nothing for `silence` seconds at most.

        Raises `ProblemError` for a refusal, and `BrokenStreamError` for what a later try may not meet.
        """
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS, read=silence)
        try:
            async with self._client().stream("GET", path, timeout=timeout, **options) as response:
                if response.status_code in _PASSING_TROUBLE:
                    raise BrokenStreamError(_retry_after(response))
                if not response.is_success:
                    await within(ANSWER_SECONDS, response.aread())
                    raise ProblemError(response.status_code, _problem(response))
                yield response
        except httpx.DecodingError:
            raise MalformedAnswerError(f"GET {path}: the answer is not encoded as its header says") from None
        except (TimeoutError, httpx.TransportError) as error:
            if isinstance(error, httpx.TransportError) and _is_hopeless(error):
                trouble = _tell_trouble(self._options["headers"], error)
                raise UnreachableError(f"GET {path}: {trouble}") from None
            raise BrokenStreamError(0.0) from None

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None and self._process == os.getpid():
            await client.aclose()

    def _client(self) -> httpx.AsyncClient:
        self._forget_before_fork()
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = httpx.AsyncClient(**self._options)
        return client

    def _forget_before_fork(self) -> None:
        """Let go of what a parent process opened: two processes on one connection read each other's answers."""
        if self._process != os.getpid():
            self._process, self._held, self._lock = os.getpid(), 0, threading.Lock()
            self._clients = WeakKeyDictionary()


def read_answer(response: httpx.Response, reader: Callable[[Mapping[str, Any]], T]) -> T:
    """The answer's value. Raises `MalformedAnswerError`."""
    try:
        return reader(response.json())
    # Whatever reading raises means the same: nothing in the answer may be believed.
    except (JSONDecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError, AttributeError) as error:
        quoted = _without_key(response.request.headers, repr(error))
        # Not chained: what was raised holds the answer.
        raise MalformedAnswerError(f"{response.request.url.path} answered something undocumented: {quoted}") from None


def _is_hopeless(error: httpx.TransportError) -> bool:
    """Whether the next try would end alike."""
    if isinstance(error, _HOPELESS):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        # There is no such name. (That it cannot be told at the moment has another number.)
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    """The problem details of a refusal; where something else answered, what can be said of that."""
    headers = response.request.headers
    with suppress(JSONDecodeError, RecursionError):
        # A proxy that is set up wrongly may answer with the request it got, and the key is in that.
        problem = json.loads(_without_key(headers, response.text))
        if isinstance(problem, dict):
            return problem
    url = _without_key(headers, str(response.request.url.copy_with(userinfo=b"", query=None)))
    if response.has_redirect_location:
        leads_to = _without_key(headers, response.headers["Location"])
        return {"detail": f"{url} leads to {leads_to}. Redirects are not followed: give the guard's own address."}
    return {"detail": f"{url} did not answer as the guard's API. Is the address right, and nothing else in the way?"}


def _tell_trouble(headers: Mapping[str, str], error: httpx.TransportError) -> str:
    """What went wrong on the way, for a person."""
    if isinstance(error, httpx.UnsupportedProtocol):
        return "the guard's address has to begin with https:// or http://"
    return _without_key(headers, repr(error))


def _without_key(headers: Mapping[str, str], text: str) -> str:
    """The text without the key that these headers sign with."""
    return text.replace(headers["Authorization"][len(_SCHEME) :], "[key]")


def _retry_after(response: httpx.Response) -> float:
    """Seconds the server asks to be left alone, a minute at most; 0 where it does not ask in seconds."""
    seconds = response.headers.get("Retry-After", "")
    # Budgets are those of a minute; nothing a server asks for shall hold an agent longer.
    return min(float(seconds), 60.0) if seconds.isdecimal() else 0.0


class _Tries:
    """How often a request is sent: the first time, and again until its time is over."""

    def __init__(self, patience: float, limit: float | None) -> None:
        self.made = 0
        self.asked = 0.0
        """Seconds that the server asked to be left alone for, with the last answer."""
        now = time.monotonic()
        self._until = now + patience
        self._limit = None if limit is None else now + limit
        self._extensions = 0

    async def has_another(self) -> bool:
        """Wait until the next one is due. False when no time is left for it."""
        if self.made:
            pause = max(self._delay(), self.asked)
            due = time.monotonic() + pause
            if (self._limit is not None and due >= self._limit) or (due > self._until and not self._extend()):
                return False
            self.asked = 0.0
            await asyncio.sleep(pause)
        self.made += 1
        return True

    def time_for(self, seconds: float) -> float:
        """What is left for an answer that may take so long."""
        return seconds if self._limit is None else min(seconds, self._limit - time.monotonic())

    def _extend(self) -> bool:
        """Whether the server asked to be left alone: that is granted beyond the patience with its trouble."""
        self._extensions += 1
        return bool(self.asked) and self._extensions <= MAX_EXTENSIONS

    def _delay(self) -> float:
        # Doubling, with jitter so that a fleet does not come back all at once.
        doubled = min(FIRST_DELAY_SECONDS * 2.0 ** min(self.made - 1, 10), MAX_DELAY_SECONDS)
        return doubled * random.uniform(0.5, 1.5)  # noqa: S311  # not a secret
