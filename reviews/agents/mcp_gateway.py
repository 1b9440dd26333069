"""A gateway before an MCP server: each call waits for the guard, and the server runs exactly what was approved.

Needs the package `mcp` and nothing of the site, so that it runs wherever an agent does.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias
from uuid import uuid4

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters, stdio_server
from mcp.server import Server, ServerRequestContext

from reviews.agents.client.provenanceguard import AsyncGuard, GuardError, NotRunnableError

Tools: TypeAlias = Mapping[str, types.Tool]
"""What the server offers, by the names under which the gateway offers it."""

# Between a server and its tool, as hosts write it; what stands before the first one is the server.
SEPARATOR = "__"
# With a tool's own name it has to fit into the 64 characters that models' providers allow.
MAX_SERVER_NAME_LENGTH = 32
SERVER_NAME = re.compile(rf"(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{{0,{MAX_SERVER_NAME_LENGTH - 1}}}(?<!_)")
# More pages than any server has; one that always names another page must not keep us.
MAX_TOOL_PAGES = 50
# Half of what a guard takes as one body unless it is configured otherwise; the tools need room as well.
MAX_HISTORY_BYTES = 500_000
# Well below the minute after which hosts give up on a call that says nothing.
PROGRESS_SECONDS = 5.0
WAITING = "Waiting for the guard: a person may have to decide before this call runs."
# What a command raises that is no program, or no MCP server.
UNSTARTABLE = (OSError, MCPError)


class FailedToolError(Exception):
    """The server ran the tool and answered with an error."""

    def __init__(self, result: types.CallToolResult) -> None:
        super().__init__(read_outcome(result))
        self.result = result

    def __repr__(self) -> str:
        """What is reported of the call: the server's words alone."""
        return str(self)


class ChangedDocumentError(Exception):
    """The server describes the tool otherwise than when the call was proposed."""


