from datetime import timedelta

import pytest
from django.utils import timezone

from reviews import decisions, sweeping
from reviews.models import Action, Check, CheckStatus, Decision, Status
from tests.cast import Cast, approved, flagged, propose


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Ids the sweep asks workers for."""
    asked: list[object] = []
    monkeypatch.setattr("reviews.delivery.enqueue_check", lambda action_id, delay=0: asked.append(action_id))
    return asked


def aged(action: Action) -> Action:
    """The same action, submitted a while ago."""
    Action.objects.filter(pk=action.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    return action


def test_an_action_the_broker_forgot_is_enqueued_again(cast: Cast, enqueued: list[object]) -> None:
    action = aged(propose(cast))
    sweeping.sweep()
    assert enqueued == [action.pk]


def test_a_fresh_action_is_left_to_its_task(cast: Cast, enqueued: list[object]) -> None:
    propose(cast)
    sweeping.sweep()
    assert enqueued == []


def test_a_running_check_is_left_to_its_worker(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() + timedelta(minutes=1))
    sweeping.sweep()
    assert enqueued == []


def test_a_killed_workers_check_is_enqueued_again(cast: Cast, enqueued: list[object]) -> None:
    action = aged(propose(cast))
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() - timedelta(seconds=1))
    sweeping.sweep()
    assert enqueued == [action.pk]


def test_a_scheduled_attempt_is_left_alone(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Check.objects.update(not_before=timezone.now() + timedelta(minutes=1))
    sweeping.sweep()
    assert enqueued == []


def test_an_action_past_its_time_expires_without_a_decision(cast: Cast) -> None:
    review = flagged(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert sweeping.sweep().expired == 1
    review.refresh_from_db()
    assert (Action.objects.get().status, review.closed_at is None) == (Status.EXPIRED, False)
    assert not Decision.objects.exists()


def test_a_decided_action_does_not_expire(cast: Cast) -> None:
    action = approved(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    sweeping.sweep()
    action.refresh_from_db()
    assert action.status == Status.DECIDED
    assert decisions.expire(action) is False
