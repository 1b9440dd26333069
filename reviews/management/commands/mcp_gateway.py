"""The guard before an MCP server."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from reviews.agents.mcp_gateway.command import UnservableError, add_arguments, run_gateway


class Command(BaseCommand):
    """Start an MCP server, and stand before it: each call waits for the guard, and runs as it was approved.

    Speaks MCP on stdin and stdout, or over streamable HTTP (--listen). The guard's address and the agent's key are
    `PROVENANCEGUARD_URL` and `PROVENANCEGUARD_KEY` in the environment. docs/mcp.md tells more.
    """

    help = __doc__ or ""
    # It runs where the agent does; no database is needed.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until stdin closes, or the process is asked to end. Raises CommandError."""
        try:
            run_gateway(options)
        except UnservableError as error:
            raise CommandError(str(error)) from error
