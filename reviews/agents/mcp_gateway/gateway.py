"""The tools of one MCP server, each call of which is decided first."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any, TypeAlias, TypeVar

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import Client, MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from reviews.agents.client.provenanceguard import Action, AsyncGuard, GuardError, NotRunnableError, ProblemError
from reviews.agents.client.provenanceguard.payloads import outcome_repr
from reviews.agents.mcp_gateway import elicitation
from reviews.agents.mcp_gateway.conversations import Conversation, Conversations
from reviews.agents.mcp_gateway.elicitation import InputNeededError
from reviews.agents.mcp_gateway.names import SEPARATOR, name_server
from reviews.agents.mcp_gateway.results import FailedToolError, read_outcome, tool_error

T = TypeVar("T")
Tools: TypeAlias = Mapping[str, types.Tool]
"""What the server offers, by the names under which the gateway offers it."""

# More pages than any server has; one that always names another page must not keep us.
MAX_TOOL_PAGES = 50
# As a guard takes them unless it is configured otherwise; with one more tool it would take no call of any.
MAX_TOOLS = 256
MAX_TOOL_NAME_LENGTH = 200
NOT_OFFERED = f"Those beyond {MAX_TOOLS}, and with names over {MAX_TOOL_NAME_LENGTH} characters, are not offered."
# Well below the minute after which hosts give up on a call that says nothing.
PROGRESS_SECONDS = 5.0
# As many as there are conversations. Of a call that was forgotten nobody knows what was decided upon: it does not run.
MAX_SHOWN = 256
# How long a user may take to come back from a page that the client opened.
MAX_CONFIRMING_SECONDS = 24 * 3600.0
# How long a call that was cancelled still tries to withdraw its proposal.
WITHDRAWAL_SECONDS = 5.0
# What a server that lives answers at once; clients without a time-out of their own would wait for ever.
ANSWER_SECONDS = 30.0
LOST = "The server ended while it ran the call: nobody knows what came of it."
UNREADABLE = "The server ran the call, and what it answered cannot be read: nobody knows what came of it."
WAITING = "Waiting for the guard: a person may have to decide before this call runs."
_log = logging.getLogger("provenanceguard")


class ChangedDocumentError(Exception):
    """The server describes the tool otherwise than when the call was proposed."""


@dataclass(frozen=True)
class ProposedCall:
    """A call as a client made it, and where."""

    context: ServerRequestContext[Any]
    params: types.CallToolRequestParams
    conversation: Conversation
    tools: Tools
    """What the server offered when the call was made."""
    tasks: TaskGroup
    """What runs beside the call, and ends with it."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        return self.params.arguments or {}


