"""A call that takes two people runs once two different ones have approved that very call."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.decisions import decide, executions, expiry_and_cancellation, holds
from reviews.errors import ApprovedByYouError, NotRunnableError, ToldError
from reviews.models import Action, AuditEvent, Decision, Label, Review, Status
from reviews.profiles import versions
from reviews.queue import ordering, review_claims
from reviews.records import w3c_prov
from reviews.workspaces import members
from tests.cast import RIGHT, WRONG, Cast, decided, flagged

APPROVE = decide.Approve()
EDIT = decide.Edit(RIGHT.tool, dict(RIGHT.arguments))


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """The cast in a workspace that has two people approve transfers."""
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": "two_people"})
    return cast


@pytest.fixture
def review(cast: Cast) -> Review:
    """The item, claimed by the reviewer and approved by them first."""
    claimed = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    decided(claimed.action, APPROVE, cast.reviewer)
    return Review.objects.get(pk=claimed.pk)


def check_runs(cast: Cast, action: Action) -> Decision:
    return executions.start_execution(action=action, agent_key=cast.agent).execution.decision


def check_waits(cast: Cast, action: Action) -> None:
    action.refresh_from_db()
    assert action.status == Status.PENDING
    with pytest.raises(NotRunnableError):
        executions.start_execution(action=action, agent_key=cast.agent)


def test_a_first_approval_is_recorded_and_tells_nobody(cast: Cast, review: Review) -> None:
    check_waits(cast, review.action)
    assert (review.closed_at, review.claimed_by) == (None, None)
    assert "decision" not in w3c_prov.prov_json(review.action)
    assert not Label.objects.exists()
    event = AuditEvent.objects.latest("sequence")
    assert (event.verb, event.details["digest"]) == ("action.approved_first", review.action.digest)


def test_another_persons_approval_of_the_same_call_lets_it_run(cast: Cast, review: Review) -> None:
    second = decided(review.action, APPROVE, cast.other_reviewer)
    assert second.first_approval is not None
    assert second.first_approval.reviewer == cast.reviewer.user
    assert check_runs(cast, review.action) == second
    assert not Decision.objects.filter(awaits_second=True).exists()
    assert AuditEvent.objects.filter(verb="action.approve", details__approved_first_by="rita").exists()


def test_the_same_person_is_no_second_one(cast: Cast, review: Review) -> None:
    with pytest.raises(ApprovedByYouError):
        decided(review.action, APPROVE, cast.reviewer)
    check_waits(cast, review.action)


def test_one_person_alone_rejects(cast: Cast, review: Review) -> None:
    decided(review.action, decide.Reject("No."), cast.reviewer)
    review.action.refresh_from_db()
    assert review.action.status == Status.DECIDED
    assert Decision.objects.get(outcome="approve").withdrawn_at is not None


def test_another_call_than_the_first_approved_begins_anew(cast: Cast, review: Review) -> None:
    decided(review.action, EDIT, cast.other_reviewer)
    check_waits(cast, review.action)
    decided(review.action, EDIT, cast.reviewer)
    assert check_runs(cast, review.action).arguments == dict(RIGHT.arguments)


def test_an_edit_into_a_tool_that_takes_one_takes_two_all_the_same(cast: Cast) -> None:
    action = flagged(cast).action
    call = decide.Edit("request_money", dict(WRONG.arguments))
    assert decided(action, call, cast.reviewer).awaits_second
    check_waits(cast, action)


def test_who_may_no_longer_decide_has_approved_nothing(cast: Cast, review: Review) -> None:
    members.remove_member(member=cast.reviewer, membership=cast.admin)
    assert decided(review.action, APPROVE, cast.other_reviewer).awaits_second
    check_waits(cast, review.action)
    decided(review.action, APPROVE, cast.admin)
    check_runs(cast, review.action)


def test_a_first_approval_is_taken_back_by_whoever_gave_it(cast: Cast, review: Review) -> None:
    first = Decision.objects.get()
    with pytest.raises(ToldError):
        holds.undo_decision(decision=first, membership=cast.other_reviewer)
    holds.undo_decision(decision=first, membership=cast.reviewer)
    assert decided(review.action, APPROVE, cast.other_reviewer).awaits_second
    check_waits(cast, review.action)


def test_the_second_is_held_and_when_taken_back_the_first_still_stands(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, hold_seconds=5)
    action = flagged(cast).action
    first, second = (decided(action, APPROVE, member) for member in (cast.reviewer, cast.other_reviewer))
    assert (first.held_until, second.held_until is None) == (None, False)
    with pytest.raises(ToldError):
        holds.undo_decision(decision=first, membership=cast.reviewer)
    review = holds.undo_decision(decision=second, membership=cast.other_reviewer)
    check_waits(cast, action)
    review_claims.release_claim(review=review, membership=cast.other_reviewer)
    again = decided(action, APPROVE, cast.admin)
    Decision.objects.filter(pk=again.pk).update(held_until=again.created_at)
    assert sweep_lost_and_due()["told"] == 1
    assert check_runs(cast, action) == again
    assert not Decision.objects.filter(awaits_second=True).exists()


def expire(cast: Cast, action: Action) -> None:
    expiry_and_cancellation.expire_action(action)


def cancel(cast: Cast, action: Action) -> None:
    expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)


@pytest.mark.parametrize("end", [expire, cancel])
def test_a_call_that_ends_takes_its_first_approval_with_it(
    cast: Cast, review: Review, end: Callable[[Cast, Action], None]
) -> None:
    end(cast, review.action)
    decision = Decision.objects.get()
    assert (decision.awaits_second, decision.withdrawn_at is None) == (False, False)
    with pytest.raises(ToldError):
        holds.undo_decision(decision=decision, membership=cast.reviewer)


def test_what_waits_for_another_person_is_nobodys_next_but_theirs(cast: Cast, review: Review) -> None:
    assert ordering.next_review(membership=cast.reviewer) is None
    assert ordering.next_review(membership=cast.other_reviewer) == review
    narrowed = ordering.EVERYTHING.__class__(tool="money")
    assert ordering.next_review(membership=cast.reviewer, selection=narrowed) is None


def test_a_call_that_takes_two_goes_before_people_although_aligned(cast: Cast) -> None:
    assert flagged(cast, RIGHT).reason == "The workspace has two people approve this tool."


def test_the_database_holds_one_first_approval_of_a_call_that_nobody_may_run(cast: Cast, review: Review) -> None:
    first = Decision.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Decision.objects.filter(pk=first.pk).update(in_force=True)
    copy = Decision(outcome="approve", decided_by="reviewer", reviewer=first.reviewer, action=first.action)
    copy.tool, copy.arguments, copy.digest = first.tool, first.arguments, first.digest
    copy.in_force, copy.awaits_second = False, True
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
