"""Google's Agent Development Kit: `Runner(plugins=[GuardPlugin(guard)], …)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..payloads import outcome_repr, to_json
from ..protection import Permit
from ..restoring import is_same_json
from .traces import Recent, TraceName, name_trace


class GuardPlugin(BasePlugin):
    """Has each tool call decided first; the model is told why one did not run."""

    def __init__(self, guard: AsyncGuard, *, trace_id: TraceName = None, **options: Any) -> None:
        """`options` are those of the guard's `run`: `timeout`, `on_pending`, `metadata` …

        A conversation is called by its session's id, or as `trace_id` says of the `ToolContext`.
        """
        super().__init__(name="provenanceguard")
        self._guard, self._trace_id = guard, trace_id
        # The kit runs a call again under its id once the user has confirmed it.
        self._options = {"renew": True, **options}
        # By their contexts: the same id may name calls of two sessions, or two of one answer.
        self._permits: WeakKeyDictionary[ToolContext, Permit] = WeakKeyDictionary()
        self._requests = Recent()

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Note the system prompt and the tools, which tool calls are not told."""
        self._requests.note(_agent_of(callback_context), llm_request.config)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Propose the call; what is returned takes the place of its result."""
        call_id = tool_context.function_call_id or ""
        call = {"name": tool.name, "args": dict(tool_args), "id": call_id}
        functions, past = {tool.name: tool.run_async}, self._past(tool, tool_context)
        try:
            permit = await self._guard.take_permit(call, past, functions, **self._options)
        except NotRunnableError as refusal:
            return {"error": refusal.model_message}
        self._permits[tool_context] = permit
        tool_args.clear()
        tool_args.update(permit.call.arguments)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        """Report what came of the call."""
        # As the kit tells the model, so that the next call's past says the same.
        outcome = result if isinstance(result, dict) else {"result": result}
        # So it tells what it has not run itself: arguments are missing, or the user has to confirm.
        failed = outcome.keys() == {"error"} and outcome["error"] is not None
        await self._finish(tool_context, tool_args, succeeded=not failed, outcome=outcome)
        return None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        """Report that the call failed."""
        await self._finish(tool_context, tool_args, succeeded=False, outcome=outcome_repr(error))
        return None

    async def _finish(
        self, tool_context: ToolContext, tool_args: dict[str, Any], *, succeeded: bool, outcome: Any
    ) -> None:
        permit = self._permits.pop(tool_context, None)
        if permit is not None:
            ran = _changed(tool_args, permit.call.arguments)
            await self._guard.finish(permit, succeeded=succeeded, outcome=outcome, arguments=ran)

    def _past(self, tool: BaseTool, tool_context: ToolContext) -> dict[str, Any]:
        events, config = tool_context.session.events, self._requests.get(_agent_of(tool_context))
        past = {
            "contents": [_dump(event.content) for event in events if event.content and event.content.parts],
            "tools": _declare_tools(config, tool),
            "trace_id": name_trace(self._trace_id, tool_context, tool_context.session.id),
        }
        if config is not None and config.system_instruction:
            past["systemInstruction"] = to_json(config.system_instruction)
        return past


def _changed(ran: dict[str, Any], approved: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments that ran, where a callback of the agent's has changed the approved ones behind the guard."""
    try:
        arguments_run = to_json(ran)
    except TypeError:
        arguments_run = {name: outcome_repr(value) for name, value in ran.items()}
    return None if is_same_json(arguments_run, dict(approved)) else arguments_run


def _agent_of(context: CallbackContext) -> tuple[str, str]:
    """Which agent in which run."""
    return context.invocation_id, context.agent_name


def _declare_tools(config: Any, called: BaseTool) -> list[Any]:
    """The functions that the model was offered. What its provider runs itself never comes to the guard."""
    offered = [getattr(tool, "function_declarations", None) for tool in (config and config.tools) or ()]
    if any(offered):
        return [{"functionDeclarations": [_dump(function) for function in group]} for group in offered if group]
    # The model was asked behind the plugin's back: the called one alone.
    declaration = called._get_declaration()  # noqa: SLF001  # the kit has no public name for it
    return [{"functionDeclarations": [declaration]}] if declaration else [{"name": called.name}]


def _dump(model: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped
