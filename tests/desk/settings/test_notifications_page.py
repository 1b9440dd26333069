from http import HTTPStatus
from typing import Any

import pytest

from reviews.messaging.notifications.chat import decrypt_address
from reviews.models import AuditEvent, Notification, NotificationPreference
from tests.cast import Cast
from tests.desk.desk import Desk

SLACK = "https://hooks.slack.com/services/T1/B2/secret"
CHOICES: dict[str, Any] = {"at_once_from": "high", "digest_hours": "4", "time_zone": "Europe/Berlin"}


def test_a_chat_is_stored_encrypted_and_never_shown_again(cast: Cast, desk: Desk) -> None:
    form = {**CHOICES, "chat_address": SLACK, "quiet_from": "22:00", "quiet_until": "07:00"}
    body = desk.sends("/notifications", "Stored", "Forget the chat", 'value="22:00"', **form)
    assert "secret" not in body
    preference = NotificationPreference.objects.get(membership=cast.reviewer)
    assert decrypt_address(preference.chat_address) == SLACK
    assert AuditEvent.objects.get(verb="notifications.changed").details["chat"] == "hooks.slack.com"
    # Left empty it stays.
    desk.sends("/notifications", "Stored", **CHOICES)
    preference.refresh_from_db()
    assert decrypt_address(preference.chat_address) == SLACK
    assert preference.quiet_from is None
    desk.sends("/notifications", "Stored", **CHOICES, forgets_chat="on")
    preference.refresh_from_db()
    assert preference.chat_address == ""


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"chat_address": "https://10.0.0.1/hook"}, "no address of one of these"),
        ({"quiet_from": "22:00"}, "Give both times"),
        ({"quiet_from": "22:00", "quiet_until": "22:00"}, "another time"),
        ({"time_zone": "Mars/Base"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_done_is_refused_beside_its_field(desk: Desk, changed: dict[str, Any], problem: str) -> None:
    desk.sends("/notifications", problem, status=HTTPStatus.UNPROCESSABLE_ENTITY, **CHOICES | changed)
    assert not NotificationPreference.objects.exists()


def test_a_test_goes_to_what_is_chosen_and_to_nobody_else(cast: Cast, desk: Desk) -> None:
    desk.sends("/notifications", "Choose e-mail or a chat first", **CHOICES, do="test")
    desk.sends("/notifications", "Stored", **CHOICES, chat_address=SLACK)
    desk.sends("/notifications", "on its way", **CHOICES, do="test")
    assert Notification.objects.get().preference.membership == cast.reviewer
    Desk.of(cast.other_reviewer).lacks("/notifications", "Forget the chat")


def test_a_test_stores_the_form_it_is_sent_with(cast: Cast, desk: Desk) -> None:
    desk.sends("/notifications", "Stored", "on its way", **CHOICES, chat_address=SLACK, do="test")
    stored = NotificationPreference.objects.get(membership=cast.reviewer)
    assert (decrypt_address(stored.chat_address), stored.time_zone) == (SLACK, CHOICES["time_zone"])
    assert Notification.objects.get().preference == stored
    # A second one changes nothing: what came since the choice is still told.
    desk.sends("/notifications", "on its way", **CHOICES, do="test")
    assert NotificationPreference.objects.get(membership=cast.reviewer).since == stored.since


def test_a_test_of_a_form_that_is_refused_keeps_what_was_typed(desk: Desk) -> None:
    form = {**CHOICES, "chat_address": "https://10.0.0.1/hook", "do": "test"}
    desk.sends("/notifications", "no address of one", 'value="https://10.0.0.1/hook"', status=422, **form)
    assert not Notification.objects.exists()
