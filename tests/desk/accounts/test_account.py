"""Passwords forgotten and changed, sessions, and where the client's address comes from."""

import re
from http import HTTPStatus
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from reviews.desk.accounts.adapters import client_address
from tests.cast import PASSWORD, Cast
from tests.desk.desk import Desk, check_page
from tests.desk.test_sign_in import sign_in

ADDRESS = "rita@example.org"
CHANGED = "an-other-long-password"


@pytest.fixture
def rita(cast: Cast) -> User:
    """The reviewer, with an address."""
    cast.reviewer.user.email = ADDRESS
    cast.reviewer.user.save()
    return cast.reviewer.user


def test_a_forgotten_password_is_set_anew_by_a_link_that_works_once(
    rita: User, stranger: Client, settings: Any
) -> None:
    check_page(stranger.post("/password/reset", {"email": ADDRESS}, follow=True), "Look into your mailbox")
    (message,) = mail.outbox
    found = re.search(rf"{re.escape(settings.GUARD.public_url)}(/password/reset/\S+)", str(message.body))
    assert found
    page = stranger.get(found[1], follow=True)
    address = page.redirect_chain[-1][0]
    changed = stranger.post(address, {"password1": CHANGED, "password2": CHANGED}, follow=True)
    check_page(changed, "Your password is changed")
    rita.refresh_from_db()
    assert rita.check_password(CHANGED)
    check_page(Client().get(found[1], follow=True), "This link has ended")


def test_an_address_that_nobody_has_is_told_the_same_and_gets_no_mail(db: None, stranger: Client) -> None:
    check_page(stranger.post("/password/reset", {"email": "x@example.org"}, follow=True), "Look into your mailbox")
    assert mail.outbox == []


def test_mails_are_not_sent_without_end(rita: User, stranger: Client) -> None:
    for _ in range(6):
        response = stranger.post("/password/reset", {"email": ADDRESS})
    check_page(response, "Too many tries", status=HTTPStatus.TOO_MANY_REQUESTS)


def test_a_password_is_changed_by_whoever_knows_the_old_one(rita: User) -> None:
    desk = Desk(Client())
    sign_in(desk.client, "rita")
    form: dict[str, Any] = {"password1": CHANGED, "password2": CHANGED}
    desk.sends("/account/password", "current password", oldpassword="wrong", **form)
    desk.sends("/account/password", oldpassword=PASSWORD, **form)
    rita.refresh_from_db()
    assert rita.check_password(CHANGED)
    desk.shows("/queue")


def test_an_address_signs_in_in_any_case_of_its_letters(cast: Cast, stranger: Client) -> None:
    User.objects.filter(pk=cast.reviewer.user_id).update(username=ADDRESS)
    assert sign_in(stranger, "Rita@Example.org")["Location"] == "/queue"


def test_sessions_are_listed_and_ended_elsewhere(cast: Cast) -> None:
    here, elsewhere = Client(headers={"user-agent": "Here/1"}), Client(headers={"user-agent": "<b>Elsewhere</b>"})
    for browser in (here, elsewhere):
        sign_in(browser, "rita")
    body = check_page(here.get("/account/sessions"), "Here/1", "this one")
    assert "<b>Elsewhere" not in body
    check_page(here.post("/account/sessions", follow=True), "The other sessions are signed out.")
    assert here.get("/queue").status_code == HTTPStatus.OK
    assert elsewhere.get("/queue").status_code == HTTPStatus.FOUND


def test_the_sessions_of_others_are_not_listed(cast: Cast) -> None:
    for name, browser in (("rita", "Ritas/1"), ("rob", "Robs/1")):
        client = Client(headers={"user-agent": browser})
        sign_in(client, name)
    assert "Ritas/1" not in client.get("/account/sessions").content.decode()


def test_what_a_client_writes_into_a_header_is_not_its_address(rf: Any) -> None:
    request = rf.get("/", REMOTE_ADDR="203.0.113.7", HTTP_X_FORWARDED_FOR="6.6.6.6")
    assert client_address(request) == "203.0.113.7"


def test_a_guesser_elsewhere_locks_nobody_out(cast: Cast, settings: Any) -> None:
    guesser, rita = (Client(REMOTE_ADDR=ip) for ip in ("203.0.113.7", "203.0.113.8"))
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = sign_in(guesser, "rita", "wrong")
    assert response.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert AccessAttempt.objects.get().ip_address == "203.0.113.7"
    assert sign_in(rita, "rita")["Location"] == "/queue"
