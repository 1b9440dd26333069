"""Time-outs hold against whatever a server does, and those who wait do not stand in each other's way."""

import asyncio
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import (
    Action,
    AsyncGuard,
    Guard,
    GuardError,
    NotDecided,
    NotDecidedError,
    UndecidedError,
    UnreachableError,
    proposals,
)
from reviews.agents.client.provenanceguard.hook.command_line import answer_event
from reviews.agents.client.provenanceguard.testing import KEY, FakeGuard, approved, flagged
from tests.eventually import until

# Far beyond what a busy machine adds to a time-out of seconds, and less than the ten that any answer is waited for.
ENDS_WITHIN = 8
ACTION = "0199c2f4-6a51-7c30-9d1b-2f6f0c6b8a11"
BODY: dict[str, Any] = {"query": "Pay", "tools": [], "action": {"tool": "pay", "arguments": {}}}


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_a_wait_for_a_silent_server_ends_with_its_time_out(silent: str) -> None:
    begun = time.monotonic()
    with Guard(silent, KEY) as guard, pytest.raises(GuardError):
        guard.wait(ACTION, timeout=2)
    # A client that forgot it would wait for its patience, or for good.
    assert 1.9 < time.monotonic() - begun < ENDS_WITHIN


def test_a_check_by_a_silent_server_decides_nothing_in_time(silent: str) -> None:
    begun = time.monotonic()
    with Guard(silent, KEY) as guard:
        outcome = guard.check(("pay", {}), {"query": "Pay"}, timeout=0.5)
    assert isinstance(outcome, NotDecided)
    assert time.monotonic() - begun < ENDS_WITHIN


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_a_server_that_trickles_is_not_waited_for(beginning: bytes) -> None:
    def trickle(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(beginning)
            while True:
                connection.sendall(b"x")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=trickle, args=[listening])
        thread.start()
        begun = time.monotonic()
        with Guard(f"http://127.0.0.1:{listening.getsockname()[1]}", KEY) as guard, pytest.raises(GuardError):
            guard.submit(BODY, timeout=0.5)
        assert time.monotonic() - begun < ENDS_WITHIN
        thread.join()


class Holding(httpx.AsyncBaseTransport):
    """A server that holds waits back, over a few connections."""

    def __init__(self, fake: FakeGuard, connections: int) -> None:
        self.fake, self.free = fake, asyncio.Semaphore(connections)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async with self.free:
            await asyncio.sleep(int(request.url.params.get("wait", 0)) and 30)
            return self.fake.answer(request)


async def test_forty_waits_on_three_connections_end_when_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.agents.client.provenanceguard.waiting.LOOK_SECONDS", 0.1)
    fake = FakeGuard(flagged)
    guard = AsyncGuard("http://guard.test", KEY, connections=3, transport=Holding(fake, 3))
    actions = [await guard.submit(BODY) for _ in range(40)]
    waits = [asyncio.create_task(guard.settle(action.id)) for action in actions]
    await asyncio.sleep(0.1)
    for action in fake.actions.values():
        action["status"] = "expired"
    # Two are held back by the server, which here never notices the decision.
    await until(lambda: sum(wait.done() for wait in waits) == 38)
    for wait in waits:
        wait.cancel()
    await asyncio.wait(waits)


@pytest.mark.parametrize(
    "error",
    [
        httpx.UnsupportedProtocol("ftp"),
        httpx.ConnectError("certificate"),
        httpx.ConnectError("no such name"),
    ],
)
async def test_the_hopeless_is_tried_once(error: httpx.TransportError) -> None:
    causes = {"certificate": ssl.SSLCertVerificationError(), "no such name": socket.gaierror(socket.EAI_NONAME, "")}
    error.__cause__ = causes.get(str(error))
    fake = FakeGuard(broken=[error, error])
    async with fake.async_guard() as guard:
        with pytest.raises(UnreachableError):
            await guard.submit(BODY)
    assert len(fake.requests) == 1


