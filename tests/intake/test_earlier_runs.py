"""A call that is made once more is held against its first run, also where its agent tells the past as before."""

from typing import Any

import pytest

from reviews.decisions import executions
from reviews.intake.earlier_runs import with_earlier_runs
from reviews.models import Action, Check, Execution, OutcomeStatus
from reviews.provenance.core.context import Context, Message, ProposedAction, Step, ToolDoc
from reviews.records import load
from tests.cast import Cast, cast
from tests.cast import propose as propose_in
from tests.jobs import run_checks

__all__ = ["cast"]

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}}
TOOL = ToolDoc("money_transfer", "Sends money to a person.", SCHEMA)
CONTEXT = Context("Send $30 to daniel.kim@example.org", (TOOL,))
RIGHT = ProposedAction("money_transfer", {"to": "daniel.kim@example.org", "amount": 30})


def propose(cast: Cast, context: Context = CONTEXT, **choices: Any) -> Action:
    """A call that is proven by the request, which asks for it once."""
    return propose_in(cast, RIGHT, context, **choices)


def ran(cast: Cast, status: OutcomeStatus | None, outcome: str = "Sent.", **choices: Any) -> Action:
    """A call that the guard let pass, and that its agent has begun; without a status nobody knows what came of it."""
    action = propose(cast, **choices)
    run_checks(action.pk)
    action.refresh_from_db()
    executions.start_execution(action=action, agent_key=cast.agent)
    if status is not None:
        executions.report_outcome(action=action, status=status, outcome=outcome)
    return action


def is_established(action: Action) -> bool:
    run_checks(action.pk)
    return bool(Check.objects.get(action=action).established)


TOLD = {OutcomeStatus.SUCCEEDED: "Sent.", OutcomeStatus.FAILED: "Error: Sent.", None: None}


@pytest.mark.parametrize("status", TOLD, ids=["succeeded", "failed", "unknown"])
@pytest.mark.parametrize("history_given", [True, False])
def test_what_a_framework_runs_again_is_not_established_as_if_it_had_not_run(
    cast: Cast, status: OutcomeStatus | None, history_given: bool
) -> None:
    first = ran(cast, status, trace_id="conversation")
    assert is_established(first)
    # As a client tells it: another conversation with the same past.
    again = propose(cast, trace_id="again", retry_of=first.pk, history_given=history_given)
    assert load.load_context(again).history[-1] == Step(RIGHT.tool, RIGHT.arguments, TOLD[status])
    assert not is_established(again)


def test_a_run_is_told_to_a_retry_that_names_another_try(cast: Cast) -> None:
    first = ran(cast, OutcomeStatus.SUCCEEDED, trace_id="conversation")
    second = propose(cast, trace_id="again", retry_of=first.pk)
    third = propose(cast, trace_id="once more", retry_of=second.pk)
    assert load.load_context(third).history[-1] == Step(RIGHT.tool, RIGHT.arguments, "Sent.")
    assert not is_established(third)


def test_a_run_for_an_earlier_request_that_came_to_the_same_is_another_one(cast: Cast) -> None:
    earlier = Step(RIGHT.tool, RIGHT.arguments, "Sent.")
    asked_again = Context(CONTEXT.query, CONTEXT.tools, (earlier, Message("user", CONTEXT.query)))
    first = ran(cast, OutcomeStatus.SUCCEEDED, context=asked_again, trace_id="conversation")
    assert is_established(first)
    again = propose(cast, asked_again, trace_id="again", retry_of=first.pk)
    assert load.load_context(again).history == (*asked_again.history, earlier)
    assert not is_established(again)


def test_what_never_ran_may_be_done_now(cast: Cast) -> None:
    passed = propose(cast, trace_id="passed")
    run_checks(passed.pk)
    assert is_established(propose(cast, trace_id="once more", retry_of=passed.pk))


def test_what_the_agent_tells_itself_is_not_told_twice(cast: Cast) -> None:
    first = ran(cast, OutcomeStatus.SUCCEEDED, trace_id="conversation")
    told = with_earlier_runs(CONTEXT, [first.pk])
    again = propose(cast, told, trace_id="again", retry_of=first.pk)
    assert load.load_context(again).history == told.history
    assert len(told.history) == len(CONTEXT.history) + 1


def test_what_ran_otherwise_than_approved_is_told_as_it_ran(cast: Cast) -> None:
    first = ran(cast, None, trace_id="conversation")
    executed = executions.ExecutedCall(RIGHT.tool, {**RIGHT.arguments, "amount": 999})
    executions.report_outcome(action=first, status=OutcomeStatus.SUCCEEDED, outcome="Sent.", executed=executed)
    assert Execution.objects.get(action=first).deviates
    run = load.load_context(propose(cast, trace_id="again", retry_of=first.pk)).history[-1]
    assert isinstance(run, Step)
    assert run.arguments["amount"] == 999
