"""LangChain and LangGraph: `create_agent(model, tools, middleware=[GuardMiddleware(guard)])`.

Of a graph without `create_agent`, a tool node takes its functions: `ToolNode(tools, wrap_tool_call=…)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ModelRequest, ToolCallRequest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command

from ..errors import NotRunnableError
from ..payloads import outcome_repr, outcome_text, to_json
from ..restoring import is_same_json
from ..synchronous import Guard
from .failures import ToldError
from .traces import Recent, TraceName, name_trace

Result: TypeAlias = ToolMessage | Command[Any]
# What graphs call the node in which their tools run.
TOOL_NODE = "tools"


class GuardMiddleware(AgentMiddleware):
    """Has each tool call decided first; the model is told why one did not run."""

    def __init__(self, guard: Guard, *, trace_id: TraceName = None, **options: Any) -> None:
        """`options` are those of the guard's `run`: `timeout`, `on_pending`, `metadata` …

        A conversation is called by its `thread_id`, that of an agent within another by a name behind that, or as
        `trace_id` says of the `ToolCallRequest`; without any, each run is one. To see the system prompt as the model
        does, the middleware stands behind those that change it.
        """
        super().__init__()
        self._guard, self._trace_id = guard, trace_id
        # A call that was interrupted is run again under its name.
        self._options = {"renew": True, **options}
        self._system_prompts = Recent()

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        """Note the system prompt, which tool calls are not told."""
        self._system_prompts.note(_first_id(_messages_of(request)), request.system_message)
        return handler(request)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        """Note the system prompt, which tool calls are not told."""
        self._system_prompts.note(_first_id(_messages_of(request)), request.system_message)
        return await handler(request)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Propose the call, and run it with the approved arguments."""
        results: list[Result] = []

        def run(**approved: Any) -> Any:
            results.append(handler(_approved_once(request, approved)))
            return _outcome(results[0])

        try:
            self._guard.run(request.tool_call, self._past(request), run, **self._options)
        except (NotRunnableError, _NotApprovedError) as refusal:
            return _refused(request, refusal)
        except ToldError:
            pass
        return results[0]

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """Propose the call, and run it with the approved arguments."""
        results: list[Result] = []

        async def run(**approved: Any) -> Any:
            results.append(await handler(_approved_once(request, approved)))
            return _outcome(results[0])

        try:
            await self._guard.asynchronous.run(request.tool_call, self._past(request), run, **self._options)
        except (NotRunnableError, _NotApprovedError) as refusal:
            return _refused(request, refusal)
        except ToldError:
            pass
        return results[0]

    def _past(self, request: ToolCallRequest) -> dict[str, Any]:
        messages, runtime = _messages_of(request), request.runtime
        first = _first_id(messages)
        system = self._system_prompts.get(first)
        # Outside of a graph there is no runtime.
        tools = getattr(runtime, "tools", None) or filter(None, [request.tool])
        config = getattr(runtime, "config", None) or {}
        thread = _thread_of(config, first)
        if _is_asked_by_tool(config):
            messages = list(map(_as_tools_word, messages))
        return {
            "messages": messages if system is None else [system, *messages],
            "tools": [convert_to_openai_tool(tool) for tool in tools],
            "trace_id": name_trace(self._trace_id, request, thread, first),
        }


def _thread_of(config: Mapping[str, Any], first_id: str) -> str | None:
    """The graph's thread; an agent within another has it too, and a conversation of its own with each call."""
    configurable = config.get("configurable", {})
    thread = configurable.get("thread_id")
    # Each graph adds its task to that of the one around it.
    is_nested = "|" in configurable.get("checkpoint_ns", "")
    return f"{thread}/{first_id}" if thread and is_nested else thread


def _is_asked_by_tool(config: Mapping[str, Any]) -> bool:
    """Whether the agent runs within a tool of another one: each node of a graph adds its name to where it runs."""
    *around, _ = config.get("configurable", {}).get("checkpoint_ns", "").split("|")
    return any(node.partition(":")[0] == TOOL_NODE for node in around)


def _as_tools_word(message: Any) -> Any:
    """What an agent's tool asks another agent under the user's name, as what it is."""
    is_users = isinstance(message, HumanMessage)
    return {**to_json(message), "from": "tool"} if is_users else message


def _messages_of(request: ModelRequest[Any] | ToolCallRequest) -> list[Any]:
    """Those of the graph's state, in any form that a tool node takes."""
    state: Any = request.state
    if isinstance(state, list):
        return state
    return list(state["messages"] if isinstance(state, Mapping) else state.messages)


def _first_id(messages: list[Any]) -> str:
    """What tells one conversation from all others: the graph gives each message an id, and keeps it."""
    return str(messages[0].id or "") if messages else ""


def _approved_once(request: ToolCallRequest, approved: dict[str, Any]) -> ToolCallRequest:
    """The approved call. Its tool runs once and so, though middleware behind this one may try again or change it."""
    approved_call, tool = request.override(tool_call={**request.tool_call, "args": approved}), request.tool
    if tool is None:
        return approved_call
    begun: list[Any] = []

    def begin(call: Any) -> None:
        if begun or not _is_approved(call, approved, tool):
            raise _NotApprovedError("The call was approved once, as the guard was shown it. It was not run otherwise")
        begun.append(call)

    def invoke(call: Any, *args: Any, **options: Any) -> Any:
        begin(call)
        return tool.invoke(call, *args, **options)

    async def ainvoke(call: Any, *args: Any, **options: Any) -> Any:
        begin(call)
        return await tool.ainvoke(call, *args, **options)

    once = tool.model_copy()
    for method in (invoke, ainvoke):
        # A tool is a model, which takes no other fields than its own.
        object.__setattr__(once, method.__name__, method)
    # Not by `override`, whose type names no tool.
    return dataclasses.replace(approved_call, tool=once)


def _is_approved(call: Any, approved: Mapping[str, Any], tool: BaseTool) -> bool:
    """Whether a call has the approved arguments, beside those that the graph itself adds (its state, its store).

    Of the latter no model is told: what the tool takes of models, and nobody approved, is no part of the call.
    """
    args = call["args"]
    if not _told_names(tool).isdisjoint(args.keys() - approved.keys()):
        return False
    try:
        return all(name in args and is_same_json(to_json(args[name]), value) for name, value in approved.items())
    except TypeError:
        return False


def _told_names(tool: BaseTool) -> AbstractSet[str]:
    """The arguments that a model is told of."""
    # A schema of no properties has none that anybody could be told of.
    with suppress(KeyError):
        return tool.args.keys()
    return frozenset()


class _NotApprovedError(Exception):
    """What would run is not what was approved: another time, or other arguments."""

    @property
    def model_message(self) -> str:
        return str(self)


def _outcome(result: Result) -> Any:
    """What a call came to. Raises `ToldError`."""
    if isinstance(result, ToolMessage) and result.status == "error":
        raise ToldError(outcome_text(result.content))
    return result.content if isinstance(result, ToolMessage) else outcome_repr(result)


def _refused(request: ToolCallRequest, refusal: NotRunnableError | _NotApprovedError) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(refusal.model_message, tool_call_id=call["id"], name=call["name"], status="error")
