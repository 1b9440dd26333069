"""Inspect: `Task(approval=[ApprovalPolicy(guard_approver(guard), "*")], …)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.approval import Approval, Approver, approver
from inspect_ai.model import ChatMessage
from inspect_ai.tool import ToolCall, ToolCallView

from ..asynchronous import AsyncGuard
from ..outcomes import Approved


@approver(name="provenanceguard")
def guard_approver(guard: AsyncGuard, *, tools: Sequence[Any] = (), timeout: float | None = None) -> Approver:
    """An approver that asks the guard; what nobody decided is rejected."""

    async def approve(message: str, call: ToolCall, view: ToolCallView, history: list[ChatMessage]) -> Approval:
        past = {"messages": history, "tools": list(tools)}
        outcome = await guard.check({"tool_call": call}, past, timeout=timeout)
        if not isinstance(outcome, Approved):
            return Approval(decision="reject", explanation=outcome.model_message)
        if outcome.call.tool != call.function:
            return Approval(decision="reject", explanation=f"A reviewer chose {outcome.call.tool} instead.")
        # Inspect runs the call behind this, so the permission is taken here and its outcome stays unknown.
        approved = (await guard.execute(outcome.action.id)).arguments
        if approved == call.arguments:
            return Approval(decision="approve", explanation=outcome.decision.message)
        edited = ToolCall(id=call.id, function=call.function, arguments=dict(approved), type=call.type)
        return Approval(decision="modify", modified=edited, explanation=outcome.decision.message)

    return approve
