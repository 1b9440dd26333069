"""One request proves one call: of two equal ones that nobody tells of each other, the second goes to a person."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from reviews.checks.equal_calls import has_equal_under_way
from reviews.decisions import decide, executions, expiry_and_cancellation
from reviews.models import Action, DecidedBy, Decision, OnUnknown, OutcomeStatus, Review, Status
from reviews.models.reviews import EQUAL_UNDER_WAY
from reviews.profiles import versions
from reviews.provenance.core.context import Context, Message, ProposedAction, Step
from tests.cast import TRANSFER, Cast, propose
from tests.jobs import run_checks

CONTEXT = Context("Send $30 to daniel.kim@example.org", (replace(TRANSFER, description="Sends money to a person."),))
RIGHT = ProposedAction("money_transfer", {"to": "daniel.kim@example.org", "amount": 30})
ANOTHER = replace(RIGHT, arguments={"to": "daniel.kim@example.org"})


@pytest.fixture(autouse=True)
def _unproven_is_reviewed(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, on_unknown=OnUnknown.REVIEW)


def proposed(cast: Cast, call: ProposedAction = RIGHT, context: Context = CONTEXT, **choices: Any) -> Action:
    return propose(cast, call, context, trace_id="conversation", **choices)


def checked(action: Action) -> Action:
    run_checks(action.pk)
    action.refresh_from_db()
    return action


def run_once(cast: Cast, action: Action) -> None:
    executions.start_execution(action=action, agent_key=cast.agent)
    executions.report_outcome(action=action, status=OutcomeStatus.SUCCEEDED, outcome="Sent.")


def passed(action: Action) -> bool:
    """Whether the guard let it pass; else a person is asked whether it is meant once more."""
    if checked(action).status == Status.DECIDED:
        return Decision.objects.get(action=action).decided_by == DecidedBy.GUARD
    assert Review.objects.get(action=action).reason == EQUAL_UNDER_WAY
    return False


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("history_given", [True, False])
def test_an_equal_call_beside_one_that_may_run_goes_to_a_person(
    cast: Cast, *, begun: bool, history_given: bool
) -> None:
    first = proposed(cast)
    assert passed(first)
    if begun:
        executions.start_execution(action=first, agent_key=cast.agent)
    assert not passed(proposed(cast, history_given=history_given))


def test_a_run_that_was_reported_behind_the_past_of_an_equal_call_counts(cast: Cast) -> None:
    first, second = checked(proposed(cast)), proposed(cast)
    executions.start_execution(action=first, agent_key=cast.agent)
    executions.report_outcome(action=first, status=OutcomeStatus.SUCCEEDED, outcome="Sent.")
    assert not passed(second)


def told(*history: Step | Message) -> Context:
    return replace(CONTEXT, history=history)


SURE, OK = Message("assistant", "Sure."), Message("assistant", "Ok.")


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("shorter", [told(OK), told(SURE, SURE)], ids=["left out", "in other words"])
def test_another_past_of_the_same_request_that_does_not_tell_of_it_is_no_new_one(
    cast: Cast, shorter: Context, *, begun: bool
) -> None:
    first = proposed(cast, context=told(SURE, OK))
    assert passed(first)
    if begun:
        run_once(cast, first)
    again = proposed(cast, context=shorter)
    assert again.trace_id != first.trace_id
    assert not passed(again)


@pytest.mark.parametrize("others", [0, 2])
def test_another_past_that_tells_of_the_run_is_held_against_it_alone(cast: Cast, others: int) -> None:
    others_ran = [Step(RIGHT.tool, ANOTHER.arguments, "Sent.")] * others
    proposed(cast, context=told(SURE, *others_ran))
    ran = Step(RIGHT.tool, RIGHT.arguments, "Sent, number 7.")
    assert has_equal_under_way(proposed(cast, context=told(OK)))
    assert not has_equal_under_way(proposed(cast, context=told(OK, ran)))


@pytest.mark.parametrize("first_checked", [0, 1])
def test_of_two_that_are_open_at_once_the_earlier_passes(cast: Cast, first_checked: int) -> None:
    both = proposed(cast), proposed(cast)
    checked(both[first_checked])
    assert [passed(action) for action in both] == [True, False]


def test_a_call_that_another_has_passed_before_it_was_stored_goes_to_a_person(cast: Cast) -> None:
    assert passed(proposed(cast))
    late = proposed(cast)
    # Keys are drawn before the conversation is locked: whoever waits for it may have the earlier one.
    late.pk = UUID(int=1)
    assert has_equal_under_way(late)


def test_another_call_passes_beside_it(cast: Cast) -> None:
    assert passed(proposed(cast))
    another = CONTEXT.tools[0]
    optional = replace(another, parameters={**another.parameters, "required": ["to"]})
    action = checked(proposed(cast, ANOTHER, replace(CONTEXT, tools=(optional,))))
    assert not Review.objects.filter(action=action, reason=EQUAL_UNDER_WAY).exists()


@pytest.mark.parametrize("end", ["rejected", "cancelled"])
def test_what_never_ran_and_will_not_is_no_reason_to_ask(cast: Cast, end: str) -> None:
    first, second = proposed(cast), proposed(cast)
    if end == "cancelled":
        expiry_and_cancellation.cancel_action(action=first, agent_key=cast.agent)
    else:
        assert not passed(second)
        decide.decide_action(action=second, choice=decide.Reject("Once."), membership=cast.reviewer)
    assert passed(first if end == "rejected" else second)


def test_what_a_retry_has_replaced_is_no_reason_to_ask(cast: Cast) -> None:
    first = checked(proposed(cast))
    assert passed(proposed(cast, retry_of=first.pk))


def test_the_users_next_message_asks_anew(cast: Cast) -> None:
    assert passed(proposed(cast))
    again = replace(CONTEXT, history=(Message("user", "Send $30 to daniel.kim@example.org once more."),))
    action = checked(proposed(cast, context=again))
    assert not Review.objects.filter(action=action, reason=EQUAL_UNDER_WAY).exists()


def test_another_conversation_has_nothing_to_do_with_it(cast: Cast) -> None:
    assert passed(proposed(cast))
    assert passed(propose(cast, RIGHT, CONTEXT, trace_id="another"))
