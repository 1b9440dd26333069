"""Inspect: `Task(approval=[ApprovalPolicy(guard_approver(guard, tools=[pay()]), "*")], …)`.

The permission is taken by the approver, because Inspect runs the call behind it; a hook reports what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
from inspect_ai.approval import Approval, Approver, approver
from inspect_ai.event import ToolEvent
from inspect_ai.hooks import Hooks, SampleEvent, hooks
from inspect_ai.model import ChatMessage
from inspect_ai.solver._task_state import sample_state
from inspect_ai.tool import ToolCall, ToolCallView, ToolDef

from ..asynchronous import AsyncGuard
from ..errors import NotRunnableError
from ..protection import Permit
from ..restoring import is_same_json
from .traces import TraceName, name_trace

# How long a sample may be held up by a guard that does not take the report.
REPORT_SECONDS = 30.0
_permits: dict[str, list[tuple[AsyncGuard, Permit]]] = {}
"""Of the calls that run, by their ids; samples that run at once may have the same."""


@approver(name="provenanceguard")
def guard_approver(
    guard: AsyncGuard,
    *,
    tools: Sequence[Any] = (),
    trace_id: TraceName = None,
    **options: Any,
) -> Approver:
    """An approver that asks the guard; what nobody decided is rejected.

    `tools` are those of the task; without, the sample's, as far as `use_tools` has given it any. Each sample is a
    conversation of its own, or `trace_id` says of the `ToolCall` to which it belongs. `options` are those of the
    guard's `run`: `timeout`, `on_pending`, `metadata` …
    """

    async def approve(message: str, call: ToolCall, view: ToolCallView, history: list[ChatMessage]) -> Approval:
        sample = sample_state()
        offered_tools = tools or (sample.tools if sample is not None else ())
        past = {
            "messages": history,
            "tools": [_describe_tool(tool) if callable(tool) else tool for tool in offered_tools],
            "trace_id": name_trace(trace_id, call, sample.uuid if sample is not None else None),
        }
        functions = {call.function: _run_by_inspect}
        try:
            permit = await guard.take_permit({"tool_call": call}, past, functions, **{"renew": True, **options})
        except NotRunnableError as refusal:
            return Approval(decision="reject", explanation=refusal.model_message)
        _permits.setdefault(call.id, []).append((guard, permit))
        if is_same_json(dict(permit.call.arguments), call.arguments):
            return Approval(decision="approve", explanation="The guard approved the call.")
        edited = ToolCall(id=call.id, function=call.function, arguments=dict(permit.call.arguments), type=call.type)
        return Approval(decision="modify", modified=edited, explanation="The guard approved other arguments.")

    return approve


@hooks(name="provenanceguard", description="Reports what came of the calls that the guard approved.")
class GuardHooks(Hooks):
    """Reports what came of the approved calls."""

    async def on_sample_event(self, data: SampleEvent) -> None:
        """Report the call, once it has run."""
        event = data.event
        if not isinstance(event, ToolEvent):
            return
        for guard, permit in _take_permits(event):
            failed = event.error is not None or bool(event.failed)
            outcome = event.error.message if event.error else event.result
            # The sample may end with this call, and cancels its hooks then.
            with anyio.move_on_after(REPORT_SECONDS, shield=True):
                await guard.finish(permit, succeeded=not failed, outcome=outcome)


def _take_permits(event: ToolEvent) -> list[tuple[AsyncGuard, Permit]]:
    """The permission under which a call ran; none of a call that was not approved."""
    waiting = _permits.pop(event.id, [])
    matching = [pair for pair in waiting if is_same_json(dict(pair[1].call.arguments), event.arguments)][:1]
    if rest := [pair for pair in waiting if pair not in matching]:
        _permits[event.id] = rest
    return matching


def _describe_tool(tool: Any) -> dict[str, Any]:
    definition = ToolDef(tool)
    parameters = definition.parameters.model_dump(mode="json", exclude_none=True)
    return {"name": definition.name, "description": definition.description, "parameters": parameters}


def _run_by_inspect(**arguments: Any) -> None:
    """Never called: Inspect runs what the approver has approved."""
