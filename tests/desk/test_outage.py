"""The desk while its database is away: a page that says so, and nothing that was typed is lost."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import psycopg
import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import AsyncClient
from psycopg_pool import ConnectionPool

from guardapp.database import base
from reviews.models import Decision
from tests.cast import Cast, flagged, make_cast
from tests.desk.desk import HTMX, Desk, at, check_page, decision_of

pytestmark = pytest.mark.django_db(transaction=True)

AWAY = "The desk cannot reach its database"


@pytest.fixture
def everybody(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def browser(everybody: Cast) -> Desk:
    desk = Desk.of(everybody.reviewer)
    desk.client.raise_request_exception = False
    return desk


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """From `connection.close()` on, no connection answers; undone, all do."""

    def silent(checked: psycopg.Connection) -> None:
        checked.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    # No connection is believed because it has just answered.
    monkeypatch.setattr(base, "_BELIEVED_SECONDS", 0)
    monkeypatch.setattr(ConnectionPool, "check_connection", staticmethod(silent))
    yield monkeypatch
    monkeypatch.undo()


def test_a_page_says_that_the_database_is_away(browser: Desk, away: pytest.MonkeyPatch) -> None:
    connection.close()
    response = browser.client.get("/queue?tool=%26x")
    check_page(response, AWAY, 'href="/queue?tool=%26x"', status=HTTPStatus.SERVICE_UNAVAILABLE)
    assert int(response.headers["Retry-After"]) > 0


def test_what_was_typed_is_kept_and_can_be_sent_again(everybody: Cast, browser: Desk, away: pytest.MonkeyPatch) -> None:
    review = flagged(everybody)
    form = decision_of(review, everybody.reviewer, outcome="reject", message='Only <$30>, "please".')
    connection.close()
    response = browser.client.post(at(review, "decide"), form)
    typed = ("Only &lt;$30&gt;, &quot;please&quot;.</textarea>", 'name="outcome" value="reject"')
    check_page(response, AWAY, *typed, f'action="{at(review, "decide")}"', status=HTTPStatus.SERVICE_UNAVAILABLE)
    away.undo()
    browser.client.post(at(review, "decide"), form)
    assert Decision.objects.get().message == form["message"]


def test_a_fragment_is_refused_with_503_so_that_the_open_form_stays(
    everybody: Cast, browser: Desk, away: pytest.MonkeyPatch
) -> None:
    review = flagged(everybody)
    connection.close()
    response = browser.client.post(at(review, "decide"), {"outcome": "approve"}, headers=HTMX)
    assert response.status_code == HTTPStatus.SERVICE_UNAVAILABLE


def test_a_password_is_not_repeated(everybody: Cast, browser: Desk, away: pytest.MonkeyPatch) -> None:
    connection.close()
    body = check_page(
        browser.client.post("/sign-in", {"username": "rita", "password": "a secret"}),
        AWAY,
        'value="rita"',
        status=HTTPStatus.SERVICE_UNAVAILABLE,
    )
    assert "a secret" not in body


def test_a_bug_is_still_a_500(browser: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(user: object) -> None:
        raise LookupError

    monkeypatch.setattr("reviews.access.membership_for", broken)
    check_page(browser.client.get("/queue"), "Something broke", status=HTTPStatus.INTERNAL_SERVER_ERROR)


def test_the_asynchronous_server_says_so_too(away: pytest.MonkeyPatch) -> None:
    client = AsyncClient(raise_request_exception=False)
    client.cookies["sessionid"] = "a" * 32
    connection.close()
    response: Any = async_to_sync(client.get)("/queue")
    check_page(response, AWAY, status=HTTPStatus.SERVICE_UNAVAILABLE)
