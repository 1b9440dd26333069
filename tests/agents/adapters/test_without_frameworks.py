"""The hook for coding agents and the MCP gateway, which need no framework, through the conformance kit."""

import asyncio
import os
from uuid import uuid4

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.client.provenanceguard.conformance import Client as ClientOnTrial
from reviews.agents.client.provenanceguard.conformance import Trial, check_client
from reviews.agents.client.provenanceguard.hook.command_line import answer_event
from reviews.agents.mcp_gateway.gateway import Gateway, build_server
from tests.agents.mcp_between import text_of

pytestmark = [
    pytest.mark.skipif("FRAMEWORKS" not in os.environ, reason="it takes a minute, in `make test-frameworks`"),
    pytest.mark.timeout(600),
]


def run_with_hook(trial: Trial) -> object:
    """A host that asks the hook before its call, and tells it what came of it."""
    shared = {"session_id": str(uuid4()), "tool_name": trial.call.tool, "tool_use_id": str(uuid4())}
    event = {**shared, "hook_event_name": "PreToolUse", "tool_input": dict(trial.call.arguments)}
    answer = answer_event(event, trial.url, trial.key, trial.timeout)
    assert answer
    arguments = answer["hookSpecificOutput"].get("updatedInput", trial.call.arguments)
    result = trial.function(**arguments)
    answer_event(
        {**event, "hook_event_name": "PostToolUse", "tool_response": result}, trial.url, trial.key, trial.timeout
    )
    return result


def run_with_gateway(trial: Trial) -> object:
    """A client of the gateway before a server of one tool."""

    async def run() -> str:
        bank = MCPServer("bank")

        @bank.tool()
        def pay(to: str, amount: float) -> str:
            """Sends money."""
            return str(trial.function(to=to, amount=amount))

        async with Client(bank, cache=None) as behind, AsyncGuard(trial.url, trial.key) as guard:
            gateway = Gateway(behind, guard, server="bank")
            async with Client(build_server(gateway, behind), read_timeout_seconds=trial.timeout) as client:
                return text_of(await client.call_tool("bank__pay", dict(trial.call.arguments)))

    return asyncio.run(run())


@pytest.mark.parametrize("client", [run_with_hook, run_with_gateway])
def test_it_keeps_every_promise_of_the_conformance_kit(running: tuple[str, str], client: ClientOnTrial) -> None:
    results = list(check_client(*running, client))
    assert {result.name: result.observed for result in results if not result.has_held} == {}
