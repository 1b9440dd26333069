from datetime import timedelta

import pytest
from django.utils import timezone

from reviews import access
from reviews.decisions import decide
from reviews.errors import AlreadyDecidedError, ClaimedError, ForbiddenError
from reviews.models import Review
from reviews.queue import handovers, ordering, review_claims
from reviews.queue.filtering import Selection
from tests.cast import Cast, flagged


def later(review: Review) -> None:
    """The lease of this review runs out."""
    Review.objects.filter(pk=review.pk).update(claimed_until=timezone.now() - timedelta(seconds=1))


def test_a_claim_names_its_holder(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    assert review.claimed_by == cast.reviewer.user


def test_a_claimed_item_cannot_be_claimed_by_another(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    with pytest.raises(ClaimedError):
        review_claims.claim_review(review=review, membership=cast.other_reviewer)


def test_claiming_again_renews_the_lease_and_keeps_its_start(cast: Cast) -> None:
    first = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    start, until = first.claimed_at, first.claimed_until
    again = review_claims.claim_review(review=first, membership=cast.reviewer)
    assert again.claimed_at == start
    assert until is not None
    assert again.claimed_until is not None
    assert again.claimed_until > until


def test_a_stale_claim_can_be_taken_over(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    later(review)
    assert (
        review_claims.claim_review(review=review, membership=cast.other_reviewer).claimed_by == cast.other_reviewer.user
    )


def test_the_sweep_gives_stale_claims_back(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    later(review)
    assert [
        review_claims.release_stale_claim(pk) for pk in review_claims.stale_claims().values_list("pk", flat=True)
    ] == [True]


def test_releasing_what_another_holds_changes_nothing(cast: Cast) -> None:
    review = review_claims.claim_review(review=flagged(cast), membership=cast.reviewer)
    review_claims.release_claim(review=review, membership=cast.other_reviewer)
    review.refresh_from_db()
    assert review.claimed_by == cast.reviewer.user


def test_an_annotator_cannot_claim(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        review_claims.claim_review(review=flagged(cast), membership=cast.annotator)


def test_claiming_a_decided_item_tells_the_decision(cast: Cast) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    with pytest.raises(AlreadyDecidedError, match="rita"):
        review_claims.claim_review(review=review, membership=cast.other_reviewer)


def test_a_snoozed_item_is_out_of_the_queue(cast: Cast) -> None:
    review_claims.snooze_review(review=flagged(cast), membership=cast.reviewer, seconds=900)
    assert not access.open_reviews_for(cast.reviewer).exists()


def test_an_escalated_item_is_on_top(cast: Cast) -> None:
    first, second = flagged(cast, trace_id="1"), flagged(cast, trace_id="2")
    handovers.escalate_review(review=second, membership=cast.reviewer)
    assert list(access.open_reviews_for(cast.reviewer).order_by(*ordering.QUEUE_ORDER)) == [second, first]


def test_the_next_item_is_the_one_behind(cast: Cast) -> None:
    first, second, third = (flagged(cast, trace_id=name) for name in "123")
    assert ordering.next_review(membership=cast.reviewer, after=second) == third
    assert ordering.next_review(membership=cast.reviewer, after=third) == first


def test_the_next_item_skips_what_another_holds(cast: Cast) -> None:
    first, second, third = (flagged(cast, trace_id=name) for name in "123")
    review_claims.claim_review(review=second, membership=cast.other_reviewer)
    assert ordering.next_review(membership=cast.reviewer, after=first) == third


def test_the_previous_item_is_the_one_in_front(cast: Cast) -> None:
    first, second = flagged(cast, trace_id="1"), flagged(cast, trace_id="2")
    assert ordering.previous_review(membership=cast.reviewer, before=second) == first


def test_a_filter_that_lets_everything_through_changes_no_place(cast: Cast) -> None:
    items = [flagged(cast, trace_id=str(number)) for number in range(5)]
    Review.objects.filter(pk__in=[items[1].pk, items[3].pk]).update(priority=7)
    Review.objects.filter(pk=items[3].pk).update(order_at=Review.objects.get(pk=items[1].pk).order_at)
    review_claims.claim_review(review=items[4], membership=cast.other_reviewer)
    review_claims.snooze_review(review=items[0], membership=cast.reviewer, seconds=900)
    lets_all_through = Selection(agent=cast.agent.agent.name)
    for item in Review.objects.all():
        at = [
            (
                ordering.position_of(membership=cast.reviewer, review=item, selection=selection),
                ordering.previous_review(membership=cast.reviewer, before=item, selection=selection),
                ordering.next_review(membership=cast.reviewer, after=item, selection=selection),
            )
            for selection in (ordering.EVERYTHING, lets_all_through)
        ]
        assert at[0] == at[1]


def test_an_outsider_sees_nothing(cast: Cast) -> None:
    flagged(cast)
    assert not access.reviews_for(cast.outsider).exists()
    assert not access.actions_for(cast.outside_agent).exists()
    assert not access.labels_for(cast.outsider).exists()
