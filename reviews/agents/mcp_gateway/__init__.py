"""A gateway before an MCP server: each call waits for the guard, and the server runs exactly what was approved.

Needs the package `mcp` and nothing of the site, so that it runs wherever an agent does: without the site as
`python -m reviews.agents.mcp_gateway`.
"""
