"""People are told of what waits, when and where they want, once, and of nothing that an agent could abuse."""

import json
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from reviews.messaging.notifications import deliveries, outbox, times
from reviews.messaging.notifications.chat import build_request, find_service
from reviews.messaging.notifications.preferences import Choices, choose_notifications, let_messages_tell_values
from reviews.messaging.webhooks.requests import SendResult
from reviews.models import Membership, Notification, NotificationPreference, Review
from reviews.tasks import notify_people
from tests.cast import Cast
from tests.desk.desk import rejected_by_another, waiting

SLACK = "https://hooks.slack.com/services/T1/B2/c3"
NOON = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)


@pytest.fixture
def smtp(settings: Any) -> None:
    """The installation sends mail, into a list."""
    settings.GUARD = settings.GUARD.model_copy(update={"smtp_url": "smtp://localhost"})


def tell(member: Membership, **changed: Any) -> NotificationPreference:
    """The member is told of every call at once, by e-mail."""
    member.user.email = f"{member.user.get_username()}@example.org"
    member.user.save(update_fields=["email"])
    choices: dict[str, Any] = {
        "sends_email": True,
        "chat_address": None,
        "at_once_from": "low",
        "digest_hours": 0,
        "quiet_from": None,
        "quiet_until": None,
        "time_zone": "UTC",
    }
    return choose_notifications(membership=member, choices=Choices(**choices | changed))


def chat_answers(monkeypatch: pytest.MonkeyPatch, *results: SendResult) -> list[Any]:
    """The chat answers so, in turn and then with the last. Returns what it is sent."""
    sent: list[Any] = []

    async def send(requests: list[Any]) -> list[SendResult]:
        sent.extend(requests)
        return [results[min(len(sent), len(results)) - 1]]

    monkeypatch.setattr(deliveries, "send_requests", send)
    return sent


@pytest.mark.parametrize(
    ("changed", "risk", "due"),
    [
        ({}, "high", NOON),
        ({}, "medium", None),
        ({"digest_hours": 1}, "medium", NOON.replace(hour=13, minute=0)),
        ({"digest_hours": 4}, "low", NOON.replace(hour=13, minute=0)),
        ({"digest_hours": 24}, "low", NOON.replace(day=3, hour=9, minute=0)),
        # 21:30 in Tokyo, where the day's digest comes at nine.
        ({"digest_hours": 24, "time_zone": "Asia/Tokyo"}, "low", NOON.replace(day=3, hour=0, minute=0)),
        ({"quiet_from": time(12), "quiet_until": time(14)}, "high", NOON.replace(hour=14, minute=0)),
        ({"quiet_from": time(14), "quiet_until": time(12)}, "high", NOON),
        ({"quiet_from": time(22), "quiet_until": time(7)}, "high", NOON),
        # 01:30 in Auckland.
        (
            {"quiet_from": time(22), "quiet_until": time(7), "time_zone": "Pacific/Auckland"},
            "high",
            NOON.replace(hour=18, minute=0),
        ),
        ({"at_once_from": "", "digest_hours": 0}, "high", None),
    ],
)
def test_a_person_is_told_at_once_with_a_digest_or_behind_quiet_hours(
    changed: dict[str, Any], risk: str, due: datetime | None
) -> None:
    assert times.due_time(NotificationPreference(**changed), risk, NOON) == due


@pytest.mark.parametrize(
    "address",
    [
        "http://hooks.slack.com/services/T1/B2/c3",
        "https://hooks.slack.com.evil.example/services/T1/B2/c3",
        "https://hooks.slack.com@10.0.0.1/services/T1/B2/c3",
        "https://hooks.slack.com:8443/services/T1/B2/c3",
        "https://127.0.0.1/services/T1/B2/c3",
        "https://discord.com/api/webhooks/1/../../users",
        "slack://T1/B2/c3",
    ],
)
def test_only_addresses_of_known_chat_services_are_sent_to(address: str) -> None:
    assert find_service(address) is None
    with pytest.raises(ValueError, match="no chat service"):
        build_request(address, "hello")


@pytest.mark.parametrize(
    ("address", "unsaid"),
    [
        (SLACK, "<!channel>"),
        ("https://chat.googleapis.com/v1/spaces/AA/messages?key=k&token=t", "<users/all>"),
    ],
)
def test_an_agents_words_call_nobody_in_a_chat(address: str, unsaid: str) -> None:
    assert unsaid not in build_request(address, f"tool {unsaid}").body


def test_in_discord_a_mention_reaches_nobody_and_a_link_shows_where_it_leads() -> None:
    body = json.loads(
        build_request("https://discord.com/api/webhooks/1/t", "@everyone [queue](https://a.example)").body
    )
    assert body == {"content": "@everyone (queue)(https://a.example)", "allowed_mentions": {"parse": []}}


