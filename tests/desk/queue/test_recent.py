"""What was decided lately."""

from reviews.decisions import expiry_and_cancellation
from tests.cast import Cast
from tests.desk.desk import Desk, rejected_by_another, waiting


def test_recent_says_who_decided_what(cast: Cast, desk: Desk) -> None:
    review = waiting(cast, "wire")
    rejected_by_another(cast, review)
    desk.shows("/queue/recent", "wire", "rejected", "rob", f'href="/reviews/{review.pk}"')


def test_recent_shows_what_expired(cast: Cast, desk: Desk) -> None:
    review = waiting(cast, "wire")
    expiry_and_cancellation.expire_action(review.action)
    desk.shows("/queue/recent", "wire", "expired", "nobody")


def test_recent_leaves_out_what_waits(cast: Cast, desk: Desk) -> None:
    waiting(cast, "wire")
    desk.lacks("/queue/recent", "wire")


def test_recent_of_another_workspace_stays_there(cast: Cast) -> None:
    rejected_by_another(cast, waiting(cast, "wire"))
    Desk.of(cast.outsider).lacks("/queue/recent", "wire")


def test_recent_starts_empty_with_a_way_on(desk: Desk) -> None:
    desk.shows("/queue/recent", "Nothing has been decided yet", "Go to what is waiting")
