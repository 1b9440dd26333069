"""Whoever is signed out while they type is told so, and loses nothing."""

from http import HTTPStatus

import pytest
from django.test import Client

from reviews.models import Decision
from tests.cast import Cast, flagged
from tests.desk.desk import HTMX, Desk, at, check_page, decision_of, waiting


def test_a_form_of_a_session_that_ended_is_kept_and_leads_to_the_sign_in(cast: Cast, stranger: Client) -> None:
    review = flagged(cast)
    form = decision_of(review, cast.reviewer, outcome="reject", message="My <reasons>")
    headers = {"Referer": f"http://testserver{at(review)}?tool=x"}
    check_page(
        stranger.post(at(review, "decide"), form, headers=headers),
        "Sign in again",
        "My &lt;reasons&gt;",
        f'href="/sign-in?next={at(review)}%3Ftool%3Dx"',
        status=HTTPStatus.UNAUTHORIZED,
    )
    assert not Decision.objects.exists()


@pytest.mark.parametrize("name", ["reason", "body", "guidelines", "interpretations", "corrected_arguments"])
def test_whatever_text_was_typed_is_kept(stranger: Client, name: str) -> None:
    response = stranger.post("/campaigns/new", {name: "My reasons"})
    check_page(response, "It is kept here", "My reasons", status=HTTPStatus.UNAUTHORIZED)


def test_of_a_call_in_fields_what_was_typed_is_kept_and_not_the_proposed_one(cast: Cast, stranger: Client) -> None:
    form = {"outcome": "edit", "arguments": '{"amount": 300}', "value:/amount": "31", "shown": "fields"}
    response = stranger.post(at(flagged(cast), "decide"), form)
    body = check_page(response, "/amount: 31", status=HTTPStatus.UNAUTHORIZED)
    assert "300" not in body


def test_an_open_page_stays_and_says_where_to_sign_in(cast: Cast, stranger: Client) -> None:
    review = flagged(cast)
    headers = HTMX | {"HX-Current-URL": f"http://testserver{at(review)}"}
    response = stranger.post(at(review, "decide"), {"outcome": "approve"}, headers=headers)
    assert (response.status_code, response.headers["HX-Reswap"]) == (HTTPStatus.UNAUTHORIZED, "none")
    assert f"/sign-in?next={at(review)}" in response.headers["HX-Trigger"]


def test_no_address_of_another_site_is_led_to(cast: Cast, stranger: Client) -> None:
    headers = {"Referer": "https://evil.example/queue"}
    response = stranger.post(at(flagged(cast), "release"), headers=headers)
    body = check_page(response, 'href="/sign-in?next=/', status=HTTPStatus.UNAUTHORIZED)
    assert "evil.example" not in body


def test_a_form_from_before_the_last_sign_in_is_kept(cast: Cast) -> None:
    review = flagged(cast)
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.reviewer.user)
    form = {"outcome": "reject", "message": "My reasons"}
    response = client.post(at(review, "decide"), form, headers={"Referer": f"http://testserver{at(review)}"})
    check_page(response, "out of date", "My reasons", f'href="{at(review)}"', status=HTTPStatus.FORBIDDEN)


def test_a_form_that_is_out_of_date_says_the_same_to_an_open_page(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.reviewer.user)
    response = client.post(at(flagged(cast), "decide"), {"outcome": "approve"}, headers=HTMX)
    assert (response.status_code, "signedOut" in response.headers["HX-Trigger"]) == (HTTPStatus.FORBIDDEN, True)


def test_a_sentence_runs_from_left_to_right_whatever_it_quotes(cast: Cast, desk: Desk) -> None:
    waiting(cast, reason="“دانيال” appears nowhere; the request says “$30”.")
    desk.shows(
        "/queue", '<span dir="ltr">“<bdi>دانيال</bdi>”<bdi> appears nowhere; the request says </bdi>“<bdi>$30</bdi>”'
    )
