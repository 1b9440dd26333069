from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction

from reviews.decisions import decide, executions
from reviews.decisions.executions import ExecutedCall
from reviews.errors import AlreadyExecutedError, NotExecutingError, NotRunnableError, PermissionExpiredError
from reviews.models import Action, AuditEvent, OutcomeStatus, Step
from reviews.profiles import versions
from tests import stack
from tests.cast import Cast, approved, flagged, make_cast, propose


def report(action: Action, outcome: str = "sent") -> None:
    executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome=outcome)


def test_an_approved_call_may_run_once(cast: Cast) -> None:
    action = approved(cast)
    assert executions.start_execution(action=action, agent_key=cast.agent).execution.decision.digest == action.digest
    with pytest.raises(AlreadyExecutedError):
        executions.start_execution(action=action, agent_key=cast.agent)


def test_a_lost_permission_is_given_again_for_its_key(cast: Cast) -> None:
    action = approved(cast)
    first, again = [
        executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="k") for _ in range(2)
    ]
    assert (first.execution, first.created, again.created) == (again.execution, True, False)
    assert AuditEvent.objects.filter(verb="action.executed").count() == 1


@pytest.mark.parametrize(("first", "second"), [("k", "other"), ("k", ""), ("", "k"), ("", "")])
def test_a_started_call_is_refused_to_any_other_request(cast: Cast, first: str, second: str) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent, idempotency_key=first)
    with pytest.raises(AlreadyExecutedError):
        executions.start_execution(action=action, agent_key=cast.agent, idempotency_key=second)


def test_a_reported_call_is_not_given_again(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="k")
    report(action)
    with pytest.raises(AlreadyExecutedError):
        executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="k")


def test_a_permission_lasts_as_long_as_the_profile_says(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, execute_within=60)
    action = approved(cast)
    decision = action.decisions.get()
    assert executions.executable_until(action, decision) == decision.created_at + timedelta(seconds=60)
    with time_machine.travel(decision.created_at + timedelta(seconds=61)), pytest.raises(PermissionExpiredError):
        executions.start_execution(action=action, agent_key=cast.agent)


def test_nothing_is_executable_after_its_action_has_expired(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, expires_in=60)
    action = approved(cast)
    assert executions.executable_until(action, action.decisions.get()) == action.expires_at
    with time_machine.travel(action.expires_at), pytest.raises(PermissionExpiredError):
        executions.start_execution(action=action, agent_key=cast.agent)


def test_a_lost_permission_is_not_given_again_after_its_time(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="k")
    with time_machine.travel(action.expires_at), pytest.raises(PermissionExpiredError):
        executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="k")


def test_a_call_whose_place_another_try_has_taken_must_not_run(cast: Cast) -> None:
    action = approved(cast)
    propose(cast, retry_of=action.pk)
    with pytest.raises(NotRunnableError, match="Another try"):
        executions.start_execution(action=action, agent_key=cast.agent)


@pytest.mark.parametrize("names_latest", [True, False])
def test_of_several_tries_of_one_call_only_the_latest_begins(cast: Cast, *, names_latest: bool) -> None:
    first = propose(cast)
    earlier = approved(cast, retry_of=first.pk)
    later = approved(cast, retry_of=earlier.pk if names_latest else first.pk)
    with pytest.raises(NotRunnableError, match="Another try"):
        executions.start_execution(action=earlier, agent_key=cast.agent)
    assert executions.start_execution(action=later, agent_key=cast.agent).created


@pytest.mark.django_db(transaction=True)
def test_no_call_begins_while_another_try_of_it_is_stored() -> None:
    cast = make_cast()
    action = approved(cast)

    def start() -> None:
        try:
            executions.start_execution(action=action, agent_key=cast.agent)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            propose(cast, retry_of=action.pk)
            starting = pool.submit(start)
            stack.until(is_waited_for, what="the start, behind the other try")
        with pytest.raises(NotRunnableError, match="Another try"):
            starting.result()


def is_waited_for() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'")
        return cursor.fetchone() is not None


def test_a_permission_that_was_taken_before_another_try_is_given_again_for_its_key(cast: Cast) -> None:
    action = approved(cast)
    for _ in range(2):
        executions.start_execution(action=action, agent_key=cast.agent, idempotency_key="mine")
        propose(cast, retry_of=action.pk)


def test_an_undecided_call_must_not_run(cast: Cast) -> None:
    with pytest.raises(NotRunnableError):
        executions.start_execution(action=propose(cast), agent_key=cast.agent)


def test_a_rejected_call_must_not_run(cast: Cast) -> None:
    action = flagged(cast).action
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.reviewer)
    with pytest.raises(NotRunnableError):
        executions.start_execution(action=action, agent_key=cast.agent)


def test_an_outcome_becomes_history(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    report(action)
    last = action.trace.steps.latest("position")
    assert (last.position, last.tool, last.text and last.text.body) == (2, "money_transfer", "sent")


def test_the_same_outcome_again_changes_nothing(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    report(action)
    report(action)
    assert action.trace.steps.count() == 2


def test_another_outcome_is_refused(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    report(action)
    with pytest.raises(NotExecutingError):
        report(action, "lost")


def test_a_call_that_was_never_started_has_no_outcome(cast: Cast) -> None:
    with pytest.raises(NotExecutingError):
        report(approved(cast))


def test_what_ran_is_held_against_what_was_approved(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    ran = ExecutedCall(action.tool, {**action.arguments, "amount": 3000})
    said: dict[str, Any] = {"status": OutcomeStatus.SUCCEEDED, "outcome": "sent", "executed": ran}
    first, again = [executions.report_outcome(action=action, by=cast.agent, **said) for _ in range(2)]
    assert (first.deviates, again.deviates) == (True, True)
    assert Step.objects.latest("position").arguments == ran.arguments
    event = AuditEvent.objects.get(verb="action.deviated")
    assert event.details == {"approved": action.digest, "executed": ran.digest}
    with pytest.raises(NotExecutingError):
        report(action)


def test_a_report_that_python_alone_takes_for_the_same_is_another_one(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    said: dict[str, Any] = {"status": OutcomeStatus.SUCCEEDED, "outcome": "sent"}
    once, yes = (ExecutedCall(action.tool, {**action.arguments, "amount": value}) for value in (1, True))
    executions.report_outcome(action=action, executed=once, **said)
    with pytest.raises(NotExecutingError):
        executions.report_outcome(action=action, executed=yes, **said)


def test_what_ran_as_approved_is_no_deviation(cast: Cast) -> None:
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    # The order of the arguments says nothing.
    same = ExecutedCall(action.tool, dict(reversed(action.arguments.items())))
    kept = executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome="sent", executed=same)
    assert not kept.deviates
    assert not AuditEvent.objects.filter(verb="action.deviated").exists()
