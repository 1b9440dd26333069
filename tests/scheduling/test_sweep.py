from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from uuid import uuid4

import pytest
from celery import current_app
from django.db import OperationalError, connection
from django.utils import timezone

from reviews.checks import run
from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.decisions import expiry_and_cancellation
from reviews.intake import plans
from reviews.intake.plans import Draft
from reviews.models import Action, Check, CheckStatus, Decision, Plan, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.context import PlanStep
from reviews.queue import review_claims
from reviews.scheduling import broker
from tests.cast import CONTEXT, Cast, approved, flagged, propose
from tests.jobs import run_attempt


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the sweep asks workers for: the task's name, its arguments and its priority."""
    messages: list[object] = []

    def enqueue(task: str, *args: object, priority: int = 0, **_: object) -> None:
        messages.append((task, *args, priority))

    monkeypatch.setattr(broker, "enqueue_task", enqueue)
    monkeypatch.setattr("reviews.scheduling.broker.queue_length", lambda: 0)
    return messages


ENFORCED_HINT = (broker.RUN_DUE_JOBS, 0)
SHADOW_HINT = (broker.RUN_DUE_JOBS, broker.SHADOW_PRIORITY)


def aged(action: Action) -> Action:
    """The same action, submitted a while ago."""
    then = timezone.now() - timedelta(minutes=5)
    Action.objects.filter(pk=action.pk).update(created_at=then)
    action.checks.update(created_at=then)
    return action


