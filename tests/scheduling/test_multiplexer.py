"""Several checks in one process: one computes, the others wait for their judge."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from reviews.checks.scheduler import SCHEDULER
from reviews.judging import build
from reviews.models import Action, Check, CheckStatus, GuardProfile, Status
from reviews.profiles import versions
from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeUnavailableError
from reviews.scheduling import fair_scheduler, multiplexer
from reviews.scheduling.fair_scheduler import ServedJob
from reviews.scheduling.process_sharing import Sharing
from reviews.scheduling.worker_process import worker_process
from tests.cast import PASSED, Cast, Script, ScriptedDetector, propose
from tests.jobs import run_check


class Model:
    """A judge that answers once so many wait for it at once, and counts them."""

    name = "model"

    def __init__(self, expected: int) -> None:
        self.expected, self.most, self.now = expected, 0, 0
        self.enough = asyncio.Event()

    async def ask(self, question: Any) -> Any:
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now >= self.expected:
            self.enough.set()
        async with asyncio.timeout(30):
            await self.enough.wait()
        self.now -= 1


class Asks(ScriptedDetector):
    """Asks its judge once, then says what is in the script."""

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        await judge.ask("a question")  # type: ignore[arg-type]  # nobody reads it
        async for stage in super().stages(case, judge, done):
            yield stage


@pytest.fixture
def model(cast: Cast, script: Script, monkeypatch: pytest.MonkeyPatch) -> Model:
    """The judge of every check of a workspace that has one asked."""
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")
    script().stages = Asks(PASSED).stages  # type: ignore[method-assign]
    model = Model(3)
    monkeypatch.setattr(build, "judge_for", lambda _, wrap_models: wrap_models(model))
    return model


def served_in_a_row() -> list[ServedJob]:
    ended: list[ServedJob] = []
    multiplexer.run_until_idle(SCHEDULER, ended.append)
    return ended


def taken_over(check: Check, **row: Any) -> Check:
    """As it stands when the process that ran it has gone."""
    now = timezone.now()
    running = {"status": CheckStatus.RUNNING, "attempts": 1, "started_at": now, "lease": uuid4(), "leased_until": now}
    Check.objects.filter(pk=check.pk).update(**running | row)
    return check


def test_checks_of_one_process_wait_for_their_judge_at_once(cast: Cast, model: Model) -> None:
    for number in range(3):
        propose(cast, trace_id=f"t{number}")
    assert len(served_in_a_row()) == 3
    assert model.most == 3
    assert set(Action.objects.values_list("status", flat=True)) == {Status.DECIDED}
    assert set(Check.objects.values_list("beside_others", "attempts")) == {(True, 1)}


def test_no_more_are_taken_than_one_process_may_hold(cast: Cast, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiplexer, "MAX_TOGETHER", 2)
    model.expected = 2
    for number in range(4):
        propose(cast, trace_id=f"t{number}")
    assert len(served_in_a_row()) == 4
    assert model.most == 2


def test_trouble_of_one_leaves_the_others_alone(cast: Cast, script: Script, model: Model) -> None:
    class Unreached(Asks):
        async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
            async for stage in super().stages(case, judge, done):
                if case.action.arguments["amount"] == 300:
                    raise JudgeUnavailableError("gone")
                yield stage

    script().stages = Unreached(PASSED).stages  # type: ignore[method-assign]
    checks = [propose(cast, trace_id=f"t{number}").checks.get() for number in range(3)]
    Action.objects.filter(pk=checks[1].action_id).update(arguments={"to": "daniel.kim@example.org", "amount": 300})
    delays = {served.pk: served.delay for served in served_in_a_row()}
    assert [delays[check.pk] is None for check in checks] == [True, False, True]


def test_by_rules_alone_a_check_has_nobody_beside_it(cast: Cast, script: Script) -> None:
    script(PASSED)
    for number in range(2):
        propose(cast, trace_id=f"t{number}")
    assert len(served_in_a_row()) == 2
    assert not Check.objects.filter(beside_others=True).exists()


def test_what_was_lost_beside_others_is_taken_by_itself_and_nothing_is_held_against_it(
    cast: Cast, script: Script
) -> None:
    script(PASSED)
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")
    check = taken_over(propose(cast).checks.get(), beside_others=True)
    assert SCHEDULER.fetch_job(sharing=Sharing.ACTIVE) is None
    taken = SCHEDULER.fetch_job(sharing=Sharing.AFTER_FIRST_WAIT)
    assert taken
    check.refresh_from_db()
    assert (check.beside_others, check.attempts, check.killed) == (False, 1, 0)


@pytest.mark.parametrize("seconds", [5, 31])
def test_the_time_that_others_used_up_is_not_its_own(cast: Cast, script: Script, seconds: int) -> None:
    script(PASSED)
    begun = timezone.now() - timedelta(seconds=seconds)
    check = taken_over(propose(cast).checks.get(), beside_others=True, started_at=begun)
    run_check(check.pk)
    check.refresh_from_db()
    assert (check.verdict, check.killed) == ("aligned", 0)
    assert check.started_at
    assert check.started_at > begun


def test_what_ended_its_process_once_is_never_taken_beside_others(cast: Cast, script: Script) -> None:
    script(PASSED)
    GuardProfile.objects.update(judge="openai")
    Check.objects.filter(pk=propose(cast).checks.get().pk).update(killed=1, started_at=timezone.now())
    assert SCHEDULER.fetch_job(sharing=Sharing.ACTIVE) is None
    taken = SCHEDULER.fetch_job(sharing=Sharing.AFTER_FIRST_WAIT)
    assert taken
    assert not taken.examined.beside_others


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"status": CheckStatus.RUNNING, "started_at": -3, "leased_until": 60}, id="is at it"),
        pytest.param(
            {"status": CheckStatus.RUNNING, "started_at": -1, "leased_until": -1, "beside_others": True}, id="was lost"
        ),
        pytest.param({"killed": 1, "started_at": -40, "finished_at": -30}, id="ended its process"),
    ],
)
def test_of_an_agent_that_may_end_its_process_nothing_is_taken_beside_others(
    cast: Cast, script: Script, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]
) -> None:
    script(PASSED)
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")
    first = propose(cast, trace_id="first").checks.get()
    if "status" not in other:
        SCHEDULER.serve_next()
    now = timezone.now()
    row = {name: now + timedelta(seconds=at) if name.endswith(("_at", "_until")) else at for name, at in other.items()}
    Check.objects.filter(pk=first.pk).update(**row)
    propose(cast, trace_id="next")
    # What it knows of agents is looked up anew a few times a second.
    monkeypatch.setattr(SCHEDULER, "_round", fair_scheduler._Round())
    assert SCHEDULER.fetch_job(sharing=Sharing.ACTIVE) is None
    taken = SCHEDULER.fetch_job(sharing=Sharing.AFTER_FIRST_WAIT)
    assert taken
    assert not taken.examined.beside_others


def test_a_process_that_is_held_up_is_ended_and_one_that_comes_round_is_not(
    cast: Cast, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends: list[float] = []
    monkeypatch.setattr(worker_process, "set_kill_timer", ends.append)
    monkeypatch.setattr(multiplexer, "BEAT_SECONDS", 0.01)
    model.expected = 1
    propose(cast)
    served_in_a_row()
    # Set before anything runs, put off by the loop, and called off when nobody is left.
    assert ends[0] == multiplexer.HELD_UP_SECONDS
    assert len(ends) > 2
    assert ends[-1] == 0
