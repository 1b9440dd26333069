"""What holds without any script: a call was shown, a grave one is asked for twice, an approval is taken back."""

import re
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus

import pytest
from django.utils import timezone

from reviews.desk.review import seen
from reviews.models import Decision, Membership, Review
from reviews.profiles import versions
from tests.cast import MILD, WRONG, Cast, flagged, looked_at
from tests.desk.desk import HTMX, Desk, at, check_page, decision_of


def post(desk: Desk, review: Review, **form: str) -> str:
    """Where the plain form leads."""
    response = desk.client.post(at(review, "decide"), form)
    assert response.status_code == HTTPStatus.FOUND, response.content.decode()
    return str(response.headers["Location"])


def check_not_seen(desk: Desk, review: Review, token: str, why: str) -> None:
    """The decision is refused for this reason, by a page on which what was typed is kept."""
    form = {"outcome": "reject", "message": "My reasons", "seen": token}
    check_page(desk.client.post(at(review, "decide"), form), why, "My reasons", status=HTTPStatus.CONFLICT)
    assert not Decision.objects.exists()


def token(review: Review, member: Membership, *, seconds: float = 60) -> str:
    return seen.sign_token(review, member, timezone.now() - timedelta(seconds=seconds))


def test_every_form_of_the_page_carries_since_when_it_was_shown(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    body = desk.shows(at(review) + "?edit=1")
    tokens = re.findall(r'name="seen"\s+value="([^"]+)"', body)
    assert len(tokens) == 4
    assert {seen.read_shown_at(each, review, cast.reviewer) for each in tokens} != set()


def test_a_decision_keeps_since_when_its_call_was_shown(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    post(desk, review, **decision_of(review, cast.reviewer, outcome="reject"))
    decision = Decision.objects.get()
    assert decision.shown_at is not None
    assert timedelta(seconds=59) < decision.created_at - decision.shown_at < timedelta(seconds=90)


def test_what_has_only_just_appeared_is_not_decided(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    check_not_seen(desk, review, token(review, cast.reviewer, seconds=0), "has only just appeared")


@pytest.mark.parametrize("made_up", ["", "x", "WyIxIl0:1:x"])
def test_a_decision_without_a_page_is_none(cast: Cast, desk: Desk, made_up: str) -> None:
    check_not_seen(desk, flagged(cast), made_up, "not up to date")


def test_a_page_that_showed_another_call_decides_nothing(cast: Cast, desk: Desk) -> None:
    review, other = flagged(cast), flagged(cast, MILD, trace_id="other")
    check_not_seen(desk, review, token(other, cast.reviewer), "showed another call")


def test_a_call_that_is_not_the_shown_one_is_not_decided(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    shown = token(review, cast.reviewer)
    review.action.digest = "0" * 64
    review.action.save()
    check_not_seen(desk, review, shown, "showed another call")


def test_what_another_person_saw_counts_for_nobody_else(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    check_not_seen(desk, review, token(review, cast.other_reviewer), "showed another call")


def test_the_page_that_typed_it_is_told_and_stays_as_it_is(cast: Cast, desk: Desk) -> None:
    response = desk.client.post(at(flagged(cast), "decide"), {"outcome": "approve"}, headers=HTMX)
    assert (response.status_code, response.headers["HX-Reswap"]) == (HTTPStatus.CONFLICT, "none")
    assert "not up to date" in response.headers["HX-Trigger"]


def test_the_editor_goes_on_with_since_when_the_call_was_shown(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    shown = token(review, cast.reviewer)
    response = desk.client.get(at(review), {"edit": "1", "seen": shown}, headers=HTMX)
    check_page(response, f'value="{shown}"')


def test_a_grave_call_is_asked_for_again_on_a_page_of_its_own(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    once = {"outcome": "approve", "seen": token(review, cast.reviewer)}
    assert post(desk, review, **once) == at(review, "approve")
    assert not Decision.objects.exists()
    body = desk.shows(
        at(review, "approve"),
        "Approve and <bdi>send 300 to",
        "cannot be undone",
        "daniel.kin@example.org",
        review.action.digest,
    )
    confirmed = dict(re.findall(r'name="(outcome|confirmed)" value="([^"]+)"', body))
    post(desk, review, **confirmed, seen=token(review, cast.reviewer))
    assert Decision.objects.get().outcome == "approve"


def test_the_page_that_asks_again_has_its_button_below_the_last_part_of_the_call(cast: Cast, desk: Desk) -> None:
    note = f"{'A line. ' * 1_000}curl https://paste.example"
    whole = flagged(cast, replace(WRONG, arguments={**WRONG.arguments, "note": note}))
    desk.shows(at(whole, "approve"), "https://paste.example", 'class="btn btn--irreversible')
    cut = flagged(cast, replace(WRONG, arguments={**WRONG.arguments, "note": f"{note} " * 3}), trace_id="longer")
    first = desk.shows(at(cut, "approve"), "Part 1 of 2; 24,", "?part=2")
    assert 'class="btn btn--irreversible' not in first
    last = desk.shows(f"{at(cut, 'approve')}?part=2", "Part 2 of 2", 'class="btn btn--irreversible')
    assert first.count("https://paste.example") + last.count("https://paste.example") == 3


def test_a_mild_call_is_approved_by_one_click(cast: Cast, desk: Desk) -> None:
    review = looked_at(cast)
    post(desk, review, outcome="approve", seen=token(review, cast.reviewer))
    assert Decision.objects.get().outcome == "approve"


def test_a_mild_call_that_was_found_wrong_is_asked_for_twice(cast: Cast, desk: Desk) -> None:
    review = flagged(cast, MILD)
    assert post(desk, review, outcome="approve", seen=token(review, cast.reviewer)) == at(review, "approve")
    assert not Decision.objects.exists()
    desk.shows(at(review, "approve"), "The guard found this call wrong", "run label_note")


def test_nothing_is_asked_again_about_what_is_decided(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    post(desk, review, **decision_of(review, cast.reviewer, outcome="reject"))
    assert desk.client.get(at(review, "approve")).headers["Location"] == at(review)


@pytest.fixture
def held(cast: Cast, desk: Desk) -> Review:
    """An item whose approval by the reviewer is held."""
    versions.new_version(membership=cast.admin, hold_seconds=60)
    review = flagged(cast)
    post(desk, review, **decision_of(review, cast.reviewer, outcome="approve"))
    return review


def test_every_page_offers_to_take_a_held_approval_back(held: Review, desk: Desk) -> None:
    for path in ("/queue", "/queue/recent", at(held)):
        desk.shows(path, "Approved money_transfer", f'action="/decisions/{Decision.objects.get().pk}/undo"')


def test_to_nobody_else_it_is_offered(cast: Cast, held: Review) -> None:
    Desk.of(cast.other_reviewer).lacks("/queue", "/undo")
    Desk.of(cast.other_reviewer).shows(at(held), "approved", "rita", "by whoever decided it")
    Desk.of(cast.other_reviewer).lacks(at(held), "/undo")


def test_taking_back_leads_to_the_item_which_waits_again(held: Review, desk: Desk) -> None:
    desk.sends(f"/decisions/{Decision.objects.get().pk}/undo", "Taken back · money_transfer waits again")
    held.refresh_from_db()
    assert held.closed_at is None


def test_whoever_is_too_late_is_told_so(held: Review, desk: Desk) -> None:
    Decision.objects.update(held_until=None, in_force=True)
    desk.sends(f"/decisions/{Decision.objects.get().pk}/undo", "too late")
