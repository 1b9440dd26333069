"""LangChain and LangGraph: `create_agent(model, tools, middleware=[GuardMiddleware(guard)])`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.types import Command

from ..errors import NotRunnableError
from ..synchronous import Guard

Result: TypeAlias = ToolMessage | Command[Any]


class GuardMiddleware(AgentMiddleware):
    """Has each tool call decided first; the model is told why one did not run."""

    def __init__(self, guard: Guard, *, timeout: float | None = None, **fields: Any) -> None:
        """`fields` are further ones of each submission, such as `metadata`."""
        super().__init__()
        self._guard, self._timeout, self._fields = guard, timeout, fields

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Propose the call, and run it with the approved arguments."""
        results: list[Result] = []

        def run(**approved: Any) -> Any:
            results.append(handler(_with_arguments(request, approved)))
            return _outcome(results[0])

        try:
            self._guard.run(request.tool_call, self._past(request), run, timeout=self._timeout)
        except NotRunnableError as refusal:
            return _refused(request, refusal)
        return results[0]

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """Propose the call, and run it with the approved arguments."""
        results: list[Result] = []

        async def run(**approved: Any) -> Any:
            results.append(await handler(_with_arguments(request, approved)))
            return _outcome(results[0])

        try:
            await self._guard.asynchronous.run(request.tool_call, self._past(request), run, timeout=self._timeout)
        except NotRunnableError as refusal:
            return _refused(request, refusal)
        return results[0]

    def _past(self, request: ToolCallRequest) -> dict[str, Any]:
        tools = [convert_to_openai_tool(request.tool)] if request.tool is not None else []
        return {**self._fields, "messages": list(request.state["messages"]), "tools": tools}


def _with_arguments(request: ToolCallRequest, approved: dict[str, Any]) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": approved})


def _outcome(result: Result) -> Any:
    return result.content if isinstance(result, ToolMessage) else repr(result)


def _refused(request: ToolCallRequest, refusal: NotRunnableError) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(refusal.model_message, tool_call_id=call["id"], name=call["name"], status="error")
