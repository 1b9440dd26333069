"""An MCP server for tests: `python -m tests.agents.mcp_bank`."""

import os

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations


def build_bank(payments: list[str]) -> MCPServer:
    """A bank that notes its payments."""
    bank = MCPServer("Test Bank")

    @bank.tool()
    def pay(to: str, amount: int) -> str:
        """Sends money."""
        if amount <= 0:
            raise ToolError("no such amount")
        payments.append(f"{amount} to {to}")
        return f"Paid {amount} to {to}."

    @bank.tool(annotations=ToolAnnotations(read_only_hint=True))
    def list_payments() -> list[str]:
        """Reads the payments."""
        return payments

    @bank.tool()
    def read_variables() -> list[str]:
        """Names the variables of the environment."""
        return sorted(os.environ)

    @bank.tool()
    def end() -> None:
        """Ends the server's process, as a crash would."""
        os._exit(1)

    return bank


if __name__ == "__main__":
    build_bank([]).run()
