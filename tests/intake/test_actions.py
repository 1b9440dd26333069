import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from reviews.decisions import decide
from reviews.decisions.user_confirmation import reason_not_to_ask
from reviews.errors import (
    ConflictError,
    DuplicateCallError,
    IdempotencyMismatchError,
    InvalidSubmissionError,
    RetryRoundsUsedUpError,
)
from reviews.intake import actions
from reviews.models import OPEN, Action, Check, Outcome, Review, Status, Text, ToolSet
from reviews.profiles import versions
from reviews.provenance.core.canonical import call_digest
from reviews.provenance.core.context import Message, NamedText, Step
from reviews.provenance.core.trust import SourceKind
from reviews.records import load
from tests.cast import CONTEXT, RIGHT, WRONG, Cast, approved, flagged, make_cast, proposal, propose
from tests.jobs import run_checks


def test_a_new_action_is_being_checked(cast: Cast) -> None:
    assert propose(cast).status == Status.CHECKING


def test_an_action_carries_the_digest_of_its_call(cast: Cast) -> None:
    assert propose(cast).digest == call_digest(RIGHT.tool, RIGHT.arguments)


def test_each_detector_of_the_profile_gets_a_check(cast: Cast) -> None:
    action = propose(cast)
    assert [check.detector for check in action.checks.all()] == ["provenance-guard"]


def test_the_stored_case_is_the_submitted_one(cast: Cast) -> None:
    extra = (NamedText(SourceKind.SYSTEM_PROMPT, "policy", "Never pay twice."),)
    history = (*CONTEXT.history, Message("assistant", "Found him."), Message("user", "Good."))
    context = replace(CONTEXT, extra=extra, history=history)
    stored = load.load_case(Action.objects.get(pk=propose(cast, context=context).pk))
    assert (stored.context.sources, stored.action) == (context.sources, RIGHT)


def test_the_agents_order_of_arguments_is_kept(cast: Cast) -> None:
    sent = {"to": "x", "amount": 30, "id": [{"second": 1, "a": {"zz": 1, "b": 2}}]}
    stored = Action.objects.get(pk=propose(cast, replace(RIGHT, arguments=sent)).pk)
    assert json.dumps(stored.arguments) == json.dumps(sent)


def test_texts_and_tools_are_stored_once(cast: Cast) -> None:
    propose(cast)
    before = (Text.objects.count(), ToolSet.objects.count())
    propose(cast, trace_id="another")
    assert (Text.objects.count(), ToolSet.objects.count()) == before


def test_history_that_continues_stays_in_the_same_trace(cast: Cast) -> None:
    first = propose(cast)
    longer = replace(CONTEXT, history=(*CONTEXT.history, Step("search_contacts", {"name": "Ana"}, "[]")))
    second = propose(cast, context=longer)
    assert (second.trace_id, first.position, second.position) == (first.trace_id, 1, 2)


def test_another_past_opens_a_new_revision(cast: Cast) -> None:
    propose(cast)
    changed = replace(CONTEXT, history=(Step("search_contacts", {"name": "Daniel"}, "[]"),))
    assert propose(cast, context=changed).trace.revision == 2


def test_another_request_opens_a_new_revision(cast: Cast) -> None:
    propose(cast)
    assert propose(cast, context=replace(CONTEXT, query="Pay Ana")).trace.revision == 2


def test_a_history_left_out_is_the_stored_one(cast: Cast) -> None:
    propose(cast)
    again = propose(cast, context=replace(CONTEXT, history=()), history_given=False)
    assert len(load.load_context(again).history) == 1


def test_an_earlier_position_sees_no_later_step(cast: Cast) -> None:
    first = propose(cast, context=replace(CONTEXT, history=()))
    propose(cast)
    assert load.load_context(Action.objects.get(pk=first.pk)).history == ()


def test_a_retry_counts_attempts(cast: Cast) -> None:
    assert propose(cast, retry_of=propose(cast).pk).attempt == 2


def test_a_retry_of_a_foreign_action_is_invalid(cast: Cast) -> None:
    with pytest.raises(InvalidSubmissionError, match="/retry_of"):
        propose(cast, retry_of=uuid4())


def submit_with_key(cast: Cast, digest: str = "d" * 64) -> actions.Submitted:
    return actions.submit_action(
        agent_key=cast.agent, proposal=proposal(), idempotency_key="once", request_digest=digest
    )


def test_a_key_that_came_with_a_call_already_known_stands_for_that_request(cast: Cast) -> None:
    known = replace(proposal(), trace_id="conversation", tool_call_id="call_1")
    first = actions.submit_action(agent_key=cast.agent, proposal=known)
    repeated = actions.submit_action(agent_key=cast.agent, proposal=known, idempotency_key="once", request_digest="one")
    assert (repeated.action.pk, repeated.created) == (first.action.pk, False)
    with pytest.raises(IdempotencyMismatchError):
        submit_with_key(cast, "another")


