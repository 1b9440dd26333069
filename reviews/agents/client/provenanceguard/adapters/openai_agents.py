"""The OpenAI Agents SDK: `Agent(tools=guard_tools(guard, [pay, find]))`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import weakref
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from agents import Agent, FunctionTool
from agents import tool as sdk_tool
from agents.tool_context import ToolContext

from ..asynchronous import AsyncGuard
from ..calls_under_way import CallsUnderWay
from ..errors import NotRunnableError
from ..payloads import to_json
from .failures import ToldError
from .traces import Recent, TraceName, name_trace

# Of a run that was stopped elsewhere nobody knows which calls it has made: by the user's words alone each would pass as
# the first once more.
RESUMED = {"role": "assistant", "content": "This run was stopped for an approval. What came before is not known here."}

_is_within_tool: ContextVar[bool] = ContextVar("provenanceguard_within_tool", default=False)


def guard_tools(
    guard: AsyncGuard,
    tools: Sequence[FunctionTool],
    *,
    trace_id: TraceName = None,
    **options: Any,
) -> list[FunctionTool]:
    """The same tools, each call of which is decided first; the model is told why one did not run.

    Each run is a conversation of its own, or goes on with that of its `group_id` which began with the same message, or
    `trace_id` says of the `ToolContext` to which it belongs. One that stopped for an approval in another process has
    lost its calls, and none is established by its user's words any more. Of an agent that is another one's tool no word
    is the user's, where that tool is guarded, too. `options` are those of the guard's `run`:
    `timeout`, `on_pending`, `metadata` … Raises TypeError for a tool that is run where no guard stands.
    """
    if unguarded := [getattr(tool, "name", repr(tool)) for tool in tools if not isinstance(tool, FunctionTool)]:
        raise TypeError(
            f"no function tool is {', '.join(unguarded)}: the SDK or its provider runs it, past every guard"
        )
    documents = [
        {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in tools
    ]
    runs = _Runs(trace_id, may_stop=any(getattr(tool, "needs_approval", False) for tool in tools))
    return [_guarded(guard, tool, documents, runs, {"renew": True, **options}) for tool in tools]


@dataclasses.dataclass(frozen=True)
class _Run:
    """What the tools of a run were asked and returned: the SDK tells a tool only what the run began with."""

    trace_id: str | None
    began_with: list[Any]
    """What is told of it before its calls."""
    items: list[Any] = dataclasses.field(default_factory=list)
    under_way: CallsUnderWay = dataclasses.field(default_factory=CallsUnderWay)
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

    def __init__(self, trace_id: TraceName, *, may_stop: bool) -> None:
        """`may_stop`: a run may stop for an approval, and is kept for when it is resumed."""
        self._trace_id, self._may_stop = trace_id, may_stop
        self._runs: dict[tuple[int, str], _Run] = {}
        self._by_call = Recent()

    def run_of(self, context: ToolContext[Any], began_with: list[Any]) -> _Run:
        """The run of this call, which ends with its count of tokens."""
        digest = _digest(began_with)
        # An agent that is another one's tool counts with it.
        key = id(context.usage), digest
        if key not in self._runs:
            resumed = self._find_resumed(context, digest)
            past = [RESUMED] if _has_lost_calls(context) else began_with
            self._runs[key] = resumed or self._begin(context, began_with, past)
            weakref.finalize(context.usage, self._runs.pop, key, None)
        if self._may_stop:
            self._by_call.note((context.tool_call_id, digest), self._runs[key])
        return self._runs[key]

    def _begin(self, context: ToolContext[Any], began_with: list[Any], past: list[Any]) -> _Run:
        group = context.run_config.group_id if context.run_config is not None else None
        # The first message tells apart the agents that take part in it.
        run_name = f"{group}/{_digest(began_with[:1])}" if group else uuid4()
        return _Run(name_trace(self._trace_id, context, run_name), past)

    def _find_resumed(self, context: ToolContext[Any], digest: str) -> _Run | None:
        """The run that stopped for an approval, by one of its calls: the SDK goes on with a copy of its context."""
        calls = getattr(context, "_tool_invocations", {}) if _is_resumed(context) else {}
        return next(filter(None, (self._by_call.get((call_id, digest)) for call_id in calls)), None)


def _is_resumed(context: ToolContext[Any]) -> bool:
    """Whether a person has decided on a call of this run, for which it had stopped."""
    return bool(getattr(context, "_approvals", None))


def _has_lost_calls(context: ToolContext[Any]) -> bool:
    """Whether it has made calls before it was resumed, as far as the SDK keeps them: an earlier one does not."""
    calls = getattr(context, "_tool_invocations", None)
    return _is_resumed(context) and (calls is None or any(call.completed for call in calls.values()))


def _digest(items: list[Any]) -> str:
    return hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()[:16]


def _guarded(
    guard: AsyncGuard, tool: FunctionTool, documents: list[Any], runs: _Runs, options: dict[str, Any]
) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> Any:
        if not _is_object(arguments):
            return "The call was not run: its arguments are no JSON object."
        outputs: list[Any] = []

        async def run(**approved: Any) -> Any:
            _show_approved(context, tool, approved)
            failures: list[BaseException] = []
            noting = _noting_failures(tool, failures)
            token = _is_within_tool.set(True)
            try:
                outputs.append(await noting.on_invoke_tool(context, json.dumps(approved)))
            finally:
                _is_within_tool.reset(token)
            # As the SDK tells its model, and the next call its past.
            if failures:
                raise ToldError(str(outputs[0]))
            return str(outputs[0])

        call = {"type": "function_call", "call_id": context.tool_call_id, "name": tool.name, "arguments": arguments}
        current = runs.run_of(context, _began_with(context))
        # Those of one answer run at once.
        with current.under_way.enter(tool.name, json.loads(arguments or "{}"), call) as alike:
            before = [*current.began_with, *current.items, *alike]
            past = {"input": before, "tools": documents, "trace_id": current.trace_id}
            if instructions := await current.instructions_of(context):
                past["instructions"] = instructions
            try:
                await guard.run(call, past, run, **options)
            except NotRunnableError as refusal:
                outputs.append(refusal.model_message)
            except ToldError:
                pass
        output_item = {"type": "function_call_output", "call_id": context.tool_call_id, "output": str(outputs[0])}
        current.items.extend([call, output_item])
        return outputs[0]

    return dataclasses.replace(tool, on_invoke_tool=invoke)


def _began_with(context: ToolContext[Any]) -> list[Any]:
    """What the run began with; within a guarded tool, what that asks under the user's name is the tool's word."""
    items: list[Any] = to_json(context.turn_input)
    if not _is_within_tool.get():
        return items
    is_users = [isinstance(item, dict) and item.get("role") == "user" for item in items]
    return [{**item, "from": "tool"} if users else item for item, users in zip(items, is_users, strict=True)]


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def _show_approved(context: ToolContext[Any], tool: FunctionTool, approved: Mapping[str, Any]) -> None:
    """Have the call's context say what was approved: a tool may take its arguments from there."""
    context.tool_arguments = json.dumps(approved)
    # An agent that is a tool reads the arguments alone, and finds its state by the object that it was called with.
    called = None if getattr(tool, "_is_agent_tool", False) else getattr(context, "tool_call", None)
    if called is not None:
        context.tool_call = called.model_copy(update={"arguments": context.tool_arguments})


def _noting_failures(tool: FunctionTool, failures: list[BaseException]) -> FunctionTool:
    """The tool, which notes what it fails with before its model is told of it in words that are no failure's."""
    tell = getattr(sdk_tool, "maybe_invoke_function_tool_failure_error_function", None)
    # Of an earlier SDK these words are what the tool returned.
    if tell is None:
        return tool

    async def note(context: Any, error: Exception) -> Any:
        failures.append(error)
        return await tell(function_tool=tool, context=context, error=error)

    overrides = {"_failure_error_function": note, "_use_default_failure_error_function": False}
    return dataclasses.replace(tool, **overrides)