class Gateway:
    """The tools of one server, each call of which is decided first."""

    def __init__(
        self,
        client: Client,
        guard: AsyncGuard,
        *,
        server: str = "",
        request: str = "",
        trust_annotations: bool = False,
        elicits: Collection[str] = (),
    ) -> None:
        """`server` names the server in its tools' names; `request` is what the user asked for, if that is known.

        `elicits` are the kinds of things that clients which can are to ask their users.
        """
        self._client = client
        self._guard = guard
        self._prefix = (server or name_server(client.server_info)) + SEPARATOR
        self._trust_annotations = trust_annotations
        self._elicits = elicits
        self._conversations = Conversations(request)
        self._shown: OrderedDict[str, Tools] = OrderedDict()
        """What the server offered when a call was proposed about which the user was sent to a page, by its action."""
        self._unread: dict[str, types.Tool] = {}
        """What the guard cannot read of the server's tools."""
        self._is_connected = asyncio.Event()
        self._is_connected.set()
        self._is_lost = asyncio.Event()

    async def use(self, client: Client) -> None:
        """Call the server through this client, until it has lost its server. Calls wait for the next one then."""
        self._client = client
        self._is_lost.clear()
        self._is_connected.set()
        try:
            await self._is_lost.wait()
        finally:
            # Also where the connection itself failed, before any call was told of it.
            self._is_connected.clear()

    async def list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """The server's tools under the gateway's names."""
        tools = await self._read_tools()
        # A reviewer may choose another tool, whose output would not fit the schema that the client holds it against.
        listed = [tool.model_copy(update={"output_schema": None}) for tool in self._leave_out_unread(tools)]
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """What the tool returned, or an error that says why it did not run. Raises MCPError for an unknown tool."""
        # Read anew: what is reviewed is the tool as the server describes it now.
        tools = await self._read_tools()
        if params.name not in tools:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool “{params.name}”. {NOT_OFFERED}")
        conversation = self._conversations.find(context)
        async with report_waiting(context) as tasks:
            try:
                return await self._answer(ProposedCall(context, params, conversation, tools, tasks))
            except InputNeededError as needed:
                return needed.result
            except NotRunnableError as refusal:
                return tool_error(refusal.model_message)
            except GuardError as error:
                return tool_error(f"The guard could not be asked ({error}). The call was not run.")
            except FailedToolError as error:
                return error.result
            except (MCPError, ChangedDocumentError) as error:
                return tool_error(str(error))

    async def _answer(self, call: ProposedCall) -> types.CallToolResult:
        """Run the call if it may, as it was approved. Raises `NotRunnableError` and `GuardError`; nothing ran then."""
        name = call.params.name
        if self._trust_annotations and is_declared_read_only(call.tools[name]):
            return await self._run(name, call.arguments, call.conversation)
        results: list[types.CallToolResult] = []
        action_id = call.params.request_state
        # As they were proposed, and not as they are when the client comes back from the page.
        proposed = self._find_shown(action_id) if action_id else call.tools

        async def run(tool: str, /, **approved: Any) -> str:
            if (await self._read_tools()).get(tool) != proposed[tool]:
                raise ChangedDocumentError("The server changed the tool since the call was proposed. It was not run.")
            results.append(await self._run(tool, approved, call.conversation))
            return read_outcome(results[0])

        # By name, because a reviewer may choose another tool of the server.
        functions = {tool: partial(run, tool) for tool in proposed}
        if action_id:
            await self._resume(action_id, functions)
        else:
            await self._learn_request(call)
            await self._propose(call, functions)
        return results[0]

    async def _propose(self, call: ProposedCall, functions: Mapping[str, Any]) -> None:
        """Have the guard decide on the call, and run it. What it cannot read of other tools must not keep this one."""
        name = call.params.name
        tools = self._leave_out_unread(call.tools, but=name)
        documents = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        ask = partial(self._ask_user, call) if elicitation.CONFIRMATION in self._elicits else None
        try:
            with call.conversation.propose(name, call.arguments, documents) as past:
                await self._guard.run((name, call.arguments), past, functions, on_pending=ask)
        except ProblemError as problem:
            unread = [tools[place] for place in refused_tools(problem)]
            if not unread or any(tool.name == name for tool in unread):
                raise
            _log.warning("left out, because the guard cannot read them: %s", problem)
            self._unread.update((tool.name, tool) for tool in unread)
            await self._propose(call, functions)

    def _leave_out_unread(self, tools: Tools, *, but: str = "") -> list[types.Tool]:
        """Those tools that the guard has not refused as they are described now, and the one that is called."""
        return [tool for name, tool in tools.items() if name == but or self._unread.get(name) != tool]

    def _find_shown(self, action_id: str) -> Tools:
        """What the server offered when this call was proposed. Raises MCPError."""
        if action_id not in self._shown:
            raise MCPError(types.INVALID_PARAMS, "Too many calls wait for their users. It was not run: call again.")
        return self._shown[action_id]

    async def _resume(self, action_id: str, functions: Mapping[str, Any]) -> None:
        """Go on with a call about which the user was sent to a page. Cancelled, it is withdrawn."""
        try:
            await self._guard.resume(action_id, functions)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True), suppress(GuardError):
                await self._guard.cancel(action_id, timeout=WITHDRAWAL_SECONDS)
            raise

    async def _learn_request(self, call: ProposedCall) -> None:
        """Have the user say what they asked for, once a conversation, where nobody knows. Raises InputNeededError."""
        conversation = call.conversation
        if elicitation.REQUEST not in self._elicits or not elicitation.can_fill_form(call.context):
            return
        # Calls that are made at once wait for the one answer.
        async with conversation.asking:
            if conversation.history.query or conversation.was_asked or not conversation.is_kept:
                return
            try:
                form = elicitation.ask_for_request()
                answer = await elicitation.elicit(call.context, call.params, elicitation.REQUEST, form)
                conversation.note_request(elicitation.read_request(answer))
            except (MCPError, ValueError) as error:
                _log.warning("the client could not ask for the request: %s", error)
            conversation.was_asked = True

    async def _ask_user(self, call: ProposedCall, action: Action) -> None:
        """Have the client show its user the guard's page about the waiting call. Raises InputNeededError."""
        if not elicitation.can_open_page(call.context):
            return
        try:
            page = await self._guard.ask_user(action.id)
        except GuardError as refusal:
            # The workspace's own people decide then, as ever.
            _log.info("the user is not asked about %s: %s", action.id, refusal)
            return
        request = elicitation.ask_for_confirmation(call.params.name, page.url, action.id)
        if elicitation.can_ask_within_call(call.context):
            # The decision is waited for all the while: a reviewer may be faster.
            call.tasks.start_soon(_show_page, call, request, action.id)
        else:
            self._shown[action.id] = call.tools
            if len(self._shown) > MAX_SHOWN:
                self._shown.popitem(last=False)
            await _show_page(call, request, action.id)

    async def _run(self, name: str, arguments: Mapping[str, Any], conversation: Conversation) -> types.CallToolResult:
        """What the server's tool returns. Raises FailedToolError and MCPError."""
        ask = methodcaller("call_tool", name.removeprefix(self._prefix), dict(arguments))
        client = await self._connected_client()
        try:
            result: types.CallToolResult = await self._ask_client(client, ask)
        except BaseException as error:
            trouble = trouble_after(error)
            # It has begun, and may have done what was asked: another call like it is not the first.
            conversation.history.add_call(name, arguments, f"Error: {trouble or outcome_repr(error)}")
            if trouble:
                # The words of a connection or a parser would have a model simply try again.
                raise MCPError(types.INTERNAL_ERROR, trouble) from None
            raise
        conversation.history.add_call(name, arguments, read_outcome(result))
        if result.is_error:
            raise FailedToolError(result)
        return result

    async def _connected_client(self) -> Client:
        """The server's client, once it is there. Raises MCPError."""
        async with in_time("The server has ended and is not back yet. Nothing was run."):
            await self._is_connected.wait()
        return self._client

    async def _ask_client(self, client: Client, request: Callable[[Client], Awaitable[T]]) -> T:
        """What the server answers. Raises MCPError, RuntimeError and ValueError."""
        try:
            return await request(client)
        except MCPError as error:
            # A late failure says nothing of the server that has taken this one's place.
            if is_loss(error) and client is self._client:
                self._is_connected.clear()
                self._is_lost.set()
            raise

    async def _read_tools(self) -> dict[str, types.Tool]:
        """What the server offers now; of two tools of one name the first."""
        async with in_time("The server does not say which tools it has. Nothing was run."):
            try:
                return await self._read_tool_pages()
            except MCPError as error:
                if not is_loss(error):
                    raise
                # It ended while nobody called it, and nothing was lost by that: its successor is asked.
                return await self._read_tool_pages()

    async def _read_tool_pages(self) -> dict[str, types.Tool]:
        tools: dict[str, types.Tool] = {}
        cursor = None
        for _ in range(MAX_TOOL_PAGES):
            ask = methodcaller("list_tools", cursor=cursor)
            page = await self._ask_client(await self._connected_client(), ask)
            for tool in page.tools:
                name = self._prefix + tool.name
                if len(name) > MAX_TOOL_NAME_LENGTH or len(tools) == MAX_TOOLS:
                    continue
                # Tasks that run in the background would return before anything is known of them.
                tools.setdefault(name, tool.model_copy(update={"name": name, "execution": None}))
            if not (cursor := page.next_cursor):
                break
        return tools


