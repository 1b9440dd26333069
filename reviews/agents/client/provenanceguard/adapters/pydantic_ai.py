"""Pydantic AI: `Agent(model, toolsets=[GuardedToolset(FunctionToolset([pay]), guard)])`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolReturn
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
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

        async def run(**approved: Any) -> Any:
            returned.append(await self.wrapped.call_tool(name, approved, ctx, tool))
            # What else such a result holds is no part of the conversation's next message.
            return returned[0].return_value if isinstance(returned[0], ToolReturn) else returned[0]

        call = {"name": name, "arguments": tool_args, "id": ctx.tool_call_id}
        try:
            # A call that was deferred is run again under its id.
            options = {"timeout": self.timeout, "renew": True, **self.options}
            await self.guard.run(call, self._past(ctx, tool), run, **options)
        except NotRunnableError as refusal:
            return refusal.model_message
        return returned[0]

    def _past(self, ctx: RunContext[Any], tool: ToolsetTool[Any]) -> dict[str, Any]:
        offered = ctx.tool_manager.tool_defs if ctx.tool_manager is not None else [tool.tool_def]
        return {
            # With the instructions of each request.
            "messages": ModelMessagesTypeAdapter.dump_python(ctx.messages, mode="json"),
            "tools": [
                {
                    "name": document.name,
                    "description": document.description,
                    "parameters": document.parameters_json_schema,
                }
                for document in offered
            ],
            "trace_id": name_trace(self.trace_id, ctx, ctx.conversation_id, ctx.run_id),
        }
