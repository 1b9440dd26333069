"""Pydantic AI: `Agent(model, toolsets=[GuardedToolset(FunctionToolset([pay]), guard)])`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.toolsets import WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """A toolset, each call of which is decided first; the model is told why one did not run."""

    guard: AsyncGuard
    timeout: float | None = None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Propose the call, and run it with the approved arguments."""

        async def run(**approved: Any) -> Any:
            return await self.wrapped.call_tool(name, approved, ctx, tool)

        document = tool.tool_def
        past = {
            "messages": ModelMessagesTypeAdapter.dump_python(ctx.messages, mode="json"),
            "tools": [
                {
                    "name": document.name,
                    "description": document.description,
                    "parameters": document.parameters_json_schema,
                }
            ],
        }
        call = {"name": name, "arguments": tool_args, "id": ctx.tool_call_id}
        try:
            return await self.guard.run(call, past, run, timeout=self.timeout)
        except NotRunnableError as refusal:
            return refusal.model_message