@asynccontextmanager
async def in_time(trouble: str) -> AsyncIterator[None]:
    """Raises MCPError with these words where a server is silent that should answer at once."""
    with anyio.move_on_after(ANSWER_SECONDS) as waiting:
        yield
    if waiting.cancelled_caught:
        raise MCPError(types.INTERNAL_ERROR, trouble)


def is_loss(error: MCPError) -> bool:
    """Whether a server is gone, or knows our session no more.

    By the words of the SDK: the code is that of any error of a server's own, too, for which no other call is to end.
    """
    is_closed = error.code == types.CONNECTION_CLOSED and error.message == "Connection closed"
    return is_closed or error.message == "Session terminated"


def refused_tools(problem: ProblemError) -> set[int]:
    """The places of the tools that the guard cannot read."""
    pointers = [re.match(r"/tools/(\d+)(/|$)", str(wrong.get("pointer"))) for wrong in problem.errors]
    return {int(matched[1]) for matched in pointers if matched}


def trouble_after(error: BaseException) -> str:
    """What to say of a call that was sent, where no answer came back that can be read; empty for any other error."""
    if isinstance(error, MCPError) and (is_loss(error) or error.message.startswith("SSE stream ")):
        return LOST
    if isinstance(error, RuntimeError):
        # It does not fit the schema of the tool's output: the first line says where.
        return f"{UNREADABLE} {str(error).partition(chr(10))[0]}"
    is_parse_error = isinstance(error, MCPError) and error.code == types.PARSE_ERROR
    return UNREADABLE if is_parse_error or isinstance(error, ValueError) else ""


