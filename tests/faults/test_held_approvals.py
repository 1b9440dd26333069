"""A worker that is killed while it tells of an approval: it is told later or taken back, never both. Real processes."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone

from reviews.decisions import decide, executions, holds, locking
from reviews.errors import NotRunnableError
from reviews.models import Action, Decision, Execution, Label, Status
from reviews.profiles import versions
from reviews.scheduling import broker
from tests import stack
from tests.cast import Cast, flagged, make_cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@pytest.fixture
def cast() -> Cast:
    made = make_cast()
    versions.new_version(membership=made.admin, hold_seconds=1)
    return made


def approved(cast: Cast) -> Decision:
    return decide.decide_action(action=flagged(cast).action, choice=decide.Approve(), membership=cast.reviewer)


@contextlib.contextmanager
def busy(action_id: object) -> Iterator[None]:
    """The action is locked by somebody else meanwhile, as a long transaction would."""
    locked, done = threading.Event(), threading.Event()

    def lock() -> None:
        with transaction.atomic():
            locking.lock_action(action_id)  # type: ignore[arg-type]
            locked.set()
            done.wait(60)
        connection.close()

    thread = threading.Thread(target=lock)
    thread.start()
    locked.wait(10)
    try:
        yield
    finally:
        done.set()
        thread.join()


def waiting_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
        return cursor.fetchone() is not None


def killed_while_it_tells(decision: Decision) -> None:
    """A worker takes up the release of the decision and is killed in the middle of it."""
    with busy(decision.action_id), stack.worker(queues="default", pool="threads") as worker:
        broker.enqueue_task(holds.RELEASE, decision.pk)
        stack.until(waiting_for_a_lock, what="the worker in the middle of the release")
        stack.kill(worker)
    # Its connection is noticed as gone once the lock is free.
    time.sleep(0.5)


def test_what_a_killed_worker_did_not_tell_can_be_taken_back_and_never_runs(cast: Cast, tmp_path: Path) -> None:
    decision = approved(cast)
    stack.until(lambda: decision.held_until and decision.held_until < timezone.now(), what="the end of the hold")
    killed_while_it_tells(decision)
    decision.refresh_from_db()
    if decision.in_force:
        pytest.fail("A worker that is killed must not have told half of it.")
    holds.undo_decision(decision=decision, membership=cast.reviewer)
    with stack.worker(queues="default", pool="threads"), stack.beat(tmp_path):
        time.sleep(4)
    with pytest.raises(NotRunnableError):
        executions.start_execution(action=decision.action, agent_key=cast.agent)
    assert (Action.objects.get().status, Execution.objects.count()) == (Status.PENDING, 0)


def test_what_a_killed_worker_did_not_tell_is_told_by_the_next_once(cast: Cast, tmp_path: Path) -> None:
    decision = approved(cast)
    stack.until(lambda: decision.held_until and decision.held_until < timezone.now(), what="the end of the hold")
    killed_while_it_tells(decision)
    with stack.worker(queues="default", pool="threads"), stack.beat(tmp_path):
        stack.until(lambda: Action.objects.get().status == Status.DECIDED, what="the agent being told")
    assert (Label.objects.count(), Decision.objects.filter(in_force=True).count()) == (1, 1)
    assert executions.start_execution(action=decision.action, agent_key=cast.agent).execution.decision == decision
