"""The one-time permission to run an approved call, and what came of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from reviews import audit, models
from reviews.decisions import locking
from reviews.decisions.tries import lock_tries
from reviews.errors import AlreadyExecutedError, NotExecutingError, NotRunnableError, PermissionExpiredError
from reviews.models import RUNNABLE, Action, AgentKey, Decision, Execution, OutcomeStatus, Status, StepKind, Text
from reviews.provenance.core.canonical import call_digest
from reviews.provenance.core.context import JsonValue, Step
from reviews.records import store
from reviews.records.transactions import retry_on_conflict


def executable_until(action: Action, decision: Decision) -> datetime | None:
    """When the permission to run the call ends; None for a decision that permits nothing."""
    if decision.outcome not in RUNNABLE:
        return None
    return min(decision.created_at + timedelta(seconds=action.profile.execute_within), action.expires_at)


@dataclass(frozen=True)
class StartedExecution:
    """The permission to run, and whether this request took it; False: it was handed out again to who took it."""

    execution: Execution
    created: bool


@retry_on_conflict
@transaction.atomic
def start_execution(*, action: Action, agent_key: AgentKey, idempotency_key: str = "") -> StartedExecution:
    """Hand out the permission to run exactly the approved call, once.

    Until an outcome is reported the same permission is given again to whoever repeats the request with its idempotency
    key, because the first answer may have been lost on its way.
    Raises `NotRunnableError`, `PermissionExpiredError` and `AlreadyExecutedError`.
    """
    tries = lock_tries(action)
    # Locked, so that the decision cannot be replaced between this look at it and the permission.
    locked = locking.lock_action(action.pk)
    decision = locked.decisions.filter(in_force=True).first() if locked else None
    if locked is None or locked.status != Status.DECIDED or decision is None or decision.outcome not in RUNNABLE:
        raise NotRunnableError("Nothing has approved this call; it must not run.")
    # For a repeated request too: nothing starts late because its first answer was lost.
    until = executable_until(locked, decision)
    if until is None or until <= timezone.now():
        raise PermissionExpiredError("The permission to run this call has expired; propose it again.")
    started = Execution.objects.select_related("decision").filter(action=locked).first()
    if started is not None:
        if not idempotency_key or started.idempotency_key != idempotency_key or started.reported_at is not None:
            raise AlreadyExecutedError("The one permission to run this call was handed out before.")
        return StartedExecution(started, created=False)
    # Whichever try it says that it replaces, the latest was held against a past in which this call has not run.
    if tries[-1] != action.pk:
        raise NotRunnableError("Another try has taken the place of this call; it must not run.")
    execution = Execution.objects.create(action=locked, decision=decision, idempotency_key=idempotency_key)
    audit.record(
        workspace=agent_key.workspace,
        verb="action.executed",
        subject=str(action.pk),
        by=agent_key,
        details={"digest": decision.digest},
    )
    return StartedExecution(execution, created=True)


@dataclass(frozen=True)
class ExecutedCall:
    """The call that ran, by the agent's word."""

    tool: str
    arguments: dict[str, JsonValue]

    @property
    def digest(self) -> str:
        """As a decision has it. Raises `NotCanonicalError` for what no call can hold."""
        return call_digest(self.tool, self.arguments)


@retry_on_conflict
@transaction.atomic
def report_outcome(
    *,
    action: Action,
    status: OutcomeStatus,
    outcome: str,
    replaced: int = 0,
    executed: ExecutedCall | None = None,
    by: AgentKey | None = None,
) -> Execution:
    """Store what came of the call as the next step of the trace's history. The same report again changes nothing.

    `replaced` characters of the outcome stand for ones that cannot be stored. `executed` is held against the approved
    call: where they differ, the history holds what ran, the execution is marked, and the difference is audited.
    Raises `NotExecutingError`.
    """
    # Before the trace is locked: a submission may hold this text and want the trace (the order of `locking`).
    text = store.store_texts(action.workspace, [outcome])[outcome]
    # Locked as in `store.store_trace`, so that a submission which appends at once does not take the same position; and
    # before the execution, as an erasure takes them.
    trace = locking.lock_trace(action.trace_id)
    execution = _lock_execution(action)
    if trace is None or execution is None:
        raise NotExecutingError("This call was never started, so it can have no outcome.")
    decision = execution.decision
    ran = executed or ExecutedCall(decision.tool, decision.arguments)
    if execution.reported_at is not None:
        reported = (execution.outcome_status, _reported_outcome(execution), _digest_reported(execution))
        # By its digest: to Python 1 and true are equal, to a tool they are not.
        if reported != (status, outcome, ran.digest):
            raise NotExecutingError("Another outcome was reported before; it stands.")
        return execution
    execution.deviates = ran.digest != decision.digest
    execution.step = _append_step(trace, action, ran, text)
    execution.outcome_status = status
    execution.replaced_characters = replaced
    execution.reported_at = timezone.now()
    execution.save()
    if execution.deviates:
        audit.record(
            workspace=action.workspace,
            verb="action.deviated",
            subject=str(action.pk),
            by=by,
            details={"approved": decision.digest, "executed": ran.digest},
        )
    return execution


def _lock_execution(action: Action) -> Execution | None:
    """The action's execution with its decision, held until the transaction ends; None before it was started."""
    executions = Execution.objects.select_for_update(of=("self",)).select_related("decision")
    return executions.filter(action=action).first()


def _reported_outcome(execution: Execution) -> str:
    """The outcome that stands, by a statement of its own behind the lock.

    Joined to the one that waited for the lock, the step would be read as it was before the wait: not there yet.
    """
    # Behind a lock without the step, so that the relation is read now.
    step = execution.step
    return step.text.body if step and step.text else ""


def _digest_reported(execution: Execution) -> str:
    """The digest of the call that ran by the report that stands."""
    step = execution.step
    return ExecutedCall(step.tool, step.arguments).digest if step else ""


def _append_step(trace: models.Trace, action: Action, ran: ExecutedCall, outcome: Text) -> models.Step:
    """The step that the locked trace's history gains: the call as it ran, with its outcome."""
    return models.Step.objects.create(
        trace=trace,
        position=store.next_position(trace),
        kind=StepKind.CALL,
        digest=store.step_digest(Step(ran.tool, ran.arguments, outcome.body)),
        tool=ran.tool,
        arguments=ran.arguments,
        subtask=action.subtask,
        text=outcome,
    )
