"""The gateway without the site."""

from reviews.agents.mcp_gateway.command import main

main()
