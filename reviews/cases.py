"""Stored rows back into the engine's values."""

from collections.abc import Mapping

from reviews.models import Action, Step, StepKind, Text
from reviews.provenance.context import (
    Case,
    Context,
    JsonValue,
    Message,
    NamedText,
    ProposedAction,
    SourceKind,
    ToolDoc,
)
from reviews.provenance.context import Step as Call


def case_for(action: Action) -> Case:
    """The proposed call in the context it was submitted with."""
    return case_with(action, action.tool, action.arguments)


def case_with(action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> Case:
    """Another call in the same context: an edit, a chosen reading."""
    return Case(context_for(action), ProposedAction(tool, arguments, action.subtask or None))


def context_for(action: Action) -> Context:
    """Everything the action's verdict may rest on: no step behind its position."""
    steps = action.trace.steps.filter(position__lte=action.position).select_related("text").order_by("position")
    return Context(
        query=action.trace.query.body,
        tools=tuple(ToolDoc(**document) for document in action.tool_set.tools),
        history=tuple(_item(step) for step in steps),
        extra=_extra(action),
        now=action.clock,
    )


def _item(step: Step) -> Call | Message:
    text = step.text.body if step.text else None
    if step.kind == StepKind.CALL:
        return Call(step.tool, step.arguments, text, step.subtask or None)
    return Message(step.kind, text or "")


def _extra(action: Action) -> tuple[NamedText, ...]:
    if not action.sources:
        return ()
    digests = [source["digest"] for source in action.sources]
    bodies = dict(Text.objects.filter(workspace=action.workspace_id, digest__in=digests).values_list("digest", "body"))
    return tuple(
        NamedText(SourceKind(source["kind"]), source["name"], bodies[source["digest"]]) for source in action.sources
    )
