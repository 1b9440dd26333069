"""What a test key's submission says about its own decision: `"metadata": {"test_decision": {"outcome": "reject"}}`.

Only actions that are marked as tests get here, and those live in a sandbox: no call of a real agent is ever decided by
what its submission says.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Annotated, Final, Literal

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from reviews.decisions import expiry_and_cancellation, outcomes
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.messaging import events
from reviews.models import Action, DecidedBy, Outcome, Status
from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.provenance.core.context import Case
from reviews.provenance.core.pointers import pointer_to
from reviews.scheduling import killable_checks
from reviews.scheduling.killable_pool import StoppedError, shared_pool

FIELD: Final = "test_decision"
"""Where in the metadata it stands."""
# Longer than any wait that an agent's test would sit through.
MAX_DELAY_SECONDS: Final = 60.0
# As much as fits into what a model is told of a decision.
MAX_MESSAGE_LENGTH: Final = 2000
MESSAGE: Final = "Decided by a test."
MAX_PROBLEMS: Final = 20
"""Numbers of an edit that are named as too large."""


class ForcedDecision(BaseModel):
    """How a test action ends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    outcome: Literal["approve", "edit", "reject", "respond", "expire"]
    arguments: dict[str, JsonValue] | None = None
    """Of an edit: what is to run instead."""
    message: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE_LENGTH)] = MESSAGE
    after: Annotated[float, Field(ge=0, le=MAX_DELAY_SECONDS)] = 0
    """Seconds until then."""

    @model_validator(mode="after")
    def _arguments_belong_to_edits(self) -> "ForcedDecision":
        if (self.arguments is not None) != (self.outcome == "edit"):
            raise ValueError("An edit, and nothing else, takes the arguments to run instead.")
        return self


def read_forced(metadata: Mapping[str, JsonValue]) -> ForcedDecision | None:
    """How a test action ends; None where its submission leaves it open. Raises `InvalidSubmissionError`."""
    value = metadata.get(FIELD)
    if value is None:
        return None
    try:
        forced = ForcedDecision.model_validate({"outcome": value} if isinstance(value, str) else value)
    except ValidationError as error:
        problems = [FieldProblem(pointer_to("metadata", FIELD, *p["loc"]), p["msg"]) for p in error.errors()]
        raise InvalidSubmissionError(*problems) from None
    # What stands in the metadata may hold any number; what is to run is hashed, like every other call.
    at, nesting = pointer_to("metadata", FIELD, "arguments"), settings.GUARD.max_nesting
    unacceptable = find_unacceptable_parts(dict(forced.arguments or {}), max_nesting=nesting, at=at, exact=True)
    if problems := [FieldProblem(pointer, message) for pointer, message in islice(unacceptable, MAX_PROBLEMS)]:
        raise InvalidSubmissionError(*problems)
    return forced


def require_fitting_edit(case: Case, metadata: Mapping[str, JsonValue]) -> None:
    """Hold the arguments of an edit against the tool's schema, as a reviewer's are. Raises `InvalidSubmissionError`.

    In a process that can be killed, and outside any transaction: the schema was written by others.
    """
    forced, name = read_forced(metadata), case.action.tool
    if forced is None or forced.arguments is None or all(tool.name != name for tool in case.context.tools):
        return
    at = pointer_to("metadata", FIELD, "arguments")
    edited = replace(case, action=replace(case.action, arguments=forced.arguments, claims=()))
    try:
        pool = shared_pool(settings.GUARD.check_megabytes)
        checked = pool.run_within(settings.GUARD.edit_seconds, killable_checks.checked_call, edited)
    except StoppedError as error:
        raise InvalidSubmissionError(FieldProblem(at, f"The edit {error}.")) from None
    if problems := [FieldProblem(f"{at}{place}", message) for place, message in checked.violations]:
        raise InvalidSubmissionError(*problems)


def delay_of(action: Action) -> float:
    """Seconds until an action is due to be settled; 0 for every real one. Raises `InvalidSubmissionError`."""
    forced = read_forced(action.metadata) if action.is_test else None
    return forced.after if forced else 0


def settle_as_forced(action: Action) -> None:
    """End a test action, still being checked, as its submission says; without a word of it, nobody ever decides."""
    forced = read_forced(action.metadata)
    if forced is None:
        Action.objects.filter(pk=action.pk, status=Status.CHECKING).update(status=Status.PENDING)
        events.begin_insert(action, Status.PENDING)
    elif timezone.now() < action.created_at + timedelta(seconds=forced.after):
        # Found early by a sweep; the message that was sent for its time is on its way, or the next sweep is.
        return
    elif forced.outcome == "expire":
        expiry_and_cancellation.expire_action(action)
    else:
        outcome, arguments = Outcome(forced.outcome), forced.arguments
        outcomes.decide_without_a_person(action, outcome, DecidedBy.POLICY, forced.message, arguments=arguments)
