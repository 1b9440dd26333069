from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client

from tests.cast import PASSWORD, Cast
from tests.desk.desk import Desk


def sign_in(browser: Client, name: str, password: str = PASSWORD, **more: str) -> Any:
    """Send the sign-in form."""
    return browser.post("/sign-in", {"username": name, "password": password, **more})


def test_the_right_password_leads_to_the_queue(cast: Cast, stranger: Client) -> None:
    assert sign_in(stranger, "rita").headers["Location"] == "/queue"


def test_it_leads_to_where_one_was_going(cast: Cast, stranger: Client) -> None:
    assert sign_in(stranger, "rita", next="/settings").headers["Location"] == "/settings"


def test_it_never_leads_to_another_site(cast: Cast, stranger: Client) -> None:
    assert sign_in(stranger, "rita", next="https://evil.example/").headers["Location"] == "/queue"


def test_a_wrong_password_is_told_and_the_name_is_kept(cast: Cast, stranger: Client) -> None:
    body = sign_in(stranger, "rita", "wrong").content.decode()
    assert "do not match" in body
    assert 'value="rita"' in body


def test_too_many_wrong_passwords_pause_the_sign_in(cast: Cast, stranger: Client, settings: Any) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = sign_in(stranger, "rita", "wrong")
    assert response.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert "Sign-in is paused for this account" in response.content.decode()


def test_while_it_is_paused_the_right_password_does_not_help(cast: Cast, stranger: Client, settings: Any) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        sign_in(stranger, "rita", "wrong")
    assert sign_in(stranger, "rita").status_code == HTTPStatus.TOO_MANY_REQUESTS


def test_somebody_signed_in_goes_on_to_the_queue(desk: Desk) -> None:
    assert desk.client.get("/sign-in").headers["Location"] == "/queue"


def test_signing_out_ends_it(desk: Desk) -> None:
    desk.client.post("/sign-out")
    assert desk.client.get("/queue").status_code == HTTPStatus.FOUND


def test_a_link_cannot_sign_anybody_out(desk: Desk) -> None:
    assert desk.client.get("/sign-out").status_code == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize(("demo", "shows_accounts"), [(True, True), (False, False)])
def test_only_a_demonstration_says_where_its_sign_in_is(
    stranger: Client, settings: Any, *, demo: bool, shows_accounts: bool
) -> None:
    settings.DEMO = demo
    assert ("This is a demonstration" in stranger.get("/sign-in").content.decode()) is shows_accounts


def test_a_form_without_its_token_is_told_so(cast: Cast) -> None:
    response = sign_in(Client(enforce_csrf_checks=True), "rita")
    assert response.status_code == HTTPStatus.FORBIDDEN
    assert "This form is out of date" in response.content.decode()
