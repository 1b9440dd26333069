"""The MCP gateway over streamable HTTP: who may come in, and whose calls and words belong together."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import quote

import httpx
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from reviews.agents.client.provenanceguard.testing import FakeGuard, approved, edited, flagged, rejected
from reviews.agents.mcp_gateway import gateway, serving
from reviews.agents.mcp_gateway.conversations import MAX_CONVERSATIONS, Conversations
from tests.agents.mcp_bank import build_bank
from tests.agents.mcp_between import PAY, pay_until, text_of
from tests.agents.test_mcp_elicitation import User
from tests.eventually import until

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
}
JSON = {"Accept": "application/json, text/event-stream"}
ERAS = ["legacy", "auto"]


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is told at once, and nothing is waited for between two looks."""
    monkeypatch.setattr(gateway, "PROGRESS_SECONDS", 0.01)
    monkeypatch.setattr("reviews.agents.client.provenanceguard.waiting.PAUSE_SECONDS", 0.01)


class _Neighbour(uvicorn.Server):
    """One of several servers of this process.

    A stream of events ends with the server that hears the process's signals, be it another one than its own.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear none."""
        yield


@asynccontextmanager
async def serve(app: Any, port: int = 0) -> AsyncIterator[str]:
    """The address of an application that is served in this process."""
    listener = serving.listen("127.0.0.1", port)
    server = _Neighbour(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=0))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    await until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def serve_gateway(
    fake: FakeGuard, *, token: str = "", origins: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[str]:
    """The address of a gateway before the bank, itself reached over HTTP."""
    door = serving.HttpDoor(serving.listen("127.0.0.1", 0), token, origins=origins)
    with door.socket:
        async with (
            serve(build_bank([]).streamable_http_app()) as bank,
            fake.async_guard() as guard,
            serving.connect_server(serving.RemoteServer(bank)) as behind,
            serve(
                serving.build_app(
                    gateway.build_server(gateway.Gateway(behind, guard, server="bank", **options), behind), door
                )
            ) as url,
        ):
            yield url


@asynccontextmanager
async def connect(url: str, mode: str = "auto", user: Any = None, **headers: str) -> AsyncIterator[Client]:
    """A client with these headers, which asks this user."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        httpx2.AsyncClient(headers=named) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=user) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ERAS)
async def test_calls_are_decided_over_http_for_clients_of_either_revision(mode: str) -> None:
    fake, told = FakeGuard(edited(amount=20)), list[str | None]()

    async def note_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with serve_gateway(fake, trust_annotations=True) as url, connect(url, mode) as client:
        assert "bank__pay" in [tool.name for tool in (await client.list_tools()).tools]
        assert text_of(await client.call_tool("bank__pay", PAY)) == "Paid 20 to Ann."
        assert "20 to Ann" in text_of(await client.call_tool("bank__list_payments"))
        fake.judge = rejected("Too much.")
        refused = await client.call_tool("bank__pay", PAY)
        assert refused.is_error
        assert "Too much." in text_of(refused)
        fake.judge = flagged
        await pay_until(lambda: gateway.WAITING in told, client, progress_callback=note_progress)
        await until(lambda: list(fake.actions.values())[-1]["status"] == "cancelled")


async def test_a_session_and_a_named_conversation_remember_their_calls_and_others_do_not() -> None:
    fake = FakeGuard(approved)
    words = quote("Zahl Ann 30 €")
    async with serve_gateway(fake) as url:
        for mode, headers in (
            ("legacy", {}),
            ("legacy", {}),
            ("auto", {}),
            ("auto", {"ProvenanceGuard_Conversation": "trip-7", "ProvenanceGuard_Request": words}),
        ):
            async with connect(url, mode, **headers) as client:
                for _ in range(2):
                    await client.call_tool("bank__pay", PAY)
    assert [len(body["history"]) for body in fake.bodies] == [0, 1, 0, 1, 0, 0, 0, 1]
    assert len({body["trace_id"] for body in fake.bodies}) == 5
    assert {body["query"] for body in fake.bodies[:6]} == {""}
    assert (fake.bodies[7]["trace_id"], fake.bodies[7]["query"]) == ("trip-7", "Zahl Ann 30 €")


async def test_a_session_that_follows_another_does_not_begin_the_one_request_anew() -> None:
    fake = FakeGuard(approved)
    async with serve_gateway(fake, request="Send Ann 30") as url:
        for headers in ({}, {}, {"ProvenanceGuard_Conversation": "trip-7"}):
            async with connect(url, "legacy", **headers) as client:
                await client.call_tool("bank__pay", PAY)
    assert [len(body["history"]) for body in fake.bodies] == [0, 1, 0]
    assert {body["query"] for body in fake.bodies} == {"Send Ann 30"}
    assert len({body["trace_id"] for body in fake.bodies}) == 2


async def test_words_of_the_user_establish_no_call_of_which_nobody_knows_whether_it_is_the_first() -> None:
    fake = FakeGuard(approved)
    async with serve_gateway(fake, request="Send Ann 30") as url:
        for headers in ({}, {"ProvenanceGuard_Request": quote("Send Ann 30")}):
            async with connect(url, **headers) as client:
                await client.call_tool("bank__pay", PAY)
        async with connect(url, ProvenanceGuard_Conversation="trip-7") as client:
            await client.call_tool("bank__pay", PAY)
    assert [body["query"] for body in fake.bodies] == ["", "", "Send Ann 30"]


@pytest.mark.parametrize("mode", ERAS)
async def test_users_are_asked_over_http_by_clients_of_either_revision(mode: str) -> None:
    fake = FakeGuard(flagged)
    user = User(fake, request="Send Ann 30", outcome="approve")
    async with (
        serve_gateway(fake, elicits=["confirmation", "request"]) as url,
        connect(url, mode, user, ProvenanceGuard_Conversation="trip-7") as client,
    ):
        assert text_of(await client.call_tool("bank__pay", PAY)) == "Paid 30 to Ann."
    assert len(user.asked) == 2
    assert fake.bodies[0]["query"] == "Send Ann 30"


async def test_strangers_pages_other_names_and_endless_bodies_are_refused() -> None:
    site = "https://app.example"
    async with (
        serve_gateway(FakeGuard(), token="secret", origins=(site,)) as url,
        httpx.AsyncClient(headers=JSON) as stranger,
    ):

        async def status(**headers: str) -> int:
            known = {"Authorization": "Bearer secret", **headers}
            return (await stranger.post(url, json=INITIALIZE, headers=known)).status_code

        assert await status() == 200
        assert await status(Authorization="Bearer secre") == 401
        assert await status(Host="rebound.example") == 421
        assert await status(Origin="https://evil.example") == 403
        assert await status(Origin="http://localhost:8000") == 403
        assert await status(Origin=site) == 200
        for origin, allowed in ((site, site), ("https://evil.example", None)):
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            preflight = await stranger.request("OPTIONS", url, headers=asked)
            assert preflight.headers.get("Access-Control-Allow-Origin") == allowed
        long = {**INITIALIZE, "id": "x" * serving.MAX_BODY_BYTES}
        headers = {"Authorization": "Bearer secret"}
        assert (await stranger.post(url, json=long, headers=headers)).status_code == 413


@pytest.mark.parametrize("mode", ERAS)
async def test_calls_wait_out_an_outage_of_the_remote_server(mode: str, caplog: pytest.LogCaptureFixture) -> None:
    fake, door = FakeGuard(flagged), serving.HttpDoor(serving.listen("127.0.0.1", 0))
    before = f"http://127.0.0.1:{door.socket.getsockname()[1]}/mcp"
    async with AsyncExitStack() as clients:
        clients.callback(door.socket.close)
        async with serve(build_bank([]).streamable_http_app()) as bank:
            place = serving.RemoteServer(bank)
            gate = asyncio.create_task(serving.serve(place, fake.async_guard(), door=door, server="bank"))
            clients.callback(gate.cancel)
            first, second = [await clients.enter_async_context(connect(before, mode)) for _ in range(2)]
            undecided = asyncio.create_task(first.call_tool("bank__pay", PAY))
            await until(lambda: len(fake.bodies) == 1)
        fake.judge = approved
        made_meanwhile = asyncio.create_task(second.call_tool("bank__pay", PAY))
        await until(lambda: "is called anew" in caplog.text)
        async with serve(build_bank([]).streamable_http_app(), httpx.URL(bank).port or 0):
            next(iter(fake.actions.values())).update(approved(fake.bodies[0]))
            assert text_of(await undecided) == text_of(await made_meanwhile) == "Paid 30 to Ann."


async def test_an_outage_that_lasts_ends_the_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ANSWER_SECONDS", 0.1)
    door = serving.HttpDoor(serving.listen("127.0.0.1", 0))
    before = f"http://127.0.0.1:{door.socket.getsockname()[1]}/mcp"

    async def list_tools() -> None:
        async with connect(before) as client:
            await client.list_tools()

    with door.socket:
        async with serve(build_bank([]).streamable_http_app()) as bank:
            gate = asyncio.create_task(serving.serve(serving.RemoteServer(bank), FakeGuard().async_guard(), door=door))
            await list_tools()
        asking = asyncio.create_task(list_tools())
        with pytest.raises(ExceptionGroup) as raised:
            await gate
        asking.cancel()
    assert raised.group_contains(httpx2.ConnectError)


async def test_sessions_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MAX_SESSIONS", 1)
    async with serve_gateway(FakeGuard()) as url, httpx.AsyncClient(headers=JSON) as client:
        statuses = [(await client.post(url, json=INITIALIZE)).status_code for _ in range(2)]
    assert statuses == [200, 503]


class _Request:
    """A request as far as conversations are told by it."""

    def __init__(self, **headers: str) -> None:
        self.request = httpx.Request("POST", "http://gateway.test/mcp", headers=headers)
        self.protocol_version = "2026-07-28"


def test_further_words_of_the_user_are_a_further_turn() -> None:
    conversations: Any = Conversations("Find a hotel.")
    headers = {"ProvenanceGuard-Conversation": "trip-7"}
    conversations.find(_Request(**headers))
    conversation = conversations.find(_Request(**headers, **{"ProvenanceGuard-Request": "Book%20it."}))
    conversations.find(_Request(**headers, **{"ProvenanceGuard-Request": "Book%20it."}))
    with conversation.propose("book", {}, []) as past:
        assert past["query"] == "Find a hotel."
        assert past["history"] == [{"role": "user", "text": "Book it.", "from": "user"}]


def test_the_conversation_that_was_quiet_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    conversations: Any = Conversations()

    def find(name: str, words: str = "") -> Any:
        headers = {"ProvenanceGuard-Conversation": name, "ProvenanceGuard-Request": quote(words)}
        return conversations.find(_Request(**headers))

    first, second = find("1", "Pay Ann 30"), find("2", "Pay Ann 30")
    for number in range(MAX_CONVERSATIONS - 1):
        find("1")
        find(f"other {number}")
    assert find("1") is first
    assert find("2", "Pay Ann 30") is not second
    # Nobody knows any more whether it has paid: by the same words it would pay as if it had not.
    assert [find(name, "Pay Ann 30").history.query for name in "123"] == ["Pay Ann 30", "", "Pay Ann 30"]
    monkeypatch.setattr("reviews.agents.mcp_gateway.conversations.MAX_FORGOTTEN", 1)
    assert find("4", "Pay Ann 30").history.query == ""


@pytest.mark.parametrize(
    "headers", [{"ProvenanceGuard-Conversation": "x" * 201}, {"ProvenanceGuard-Request": "%ff"}], ids=["name", "words"]
)
def test_headers_that_cannot_be_read_are_refused(headers: dict[str, str]) -> None:
    conversations: Any = Conversations()
    with pytest.raises(Exception, match="ProvenanceGuard-"):
        conversations.find(_Request(**headers))
