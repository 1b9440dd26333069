"""The OpenAI Agents SDK: `Agent(tools=guard_tools(guard, [pay, find]))`."""

from __future__ import annotations

import dataclasses
import json
import weakref
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from agents import Agent, FunctionTool
from agents.tool_context import ToolContext

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..payloads import to_json
from .traces import TraceName, name_trace


def guard_tools(
    guard: AsyncGuard,
    tools: Sequence[FunctionTool],
    *,
    trace_id: TraceName = None,
    **options: Any,
) -> list[FunctionTool]:
    """The same tools, each call of which is decided first; the model is told why one did not run.

    Each run is a conversation of its own, unless its `RunConfig` has a `group_id`, or `trace_id` says of the
    `ToolContext` to which it belongs. `options` are those of the guard's `run`: `timeout`, `on_pending`, `metadata` …
    """
    documents = [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in tools
    ]
    runs = _Runs(trace_id)
    return [_guarded(guard, tool, documents, runs, {"renew": True, **options}) for tool in tools]


@dataclasses.dataclass(frozen=True)
class _Run:
    """What the tools of a run were asked and returned: the SDK tells a tool only what the run began with."""

    trace_id: str | None
    items: list[Any] = dataclasses.field(default_factory=list)
    instructions: dict[str, str | None] = dataclasses.field(default_factory=dict)
    """By the name of the agent, of which a run may have several."""

    async def instructions_of(self, context: ToolContext[Any]) -> str | None:
        """The system prompt of the agent that calls, as it was at its first call of the run."""
        if not isinstance(context.agent, Agent):
            return None
        name = context.agent.name
        if name not in self.instructions:
            self.instructions[name] = await context.agent.get_system_prompt(context)
        return self.instructions[name]


class _Runs:
    """Those that go on."""

    def __init__(self, trace_id: TraceName) -> None:
        self._trace_id = trace_id
        self._runs: dict[int, _Run] = {}

    def run_of(self, context: ToolContext[Any]) -> _Run:
        """The run of this call, which ends with its count of tokens."""
        key = id(context.usage)
        if key not in self._runs:
            group = context.run_config.group_id if context.run_config is not None else None
            self._runs[key] = _Run(name_trace(self._trace_id, context, group, uuid4()))
            weakref.finalize(context.usage, self._runs.pop, key, None)
        return self._runs[key]


def _guarded(
    guard: AsyncGuard, tool: FunctionTool, documents: list[Any], runs: _Runs, options: dict[str, Any]
) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        returned: list[Any] = []

        async def run(**approved: Any) -> Any:
            returned.append(await tool.on_invoke_tool(context, json.dumps(approved)))
            # As the SDK tells its model, and the next call its past.
            return str(returned[0])

        call = {"type": "function_call", "call_id": context.tool_call_id, "name": tool.name, "arguments": arguments}
        current = runs.run_of(context)
        items = [*to_json(context.turn_input), *current.items]
        past = {"input": items, "tools": documents, "trace_id": current.trace_id}
        if instructions := await current.instructions_of(context):
            past["instructions"] = instructions
        try:
            await guard.run(call, past, run, **options)
        except NotRunnableError as refusal:
            returned = [refusal.model_message]
        output = {"type": "function_call_output", "call_id": context.tool_call_id, "output": str(returned[0])}
        current.items.extend([call, output])
        return returned[0]

    return dataclasses.replace(tool, on_invoke_tool=invoke)
