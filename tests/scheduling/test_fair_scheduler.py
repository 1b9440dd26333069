"""Whose check a free process takes, whatever order the messages come in."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from reviews import tasks
from reviews.checks.scheduler import SCHEDULER
from reviews.intake import actions
from reviews.models import Action, AgentKey, Check, CheckStatus, Status
from reviews.profiles import versions
from reviews.scheduling import broker, fair_scheduler, multiplexer
from reviews.scheduling.fair_scheduler import FairScheduler
from reviews.workspaces import agent_keys
from tests.cast import PASSED, Cast, Script, proposal, propose


def issued(cast: Cast, name: str) -> AgentKey:
    return agent_keys.issue_key(membership=cast.admin, name=name).agent_key


def submitted(agent: AgentKey, trace: str) -> Action:
    return actions.submit_action(agent_key=agent, proposal=proposal(trace_id=trace)).action


def served_traces(count: int) -> list[str]:
    """The conversations of the next checks, in the order in which they are served."""
    served = [SCHEDULER.serve_next() for _ in range(count)]
    traces = dict(Check.objects.values_list("pk", "action__trace__external_id"))
    return [traces[turn.pk] for turn in served if turn]


def test_an_agent_does_not_wait_behind_anothers_backlog(cast: Cast, script: Script) -> None:
    script(PASSED)
    other = issued(cast, "other")
    for number in range(4):
        submitted(cast.agent, f"a{number}")
    for number in range(2):
        submitted(other, f"b{number}")
    assert served_traces(6) == ["a0", "b0", "a1", "b1", "a2", "a3"]
    assert SCHEDULER.serve_next() is None


def test_the_process_in_reserve_passes_over_whoever_has_a_check_running(cast: Cast, script: Script) -> None:
    script(PASSED)
    submitted(cast.agent, "a0")
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() + timedelta(minutes=1))
    submitted(cast.agent, "a1")
    submitted(issued(cast, "other"), "b0")
    served = [SCHEDULER.serve_next(for_idle_agents=True) for _ in range(2)]
    assert [turn and turn.pk for turn in served] == [Check.objects.get(action__trace__external_id="b0").pk, None]
    assert fair_scheduler.is_anything_due()


def test_each_hint_has_due_checks_run_once(cast: Cast, script: Script) -> None:
    script(PASSED)
    first, second = propose(cast, trace_id="first"), propose(cast, trace_id="second")
    for _ in range(2):
        tasks.run_due_jobs()
    assert set(Action.objects.values_list("status", flat=True)) == {Status.DECIDED}
    assert first.checks.get().attempts == second.checks.get().attempts == 1


def test_one_hint_has_several_checks_run_and_the_next_finds_nothing_due(cast: Cast, script: Script) -> None:
    script(PASSED)
    for number in range(3):
        propose(cast, trace_id=f"t{number}")
    tasks.run_due_jobs()
    assert set(Action.objects.values_list("status", flat=True)) == {Status.DECIDED}
    with patch.object(FairScheduler, "fetch_job") as fetch_job:
        tasks.run_due_jobs()
    fetch_job.assert_not_called()


def test_checks_left_behind_a_hint_get_another(cast: Cast, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script(PASSED)
    monkeypatch.setattr(multiplexer, "ROW_SECONDS", 0)
    served, _ = [propose(cast, trace_id=f"t{number}").checks.get() for number in range(2)]
    with patch.object(broker, "enqueue_hint") as enqueue_hint:
        tasks.run_due_jobs()
    enqueue_hint.assert_called_once_with()
    assert Check.objects.get(status=CheckStatus.DONE) == served


def test_a_hint_is_done_when_its_time_is_over(cast: Cast, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script(PASSED)
    monkeypatch.setattr(multiplexer, "ROW_SECONDS", 0)
    for number in range(3):
        propose(cast, trace_id=f"t{number}")
    tasks.run_due_jobs()
    assert Check.objects.filter(status=CheckStatus.DONE).count() == 1


def test_enforced_checks_come_before_shadows(cast: Cast, script: Script) -> None:
    script(PASSED)
    versions.new_version(membership=cast.admin, shadow=["direct-prompt"])
    for number in range(2):
        propose(cast, trace_id=f"t{number}")
    modes = [turn.mode for turn in (SCHEDULER.serve_next() for _ in range(4)) if turn]
    assert modes == ["enforced", "enforced", "shadow", "shadow"]


def test_what_is_not_due_or_not_waited_for_has_no_turn(cast: Cast, script: Script) -> None:
    script(PASSED)
    later, cancelled = propose(cast, trace_id="later"), propose(cast, trace_id="cancelled")
    later.checks.update(not_before=timezone.now() + timedelta(minutes=1))
    Action.objects.filter(pk=cancelled.pk).update(status=Status.CANCELLED, settled_at=timezone.now())
    assert SCHEDULER.serve_next() is None


@pytest.mark.parametrize(
    ("took", "ago", "is_served"),
    [
        pytest.param(fair_scheduler.LONG * 2, timedelta(seconds=1), False, id="long, a moment ago"),
        pytest.param(fair_scheduler.LONG * 2, fair_scheduler.LATELY * 2, True, id="long, a while ago"),
        pytest.param(fair_scheduler.LONG / 2, timedelta(seconds=1), True, id="not long"),
    ],
)
def test_the_process_in_reserve_passes_over_whoever_kept_a_process_long_of_late(
    cast: Cast, script: Script, took: timedelta, ago: timedelta, is_served: bool
) -> None:
    script(PASSED)
    done, ended = submitted(cast.agent, "done").checks.get(), timezone.now() - ago
    SCHEDULER.serve_next()
    Check.objects.filter(pk=done.pk).update(started_at=ended - took, finished_at=ended)
    submitted(cast.agent, "next")
    assert bool(SCHEDULER.serve_next(for_idle_agents=True)) == is_served