def test_an_action_the_broker_forgot_is_enqueued_again(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    sweep_lost_and_due()
    assert enqueued == [ENFORCED_HINT]


@pytest.mark.parametrize("status", [Status.PENDING, Status.DECIDED])
def test_a_forgotten_check_in_shadow_is_enqueued_wherever_its_action_stands(
    cast: Cast, enqueued: list[object], status: Status
) -> None:
    versions.new_version(membership=cast.admin, shadow=["direct-prompt"])
    action = aged(propose(cast))
    action.checks.enforced().delete()
    Action.objects.update(status=status, settled_at=timezone.now() if status == Status.DECIDED else None)
    sweep_lost_and_due()
    assert enqueued == [SHADOW_HINT]


def test_while_messages_wait_only_what_is_enforced_is_enqueued(
    cast: Cast, enqueued: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    versions.new_version(membership=cast.admin, shadow=["direct-prompt"])
    aged(propose(cast))
    monkeypatch.setattr("reviews.scheduling.broker.queue_length", lambda: 1)
    sweep_lost_and_due()
    assert enqueued == [ENFORCED_HINT]


def test_where_enough_messages_wait_none_is_added(
    cast: Cast, enqueued: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    aged(propose(cast))
    monkeypatch.setattr("reviews.scheduling.broker.queue_length", lambda: broker.MAX_WAITING)
    sweep_lost_and_due()
    assert enqueued == []


def test_messages_wait_at_every_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = f"checks-{uuid4()}"
    monkeypatch.setattr(broker, "_CHECKS", queue)
    before = broker.is_queue_empty()
    current_app.send_task(broker.RUN_DUE_JOBS, queue=queue, priority=broker.SHADOW_PRIORITY)
    waiting = broker.is_queue_empty()
    with current_app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(queue)
    assert (before, waiting, broker.is_queue_empty()) == (True, False, True)


def test_what_cannot_be_told_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise ConnectionError

    monkeypatch.setattr(current_app, "connection_or_acquire", away)
    assert not broker.is_queue_empty()


def test_an_enforced_check_nobody_waits_for_is_left(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Action.objects.update(status=Status.CANCELLED, settled_at=timezone.now())
    sweep_lost_and_due()
    assert enqueued == []


def test_a_forgotten_check_is_enqueued_beside_one_that_runs(cast: Cast, enqueued: list[object]) -> None:
    versions.new_version(membership=cast.admin, detectors=["provenance-guard", "direct-prompt"])
    action = aged(propose(cast))
    running = action.checks.filter(detector="provenance-guard")
    running.update(status=CheckStatus.RUNNING, leased_until=timezone.now() + timedelta(minutes=1))
    sweep_lost_and_due()
    assert enqueued == [ENFORCED_HINT]


def test_an_action_that_was_not_settled_with_its_last_check_is_settled(
    cast: Cast, enqueued: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    action = aged(propose(cast))
    # As workers of an earlier release left it, which settled in a transaction of its own.
    monkeypatch.setattr("reviews.checks.run.settle_action_of", lambda *_, **__: None)
    run_attempt(run.CHECKS, action.checks.get().pk)
    sweep_lost_and_due()
    assert enqueued == [(broker.SETTLE_ACTION, action.pk, 0)]


def test_a_fresh_action_is_left_to_its_task(cast: Cast, enqueued: list[object]) -> None:
    propose(cast)
    sweep_lost_and_due()
    assert enqueued == []


def test_a_running_check_is_left_to_its_worker(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() + timedelta(minutes=1))
    sweep_lost_and_due()
    assert enqueued == []


def test_a_killed_workers_check_is_enqueued_again(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() - timedelta(seconds=1))
    sweep_lost_and_due()
    assert enqueued == [ENFORCED_HINT]


def test_a_scheduled_attempt_is_left_alone(cast: Cast, enqueued: list[object]) -> None:
    aged(propose(cast))
    Check.objects.update(not_before=timezone.now() + timedelta(minutes=1))
    sweep_lost_and_due()
    assert enqueued == []


def test_an_action_past_its_time_expires_without_a_decision(cast: Cast) -> None:
    review = flagged(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert sweep_lost_and_due()["expired"] == 1
    review.refresh_from_db()
    assert (Action.objects.get().status, review.closed_at is None) == (Status.EXPIRED, False)
    assert not Decision.objects.exists()


def test_a_row_that_cannot_be_read_does_not_keep_others_from_expiring(cast: Cast, enqueued: list[object]) -> None:
    poison = propose(cast, trace_id="poison")
    flagged(cast)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE reviews_action SET clock = '0044-03-15 BC' WHERE id = %s", [poison.pk])
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert sweep_lost_and_due() == Counter(stopped=0, expired=2, enqueued=0, released=0, failed=0)


def fails_once(work: Callable[..., object]) -> Callable[..., object]:
    """The same, failing at its first row."""
    rows: list[object] = []

    def fail_first(*row: object) -> object:
        rows.append(row)
        if len(rows) == 1:
            raise ValueError(row)
        return work(*row)

    return fail_first


@pytest.mark.parametrize(
    ("work", "swept"),
    [
        (
            "reviews.decisions.expiry_and_cancellation.expire_action",
            Counter(stopped=0, expired=1, enqueued=4, released=2, failed=1),
        ),
        (
            "reviews.scheduling.broker.enqueue_hint",
            Counter(stopped=0, expired=2, enqueued=3, released=2, failed=1),
        ),
        (
            "reviews.queue.review_claims.release_stale_claim",
            Counter(stopped=0, expired=2, enqueued=4, released=1, failed=1),
        ),
    ],
)
@pytest.mark.usefixtures("enqueued")
def test_a_row_that_fails_is_skipped_logged_and_counted(
    cast: Cast,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    work: str,
    swept: Counter[str],
) -> None:
    past = timezone.now() - timedelta(minutes=5)
    for number in range(2):
        propose(cast, trace_id=f"due-{number}", expires_in=1)
    Action.objects.update(expires_at=past)
    Check.objects.all().delete()
    for number in range(2):
        review_claims.claim_review(review=flagged(cast, trace_id=f"claimed-{number}"), membership=cast.reviewer)
        aged(propose(cast, trace_id=f"lost-{number}"))
        draft = Draft(replace(CONTEXT, plan=(PlanStep("Pay.", ("money_transfer",)),)), trace_id=f"planned-{number}")
        plans.submit_plan(agent_key=cast.agent, draft=draft)
    Review.objects.update(claimed_until=past)
    Plan.objects.update(created_at=past)
    module, _, name = work.rpartition(".")
    monkeypatch.setattr(work, fails_once(getattr(import_module(module), name)))
    assert sweep_lost_and_due() == swept
    assert caplog.text.count("the sweep skips") == 1


def test_a_database_that_is_away_ends_the_sweep(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(action: Action) -> bool:
        raise OperationalError("connection refused")

    flagged(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(expiry_and_cancellation, "expire_action", fail)
    with pytest.raises(OperationalError):
        sweep_lost_and_due()


def test_a_decided_action_does_not_expire(cast: Cast) -> None:
    action = approved(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    sweep_lost_and_due()
    action.refresh_from_db()
    assert action.status == Status.DECIDED
    assert expiry_and_cancellation.expire_action(action) is False