@dataclass
class History:
    """The calls that have run with what they returned, the newest of them; what is left out proves nothing."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)

    def add(self, tool: str, arguments: Mapping[str, Any], outcome: str) -> None:
        """Note a call. Behind the bound the older half goes, so that what a guard has is seldom sent again."""
        entry = {"tool": tool, "arguments": dict(arguments), "outcome": outcome}
        self.entries.append(entry)
        self._sizes.append(len(json.dumps(entry)))
        while sum(self._sizes) > MAX_HISTORY_BYTES:
            older = math.ceil(len(self.entries) / 2)
            del self.entries[:older], self._sizes[:older]


class Gateway:
    """The tools of one server, each call of which is decided first."""

    def __init__(
        self, client: Client, guard: AsyncGuard, *, server: str = "", request: str = "", trust_annotations: bool = False
    ) -> None:
        """`server` names the server in its tools' names; `request` is what the user asked for, if that is known."""
        self._client = client
        self._guard = guard
        self._prefix = (server or name_server(client.server_info)) + SEPARATOR
        self._request = request
        self._trust_annotations = trust_annotations
        # One connection is one conversation.
        self._trace_id = str(uuid4())
        self._history = History()

    async def list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """The server's tools under the gateway's names."""
        tools = await self._read_tools()
        # A reviewer may choose another tool, whose output would not fit the schema that the client holds it against.
        listed = [tool.model_copy(update={"output_schema": None}) for tool in tools.values()]
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """What the tool returned, or an error that says why it did not run. Raises MCPError for an unknown tool."""
        # Read anew: what is reviewed is the tool as the server describes it now.
        tools = await self._read_tools()
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool “{params.name}”.")
        arguments = params.arguments or {}
        async with report_waiting(context):
            try:
                if self._trust_annotations and is_declared_read_only(tools[params.name]):
                    return await self._run(params.name, arguments)
                return await self._run_approved(params.name, arguments, tools)
            except NotRunnableError as refusal:
                return tool_error(refusal.model_message)
            except GuardError as error:
                return tool_error(f"The guard could not be asked ({error}). The call was not run.")
            except FailedToolError as error:
                return error.result
            # The last two: what the server returned does not fit the protocol, or the schema of the tool's output.
            except (MCPError, ChangedDocumentError, RuntimeError, ValueError) as error:
                return tool_error(str(error))

    async def _run_approved(self, name: str, arguments: Mapping[str, Any], tools: Tools) -> types.CallToolResult:
        """Propose the call, and run what was approved. Raises `NotRunnableError` and `GuardError`; nothing ran then."""
        results: list[types.CallToolResult] = []

        async def run(tool: str, /, **approved: Any) -> str:
            if (await self._read_tools()).get(tool) != tools[tool]:
                raise ChangedDocumentError("The server changed the tool since the call was proposed. It was not run.")
            results.append(await self._run(tool, approved))
            return read_outcome(results[0])

        past = {
            "query": self._request,
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools.values()],
            "history": list(self._history.entries),
            "trace_id": self._trace_id,
        }
        # By name, because a reviewer may choose another tool of the server.
        await self._guard.run((name, arguments), past, {tool: partial(run, tool) for tool in tools})
        return results[0]

    async def _run(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """What the server's tool returns. Raises FailedToolError, MCPError, RuntimeError and ValueError."""
        result = await self._client.call_tool(name.removeprefix(self._prefix), dict(arguments))
        self._history.add(name, arguments, read_outcome(result))
        if result.is_error:
            raise FailedToolError(result)
        return result

    async def _read_tools(self) -> dict[str, types.Tool]:
        """What the server offers now; of two tools of one name the first."""
        tools: dict[str, types.Tool] = {}
        cursor = None
        for _ in range(MAX_TOOL_PAGES):
            page = await self._client.list_tools(cursor=cursor)
            for tool in page.tools:
                name = self._prefix + tool.name
                # Tasks that run in the background would return before anything is known of them.
                tools.setdefault(name, tool.model_copy(update={"name": name, "execution": None}))
            if not (cursor := page.next_cursor):
                break
        return tools


def name_server(claimed: types.Implementation | None) -> str:
    """The name that a server gives itself, as part of a tool's name."""
    words = re.findall(r"[A-Za-z0-9]+", claimed.name if claimed else "")
    return "-".join(words)[:MAX_SERVER_NAME_LENGTH] or "server"


def is_declared_read_only(tool: types.Tool) -> bool:
    """Whether the server says that the tool changes nothing: a claim."""
    return tool.annotations is not None and tool.annotations.read_only_hint is True


def read_outcome(result: types.CallToolResult) -> str:
    """What a call returned, as text; what is neither text nor data leaves a placeholder."""
    texts = [_block_text(block) for block in result.content]
    structured = result.structured_content
    # Servers are asked to send it as text as well.
    if structured is not None and not any(_says(text, structured) for text in texts):
        texts.append(json.dumps(structured, ensure_ascii=False))
    outcome = "\n".join(texts)
    # As the guard marks failures itself: nobody shall take one for what the tool found.
    return f"Error: {outcome}" if result.is_error and not outcome.lower().startswith("error") else outcome


def _block_text(block: types.ContentBlock) -> str:
    if isinstance(block, types.TextContent):
        return block.text
    if isinstance(block, types.EmbeddedResource) and isinstance(block.resource, types.TextResourceContents):
        return block.resource.text
    return f"{block.name}: {block.uri}" if isinstance(block, types.ResourceLink) else f"[{block.type}]"


def _says(text: str, value: Any) -> bool:
    """Whether the text is this value as JSON, or what the protocol's SDK wraps into an object."""
    try:
        return value == {"result": text} or bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False


def tool_error(message: str) -> types.CallToolResult:
    """An error that the model reads as the result of its call."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


@asynccontextmanager
async def report_waiting(context: ServerRequestContext[Any]) -> AsyncIterator[None]:
    """Tell the client that its call is alive, where it asked to be told."""

    async def report() -> None:
        started = time.monotonic()
        while True:
            await context.session.report_progress(time.monotonic() - started, message=WAITING)
            await asyncio.sleep(PROGRESS_SECONDS)

    async with anyio.create_task_group() as group:
        group.start_soon(report)
        yield
        group.cancel_scope.cancel()


def build_server(gateway: Gateway, client: Client) -> Server[Any]:
    """The server that MCP clients see in place of the one behind `client`."""
    return Server(
        "provenanceguard-gateway",
        instructions=client.instructions,
        on_list_tools=gateway.list_tools,
        on_call_tool=gateway.call_tool,
    )


async def serve(
    command: Sequence[str], guard: AsyncGuard, *, environment: Mapping[str, str] | None = None, **options: Any
) -> None:
    """Start the command, and serve its tools on stdin and stdout until they close.

    Of our environment the command gets what every program needs, and `environment`: it must not read the guard's key.
    `options` are those of `Gateway`.
    """
    parameters = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment or {}))
    # Not cached: a tool that reads otherwise by now is another one.
    async with guard, Client(parameters, cache=None) as client:
        server = build_server(Gateway(client, guard, **options), client)
        async with stdio_server() as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())
