"""What a test needs on both sides of the MCP gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent

from reviews.agents.client.provenanceguard import AsyncGuard
from reviews.agents.mcp_gateway.gateway import Gateway, build_server
from tests.agents.mcp_bank import build_bank

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


def text_of(result: CallToolResult) -> str:
    """All that a result says."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
