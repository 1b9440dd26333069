"""Read stored rows back into the engine's values."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from reviews.models import Action, Plan, StepKind, Trace, pipeline
from reviews.models.sql import steps, texts
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
    leaves,
)
from reviews.provenance.core.trust import SourceKind, TrustClass
from reviews.provenance.detectors.intent_guard import detector
from reviews.provenance.formats import stored_case
from reviews.records import invariants


def load_case(action: Action) -> Case:
    """The proposed call in the context it was submitted with."""
    return load_case_with(action, action.tool, action.arguments)


def load_case_with(action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> Case:
    """Another call in the context of the action: an edit, a chosen reading. Claims about other values are left out."""
    claims = _claims_about(action, tool, arguments)
    return Case(load_context(action), ProposedAction(tool, arguments, action.subtask or None, claims))


def _claims_about(action: Action, tool: str, arguments: Mapping[str, JsonValue]) -> tuple[Claim, ...]:
    """What the agent says about those values of the call that it proposed itself."""
    if not action.provenance or tool != action.tool:
        return ()
    proposed, values = dict(leaves(action.arguments)), dict(leaves(dict(arguments)))
    unchanged = {
        pointer
        for pointer, value in values.items()
        # By type too: to Python 1 and true are equal.
        if pointer in proposed and (type(value), value) == (type(proposed[pointer]), proposed[pointer])
    }
    return tuple(claim for claim in stored_case.read_claims(action.provenance) if claim.pointer in unchanged)


def load_context(action: Action) -> Context:
    """Everything the action's verdict may rest on: no step behind its position."""
    # Both in one round trip, and prepared: every check reads them, and the ORM takes longer to word them than the
    # database to answer.
    digests = [source["digest"] for source in action.sources]
    with pipeline.batch():
        step_rows = pipeline.execute(steps.SELECT_HISTORY, [action.trace_id, action.position])
        text_rows = pipeline.execute(texts.SELECT_BODIES, [action.workspace_id, digests]) if digests else None
    bodies: dict[str, str] = dict(text_rows.fetchall()) if text_rows else {}
    context = Context(
        query=action.trace.query.body,
        tools=tuple(ToolDoc(**document) for document in action.tool_set.tools),
        history=tuple(_history_entry(*step) for step in step_rows.fetchall()),
        extra=tuple(
            NamedText(SourceKind(source["kind"]), source["name"], bodies[source["digest"]]) for source in action.sources
        ),
        # What "tomorrow" means must not depend on when a worker, or a reviewer, gets to it.
        now=action.clock or action.created_at,
        plan=_plan_of(action),
        ratings={name: TrustClass(rating) for name, rating in action.profile.source_trust.items()},
    )
    return replace(context, invariants=invariants.find_stored(action.trace, context))


def load_plan_context(plan: Plan) -> Context:
    """What a plan is held against: the request, what was said since, and the documents of the tools it may name."""
    turns = plan.trace.steps.filter(position__lte=plan.position).exclude(kind=StepKind.CALL).order_by("position")
    return Context(
        query=plan.trace.query.body,
        tools=tuple(ToolDoc(**document) for document in plan.tool_set.tools),
        history=tuple(Message(kind, text) for kind, text in turns.values_list("kind", "text__body")),
        plan=plan_from_json(plan.steps),
    )


def latest_plan(trace: Trace, *, before: datetime | None = None) -> Plan | None:
    """The last plan of a conversation, whichever revision of its past it was made after; of those `before`, if given.

    Only what tells it from another plan is read.
    """
    # By the name of the conversation, not by revision: whoever tells its past differently is still held to its plan.
    plans = Plan.objects.filter(
        workspace=trace.workspace_id, trace__agent=trace.agent_id, trace__external_id=trace.external_id
    )
    if before is not None:
        plans = plans.filter(created_at__lte=before)
    # The two largest columns, which only the page of the plan reads.
    return plans.defer("stages", "prompts").order_by("-created_at", "-id").first()


def plan_to_json(steps: Iterable[PlanStep]) -> list[dict[str, Any]]:
    """A plan as it is stored."""
    return [{"message": step.message, "tool_use": list(step.tool_use)} for step in steps]


def plan_from_json(stored: Iterable[Mapping[str, Any]]) -> tuple[PlanStep, ...]:
    """The inverse of `plan_to_json`."""
    return tuple(PlanStep(step["message"], tuple(step["tool_use"])) for step in stored)


def _plan_of(action: Action) -> tuple[PlanStep, ...] | None:
    """The plan the agent submitted last before the action, read only where a detector asks for plans.

    The answer the plan was given does not count: the detector judges it again, so that nothing rests on a plan that was
    not safe.
    """
    # A profile without such a detector must not pay a query for it on every call.
    if detector.NAME not in (*action.profile.detectors, *action.profile.shadow):
        return None
    plan = latest_plan(action.trace, before=action.created_at)
    return plan_from_json(plan.steps) if plan else None


def _history_entry(kind: str, tool: str, arguments: str, subtask: str, text: str | None) -> Step | Message:
    """The engine's value of a stored history entry."""
    if kind == StepKind.CALL:
        return Step(tool, json.loads(arguments), text, subtask or None)
    # As plain text: a case is sent to processes that know nothing of the models.
    return Message(StepKind(kind).value, text or "")
