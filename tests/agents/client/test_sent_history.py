"""Of a conversation only what the guard does not have is sent, and all of it where that is not so."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.client.provenanceguard.payloads import build_submission
from reviews.agents.client.provenanceguard.sent_history import SentConversations
from reviews.agents.client.provenanceguard.testing import FakeGuard
from reviews.models import Action, Trace
from tests.api.agent import Agent
from tests.cast import Cast, cast

__all__ = ["cast"]

STEPS = 100
PAGE = "An invoice of March, due by the end of April, with what was agreed in the last letter. " * 28
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"tool_{number}",
            "description": "Reads a page of the archive, in full. " * 12,
            "parameters": {"type": "object", "properties": {"page": {"type": "integer"}}},
        },
    }
    for number in range(20)
]


def call(step: int) -> dict[str, Any]:
    return {"id": f"c{step}", "type": "function", "function": {"name": "tool_1", "arguments": f'{{"page": {step}}}'}}


class Site:
    """The site in this process, and what it was sent."""

    def __init__(self, secret: str) -> None:
        self.secret, self.agent = secret, Agent(secret)
        self.bodies: list[bytes] = []

    def guard(self) -> AsyncGuard:
        return AsyncGuard("http://guard.test", self.secret, transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(request.content)
        headers = {"Idempotency-Key": key} if (key := request.headers.get("Idempotency-Key")) else {}
        # Within a loop, Django would take another connection than the test's.
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        try:
            response = self.agent.send(request.method, request.url.path, request.content, headers=headers)
        finally:
            asyncio._set_running_loop(loop)
        return httpx.Response(response.status_code, headers=dict(response.items()), content=response.content)


@pytest.fixture
def site(cast: Cast) -> Site:
    return Site(cast.agent_secret)


async def propose_steps(guard: AsyncGuard, messages: list[Any], steps: int) -> None:
    """The agent of a framework: the same list of messages, longer with every call."""
    for step in range(steps):
        messages.append({"role": "assistant", "content": None, "tool_calls": [call(step)]})
        past = {"messages": messages, "tools": TOOLS, "trace_id": "long"}
        await guard.submit({**past, "tool_call": call(step)})
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": f"Page {step}. {PAGE}"})


def test_a_hundred_steps_take_less_than_half_a_megabyte(site: Site) -> None:
    messages: list[Any] = [{"role": "user", "content": "Find the invoice of March."}]
    asyncio.run(propose_steps(site.guard(), messages, STEPS))
    sent = sum(map(len, site.bodies))
    whole = sum(len(json.dumps({"messages": messages[: 2 * n + 2], "tools": TOOLS})) for n in range(STEPS))
    print(f"{STEPS} steps: {sent / 1e6:.2f} MB instead of {whole / 1e6:.1f} MB")  # noqa: T201
    assert whole > 12_000_000
    assert sent < 500_000
    assert Trace.objects.count() == 1
    assert set(Action.objects.values_list("position", flat=True)) == set(range(STEPS))


def test_what_the_guard_has_no_more_is_sent_again(site: Site) -> None:
    guard = site.guard()
    messages: list[Any] = [{"role": "user", "content": "Find the invoice of March."}]
    asyncio.run(propose_steps(guard, messages, 2))
    Trace.objects.update(external_id="forgotten", erased_at="2026-01-01T00:00Z")
    messages.append({"role": "assistant", "content": None, "tool_calls": [call(2)]})
    asyncio.run(guard.submit({"messages": messages, "tools": TOOLS, "trace_id": "long", "tool_call": call(2)}))
    refused, whole = map(json.loads, site.bodies[-2:])
    assert ("continues" in refused, whole["messages"]) == (True, messages)


def test_a_conversation_is_continued_by_itself(site: Site) -> None:
    guard = site.guard()
    with guard.conversation("Find the invoice of March.", [tool["function"] for tool in TOOLS]) as conversation:
        for step in range(3):
            body = {**conversation.past, "action": {"tool": "tool_1", "arguments": {"page": step}}}
            asyncio.run(guard.submit(body))
            conversation.add_result(("tool_1", {"page": step}), f"Page {step} is empty.")
    last = json.loads(site.bodies[-1])
    assert ("query" in last, "tools" in last, len(last["history"])) == (False, False, 1)


def test_a_conversation_goes_on_behind_a_result_that_no_guard_can_store(site: Site) -> None:
    guard = site.guard()
    with guard.conversation("Find the invoice of March.", [tool["function"] for tool in TOOLS]) as conversation:
        conversation.add_result(("tool_1", {"page": 1}), {"page\0": "half of \ud83d"})
        body = build_submission(("tool_1", {"page": 2}), conversation.past)
    assert asyncio.run(guard.submit(body)).arguments == {"page": 2}


SENT: dict[str, Any] = {"trace_id": "t", "system": "Be careful.", "messages": ["first", "second"], "tools": TOOLS}


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": ["another", "second", "third"]},
        {"messages": ["first"]},
        {"system": "Be quick."},
        {"trace_id": "another"},
        {"trace_id": None},
        {"messages": ["first", "second", "third"], "previous_response_id": "resp_1"},
    ],
)
def test_a_beginning_that_has_changed_is_sent_whole(changed: dict[str, Any]) -> None:
    conversations = SentConversations()
    headers = {"Continue-From": "token", "Continue-Behind": "2", "Tools-Digest": "digest"}
    conversations.remember(SENT, headers, left_out=0)
    rest = {"trace_id": "t", "messages": ["third"], "continues": "token", "tools_digest": "digest"}
    assert conversations.shorten({**SENT, "messages": ["first", "second", "third"]}) == (rest, 2)
    assert conversations.shorten({**SENT, **changed}) is None


def test_tools_that_stand_elsewhere_are_sent_with_each_submission() -> None:
    conversations = SentConversations()
    bedrock = {"trace_id": "t", "messages": ["first"], "toolConfig": {"tools": TOOLS}}
    headers = {"Continue-From": "token", "Continue-Behind": "1", "Tools-Digest": "digest"}
    conversations.remember(bedrock, headers, left_out=0)
    rest = {"trace_id": "t", "messages": [], "toolConfig": {"tools": TOOLS}, "continues": "token"}
    assert conversations.shorten(bedrock) == (rest, 1)


def test_a_conversation_that_goes_on_by_responses_is_sent_as_it_is(site: Site) -> None:
    calls = [{"type": "function_call", "call_id": f"c{n}", "name": "tool_1", "arguments": "{}"} for n in range(3)]
    results = [{"type": "function_call_output", "call_id": f"c{n}", "output": "Empty."} for n in range(2)]
    guard, past = site.guard(), {"tools": TOOLS, "trace_id": "kept", "instructions": "Be careful."}
    begun = {**past, "input": [{"role": "user", "content": "Find it."}, calls[0]], "response_id": "r0"}

    async def propose() -> None:
        await guard.submit({**begun, "function_call": calls[0]})
        for n in (1, 2):
            ids = {"previous_response_id": f"r{n - 1}", "response_id": f"r{n}"}
            await guard.submit({**past, **ids, "input": [results[n - 1], calls[n]], "function_call": calls[n]})

    asyncio.run(propose())
    assert len(site.bodies) == 3
    assert Trace.objects.get().steps.count() == 2


def test_a_conversation_with_bedrocks_tools_is_continued(site: Site) -> None:
    guard = site.guard()
    tools = [{"toolSpec": {"name": "pay", "inputSchema": {"json": {"type": "object"}}}}]
    messages: list[Any] = [{"role": "user", "content": [{"text": "Pay Daniel."}]}]
    past = {"messages": messages, "toolConfig": {"tools": tools}, "trace_id": "long"}
    for step in range(2):
        use = {"toolUseId": f"c{step}", "name": "pay", "input": {"step": step}}
        body = build_submission({"toolUse": use}, past)
        assert asyncio.run(guard.submit(body)).tool == "pay"
        messages.append({"role": "assistant", "content": [{"toolUse": use}]})
        result = {"toolUseId": f"c{step}", "content": [{"text": "paid"}], "status": "success"}
        messages.append({"role": "user", "content": [{"toolResult": result}]})
    assert "continues" in json.loads(site.bodies[-1])


async def test_a_request_with_a_name_of_its_own_is_sent_whole() -> None:
    fake = FakeGuard()
    body: dict[str, Any] = {"query": "Pay", "tools": [], "history": [], "trace_id": "t"}
    async with fake.async_guard() as guard:
        guard._sent.remember(body, {"Continue-From": "token", "Continue-Behind": "0"}, left_out=0)
        await guard.submit({**body, "action": {"tool": "pay", "arguments": {}}}, idempotency_key="mine")
    assert "query" in fake.bodies[0]
