"""A case as JSON and back, with nothing lost: what a dataset keeps of an imported call, and what an export carries.

The fields are those of our own shape, with the plan and the clock beside them. A case without a proposed call, which
only some collections hold, has a call of the tool "".
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from reviews.provenance.core.context import (
    Case,
    Claim,
    Context,
    JsonValue,
    Message,
    NamedText,
    PlanStep,
    ProposedAction,
    Step,
    ToolDoc,
)
from reviews.provenance.core.trust import SourceKind


def write_case(case: Case) -> dict[str, JsonValue]:
    """The case as JSON."""
    context = case.context
    plan = [{**vars(step), "tool_use": list(step.tool_use)} for step in context.plan or ()]
    return {
        "query": context.query,
        "tools": [{**vars(tool), "parameters": dict(tool.parameters)} for tool in context.tools],
        "history": [
            {**vars(item), "arguments": dict(item.arguments)} if isinstance(item, Step) else {**vars(item)}
            for item in context.history
        ],
        "sources": [{**vars(text), "kind": text.kind.value} for text in context.extra],
        # An empty plan is not the same as none.
        "plan": None if context.plan is None else plan,
        "now": context.now.isoformat() if context.now else None,
        "action": write_call(case.action),
    }


def write_call(action: ProposedAction) -> dict[str, JsonValue]:
    """A call as JSON."""
    stored = {"tool": action.tool, "arguments": dict(action.arguments), "subtask": action.subtask}
    # Left out where there are none, so that what was stored without them stays what it was.
    return stored | ({"provenance": write_claims(action)} if action.claims else {})


def write_claims(action: ProposedAction) -> dict[str, JsonValue]:
    """Where the agent says that it took the call's values from, by pointer: a quote, or a place in a result."""
    return {
        claim.pointer: {"quote": claim.quote, "source": claim.source}
        if claim.step is None
        else {"step": claim.step, "path": claim.path}
        for claim in action.claims
    }


def read_claims(stored: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The inverse of `write_claims`; raises as `read_case` does."""
    return tuple(
        Claim(pointer, step=int(claim["step"]), path=_require_text(claim["path"]))
        if "step" in claim
        else Claim(pointer, _require_text(claim["quote"]), _require_text(claim["source"]))
        for pointer, claim in stored.items()
    )


def read_case(stored: Mapping[str, Any]) -> Case:
    """The inverse of `write_case`.

    Raises `KeyError`, `TypeError`, `ValueError` or `AttributeError` for what is no case.
    """
    stored = _require_object(stored)
    plan, now = stored.get("plan"), stored.get("now")
    context = Context(
        query=_require_text(stored["query"]),
        tools=tuple(_read_tool(tool) for tool in stored["tools"]),
        history=tuple(_read_item(item) for item in stored["history"]),
        extra=tuple(
            NamedText(SourceKind(source["kind"]), _require_text(source["name"]), _require_text(source["text"]))
            for source in stored.get("sources") or ()
        ),
        now=datetime.fromisoformat(now) if now else None,
        plan=None if plan is None else tuple(PlanStep(step["message"], tuple(step["tool_use"])) for step in plan),
    )
    return Case(context, read_call(stored["action"]))


def read_call(stored: Mapping[str, Any]) -> ProposedAction:
    """The inverse of `write_call`; raises as `read_case` does."""
    stored = _require_object(stored)
    tool, arguments = _require_text(stored["tool"]), _require_object(stored["arguments"])
    return ProposedAction(tool, arguments, stored.get("subtask"), read_claims(stored.get("provenance") or {}))


def _read_tool(stored: Mapping[str, Any]) -> ToolDoc:
    stored = _require_object(stored)
    return ToolDoc(
        _require_text(stored["name"]),
        _require_text(stored.get("description") or ""),
        _require_object(stored.get("parameters") or {}),
        # As everywhere, a tool changes something unless its document says otherwise.
        environment_changing=stored.get("environment_changing", True) is not False,
    )


def _read_item(stored: Mapping[str, Any]) -> Step | Message:
    stored = _require_object(stored)
    if "role" in stored:
        if stored["role"] not in ("user", "assistant"):
            raise ValueError(f"{stored['role']!r} is no role; there are user and assistant")
        return Message(stored["role"], _require_text(stored["text"]))
    tool, arguments, outcome = (
        _require_text(stored["tool"]),
        _require_object(stored["arguments"]),
        stored.get("outcome"),
    )
    return Step(tool, arguments, None if outcome is None else _require_text(outcome), stored.get("subtask"))


def _require_text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{repr(value)[:80]} must be text")
    return value


def _require_object(value: object) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise TypeError(f"{repr(value)[:80]} must be an object")
    return value
