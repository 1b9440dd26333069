"""The gateway between a server and its clients, over stdio or streamable HTTP on either side."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import anyio
import httpx2
import uvicorn
from mcp import Client, MCPError, StdioServerParameters, stdio_client, stdio_server
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.mcp_gateway.gateway import ANSWER_SECONDS, Gateway, build_server
from reviews.agents.mcp_gateway.unreadable_answers import answer_unreadable

PATH = "/mcp"
# As a browser or a client on this machine names it, whatever its port.
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
# As much as a guard takes as one body, unless it is configured otherwise.
MAX_BODY_BYTES = 1_000_000
# As many as there are conversations; each may have its stream of notifications open, and some calls waiting.
MAX_SESSIONS = 256
MAX_CONNECTIONS = 1_024
# Of a client that went away without a word: its waiting calls are withdrawn then.
SESSION_IDLE_SECONDS = 600.0
# A command may have to be fetched first, such as a package of Node's.
CONNECTING_SECONDS = 300.0
# Between two tries to reach a service that was there and is away.
PAUSE_SECONDS = 0.5
STDIN = 0
PIECE_BYTES = 65_536
# Streams have no end of their own that could be waited for.
CLOSING_SECONDS = 2
# Reading is long because a tool may work for minutes before its stream says anything.
REMOTE_TIMEOUT = httpx2.Timeout(30.0, read=300.0)
# What a command or an address raises that is none, or no MCP server.
UNSTARTABLE = (OSError, MCPError, httpx2.HTTPError)
_log = logging.getLogger("provenanceguard")


@dataclass(frozen=True)
class RemoteServer:
    """An MCP server that speaks streamable HTTP."""

    url: str
    token: str = ""
    """Sent as a bearer token."""


ServerPlace: TypeAlias = StdioServerParameters | RemoteServer
"""Where the server is that the gateway stands before."""


@dataclass(frozen=True)
class HttpDoor:
    """How clients come in over HTTP."""

    socket: socket.socket
    """Listens already."""
    token: str = ""
    """Which clients have to know; none where everybody may come in who reaches it."""
    hosts: Sequence[str] = ()
    """By which names it is called, beside those of this machine."""
    origins: Sequence[str] = ()
    """Pages of which browsers may call it."""


def describe_command(command: Sequence[str], environment: Mapping[str, str]) -> StdioServerParameters:
    """A server that is started here.

    Of our environment it gets what every program needs, and `environment`: it must not read the guard's key.
    """
    return StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment))


async def serve(place: ServerPlace, guard: AsyncGuard, *, door: HttpDoor | None = None, **options: Any) -> None:
    """Serve the tools of the server at `place`: at the door until it is ended, or on stdin and stdout until they close.

    A server that has ended is started or called anew; what came of a call that it took along, nobody knows. Ends with
    an error where that fails, at an address for as long as calls wait for it. `options` are those of `Gateway`.
    """
    gateway: Gateway | None = None
    served_until = -math.inf
    async with guard, anyio.create_task_group() as tasks:
        while True:
            try:
                async with _connect_in_time(place) as client:
                    if gateway is None:
                        gateway = Gateway(client, guard, **options)
                        tasks.start_soon(_serve_until_ended, build_server(gateway, client), door, tasks.cancel_scope)
                    try:
                        await gateway.use(client)
                    finally:
                        served_until = anyio.current_time()
            except* UNSTARTABLE:
                # A command that does not start will not start a second later; a restarted service is back soon.
                is_over = anyio.current_time() - served_until > ANSWER_SECONDS
                if is_over or isinstance(place, StdioServerParameters):
                    raise
                await anyio.sleep(PAUSE_SECONDS)
            _log.warning("the server has ended; it is called anew")


@asynccontextmanager
async def _connect_in_time(place: ServerPlace) -> AsyncIterator[Client]:
    """A client of the server. Raises TimeoutError where it does not come to be one."""
    with anyio.move_on_after(CONNECTING_SECONDS) as connecting:
        async with connect_server(place) as client:
            # Of all that is done with this client, and over the time alone until it is there.
            connecting.deadline = math.inf
            yield client
    if connecting.cancelled_caught:
        raise TimeoutError(f"it did not answer within {CONNECTING_SECONDS:g} seconds")


async def _serve_until_ended(server: Server[Any], door: HttpDoor | None, running: anyio.CancelScope) -> None:
    if door is not None:
        await serve_http(build_app(server, door), door)
    else:
        lines, end = open_stdin()
        # As behind the end of stdin: what waits is withdrawn, and what runs is reported. Windows knows no such signal.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
        async with stdio_server(lines) as (requests, answers):
            try:
                await server.run(requests, answers, server.create_initialization_options())
            finally:
                end()
    running.cancel()


def open_stdin() -> tuple[anyio.AsyncFile[str], Callable[[], None]]:
    """What comes on stdin, and what ends it here: a thread that waits for a line there would keep the gateway for ever.

    Behind it a client that has said nothing yet would not learn that nobody is there any more.
    """
    source, sink = socket.socketpair()

    def pump() -> None:
        with suppress(OSError):
            # By its number: a buffer has a lock, which no interpreter that ends can get from a thread that waits.
            while piece := os.read(STDIN, PIECE_BYTES):
                sink.sendall(piece)
        end()

    def end() -> None:
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=pump, name="stdin", daemon=True).start()
    return anyio.wrap_file(source.makefile(encoding="utf-8", errors="replace")), end


@asynccontextmanager
async def connect_server(place: ServerPlace) -> AsyncIterator[Client]:
    """A client of the server behind the gateway. Not cached: a tool that reads otherwise by now is another one."""
    if isinstance(place, StdioServerParameters):
        async with Client(answer_unreadable(stdio_client(place)), cache=None) as client:
            yield client
        return
    headers = {"Authorization": f"Bearer {place.token}"} if place.token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=REMOTE_TIMEOUT) as http,
        Client(streamable_http_client(place.url, http_client=http), cache=None) as client,
    ):
        yield client


def build_app(server: Server[Any], door: HttpDoor) -> ASGIApp:
    """The server as an application that refuses strangers, other names of this machine, and bodies without an end."""
    hosts = (*LOOPBACK_HOSTS, *door.hosts)
    # By name, so that a page whose name was pointed at this machine cannot call it from a browser (DNS rebinding).
    security = TransportSecuritySettings(
        allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)], allowed_origins=list(door.origins)
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=MAX_SESSIONS,
        session_idle_timeout=SESSION_IDLE_SECONDS,
        transport_security=security,
    )
    guarded: ASGIApp = TokenRequired(app, door.token) if door.token else app
    if not door.origins:
        return guarded
    # Outermost: a browser asks first whether it may, and without the token.
    exposed, methods = ["Mcp-Session-Id"], ["GET", "POST", "DELETE"]
    return CORSMiddleware(guarded, door.origins, methods, allow_headers=["*"], expose_headers=exposed)


class TokenRequired:
    """Answers those alone who know the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            sent = Headers(scope=scope).get("authorization", "").encode()
            if not secrets.compare_digest(sent, self._expected):
                refusal = PlainTextResponse("A token is needed.", 401, {"WWW-Authenticate": "Bearer"})
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises OSError."""
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


async def serve_http(app: ASGIApp, door: HttpDoor) -> None:
    """Answer requests until the process is asked to end."""
    config = uvicorn.Config(
        app,
        limit_concurrency=MAX_CONNECTIONS,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        ws="none",
    )
    await uvicorn.Server(config).serve(sockets=[door.socket])