def test_one_mail_tells_of_all_that_waits_and_of_no_value(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    tell(cast.outsider)
    reviews = [waiting(cast, tool) for tool in ("wire", "mail\nSubject: x")]
    for _ in range(2):
        notify_people()
    [message] = mail.outbox
    assert message.to == ["rita@example.org"]
    assert message.subject == "2 calls wait for a person in Acme"
    assert all(f"/reviews/{review.pk}" in message.body for review in reviews)
    assert "medium risk: wire, of support-bot" in message.body
    assert "\nSubject" not in message.body
    assert "daniel" not in message.body
    assert set(Notification.objects.values_list("status", flat=True)) == {"delivered"}


def test_a_workspace_may_have_its_messages_tell_values(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    let_messages_tell_values(allowed=True, membership=cast.admin)
    waiting(cast)
    notify_people()
    assert "daniel.kim@example.org" in mail.outbox[0].body


def test_who_does_not_see_the_queue_is_not_told(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    Membership.objects.filter(pk=cast.reviewer.pk).update(role="annotator")
    waiting(cast)
    notify_people()
    assert mail.outbox == []


def test_a_person_is_told_of_what_comes_after_the_choice_and_still_waits(cast: Cast, smtp: None) -> None:
    waiting(cast)
    tell(cast.reviewer, at_once_from="", digest_hours=1)
    review = waiting(cast)
    assert outbox.enqueue_notifications() == 1
    rejected_by_another(cast, review)
    Notification.objects.update(due_at=timezone.now())
    notify_people()
    assert mail.outbox == []
    assert not Notification.objects.filter(status="pending").exists()


def test_a_choice_that_changes_holds_for_what_is_due_already(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    waiting(cast)
    outbox.enqueue_notifications()
    now = timezone.now()
    around = ((now + timedelta(hours=hours)).time().replace(microsecond=0) for hours in (-1, 1))
    tell(cast.reviewer, **dict(zip(("quiet_from", "quiet_until"), around, strict=True)))
    notify_people()
    row = Notification.objects.get()
    assert row.due_at is not None
    assert (row.status, row.due_at > now) == ("pending", True)
    tell(cast.reviewer, sends_email=False)
    Notification.objects.update(due_at=now)
    notify_people()
    assert mail.outbox == []
    assert Notification.objects.get().status == "delivered"


def test_between_two_messages_lies_a_pause(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    for expected in (1, 1):
        waiting(cast)
        notify_people()
        assert len(mail.outbox) == expected
    NotificationPreference.objects.update(sent_at=timezone.now() - deliveries.PAUSE)
    notify_people()
    assert len(mail.outbox) == 2


def test_what_a_worker_that_died_was_sending_is_sent_when_its_lease_is_over(
    cast: Cast, smtp: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(cast.reviewer)
    waiting(cast)
    with monkeypatch.context() as patched:
        patched.setattr(deliveries, "_settle_rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            notify_people()
    notify_people()
    assert len(mail.outbox) == 1
    NotificationPreference.objects.update(busy_until=timezone.now())
    notify_people()
    assert len(mail.outbox) == 2


def test_a_chat_that_fails_is_tried_again_and_given_up(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = chat_answers(monkeypatch, SendResult(500, "It answered 500."))
    preference = tell(cast.reviewer, sends_email=False, chat_address=SLACK)
    assert "hooks" not in preference.chat_address
    waiting(cast)
    for _ in range(len(deliveries.RETRY_SECONDS) + 2):
        notify_people()
        Notification.objects.filter(status="pending").update(due_at=timezone.now())
    row = Notification.objects.get()
    assert (row.status, row.problem) == ("failed", "It answered 500.")
    assert len(sent) == len(deliveries.RETRY_SECONDS) + 1
    assert sent[0].url == SLACK


def test_a_test_that_is_asked_for_again_and_again_is_one_message(cast: Cast, smtp: None) -> None:
    preference = tell(cast.reviewer)
    assert [outbox.enqueue_test(preference) for _ in range(3)] == [1, 1, 1]
    assert Notification.objects.count() == 1
    notify_people()
    assert [message.subject for message in mail.outbox] == ["Test from Acme"]


def test_a_flood_names_ten_and_counts_the_rest(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    for _ in range(12):
        waiting(cast)
    notify_people()
    assert mail.outbox[0].body.count("/reviews/") == 10
    assert "And 2 more" in mail.outbox[0].body


def test_rows_of_items_that_left_the_queue_are_forgotten(cast: Cast, smtp: None) -> None:
    tell(cast.reviewer)
    first, second = waiting(cast), waiting(cast)
    notify_people()
    Notification.objects.update(created_at=timezone.now() - timedelta(days=31))
    Review.objects.filter(pk=first.pk).update(closed_at=timezone.now())
    for pk in list(deliveries.old_notifications()):
        deliveries.delete_notification(pk)
    assert Notification.objects.get().review_id == second.pk
