"""On its page an item is handed over, taken over and talked about, with and without scripts."""

from http import HTTPStatus

import pytest

from reviews.models import Comment, ReviewAssignment
from reviews.queue import comments
from tests.cast import Cast, flagged
from tests.desk.desk import HTMX, Desk, at, check_page, held, rejected_by_another


def test_an_escalation_names_its_person_and_keeps_its_note(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    to, note = str(cast.other_reviewer.pk), "Do you know <b>her</b>?"
    desk.sends(at(review, "escalate"), "Escalated money_transfer", to=to, note=note)
    body = Desk.of(cast.other_reviewer).shows(at(review), "escalated", "rob", "Do you know &lt;b&gt;her&lt;/b&gt;?")
    assert "<b>her" not in body
    Desk.of(cast.other_reviewer).shows("/queue?holder=for_me", "money_transfer", "Meant for rob")
    desk.lacks("/queue?holder=for_me", "row-link")
    desk.shows("/queue?assignee=rob", "row-link")
    desk.lacks("/queue?assignee=ada", "row-link")


def test_an_assignment_goes_to_people_of_the_workspace_alone(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    for stranger in (cast.outsider, cast.annotator):
        desk.sends(at(review, "assign"), to=str(stranger.pk), status=HTTPStatus.UNPROCESSABLE_ENTITY)
    desk.sends(at(review, "assign"), "money_transfer is meant for admin", to="admin")
    assert ReviewAssignment.objects.get().role == "admin"
    desk.shows(at(review), "for <bdi>admins</bdi>")


@pytest.mark.parametrize("path", ["assign", "escalate"])
def test_a_person_who_has_left_meanwhile_is_refused_within_the_form(cast: Cast, desk: Desk, path: str) -> None:
    sent = {"to": str(cast.outsider.pk), "note": "Look at the IBAN."}
    response = desk.client.post(at(flagged(cast), path), sent, headers=HTMX)
    body = check_page(response, "does not decide here any more", sent["note"], status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assert (response.headers["HX-Retarget"], body.count("<form"), "<header" in body) == ("#handover-form", 1, False)


def test_the_note_of_a_handover_that_came_too_late_is_kept(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    rejected_by_another(cast, review)
    response = desk.client.post(at(review, "escalate"), {"to": "", "note": "Look at the IBAN."}, headers=HTMX)
    check_page(response, "What you typed was not sent.", "Look at the IBAN.", status=HTTPStatus.CONFLICT)


def test_only_an_administrator_is_offered_to_take_over(cast: Cast, desk: Desk, admin_desk: Desk) -> None:
    review = held(flagged(cast), cast.other_reviewer)
    desk.lacks(at(review), "Take over")
    admin_desk.shows(at(review), "Take over")
    admin_desk.sends(at(review, "take-over"), "Taken over", "claimed by you")


def test_a_comment_stands_on_the_page_and_in_its_head(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    desk.sends(at(review, "comment"), "Two of them yesterday.", body="Two of them yesterday.")
    desk.sends(at(review, "comment"), "Write the comment first.", body=" ", status=HTTPStatus.UNPROCESSABLE_ENTITY)
    desk.sends(at(review, "comment"), body="x" * 2_001, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assert Comment.objects.count() == 1
    response = desk.client.post(at(review, "comment"), {"body": "A third."}, headers=HTMX)
    check_page(response, "A third.", 'id="comments"')


def test_an_open_page_is_sent_new_comments_alone(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    assert desk.client.get(at(review, "comments"), {"since": ""}).status_code == HTTPStatus.NO_CONTENT
    comment = comments.add_comment(review=review, membership=cast.other_reviewer, body="Look at the IBAN.")
    desk.shows(at(review, "comments") + "?since=", "Look at the IBAN.")
    assert desk.client.get(at(review, "comments"), {"since": str(comment.pk)}).status_code == HTTPStatus.NO_CONTENT
