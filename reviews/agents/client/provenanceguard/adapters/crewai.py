"""CrewAI: `Agent(tools=guard_tools(guard, [pay], query=task.description), …)`.

Tools are wrapped: CrewAI runs a call whose hook has failed.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from crewai.tools import BaseTool

from ..conversation import Conversation
from ..errors import NotRunnableError
from ..payloads import to_json
from ..restoring import is_same_json
from ..synchronous import Guard

# What CrewAI asks of a tool besides its name and its work: how often it may be used, and what becomes of its result.
_KEPT = (
    "cache_function",
    "current_usage_count",
    "env_vars",
    "max_usage_count",
    "result_as_answer",
    "result_schema",
    "tool_failure_policy",
)


class GuardedTool(BaseTool):
    """A tool, each call of which is decided first; the model is told why one did not run."""

    _tool: BaseTool
    _guard: Guard
    _conversation: Conversation
    _options: dict[str, Any]

    def __init__(self, tool: BaseTool, guard: Guard, conversation: Conversation, options: dict[str, Any]) -> None:
        # CrewAI puts the schema in front of the description and would do so twice.
        fields = {"name": tool.name, "description": _description(tool), "args_schema": tool.args_schema}
        settings = {name: getattr(tool, name) for name in _KEPT if hasattr(tool, name)}
        super().__init__(**fields, **settings)
        self._tool, self._guard, self._conversation, self._options = tool, guard, conversation, options

    def _run(self, **arguments: Any) -> Any:
        def run(**approved: Any) -> Any:
            # What a tool of CrewAI's defines.
            result = self._tool._run(**self._typed(arguments, approved))  # noqa: SLF001
            # Here, so that what is reported is what it came to.
            return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

        call = {"tool": self.name, "arguments": arguments}
        try:
            return self._guard.run(call, self._conversation, run, **self._options)
        except NotRunnableError as refusal:
            return refusal.model_message

    def _typed(self, original: Mapping[str, Any], approved: Mapping[str, Any]) -> dict[str, Any]:
        """The values as CrewAI gave them, and of what was edited what it would have given the tool.

        Raises `ValidationError`, and KeyError for what the tool does not know: all of what was approved has to run.
        """
        unchanged = {
            name for name in approved if name in original and is_same_json(to_json(original[name]), approved[name])
        }
        if unchanged == approved.keys():
            return {name: original[name] for name in approved}
        schema = self.args_schema
        edited = schema.model_validate(approved).model_dump() if schema.model_fields else approved
        return {name: original[name] if name in unchanged else edited[name] for name in approved}


def guard_tools(
    guard: Guard, tools: Sequence[BaseTool], *, query: str, trace_id: str | None = None, **options: Any
) -> list[BaseTool]:
    """The same tools, guarded for one task: `query` is what was asked for, and their calls are its history.

    `options` are those of the guard's `run`: `timeout`, `on_pending`, `metadata` …
    """
    documents = [
        {"name": tool.name, "description": _description(tool), "parameters": tool.args_schema.model_json_schema()}
        for tool in tools
    ]
    conversation = guard.conversation(query, documents, trace_id=trace_id)
    return [GuardedTool(tool, guard, conversation, options) for tool in tools]


def _description(tool: BaseTool) -> str:
    return tool.description.rpartition("Tool Description: ")[2]


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result
