"""CrewAI: `Agent(tools=guard_tools(guard, [pay], query=task.description), …)`.

Tools are wrapped: CrewAI runs a call whose hook has failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crewai.tools import BaseTool

from ..conversation import Conversation
from ..errors import NotRunnableError
from ..synchronous import Guard


class GuardedTool(BaseTool):
    """A tool, each call of which is decided first; the model is told why one did not run."""

    _tool: BaseTool
    _guard: Guard
    _conversation: Conversation
    _options: dict[str, Any]

    def __init__(self, tool: BaseTool, guard: Guard, conversation: Conversation, options: dict[str, Any]) -> None:
        # CrewAI puts the schema in front of the description and would do so twice.
        super().__init__(name=tool.name, description=_description(tool), args_schema=tool.args_schema)
        self._tool, self._guard, self._conversation, self._options = tool, guard, conversation, options

    def _run(self, **arguments: Any) -> Any:
        try:
            run = self._tool._run  # noqa: SLF001  # what a tool of CrewAI's defines
            return self._guard.run((self.name, arguments), self._conversation, run, **self._options)
        except NotRunnableError as refusal:
            return refusal.model_message


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
