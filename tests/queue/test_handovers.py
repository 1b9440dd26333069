"""An item is meant for somebody, taken over by an administrator, and talked about."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews import access
from reviews.decisions import decide
from reviews.errors import AlreadyDecidedError, ClaimedError, ConflictError, ForbiddenError
from reviews.models import AuditEvent, Comment, Review, ReviewAssignment, Role
from reviews.queue import comments, handovers, ordering, review_claims
from reviews.queue.filtering import Selection, select_reviews
from reviews.queue.handovers import Recipient
from reviews.queue.priority import ESCALATED_PRIORITY
from reviews.workspaces import members
from tests.cast import Cast, flagged


def latest(verb: str) -> AuditEvent:
    return AuditEvent.objects.filter(verb=verb).latest("sequence")


def test_an_assigned_item_is_led_to_its_assignee_alone(cast: Cast) -> None:
    review = flagged(cast)
    handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=cast.other_reviewer))
    assert ordering.next_review(membership=cast.reviewer) is None
    assert ordering.next_review(membership=cast.other_reviewer) == review
    assert latest("review.assigned").details == {"to": "rob"}
    for_me = Selection(holder="for_me")
    assert list(select_reviews(cast.other_reviewer, for_me)) == [review]
    assert ordering.next_review(membership=cast.other_reviewer, selection=for_me) == review
    assert not select_reviews(cast.reviewer, for_me).exists()


def test_others_may_decide_an_assigned_item_all_the_same(cast: Cast) -> None:
    review = flagged(cast)
    handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=cast.other_reviewer))
    decide.decide_action(action=review.action, choice=decide.Reject(), membership=cast.admin)


def test_an_item_for_administrators_is_led_to_them_alone(cast: Cast) -> None:
    review = flagged(cast)
    handovers.escalate_review(
        review=review, membership=cast.reviewer, to=Recipient(role=Role.ADMIN), note="Is this supplier known?"
    )
    assert [ordering.next_review(membership=each) for each in (cast.reviewer, cast.other_reviewer)] == [None, None]
    assert ordering.next_review(membership=cast.admin, selection=Selection(tool="money")) == review
    assert ordering.next_review(membership=cast.admin) == review
    assert Comment.objects.get().body == "Is this supplier known?"
    review.refresh_from_db()
    assert (review.priority, review.claimed_by) == (ESCALATED_PRIORITY, None)


def test_what_is_meant_for_anybody_again_is_everybodys(cast: Cast) -> None:
    review = flagged(cast)
    handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=cast.admin))
    handovers.assign_review(review=review, membership=cast.reviewer, to=handovers.ANYBODY)
    assert ordering.next_review(membership=cast.other_reviewer) == review


@pytest.mark.parametrize("whom", ["annotator", "outsider"])
def test_nothing_is_handed_to_who_may_not_decide_it(cast: Cast, whom: str) -> None:
    review = flagged(cast)
    with pytest.raises(ForbiddenError):
        handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=getattr(cast, whom)))
    assert not ReviewAssignment.objects.exists()
    assert Review.objects.get().claimed_by is None


@pytest.mark.parametrize("leave", ["removed", "made an annotator"])
def test_items_of_who_leaves_are_anybodys(cast: Cast, leave: str) -> None:
    review = flagged(cast)
    handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=cast.other_reviewer))
    if leave == "removed":
        members.remove_member(member=cast.other_reviewer, membership=cast.admin)
    else:
        members.change_role(member=cast.other_reviewer, role=Role.ANNOTATOR, membership=cast.admin)
    assert ordering.next_review(membership=cast.reviewer) == review


def test_what_another_holds_is_not_handed_over(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.other_reviewer)
    with pytest.raises(ClaimedError):
        handovers.assign_review(review=review, membership=cast.reviewer, to=Recipient(member=cast.admin))


def test_an_administrator_takes_over_what_another_holds(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    with pytest.raises(ForbiddenError):
        review_claims.take_over_claim(review=review, membership=cast.other_reviewer)
    taken = review_claims.take_over_claim(review=review, membership=cast.admin)
    assert taken.claimed_by == cast.admin.user
    assert latest("review.taken_over").details == {"from": "rita"}
    with pytest.raises(ClaimedError):
        review_claims.claim_review(review=review, membership=cast.reviewer)


def test_taking_over_what_is_free_or_ones_own_claims_it(cast: Cast) -> None:
    review = flagged(cast)
    for _ in range(2):
        assert review_claims.take_over_claim(review=review, membership=cast.admin).claimed_by == cast.admin.user
    assert not AuditEvent.objects.filter(verb="review.taken_over").exists()


def test_a_decided_item_is_not_taken_over(cast: Cast) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject(), membership=cast.reviewer)
    with pytest.raises(AlreadyDecidedError):
        review_claims.take_over_claim(review=review, membership=cast.admin)


def test_comments_are_the_workspaces_and_bounded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    review = flagged(cast)
    comments.add_comment(review=review, membership=cast.reviewer, body="x" * 3_000)
    assert len(comments.comments_on(review, cast.other_reviewer).get().body) == comments.MAX_COMMENT_LENGTH
    assert not access.comments_for(cast.outsider).exists()
    assert not access.comments_for(cast.annotator).exists()
    with pytest.raises(ForbiddenError):
        comments.add_comment(review=review, membership=cast.annotator, body="Hm.")
    monkeypatch.setattr(comments, "MAX_COMMENTS", 1)
    with pytest.raises(ConflictError):
        comments.add_comment(review=review, membership=cast.reviewer, body="One more.")


def test_a_lapsed_lease_is_no_reason_to_name_its_holder(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    Review.objects.filter(pk=review.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert review_claims.take_over_claim(review=review, membership=cast.admin).claimed_by == cast.admin.user


@pytest.mark.parametrize(
    ("body", "is_for_rob"),
    [
        ("@rob, do you know her?", True),
        ("Ask @Rob.", True),
        ("rob knows her", False),
        ("@robert knows her", False),
        ("write to info@rob", False),
    ],
)
def test_whom_a_comment_mentions_the_item_is_for(cast: Cast, body: str, is_for_rob: bool) -> None:
    comments.add_comment(review=flagged(cast), membership=cast.reviewer, body=body)
    assert select_reviews(cast.other_reviewer, Selection(holder="for_me")).exists() == is_for_rob
    assert not select_reviews(cast.admin, Selection(holder="for_me")).exists()
