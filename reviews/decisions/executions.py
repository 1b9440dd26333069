"""The one-time permission to run an approved call, and what came of it."""

from django.db import transaction
from django.utils import timezone

from reviews import audit, models
from reviews.errors import AlreadyExecutedError, NotExecutingError, NotRunnableError
from reviews.models import RUNNABLE, Action, AgentKey, Execution, OutcomeStatus, Status, StepKind, Trace
from reviews.provenance.core.context import Step
from reviews.records import store


@transaction.atomic
def start(*, action: Action, agent_key: AgentKey) -> Execution:
    """Hand out the permission to run exactly the approved call, once.

    Raises `NotRunnableError` and `AlreadyExecutedError`.
    """
    # Locked, so that the decision cannot be replaced between this look at it and the permission.
    locked = Action.objects.select_for_update().get(pk=action.pk)
    decision = locked.decisions.filter(in_force=True).first()
    if locked.status != Status.DECIDED or decision is None or decision.outcome not in RUNNABLE:
        raise NotRunnableError("Nothing has approved this call; it must not run.")
    # Two starts at once: the second finds the first one's row.
    execution, created = Execution.objects.get_or_create(action=locked, defaults={"decision": decision})
    if not created:
        raise AlreadyExecutedError("The one permission to run this call was handed out before.")
    audit.record(
        workspace=agent_key.workspace,
        verb="action.executed",
        subject=str(action.pk),
        by=agent_key,
        details={"digest": decision.digest},
    )
    return execution


@transaction.atomic
def report(*, action: Action, status: OutcomeStatus, outcome: str) -> Execution:
    """Store what came of the call as the next step of the trace's history. The same report again changes nothing.

    Raises `NotExecutingError`.
    """
    # Of itself only: the step is null at first, and PostgreSQL does not lock the nullable side of a join.
    execution = (
        Execution.objects.select_for_update(of=("self",))
        .select_related("decision", "step__text")
        .filter(action=action)
        .first()
    )
    if execution is None:
        raise NotExecutingError("This call was never started, so it can have no outcome.")
    if execution.reported_at is not None:
        reported = execution.step.text.body if execution.step and execution.step.text else ""
        if (execution.outcome_status, reported) != (status, outcome):
            raise NotExecutingError("Another outcome was reported before; it stands.")
        return execution
    execution.step = _append_step(action, execution, outcome)
    execution.outcome_status = status
    execution.reported_at = timezone.now()
    execution.save(update_fields=["step", "outcome_status", "reported_at"])
    return execution


def _append_step(action: Action, execution: Execution, outcome: str) -> models.Step:
    """The step that the trace's history gains: the call as it was decided, with its outcome."""
    # Locked as in `store.store_trace`, so that a submission which appends at once does not take the same position.
    trace = Trace.objects.select_for_update(of=("self",)).select_related("workspace").get(pk=action.trace_id)
    decision = execution.decision
    return models.Step.objects.create(
        trace=trace,
        position=store.next_position(trace),
        kind=StepKind.CALL,
        digest=store.step_digest(Step(decision.tool, decision.arguments, outcome)),
        tool=decision.tool,
        arguments=decision.arguments,
        subtask=action.subtask,
        text=store.store_texts(trace.workspace, [outcome])[outcome],
    )
