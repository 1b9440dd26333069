"""The page of a call that takes two people says who approved first, and what the next approval does."""

import pytest

from reviews.decisions import decide
from reviews.models import Action, Decision, Review, Status
from reviews.profiles import versions
from tests.cast import RIGHT, Cast, decided, flagged
from tests.desk.desk import Desk, at, decision_of


@pytest.fixture
def review(cast: Cast) -> Review:
    """An item that takes two people."""
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": "two_people"})
    return flagged(cast)


def approve(desk: Desk, review: Review, *texts: str) -> str:
    return desk.sends(at(review, "decide"), *texts, **decision_of(review, desk.membership, outcome="approve"))


def test_the_page_says_that_two_are_asked_and_who_was_the_first(cast: Cast, desk: Desk, review: Review) -> None:
    other = Desk.of(cast.other_reviewer)
    for path in (at(review), at(review, "approve")):
        desk.shows(path, "Approve, as the first of two, to <bdi>send 300")
    desk.shows(at(review), "takes two approvals")
    approve(desk, review, "Your approval of money_transfer is recorded · it waits for another person&#x27;s")
    other.shows(at(review), "rita", "approved this first", "your approval is the second", "Approve and <bdi>send 300")
    other.shows("/queue", "1 of 2", "approvals, by", "rita")
    desk.shows(at(review), "You approved", "Take back")
    desk.lacks(at(review), 'id="approve"')
    approve(other, review)
    assert Action.objects.get().status == Status.DECIDED
    desk.shows(at(review), "rob", "rita", "had approved it first")


def test_the_first_takes_an_approval_back_on_the_page(desk: Desk, review: Review) -> None:
    approve(desk, review)
    desk.sends(f"/decisions/{Decision.objects.get().pk}/undo", "Taken back", 'id="approve"')


def test_who_approved_first_is_told_when_they_approve_again(desk: Desk, review: Review) -> None:
    approve(desk, review)
    form = decision_of(review, desk.membership, outcome="approve")
    desk.sends(at(review, "decide"), "You approved", "another person", status=409, **form)


def test_an_edited_call_opens_for_the_second_person_as_the_first_approved_it(
    cast: Cast, desk: Desk, review: Review
) -> None:
    decided(review.action, decide.Edit(RIGHT.tool, dict(RIGHT.arguments)), cast.other_reviewer)
    desk.shows(at(review), "rob", "approved an edited call first", "Open the edited call")
    body = desk.shows(at(review) + "?edit=1&first=1", "daniel.kim@example.org")
    assert "Send edited call" in body
    form = decision_of(review, desk.membership, outcome="edit", tool=RIGHT.tool)
    desk.sends(at(review, "decide"), arguments='{"to": "daniel.kim@example.org", "amount": 30}', **form)
    decision = Decision.objects.get(in_force=True)
    assert (decision.arguments, decision.reviewer) == (dict(RIGHT.arguments), cast.reviewer.user)


def test_the_first_who_looks_again_does_not_hold_the_item(cast: Cast, desk: Desk, review: Review) -> None:
    approve(desk, review)
    desk.client.post(at(review, "claim"))
    assert Review.objects.get().claimed_by is None
    Desk.of(cast.other_reviewer).sends(at(review, "claim"), "claimed by you")
