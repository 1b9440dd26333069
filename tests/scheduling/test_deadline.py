"""A check has an end: its deadline, or the second time that it kills its process."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from reviews.checks import run
from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.models import Action, Check, CheckStatus, Status
from reviews.profiles import versions
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeUnavailableError
from reviews.scheduling import leases
from tests.cast import PASSED, Cast, Script, ScriptedDetector, propose
from tests.jobs import run_check

TOO_LONG = "The check took longer than 30 seconds and was stopped."


def vanished(cast: Cast, *, began: float, silent_since: float = 0, **row: Any) -> Check:
    """A check whose process ended without a word: seconds ago that its first attempt began and its lease ran out."""
    now = timezone.now()
    action = propose(cast)
    started = now - timedelta(seconds=began)
    action.checks.update(
        status=CheckStatus.RUNNING,
        attempts=1,
        created_at=started,
        started_at=started,
        leased_until=min(now - timedelta(seconds=silent_since), started + timedelta(seconds=30)),
        **row,
    )
    return action.checks.get()


def ended(check: Check) -> tuple[str, str, int, str]:
    """How it stands now: status, verdict, killed attempts, and where its action is."""
    check.refresh_from_db()
    return check.status, check.verdict, check.killed, Action.objects.get(pk=check.action_id).status


@pytest.fixture
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    sent: list[Any] = []
    monkeypatch.setattr("reviews.scheduling.broker.enqueue_task", lambda task, *args, **_: sent.append(args))
    return sent


def test_a_check_that_was_killed_at_its_deadline_is_before_a_person_with_the_next_sweep(
    cast: Cast, script: Script, enqueued: list[Any]
) -> None:
    detector = script(PASSED)
    check = vanished(cast, began=31)
    assert sweep_lost_and_due()["stopped"] == 1
    assert ended(check) == ("done", "undetermined", 1, Status.PENDING)
    assert check.reason == TOO_LONG
    assert (detector.resumed_behind, enqueued[1:]) == ([], [])


def test_a_message_does_not_run_it_again_either(cast: Cast, script: Script) -> None:
    detector = script(PASSED)
    check = vanished(cast, began=31)
    run_check(check.pk)
    assert ended(check) == ("done", "undetermined", 1, Status.PENDING)
    assert detector.resumed_behind == []


def test_one_accident_is_no_reason_to_stop(cast: Cast, script: Script) -> None:
    script(PASSED)
    check = vanished(cast, began=10)
    assert sweep_lost_and_due()["stopped"] == 0
    run_check(check.pk)
    assert ended(check) == ("done", "aligned", 1, Status.DECIDED)


def test_a_check_that_kills_its_process_twice_is_not_run_again(cast: Cast, script: Script) -> None:
    script(PASSED)
    check = vanished(cast, began=10, killed=1)
    assert sweep_lost_and_due()["stopped"] == 1
    assert ended(check) == ("done", "undetermined", 2, Status.PENDING)


def test_time_in_which_the_machine_was_away_is_not_the_checks(cast: Cast, script: Script) -> None:
    script(PASSED)
    check = vanished(cast, began=3600, silent_since=3590)
    run_check(check.pk)
    assert ended(check) == ("done", "aligned", 1, Status.DECIDED)


def test_a_lease_is_never_held_beyond_the_deadline(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, check_seconds=5)
    action = propose(cast)
    assert leases.fetch_job(run.CHECKS, action.checks.all())
    check = action.checks.get()
    assert check.started_at
    assert check.leased_until == check.started_at + timedelta(seconds=5)


def test_a_check_that_only_waits_ends_at_its_deadline(cast: Cast, script: Script) -> None:
    class Waiting(ScriptedDetector):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            yield PASSED
            await asyncio.sleep(60)

    script().stages = Waiting().stages  # type: ignore[method-assign]
    # Long enough for its first stage on a busy machine.
    versions.new_version(membership=cast.admin, check_seconds=4)
    check = propose(cast).checks.get()
    run_check(check.pk)
    assert ended(check) == ("done", "undetermined", 0, Status.PENDING)
    assert (check.reason, len(check.stages)) == ("The check took longer than 4 seconds and was stopped.", 2)


def test_no_attempt_is_put_off_beyond_the_deadline(cast: Cast, script: Script, settings: Settings) -> None:
    script(JudgeUnavailableError("gone"))
    # Only the next attempt lies beyond it, not the first on a busy machine.
    settings.GUARD = settings.GUARD.model_copy(update={"check_retry_seconds": 60})
    versions.new_version(membership=cast.admin, check_seconds=30)
    check = propose(cast).checks.get()
    assert run_check(check.pk) is None
    assert ended(check) == ("done", "undetermined", 0, Status.PENDING)
    assert check.reason == "The judge could not be reached: gone"
