"""A request's body as a plan, in whatever shape its past is told."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from reviews import access
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.plans import Draft
from reviews.intake.wire.read_action import believing, check, refused_by_format
from reviews.intake.wire.schemas.plans import PLAN_SHAPES, PlanAlone, PlannedStep
from reviews.intake.wire.validation import validated
from reviews.models import AgentKey
from reviews.provenance import formats
from reviews.provenance.core.context import JsonValue, PlanStep
from reviews.provenance.detectors.intent_guard.plan_gate import MOST_PLAN
from reviews.provenance.judges.questions.intent_guard import plan_text


def draft_of(body: JsonValue, agent_key: AgentKey) -> Draft:
    """The plan a body tells. Raises `InvalidError` pointing at each field that is wrong."""
    with refused_by_format():
        shape = formats.detect_context(body)
        sent = validated(PLAN_SHAPES[shape], body)
        parse = partial(formats.parse_context, body, now=sent.now)
        told = believing(parse, lambda: access.current_profile(agent_key.workspace).trust_annotations)
    check(told.context, told.objects, shape)
    return Draft(replace(told.context, plan=_steps(sent.plan)), sent.trace_id, told.history_given)


def plan_of(body: JsonValue) -> tuple[PlanStep, ...]:
    """The plan of a body that holds nothing else. Raises `InvalidError` pointing at each field that is wrong."""
    return _steps(validated(PlanAlone, body).plan)


def _steps(planned: Iterable[PlannedStep]) -> tuple[PlanStep, ...]:
    plan = tuple(PlanStep(step.message, tuple(step.tool_use)) for step in planned)
    if len(plan_text(plan)) > MOST_PLAN:
        raise InvalidSubmissionError(FieldProblem("/plan", f"At most {MOST_PLAN} characters are accepted in all."))
    return plan