def is_declared_read_only(tool: types.Tool) -> bool:
    """Whether the server says that the tool changes nothing: a claim."""
    return tool.annotations is not None and tool.annotations.read_only_hint is True


@asynccontextmanager
async def report_waiting(context: ServerRequestContext[Any]) -> AsyncIterator[TaskGroup]:
    """Tell the client that its call is alive, where it asked to be told; what is begun beside it ends with it."""

    async def report() -> None:
        started = time.monotonic()
        while True:
            await context.session.report_progress(time.monotonic() - started, message=WAITING)
            await asyncio.sleep(PROGRESS_SECONDS)

    async with anyio.create_task_group() as group:
        group.start_soon(report)
        yield group
        group.cancel_scope.cancel()


async def _show_page(call: ProposedCall, request: types.ElicitRequest, action_id: str) -> None:
    """Have the client open a page. Raises InputNeededError; what else becomes of it, the guard is told by the page."""
    try:
        await elicitation.elicit(call.context, call.params, elicitation.CONFIRMATION, request, state=action_id)
    except (MCPError, ValueError) as error:
        _log.warning("the client could not open the page: %s", error)


def build_server(gateway: Gateway, client: Client) -> Server[Any]:
    """The server that MCP clients see in place of the one behind `client`."""
    name = "provenanceguard-gateway"
    server: Server[Any] = Server(
        name,
        instructions=client.instructions,
        on_list_tools=gateway.list_tools,
        on_call_tool=gateway.call_tool,
    )
    # Which action a call goes on with is our word, and for this tool with these arguments alone.
    security = RequestStateSecurity.ephemeral(ttl=MAX_CONFIRMING_SECONDS)
    server.middleware.append(RequestStateBoundary(security, default_audience=name))
    return server