def test_the_same_key_and_request_give_the_same_action(cast: Cast) -> None:
    first, second = submit_with_key(cast), submit_with_key(cast)
    assert (first.action.pk, first.created, second.created) == (second.action.pk, True, False)


def test_the_same_key_with_another_request_is_refused(cast: Cast) -> None:
    submit_with_key(cast)
    with pytest.raises(IdempotencyMismatchError):
        submit_with_key(cast, digest="e" * 64)


@pytest.mark.django_db(transaction=True)
def test_ten_parallel_retries_make_one_action() -> None:
    cast = make_cast()

    def attempt(_: int) -> str:
        try:
            return str(submit_with_key(cast).action.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = set(pool.map(attempt, range(10)))
    assert (len(answers), Action.objects.count(), Check.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_parallel_submissions_of_one_conversation_share_its_history() -> None:
    cast = make_cast()

    def attempt(_: int) -> int:
        try:
            return propose(cast).position
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        positions = set(pool.map(attempt, range(6)))
    assert positions == {1}


@pytest.mark.django_db(transaction=True)
def test_pasts_that_are_told_differently_at_once_are_not_mixed_up() -> None:
    cast = make_cast()

    def attempt(number: int) -> bool:
        step = Step("search_contacts", {"name": str(number)}, f"{number} found")
        try:
            return load.load_context(propose(cast, context=replace(CONTEXT, history=(step,)))).history == (step,)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(attempt, range(12))) == {True}


def test_the_same_call_by_the_same_name_is_one_action(cast: Cast) -> None:
    first, second = (propose(cast, tool_call_id="call_1") for _ in range(2))
    assert (first.pk, Action.objects.count(), Check.objects.count()) == (second.pk, 1, 1)


def test_another_call_by_the_same_name_is_refused_with_the_earlier_action(cast: Cast) -> None:
    first = propose(cast, tool_call_id="call_1")
    with pytest.raises(DuplicateCallError, match=str(first.pk)):
        propose(cast, WRONG, tool_call_id="call_1")


@pytest.mark.parametrize("choices", [{"tool_call_id": "call_2"}, {"tool_call_id": ""}, {"trace_id": "conv-43"}])
def test_a_call_by_another_name_is_another_action(cast: Cast, choices: dict[str, Any]) -> None:
    assert propose(cast, tool_call_id="call_1").pk != propose(cast, **({"tool_call_id": "call_1"} | choices)).pk


def test_a_retry_may_keep_the_name_of_what_it_replaces(cast: Cast) -> None:
    first = propose(cast, WRONG, tool_call_id="call_1")
    retries = [propose(cast, tool_call_id="call_1", retry_of=first.pk) for _ in range(2)]
    assert (retries[0].pk, retries[0].attempt) == (retries[1].pk, 2)


@pytest.mark.django_db(transaction=True)
def test_ten_parallel_submissions_of_one_call_make_one_action() -> None:
    cast = make_cast()

    def attempt(number: int) -> str:
        try:
            return str(propose(cast, RIGHT if number % 2 else WRONG, tool_call_id="call_1").pk)
        except DuplicateCallError as error:
            return str(error.action.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = set(pool.map(attempt, range(10)))
    assert (len(answers), Action.objects.count(), Check.objects.count()) == (1, 1, 1)


def test_a_retry_of_an_open_action_takes_its_place(cast: Cast) -> None:
    review = flagged(cast)
    retry = propose(cast, retry_of=review.action.pk)
    review.action.refresh_from_db()
    assert (review.action.status, retry.status) == (Status.SUPERSEDED, Status.CHECKING)
    assert not Review.objects.filter(pk=review.pk, closed_at=None).exists()


def test_a_retry_takes_the_place_of_every_open_try_whichever_it_names(cast: Cast) -> None:
    first = propose(cast)
    other = flagged(cast, retry_of=first.pk).action
    retry = propose(cast, retry_of=first.pk)
    other.refresh_from_db()
    assert (other.status, retry.status) == (Status.SUPERSEDED, Status.CHECKING)


def test_a_retry_of_a_decided_action_leaves_the_decision(cast: Cast) -> None:
    action = approved(cast)
    propose(cast, retry_of=action.pk)
    action.refresh_from_db()
    assert action.status == Status.DECIDED
    assert action.decisions.get().outcome == Outcome.APPROVE


def test_whoever_waits_for_a_superseded_action_is_woken(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    settled: list[UUID] = []
    monkeypatch.setattr("reviews.messaging.signals.settled_on_commit", settled.append)
    first = propose(cast)
    propose(cast, retry_of=first.pk)
    assert settled == [first.pk]


def sent_back(cast: Cast, message: str, **choices: Any) -> Action:
    """A try that a reviewer sent back with these words."""
    action = flagged(cast, **choices).action
    decide.decide_action(action=action, choice=decide.Reject(message), membership=cast.reviewer)
    return action


def test_what_a_reviewer_said_is_a_source_of_the_retry(cast: Cast) -> None:
    first = sent_back(cast, "The amount is 31.50, not 300.")
    second = sent_back(cast, "Half of that.", retry_of=first.pk)
    context = load.load_context(propose(cast, retry_of=second.pk))
    assert context.feedback == ("The amount is 31.50, not 300.", "Half of that.")
    source = context.sources["feedback/1"]
    assert (source.kind, source.trust) == (SourceKind.REVIEWER, context.sources["query"].trust)


def test_a_value_that_a_reviewer_gave_no_longer_appears_nowhere(cast: Cast) -> None:
    elsewhere = replace(RIGHT, arguments={**RIGHT.arguments, "to": "dana.reed@harborlight.io"})
    before = flagged(cast, elsewhere, trace_id="unheard of").action
    rejected = decide.Reject("Send it to dana.reed@harborlight.io.")
    decide.decide_action(action=before, choice=rejected, membership=cast.reviewer)
    retry = propose(cast, elsewhere, retry_of=before.pk)
    run_checks(retry.pk)
    verdicts = [Check.objects.get(action=action).verdict for action in (before, retry)]
    assert verdicts == ["misaligned", "aligned"]


def test_a_call_that_was_sent_back_is_not_waved_through_the_second_time(cast: Cast) -> None:
    first = sent_back(cast, "No, do not pay at all.")
    again = propose(cast, RIGHT, retry_of=first.pk)
    run_checks(again.pk)
    assert not Check.objects.get(action=again).established


def test_rounds_are_limited_by_the_profile(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, retry_rounds=1)
    first = sent_back(cast, "")
    second = sent_back(cast, "No.", retry_of=first.pk)
    with pytest.raises(RetryRoundsUsedUpError, match="sent back 2 times"):
        propose(cast, retry_of=second.pk)


def test_a_try_that_nobody_decided_is_no_round(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, retry_rounds=0)
    first = propose(cast)
    assert propose(cast, retry_of=first.pk).attempt == 2


def test_an_agent_that_is_stuck_goes_straight_to_a_person(cast: Cast) -> None:
    action = propose(cast, RIGHT, is_stuck=True)
    run_checks(action.pk)
    assert "stuck" in Review.objects.get(action=action).reason
    assert not action.checks.exists()


def test_being_stuck_is_no_way_around_a_policy_that_denies_the_tool(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, tool_policies={WRONG.tool: "deny"}, user_confirms="any")
    action = propose(cast, WRONG, is_stuck=True)
    run_checks(action.pk)
    action.refresh_from_db()
    with pytest.raises(ConflictError, match="denies this tool"):
        decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
    assert "stuck" in reason_not_to_ask(action)
    decide.decide_action(action=action, choice=decide.Respond("Ask Daniel first."), membership=cast.reviewer)


def test_no_standing_order_answers_for_an_agent_that_is_stuck(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, tool_policies={RIGHT.tool: "always_allow"})
    action = propose(cast, RIGHT, is_stuck=True)
    run_checks(action.pk)
    action.refresh_from_db()
    assert action.status == Status.PENDING


def fan_out(cast: Cast, retried: Action, trace_id: str, **choices: Any) -> Action:
    """A retry in a conversation of its own."""
    return propose(cast, retry_of=retried.pk, trace_id=trace_id, **choices)


def test_a_correction_is_not_tried_more_often_by_trying_the_first_call_again_each_time(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, retry_rounds=1)
    first = sent_back(cast, "Not 300.")
    sent_back(cast, "No.", retry_of=first.pk, trace_id="second")
    with pytest.raises(RetryRoundsUsedUpError, match="sent back 2 times"):
        fan_out(cast, first, "third")


def test_tries_that_nobody_sent_back_cost_no_round_and_only_the_latest_waits(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, retry_rounds=1)
    first = sent_back(cast, "Not 300.")
    for number in range(3):
        latest = fan_out(cast, first, f"conversation {number}")
    assert list(Action.objects.filter(status__in=OPEN)) == [latest]


def test_a_try_is_told_what_was_said_of_one_that_it_does_not_name(cast: Cast) -> None:
    first = sent_back(cast, "Half of that.")
    sent_back(cast, "Not at all.", retry_of=first.pk, trace_id="second")
    context = load.load_context(fan_out(cast, first, "third"))
    assert context.feedback == ("Half of that.", "Not at all.")


def test_no_number_of_replaced_tries_hides_what_was_sent_back_before_them(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.intake.feedback.MAX_TRIES", 4)
    action = sent_back(cast, "Not 300.")
    for _ in range(3):
        action = propose(cast, retry_of=action.pk)
        assert load.load_context(action).feedback == ("Not 300.",)
    with pytest.raises(RetryRoundsUsedUpError, match="allows no further try"):
        propose(cast, retry_of=propose(cast, retry_of=action.pk).pk)


@pytest.mark.django_db(transaction=True)
def test_of_tries_at_once_one_alone_goes_on_waiting() -> None:
    cast = make_cast()
    first = sent_back(cast, "Not 300.")

    def fan_out_beside(number: int) -> None:
        try:
            fan_out(cast, first, f"conversation {number}")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(fan_out_beside, range(4)))
    assert Action.objects.filter(status__in=OPEN).count() == 1