async def test_an_address_without_its_scheme_is_told() -> None:
    async with AsyncGuard("localhost:8000", KEY) as guard:
        with pytest.raises(UnreachableError, match="begin with https:// or http://"):
            await guard.submit(BODY)


def test_a_forked_process_has_connections_of_its_own() -> None:
    fake = FakeGuard()
    with fake.guard() as guard:
        action = guard.submit(BODY)
        child = os.fork()
        if not child:
            # Whatever happens, the child must not go on with the tests.
            try:
                os._exit(0 if guard.get(action.id, timeout=5).id == action.id else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        assert guard.get(action.id).id == action.id


class SilentAt(httpx.AsyncBaseTransport):
    """A guard that approves, and says nothing where the path ends so."""

    def __init__(self, end: str) -> None:
        self.fake, self.end = FakeGuard(), end

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(self.end):
            await asyncio.Event().wait()
        return self.fake.answer(request)


def run_here(end: str, function: Callable[..., Any]) -> Any:
    """What the client for threads makes of a guard that is silent at the end of this path."""
    with Guard("http://guard.test", KEY, transport=SilentAt(end)) as guard:
        return guard.run(("pay", {}), {"query": "Pay"}, function, timeout=1)


def run_on_loop(end: str, function: Callable[..., Any]) -> Any:
    """The same with the client for asyncio."""

    async def run() -> Any:
        async with AsyncGuard("http://guard.test", KEY, transport=SilentAt(end)) as guard:
            return await guard.run(("pay", {}), {"query": "Pay"}, function, timeout=1)

    return asyncio.run(run())


@pytest.mark.parametrize("run", [run_here, run_on_loop])
def test_a_permission_that_is_not_given_in_time_runs_nothing(run: Callable[..., Any]) -> None:
    ran: list[str] = []
    begun = time.monotonic()
    with pytest.raises(NotDecidedError, match="permission was not given") as raised:
        run("/execution", lambda: ran.append("paid"))
    assert raised.value.outcome.reason == "unreachable"
    assert time.monotonic() - begun < ENDS_WITHIN
    assert ran == []


@pytest.mark.parametrize("run", [run_here, run_on_loop])
def test_what_ran_is_returned_although_the_guard_is_silent_at_its_report(
    run: Callable[..., Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "REPORT_SECONDS", 0.5)
    begun = time.monotonic()
    assert run("/outcome", lambda: "paid") == "paid"
    assert time.monotonic() - begun < ENDS_WITHIN
    assert "was not reported" in caplog.text


async def test_a_task_that_is_cancelled_at_its_report_still_reports() -> None:
    fake = FakeGuard()
    arrived = asyncio.Event()

    class Slow(SilentAt):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/outcome"):
                arrived.set()
                await asyncio.sleep(0.1)
            return fake.answer(request)

    async with AsyncGuard("http://guard.test", KEY, transport=Slow("")) as guard:
        running = asyncio.create_task(guard.run(("pay", {}), {"query": "Pay"}, lambda: "paid"))
        await arrived.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert fake.reports == [{"status": "succeeded", "outcome": "paid"}]


@pytest.mark.parametrize("listing", [AsyncGuard.list_actions, AsyncGuard.list_events])
async def test_a_listing_of_a_silent_server_ends_with_its_time_out(silent: str, listing: Callable[..., Any]) -> None:
    begun = time.monotonic()
    async with AsyncGuard(silent, KEY) as guard:
        with pytest.raises(UnreachableError):
            await listing(guard, timeout=0.5)
    assert time.monotonic() - begun < ENDS_WITHIN


class SlowWaits(httpx.AsyncBaseTransport):
    """A guard that takes proposals, and is silent to whoever waits for what becomes of them."""

    def __init__(self, fake: FakeGuard) -> None:
        self.fake = fake

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            await asyncio.Event().wait()
        return self.fake.answer(request)


def test_a_guard_that_turns_silent_behind_the_proposal_leaves_the_action_to_withdraw() -> None:
    fake = FakeGuard(flagged)
    with Guard("http://guard.test", KEY, transport=SlowWaits(fake)) as guard:
        outcome = guard.check(("pay", {}), {"query": "Pay"}, timeout=0.2)
    assert isinstance(outcome, NotDecided)
    assert outcome.action is not None
    assert (outcome.reason, outcome.action.id) == ("unreachable", next(iter(fake.actions)))


def test_the_hook_withdraws_what_it_proposed_to_a_guard_that_turns_silent() -> None:
    fake = FakeGuard(flagged)

    def connect(url: str, key: str) -> Guard:
        return Guard(url, key, transport=SlowWaits(fake))

    event = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {}, "tool_use_id": "t1"}
    with pytest.raises(NotDecidedError):
        answer_event(event, "http://guard.test", KEY, 0.2, connect)
    assert [action["status"] for action in fake.actions.values()] == ["cancelled"]


def approving(fake: FakeGuard, seconds: float) -> Callable[[Action], None]:
    """A person who is asked, and approves so much later."""

    def approve(action: Action) -> None:
        time.sleep(seconds)
        fake.actions[action.id].update(approved(fake.bodies[0]))

    return approve


def test_what_comes_of_asking_behind_the_time_out_runs_nothing() -> None:
    fake, ran = FakeGuard(flagged), list[str]()
    asking = approving(fake, 2)
    with fake.guard() as guard, pytest.raises(UndecidedError):
        guard.run(("pay", {}), {"query": "Pay"}, lambda: ran.append("paid"), timeout=0.5, on_pending=asking)
    assert ran == []


def test_what_comes_of_asking_in_time_runs() -> None:
    fake = FakeGuard(flagged)
    with fake.guard() as guard:
        asking = approving(fake, 0.1)
        assert guard.run(("pay", {}), {"query": "Pay"}, lambda: "paid", timeout=5, on_pending=asking) == "paid"


@pytest.mark.parametrize("error", [UnreachableError("the user"), TimeoutError("the user")])
async def test_what_asking_raises_is_raised_and_says_nothing_of_the_guard(error: Exception) -> None:
    async def ask(action: Action) -> None:
        raise error

    async with FakeGuard(flagged).async_guard() as guard:
        with pytest.raises(type(error), match="the user"):
            await guard.check(("pay", {}), {"query": "Pay"}, on_pending=ask, timeout=5)


class SlowRefusals(httpx.AsyncBaseTransport):
    """A guard that takes a second for each proposal, and refuses them all."""

    def __init__(self, refusal: httpx.Response) -> None:
        self.refusal, self.proposed = refusal, 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.proposed += 1
        await asyncio.sleep(1)
        return self.refusal


DUPLICATE = httpx.Response(409, json={"type": "/problems/duplicate-call"})
UNKNOWN = httpx.Response(422, json={"title": "Unknown", "errors": [{"pointer": "/continues"}]})


@pytest.mark.parametrize(("refusal", "renew"), [(DUPLICATE, True), (UNKNOWN, False)])
async def test_a_proposal_that_is_made_once_more_has_what_is_left_of_the_time(
    refusal: httpx.Response, renew: bool
) -> None:
    slow = SlowRefusals(refusal)
    past = {"query": "Pay", "tools": [], "history": [], "trace_id": "t"}
    async with AsyncGuard("http://guard.test", KEY, transport=slow) as guard:
        guard._sent.remember(past, {"Continue-From": "token", "Continue-Behind": "0"}, left_out=0)
        outcome = await guard.check(("pay", {}), past, timeout=1.9, renew=renew)
    assert isinstance(outcome, NotDecided)
    assert (outcome.reason, slow.proposed) == ("unreachable", 2)
