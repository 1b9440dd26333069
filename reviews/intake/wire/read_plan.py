"""A decoded body as a plan. `reviews.intake.wire.submission` says what is checked where."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.intake.continuation import NOTHING, SentBefore
from reviews.intake.plans import Draft
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.intake.wire.schemas.plans import PLAN_SHAPES, PlanAlone, Planned, PlannedStep
from reviews.intake.wire.submission import read_submission
from reviews.provenance import formats
from reviews.provenance.core.context import JsonValue, PlanStep
from reviews.provenance.detectors.intent_guard.gates import MAX_PLAN
from reviews.provenance.judges.questions.intent_guard import format_plan


def read_draft(body: JsonValue, *, trusted: Callable[[], bool], sent_before: SentBefore = NOTHING) -> Draft:
    """The plan a body submits, after its past; `trusted` tells whether servers' words about their tools are believed.

    Raises `InvalidSubmissionError` pointing at each field that is wrong.
    """
    read = read_submission(
        body,
        envelope=Planned,
        shapes=PLAN_SHAPES,
        detect=formats.detect_context,
        parse=formats.parse_context,
        trusted=trusted,
        sent_before=sent_before,
    )
    sent, past = read.envelope, read.parsed
    context = replace(past.context, now=sent.now, plan=_read_steps(sent.plan))
    return Draft(context, sent.trace_id, past.history_given)


def read_steps(body: JsonValue) -> tuple[PlanStep, ...]:
    """The plan of a body that holds nothing else. Raises `InvalidError` pointing at each field that is wrong."""
    return _read_steps(validate_model(PlanAlone, body).plan)


def _read_steps(planned: Iterable[PlannedStep]) -> tuple[PlanStep, ...]:
    plan = tuple(PlanStep(step.message, tuple(step.tool_use)) for step in planned)
    # The gate's judge reads the whole plan as one text, and what it could not read it could not object to.
    if len(format_plan(plan)) > MAX_PLAN:
        raise InvalidSubmissionError(FieldProblem("/plan", f"At most {MAX_PLAN} characters are accepted in all."))
    return plan
