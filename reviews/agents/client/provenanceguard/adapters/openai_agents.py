"""The OpenAI Agents SDK: `Agent(tools=guard_tools(guard, [pay, find]))`."""

from __future__ import annotations

import dataclasses
import json
import weakref
from collections.abc import Sequence
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..payloads import to_json


def guard_tools(
    guard: AsyncGuard, tools: Sequence[FunctionTool], *, timeout: float | None = None, **fields: Any
) -> list[FunctionTool]:
    """The same tools, each call of which is decided first; the model is told why one did not run."""
    documents = [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in tools
    ]
    runs = _Runs()
    return [_guarded(guard, tool, {**fields, "tools": documents}, runs, timeout) for tool in tools]


class _Runs:
    """What the tools of each run were asked and returned: the SDK tells a tool only what the run began with."""

    def __init__(self) -> None:
        self._items: dict[int, list[Any]] = {}

    def items_of(self, context: ToolContext[Any]) -> list[Any]:
        """The items since the run began, which ends with its count of tokens."""
        run, key = context.usage, id(context.usage)
        if key not in self._items:
            self._items[key] = []
            weakref.finalize(run, self._items.pop, key, None)
        return self._items[key]


def _guarded(
    guard: AsyncGuard, tool: FunctionTool, fields: dict[str, Any], runs: _Runs, timeout: float | None
) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        async def run(**approved: Any) -> Any:
            return await tool.on_invoke_tool(context, json.dumps(approved))

        call = {"type": "function_call", "call_id": context.tool_call_id, "name": tool.name, "arguments": arguments}
        items = runs.items_of(context)
        past = {**fields, "input": [*to_json(context.turn_input), *items]}
        instructions = getattr(context.agent, "instructions", None)
        if isinstance(instructions, str):
            past["instructions"] = instructions
        try:
            result = await guard.run(call, past, run, timeout=timeout)
        except NotRunnableError as refusal:
            result = refusal.model_message
        items += [call, {"type": "function_call_output", "call_id": context.tool_call_id, "output": str(result)}]
        return result

    return dataclasses.replace(tool, on_invoke_tool=invoke)
