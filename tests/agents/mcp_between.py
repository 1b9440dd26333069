"""What a test needs on both sides of the MCP gateway."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult, TextContent

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.mcp_gateway.gateway import Gateway, build_server
from tests.agents.mcp_bank import build_bank
from tests.eventually import until

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


async def pay_until(condition: Callable[[], bool], client: Client, **options: Any) -> None:
    """Call the tool that pays, and cancel the call while it waits, once this holds."""
    async with anyio.create_task_group() as calling:
        calling.start_soon(partial(client.call_tool, "bank__pay", PAY, **options))
        await until(condition)
        calling.cancel_scope.cancel()


def text_of(result: CallToolResult) -> str:
    """All that a result says."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
