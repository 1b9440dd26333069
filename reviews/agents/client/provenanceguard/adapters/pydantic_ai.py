"""Pydantic AI: `Agent(model, toolsets=[GuardedToolset(FunctionToolset([pay]), guard)])`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, ToolCallPart, ToolReturn
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool
from pydantic_core import ValidationError

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..payloads import to_json
from ..restoring import is_same_json
from .traces import TraceName, name_trace


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """A toolset, each call of which is decided first; the model is told why one did not run.

    The guard sees all tools of the agent, also those of other toolsets. A conversation is called by its
    `conversation_id`, or as `trace_id` says of the `RunContext`.
    """

    guard: AsyncGuard
    timeout: float | None = None
    trace_id: TraceName = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further ones of the guard's `run`: `on_pending`, `metadata` …"""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Propose the call, and run it with the approved arguments."""
        returned: list[Any] = []
        proposed = _model_arguments(tool_args, ctx, tool)

        async def run(**approved: Any) -> Any:
            is_as_given = is_same_json(proposed, approved)
            arguments = tool_args if is_as_given else await _validate(approved, ctx, tool)
            returned.append(await self.wrapped.call_tool(name, arguments, ctx, tool))
            # What else such a result holds is no part of the conversation's next message.
            return returned[0].return_value if isinstance(returned[0], ToolReturn) else returned[0]

        call = {"name": _model_name(name, ctx, tool), "arguments": proposed, "id": ctx.tool_call_id}
        try:
            # A call that was deferred is run again under its id.
            options = {"timeout": self.timeout, "renew": True, **self.options}
            await self.guard.run(call, self._past(ctx, tool), run, **options)
        except NotRunnableError as refusal:
            return refusal.model_message
        return returned[0]

    def _past(self, ctx: RunContext[Any], tool: ToolsetTool[Any]) -> dict[str, Any]:
        return {
            # With the instructions of each request.
            "messages": ModelMessagesTypeAdapter.dump_python(ctx.messages, mode="json"),
            "tools": [
                {
                    "name": document.name,
                    "description": document.description,
                    "parameters": document.parameters_json_schema,
                }
                for document in _offered_tools(ctx, tool)
            ],
            "trace_id": name_trace(self.trace_id, ctx, ctx.conversation_id, ctx.run_id),
        }


def _offered_tools(ctx: RunContext[Any], tool: ToolsetTool[Any]) -> list[ToolDefinition]:
    return ctx.tool_manager.tool_defs if ctx.tool_manager is not None else [tool.tool_def]


def _model_name(name: str, ctx: RunContext[Any], tool: ToolsetTool[Any]) -> str:
    """The tool's name as the model and the agent's other calls have it.

    A toolset around this one, such as one that prefixes names, may have given it another one, and left all else.
    """
    part = _part_of(ctx)
    called = next(
        (document for document in _offered_tools(ctx, tool) if part and document.name == part.tool_name), None
    )
    return called.name if called is not None and replace(called, name=name) == tool.tool_def else name


def _model_arguments(tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> dict[str, Any]:
    """The arguments as the model wrote them, which is how the tool's schema has them; else those that would run.

    Where something has changed them on the way, such as another toolset around this one, the model's are not what
    would run, and nobody shall decide upon them.
    """
    part = _part_of(ctx)
    # What no longer validates has been repaired on the way.
    with suppress(ValidationError):
        if part is not None and _read(part.args or {}, ctx, tool) == tool_args:
            return part.args_as_dict()
    proposed: dict[str, Any] = to_json(tool_args)
    return proposed


def _read(arguments: str | dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> dict[str, Any]:
    """Arguments as the tool takes them. Raises `ValidationError`."""
    validator, context = tool.args_validator, ctx.validation_context
    if isinstance(arguments, str):
        return validator.validate_json(arguments, context=context)
    return validator.validate_python(arguments, context=context)


def _part_of(ctx: RunContext[Any]) -> ToolCallPart | None:
    """The call as it stands in the model's last answer."""
    answer = next((message for message in reversed(ctx.messages) if isinstance(message, ModelResponse)), None)
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)] if answer is not None else []
    return next((part for part in calls if part.tool_call_id == ctx.tool_call_id), None)


async def _validate(approved: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> dict[str, Any]:
    """Edited arguments as the tool takes them. Raises what an answer of the model with these would raise."""
    arguments = _read(json.dumps(approved), ctx, tool)
    if tool.args_validator_func is not None:
        checked = tool.args_validator_func(ctx, **arguments)
        if inspect.isawaitable(checked):
            await checked
    return arguments
