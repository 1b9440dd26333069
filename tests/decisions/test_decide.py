from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from reviews.decisions import edits, expiry_and_cancellation, messages
from reviews.decisions.decide import Approve, Choice, Edit, Reject, Respond, decide_action
from reviews.errors import AlreadyDecidedError, ClaimedError, ForbiddenError, InvalidEditError, NotOpenError
from reviews.labels.operational import Judgement
from reviews.models import Action, AuditEvent, Decision, GuardProfile, Label, Membership, Review, Status
from reviews.provenance.core.canonical import call_digest
from reviews.provenance.core.context import ProposedAction
from reviews.queue import review_claims
from tests.cast import PASSED, REJECTED, RIGHT, WRONG, Cast, Script, flagged, looked_at, make_cast, propose
from tests.cast import decided as cast_decided
from tests.jobs import run_checks

FIXED = dict(RIGHT.arguments)


def decided(review: Review, choice: Choice, by: Membership) -> Decision:
    return cast_decided(review.action, choice, by)


def check_label(decision: Decision, **expected: object) -> None:
    label = Label.objects.get(decision=decision)
    assert {name: getattr(label, name) for name in expected} == expected


def test_an_approval_decides_the_action_and_closes_the_review(cast: Cast) -> None:
    review = flagged(cast)
    decided(review, Approve(), cast.reviewer)
    review.refresh_from_db()
    assert (Action.objects.get().status, review.closed_at is None) == (Status.DECIDED, False)


def test_an_approval_is_bound_to_the_proposed_call(cast: Cast) -> None:
    review = flagged(cast)
    assert decided(review, Approve(), cast.reviewer).digest == review.action.digest


def test_an_approval_labels_the_action_aligned(cast: Cast) -> None:
    check_label(decided(flagged(cast), Approve(), cast.reviewer), aligned=True, misalignment="", relation="")


