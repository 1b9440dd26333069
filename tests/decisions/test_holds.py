"""An approval is held before the agent is told, and can be taken back: never both taken back and run."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews.api.serializers import stored
from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.decisions import decide, executions, expiry_and_cancellation, holds
from reviews.errors import AlreadyDecidedError, NotRunnableError, ToldError
from reviews.models import Action, AuditEvent, Decision, GuardProfile, Label, Review, Status
from reviews.profiles import versions
from reviews.queue import ordering
from reviews.records import w3c_prov
from tests.cast import RIGHT, Cast, decided, flagged

HELD_FOR = timedelta(seconds=5)


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """The cast in a workspace that holds approvals."""
    versions.new_version(membership=cast.admin, hold_seconds=5)
    return cast


def approve(cast: Cast) -> Decision:
    return decide.decide_action(action=flagged(cast).action, choice=decide.Approve(), membership=cast.reviewer)


def over(decision: Decision) -> Decision:
    """The same, its time to be taken back over."""
    Decision.objects.filter(pk=decision.pk).update(held_until=timezone.now())
    return decision


def undo(cast: Cast, decision: Decision) -> Review:
    return holds.undo_decision(decision=decision, membership=cast.reviewer)


def check_runs(cast: Cast, action: Action) -> None:
    assert executions.start_execution(action=action, agent_key=cast.agent).execution.decision.digest == action.digest


def check_never_runs(cast: Cast, action: Action) -> None:
    with pytest.raises(NotRunnableError):
        executions.start_execution(action=action, agent_key=cast.agent)


def check_never_goes_out(decision: Decision) -> None:
    with time_machine.travel(timezone.now() + HELD_FOR):
        assert not holds.release_decision(decision.pk)
        assert sweep_lost_and_due()["told"] == 0


def test_the_agent_is_not_told_while_an_approval_is_held(cast: Cast) -> None:
    action = approve(cast).action
    answer = stored.any_action(action.pk)()
    assert answer is not None
    assert (answer.status, answer.decisions_in_force) == (Status.PENDING, [])  # type: ignore[attr-defined]
    assert "decision" not in w3c_prov.prov_json(action)
    check_never_runs(cast, action)
    assert not Label.objects.exists()


def test_a_held_approval_takes_the_item_out_of_everybodys_queue(cast: Cast) -> None:
    approve(cast)
    assert ordering.next_review(membership=cast.other_reviewer) is None


def test_an_approval_that_nobody_takes_back_goes_out_and_is_labelled(cast: Cast) -> None:
    decision = over(approve(cast))
    assert holds.release_decision(decision.pk)
    decision.action.refresh_from_db()
    assert decision.action.status == Status.DECIDED
    assert Label.objects.get(decision=decision).aligned
    check_runs(cast, decision.action)


def test_an_approval_does_not_go_out_early(cast: Cast) -> None:
    decision = approve(cast)
    assert not holds.release_decision(decision.pk)
    check_never_runs(cast, decision.action)


def test_releasing_again_changes_nothing(cast: Cast) -> None:
    decision = over(approve(cast))
    assert [holds.release_decision(decision.pk) for _ in range(2)] == [True, False]
    assert Label.objects.count() == 1


def test_what_is_taken_back_waits_again_in_the_hands_of_who_took_it(cast: Cast) -> None:
    decision = approve(cast)
    review = undo(cast, decision)
    assert (review.closed_at, review.claimed_by) == (None, cast.reviewer.user)
    check_never_goes_out(decision)
    check_never_runs(cast, decision.action)
    again = decide.decide_action(action=review.action, choice=decide.Reject("After all."), membership=cast.reviewer)
    assert [label.decision for label in Label.objects.all()] == [again]


def test_what_went_out_is_not_taken_back(cast: Cast) -> None:
    decision = over(approve(cast))
    holds.release_decision(decision.pk)
    with pytest.raises(ToldError):
        undo(cast, decision)
    check_runs(cast, decision.action)


def test_a_worker_that_is_late_leaves_the_person_more_time(cast: Cast) -> None:
    decision = over(approve(cast))
    assert undo(cast, decision).closed_at is None


def test_nobody_takes_back_what_another_decided(cast: Cast) -> None:
    decision = approve(cast)
    for other in (cast.other_reviewer, cast.admin):
        with pytest.raises(ToldError):
            holds.undo_decision(decision=decision, membership=other)


def test_while_an_approval_is_held_nobody_decides_otherwise(cast: Cast) -> None:
    decision = approve(cast)
    for member in (cast.reviewer, cast.other_reviewer):
        with pytest.raises(AlreadyDecidedError, match="rita: approve"):
            decide.decide_action(action=decision.action, choice=decide.Reject(), membership=member)


def test_an_edited_call_is_held_and_runs_as_edited(cast: Cast) -> None:
    action = flagged(cast).action
    decision = over(decided(action, decide.Edit(RIGHT.tool, dict(RIGHT.arguments)), cast.reviewer))
    check_never_runs(cast, action)
    holds.release_decision(decision.pk)
    assert executions.start_execution(action=action, agent_key=cast.agent).execution.decision.arguments == dict(
        RIGHT.arguments
    )
    assert Label.objects.get().corrected_arguments == dict(RIGHT.arguments)


@pytest.mark.parametrize("choice", [decide.Reject("No."), decide.Respond("Which one?")])
def test_what_runs_nothing_is_told_at_once(cast: Cast, choice: decide.Choice) -> None:
    decision = decide.decide_action(action=flagged(cast).action, choice=choice, membership=cast.reviewer)
    assert (decision.held_until, decision.action.status) == (None, Status.DECIDED)


def expire(cast: Cast, action: Action) -> None:
    expiry_and_cancellation.expire_action(action)


def cancel(cast: Cast, action: Action) -> None:
    expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)


@pytest.mark.parametrize("end", [expire, cancel])
def test_a_call_that_ends_takes_its_held_approval_with_it(cast: Cast, end: Callable[[Cast, Action], None]) -> None:
    decision = approve(cast)
    end(cast, decision.action)
    check_never_goes_out(decision)
    with pytest.raises(ToldError):
        undo(cast, decision)
    check_never_runs(cast, decision.action)


def test_an_approval_leaves_the_agent_at_least_half_of_the_time_that_was_left(cast: Cast) -> None:
    review = flagged(cast)
    Action.objects.filter(pk=review.action_id).update(expires_at=timezone.now() + timedelta(seconds=4))
    review.action.refresh_from_db()
    decision = decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    assert decision.held_until is not None
    assert decision.held_until <= review.action.expires_at - timedelta(seconds=1.9)


def test_the_sweep_tells_of_what_no_worker_was_asked_for(cast: Cast) -> None:
    over(approve(cast))
    assert sweep_lost_and_due()["told"] == 1
    assert Action.objects.get().status == Status.DECIDED


def test_the_log_says_that_an_approval_was_taken_back(cast: Cast) -> None:
    undo(cast, approve(cast))
    verbs = AuditEvent.objects.order_by("sequence").values_list("verb", flat=True)
    assert list(verbs)[-2:] == ["action.approve", "action.decision_undone"]


def test_the_database_holds_one_decision_of_a_call_and_none_in_force(cast: Cast) -> None:
    decision = approve(cast)
    for change in ({"in_force": True}, {"withdrawn_at": timezone.now()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Decision.objects.filter(pk=decision.pk).update(**change)
    copy = Decision(outcome="approve", decided_by="reviewer", reviewer=decision.reviewer, action=decision.action)
    copy.tool, copy.arguments, copy.digest = decision.tool, decision.arguments, decision.digest
    copy.in_force, copy.held_until = False, decision.held_until
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()


def test_a_profile_holds_approvals_for_five_seconds_unless_it_says_otherwise() -> None:
    assert GuardProfile().hold_seconds == 5
