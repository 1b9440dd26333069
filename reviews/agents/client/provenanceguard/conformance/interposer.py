"""A small server between a client and the guard: it forces decisions, makes trouble, and remembers what it saw."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, TypeAlias

import httpx

from ..connections import site_address, tls_context

Trouble: TypeAlias = Literal[
    "",
    "down",
    "submission answer lost",
    "execution answer lost",
    "polls cut",
    "execution refused",
    "cancelled meanwhile",
]
# Twice in a row: who tries once more only does not get through.
CUT_POLLS = 2
# Longer than any wait that a guard grants.
UPSTREAM_SECONDS = 90.0
# Of a hop, or no longer true of a body that was read whole.
_NOT_PASSED_ON = frozenset(
    {"connection", "content-encoding", "content-length", "host", "keep-alive", "te", "trailer", "transfer-encoding"}
)
_ACTION = re.compile(r"/api/v1/actions/(?P<id>[0-9a-f-]{36})(?P<rest>/[a-z/]*)?\Z")


@dataclass
class Interposer:
    """How the way to the guard is for one run of a client."""

    target: str
    forced: Mapping[str, Any] | None = None
    """What each submission says about its decision."""
    trouble: Trouble = ""
    action_ids: set[str] = field(default_factory=set)
    """Of what was proposed."""
    reports: list[dict[str, Any]] = field(default_factory=list)
    """What came of the call, as the guard was told."""
    troubled: int = 0
    """How often trouble was made."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx.Response | None:
        """The guard's answer; None where the connection breaks instead."""
        if self.trouble == "down":
            self.troubled += 1
            return None
        act = _act_of(method, path)
        if act == "poll" and self.trouble == "polls cut" and self._makes_trouble(CUT_POLLS):
            return None
        if act == "execution" and self.trouble == "execution refused" and self._makes_trouble():
            return httpx.Response(409, json={"title": "Not runnable", "detail": "It was decided otherwise meanwhile."})
        if act == "poll" and self.trouble == "cancelled meanwhile" and self._makes_trouble(1):
            self._forward("POST", f"{path.partition('?')[0]}/cancel", headers, b"")
        if act == "submission":
            body = self._with_decision(body)
        response = self._forward(method, path, headers, body)
        self._remember(act, body, response)
        if self.trouble == f"{act} answer lost" and self._makes_trouble(1):
            return None
        return response

    def _makes_trouble(self, times: int | None = None) -> bool:
        """Whether it is due once more; without `times` it always is."""
        with self.lock:
            if times is not None and self.troubled >= times:
                return False
            self.troubled += 1
            return True

    def _with_decision(self, body: bytes) -> bytes:
        if self.forced is None:
            return body
        submitted = json.loads(body)
        return json.dumps(
            {**submitted, "metadata": {**(submitted.get("metadata") or {}), "test_decision": self.forced}}
        ).encode()

    def _forward(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> httpx.Response:
        passed = {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON}
        with httpx.Client(verify=tls_context(self.target), trust_env=False, timeout=UPSTREAM_SECONDS) as client:
            return client.request(method, self.target + path, headers=passed, content=body)

    def _remember(self, act: str, body: bytes, response: httpx.Response) -> None:
        if act == "submission" and response.is_success:
            with self.lock:
                self.action_ids.add(response.json()["id"])
        if act == "report" and response.is_success:
            with self.lock:
                self.reports.append(json.loads(body))


def _act_of(method: str, path: str) -> str:
    """What a request does, as far as the checks tell it."""
    plain = path.partition("?")[0].rstrip("/")
    if (method, plain) == ("POST", "/api/v1/actions"):
        return "submission"
    matched = _ACTION.match(plain)
    acts = {("GET", ""): "poll", ("POST", "/execution"): "execution", ("PUT", "/execution/outcome"): "report"}
    return acts.get((method, matched["rest"] or ""), "") if matched else ""


@contextmanager
def interposed(target: str, forced: Mapping[str, Any] | None, trouble: Trouble) -> Iterator[tuple[str, Interposer]]:
    """The address under which the guard is reached that way."""
    interposer = Interposer(site_address(target), forced, trouble)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(interposer.answer))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", interposer
    finally:
        server.shutdown()
        # Without a wait for open requests: a poll may be held for as long as the guard grants.
        server.socket.close()


def _handler_of(
    answer: Callable[[str, str, Mapping[str, str], bytes], httpx.Response | None],
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One request, on a connection of its own."""

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                response = answer(self.command, self.path, dict(self.headers), body)
            except httpx.HTTPError as error:
                response = httpx.Response(502, json={"title": "Bad gateway", "detail": type(error).__name__})
            if response is None:
                return
            self.send_response(response.status_code)
            for name, value in response.headers.items():
                if name.lower() not in _NOT_PASSED_ON:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(response.content)))
            self.end_headers()
            self.wfile.write(response.content)

        do_GET = do_POST = do_PUT = _pass_on  # noqa: N815 - names of the base class

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - a name of the base class
            """Nothing: the results say what happened."""

    return Handler