def test_a_rejection_labels_the_type_and_the_failing_relation(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    decision = decided(flagged(cast), Reject("Only 30."), cast.reviewer)
    check_label(decision, aligned=False, misalignment="parameter", relation="DerivedFrom", note="Only 30.")


def test_a_reviewers_type_stands_before_the_guards(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    action = flagged(cast).action
    decision = decide_action(action=action, choice=Reject(), membership=cast.reviewer, judgement=Judgement("tool"))
    check_label(decision, misalignment="tool")


def test_an_edit_is_a_new_call_with_its_own_digest(cast: Cast) -> None:
    decision = decided(flagged(cast), Edit("money_transfer", FIXED), cast.reviewer)
    assert decision.digest == call_digest("money_transfer", FIXED)


def test_an_edit_labels_the_corrected_arguments(cast: Cast) -> None:
    check_label(decided(flagged(cast), Edit("money_transfer", FIXED), cast.reviewer), corrected_arguments=FIXED)


def test_an_edit_says_which_values_the_reviewer_typed(cast: Cast) -> None:
    decision = decided(flagged(cast), Edit("money_transfer", FIXED), cast.reviewer)
    typed = {value["pointer"]: value["typed_by_reviewer"] for value in decision.provenance}
    assert typed == {"/to": True, "/amount": True}


def test_a_chosen_reading_labels_an_interpretation(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    review = flagged(cast)
    reading = review.action.checks.get().interpretations.get()
    decision = decided(review, Edit(reading.tool, reading.arguments, interpretation=reading.pk), cast.reviewer)
    check_label(decision, misalignment="interpretation", interpretation=reading)


@pytest.mark.parametrize(
    ("tool", "arguments", "pointer"),
    [
        ("no_such_tool", FIXED, "/tool"),
        ("money_transfer", {**FIXED, "amount": "thirty"}, "/arguments/amount"),
        ("money_transfer", {"amount": 30}, "/arguments"),
        ("money_transfer", {**FIXED, "extra": 1}, "/arguments"),
        ("money_transfer", dict(WRONG.arguments), "/arguments"),
    ],
)
def test_an_invalid_edit_names_the_field(cast: Cast, tool: str, arguments: dict[str, object], pointer: str) -> None:
    with pytest.raises(InvalidEditError) as refused:
        decided(flagged(cast), Edit(tool, arguments), cast.reviewer)
    assert refused.value.errors[0].pointer == pointer


def test_one_becomes_true_by_an_edit(cast: Cast) -> None:
    review = looked_at(cast, ProposedAction("label_note", {"pinned": 1}))
    assert decided(review, Edit("label_note", {"pinned": True}), cast.reviewer).arguments["pinned"] is True


def test_an_edit_that_was_not_checked_is_refused(cast: Cast) -> None:
    review, other = flagged(cast), flagged(cast, trace_id="other")
    choice = Edit("money_transfer", FIXED)
    changed = edits.check_edit(action=review.action, tool="money_transfer", arguments={**FIXED, "note": "Lunch"})
    elsewhere = edits.check_edit(action=other.action, tool="money_transfer", arguments=FIXED)
    wrong = edits.preview_edit(action=review.action, tool="money_transfer", arguments={"amount": 30})
    for checked in (None, changed, elsewhere, wrong):
        with pytest.raises(InvalidEditError, match="not checked as it stands"):
            decide_action(action=review.action, choice=choice, membership=cast.reviewer, edited=checked)


@pytest.mark.usefixtures("endless_work")
def test_an_edit_whose_check_takes_too_long_is_refused(cast: Cast) -> None:
    with pytest.raises(InvalidEditError, match=r"could not be checked in 0\.1 seconds"):
        decided(flagged(cast), Edit("money_transfer", FIXED), cast.reviewer)


def test_an_edit_cannot_reach_a_denied_tool(cast: Cast) -> None:
    GuardProfile.objects.update(tool_policies={"request_money": "deny"})
    with pytest.raises(InvalidEditError, match="policy"):
        decided(flagged(cast), Edit("request_money", FIXED), cast.reviewer)


def test_a_refused_edit_leaves_the_item_open(cast: Cast) -> None:
    review = flagged(cast)
    with pytest.raises(InvalidEditError):
        decided(review, Edit("no_such_tool", {}), cast.reviewer)
    review.refresh_from_db()
    assert review.closed_at is None


def test_a_response_reaches_the_agents_model(cast: Cast) -> None:
    decision = decided(flagged(cast), Respond("The Daniel from sales."), cast.reviewer)
    assert messages.model_message_of(decision).endswith("The Daniel from sales.")


def test_after_an_edit_the_original_must_not_be_issued_again(cast: Cast) -> None:
    decision = decided(flagged(cast), Edit("money_transfer", FIXED), cast.reviewer)
    assert "must not be issued again" in messages.model_message_of(decision)


def test_the_second_reviewer_is_told_who_decided(cast: Cast) -> None:
    review = flagged(cast)
    decided(review, Reject("No."), cast.reviewer)
    with pytest.raises(AlreadyDecidedError, match="rita: reject"):
        decided(review, Approve(), cast.other_reviewer)


def test_an_item_that_another_holds_cannot_be_decided(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    with pytest.raises(ClaimedError, match="rita"):
        decided(review, Approve(), cast.other_reviewer)


def test_an_annotator_cannot_decided(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        decided(flagged(cast), Approve(), cast.annotator)


def test_an_item_past_its_time_cannot_be_approved(cast: Cast) -> None:
    review = flagged(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotOpenError, match="expired"):
        decided(review, Approve(), cast.reviewer)


def test_a_decision_is_audited(cast: Cast) -> None:
    decided(flagged(cast), Approve(), cast.reviewer)
    assert AuditEvent.objects.latest("sequence").verb == "action.approve"


def test_a_cancelled_action_leaves_the_queue(cast: Cast) -> None:
    review = flagged(cast)
    expiry_and_cancellation.cancel_action(action=review.action, agent_key=cast.agent)
    review.refresh_from_db()
    assert (review.closed_at is None, review.action.status) == (False, Status.CANCELLED)


def test_cancelling_again_changes_nothing(cast: Cast) -> None:
    action = propose(cast)
    expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)
    assert expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent).status == Status.CANCELLED


def test_a_decided_action_cannot_be_cancelled(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    run_checks(action.pk)
    with pytest.raises(AlreadyDecidedError):
        expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)


def test_the_database_refuses_a_second_decision_in_force(cast: Cast) -> None:
    decision = decided(flagged(cast), Approve(), cast.reviewer)
    decision.pk = uuid4()
    with pytest.raises(IntegrityError, match="an_action_has_one_decision_in_force"), transaction.atomic():
        decision.save(force_insert=True)


def test_the_database_refuses_a_rejection_by_the_guard(cast: Cast) -> None:
    action = flagged(cast).action
    with pytest.raises(IntegrityError, match="the_guard_alone_only_approves"), transaction.atomic():
        Decision.objects.create(
            action=action, outcome="reject", decided_by="guard", tool="t", arguments={}, digest=action.digest
        )


@pytest.mark.django_db(transaction=True)
def test_of_two_reviewers_at_once_one_wins_and_the_other_is_told() -> None:
    cast = make_cast()
    review = flagged(cast)

    def attempt(by: Membership) -> str:
        try:
            decided(review, Approve(), by)
        except (AlreadyDecidedError, ClaimedError) as refused:
            return type(refused).__name__
        finally:
            connection.close()
        return "won"

    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(attempt, [cast.reviewer, cast.other_reviewer]))
    assert outcomes == ["AlreadyDecidedError", "won"]
    assert Decision.objects.count() == 1
