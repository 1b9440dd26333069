"""Google's Agent Development Kit: `Runner(plugins=[GuardPlugin(guard)], …)`."""

from __future__ import annotations

from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..protection import Permit


class GuardPlugin(BasePlugin):
    """Has each tool call decided first; the model is told why one did not run."""

    def __init__(self, guard: AsyncGuard, *, timeout: float | None = None, **fields: Any) -> None:
        """`fields` are further ones of each submission, such as `metadata`."""
        super().__init__(name="provenanceguard")
        self._guard, self._timeout, self._fields = guard, timeout, fields
        self._permits: dict[str, Permit] = {}

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Propose the call; what is returned takes the place of its result."""
        declaration = tool._get_declaration()  # noqa: SLF001  # the kit has no public name for it
        events = tool_context.session.events
        past = {
            **self._fields,
            "contents": [_content(event) for event in events if event.content and event.content.parts],
            "tools": [{"functionDeclarations": [declaration]}] if declaration else [{"name": tool.name}],
        }
        call_id = tool_context.function_call_id or ""
        call = {"name": tool.name, "args": dict(tool_args), "id": call_id}
        try:
            outcome = await self._guard.check(call, past, timeout=self._timeout)
            permit = await self._guard.start(outcome, {tool.name: tool.run_async})
        except NotRunnableError as refusal:
            return {"error": refusal.model_message}
        self._permits[call_id] = permit
        tool_args.clear()
        tool_args.update(permit.call.arguments)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Report what came of the call."""
        await self._finish(tool_context, succeeded=True, outcome=result)
        return None

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        """Report that the call failed."""
        await self._finish(tool_context, succeeded=False, outcome=repr(error))
        return None

    async def _finish(self, tool_context: ToolContext, *, succeeded: bool, outcome: Any) -> None:
        permit = self._permits.pop(tool_context.function_call_id or "", None)
        if permit is not None:
            await self._guard.finish(permit, succeeded=succeeded, outcome=outcome)


def _content(event: Any) -> dict[str, Any]:
    content: dict[str, Any] = event.content.model_dump(mode="json", by_alias=True, exclude_none=True)
    return content
