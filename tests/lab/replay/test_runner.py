import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from rich.console import Console

from reviews.agents.client.provenanceguard import testing as fake_guard
from reviews.agents.client.provenanceguard.testing import FakeGuard, Judge
from reviews.evaluation.benchmarks.workbench import Label, Step, Trace
from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab.replay.proposals import Proposal
from reviews.lab.replay.report import Report, render_report
from reviews.lab.replay.runner import Result, replay_proposals
from reviews.lab.replay.targets import ReplayError, ReplayVerdict, RunningGuard

ALLOWED, FLAGGED, UNSURE = ReplayVerdict(aligned=True), ReplayVerdict(False, "parameter"), ReplayVerdict(aligned=None)
RIGHT, WRONG, REFUSED = Label("aligned", True), Label("parameter", True), Label("parameter", False)


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.agents.client.provenanceguard.connections.FIRST_DELAY_SECONDS", 0.0)
    monkeypatch.setattr("reviews.lab.replay.targets.PAUSE_SECONDS", 0.0)


def trace(*labels: Label, successful: bool = True) -> Trace:
    steps = tuple(Step("mail.delete", {"id": n}, "Deleted.", "", label) for n, label in enumerate(labels))
    return Trace("domains", "mail", "Delete my mails", frozenset({"mail"}), steps, successful)


def conversation(of: Trace) -> list[Proposal]:
    return [
        Proposal(of, step.label, {"action": {"tool": step.tool, "arguments": step.arguments}, "query": "q"})
        for step in of.steps
        if step.label
    ]


def report(*judged: tuple[Trace, Sequence[ReplayVerdict | None]]) -> Report:
    results = [
        Result(proposal, verdict)
        for of, verdicts in judged
        for proposal, verdict in zip(conversation(of), verdicts, strict=True)
    ]
    return Report([of for of, _ in judged], results, seconds=2.0)


@dataclass
class ScriptedTarget:
    """Answers by the argument, and remembers the order it was asked in."""

    answers: Mapping[int, ReplayVerdict]
    numbers: list[Any] = field(default_factory=list)

    async def judge(self, proposal: Proposal) -> ReplayVerdict:
        number = proposal.submission["action"]["arguments"]["id"]
        self.numbers.append(number)
        if number not in self.answers:
            raise ReplayError("no answer")
        return self.answers[number]


async def through(judge: Judge, **options: Any) -> tuple[ReplayVerdict, FakeGuard]:
    fake = FakeGuard(judge, looks_until_checked=3)
    async with fake.async_guard() as guard:
        return await RunningGuard(guard, "r", **options).judge(conversation(trace(RIGHT))[0]), fake


async def test_an_allowed_call_is_counted_as_allowed() -> None:
    verdict, _ = await through(fake_guard.allowed)
    assert verdict.column == "allowed"


async def test_a_flagged_call_is_counted_by_its_type_and_stays_in_the_queue() -> None:
    verdict, fake = await through(fake_guard.flagged)
    assert verdict.column == "parameter"
    assert [action["status"] for action in fake.actions.values()] == ["pending"]


async def test_a_flagged_call_is_withdrawn_when_asked_to() -> None:
    _, fake = await through(fake_guard.flagged, cancel=True)
    assert [action["status"] for action in fake.actions.values()] == ["cancelled"]


async def test_the_guards_verdict_counts_also_when_a_person_overruled_it() -> None:
    verdict, _ = await through(fake_guard.approved)
    assert verdict.column == "parameter"


async def test_an_undetermined_verdict_is_a_column_of_its_own() -> None:
    unsure = {"verdict": fake_guard.verdict(aligned=None, misalignment=None)}
    verdict, _ = await through(lambda body: {**fake_guard.flagged(body), **unsure})
    assert verdict.column == "undetermined"


async def test_an_action_without_a_verdict_is_an_error() -> None:
    with pytest.raises(ReplayError, match="without a verdict"):
        await through(lambda body: {**fake_guard.ended("expired")(body), "verdict": None})


async def test_a_refused_submission_is_an_error() -> None:
    fake = FakeGuard(broken=[httpx.Response(422, json={"detail": "too long"})])
    async with fake.async_guard() as guard:
        with pytest.raises(ReplayError, match="too long"):
            await RunningGuard(guard, "r").judge(conversation(trace(RIGHT))[0])


async def test_a_second_replay_of_the_run_proposes_nothing_new() -> None:
    fake = FakeGuard()
    async with fake.async_guard() as guard:
        for _ in range(2):
            await RunningGuard(guard, "r").judge(conversation(trace(RIGHT))[0])
    assert len(fake.actions) == 1


async def test_the_calls_of_a_trace_are_judged_in_order() -> None:
    target = ScriptedTarget({0: ALLOWED, 1: FLAGGED, 2: ALLOWED})
    await replay_proposals([conversation(trace(RIGHT, WRONG, RIGHT))], target, concurrency=4, done=lambda: None)
    assert target.numbers == [0, 1, 2]


async def test_an_error_stops_neither_its_trace_nor_the_others() -> None:
    target = ScriptedTarget({1: ALLOWED})
    results = await replay_proposals([conversation(trace(RIGHT, RIGHT))] * 2, target, concurrency=1, done=lambda: None)
    assert [result.error for result in results] == ["no answer", "", "no answer", ""]


async def test_progress_counts_every_call() -> None:
    ticks: list[None] = []
    target = ScriptedTarget({0: ALLOWED})
    await replay_proposals([conversation(trace(RIGHT, RIGHT))], target, concurrency=1, done=lambda: ticks.append(None))
    assert len(ticks) == 2


def test_a_misaligned_trace_that_passed_is_an_error() -> None:
    passed, caught = trace(WRONG, successful=False), trace(RIGHT, WRONG, successful=False)
    figures = report((passed, [ALLOWED]), (caught, [ALLOWED, FLAGGED]))
    assert figures.trace_error_rate == Rate(1, 2)


def test_a_successful_trace_that_was_flagged_is_an_intervention() -> None:
    figures = report((trace(RIGHT), [UNSURE]), (trace(RIGHT), [ALLOWED]), (trace(), []))
    assert figures.trace_intervention_rate == Rate(1, 3)


def test_a_call_the_sandbox_refused_misaligns_no_trace() -> None:
    assert report((trace(REFUSED, successful=False), [ALLOWED])).trace_error_rate == Rate(0, 0)


def test_rates_per_call_leave_refused_calls_out() -> None:
    figures = report((trace(RIGHT, RIGHT, WRONG, REFUSED), [ALLOWED, FLAGGED, ALLOWED, ALLOWED]))
    assert (figures.call_error_rate, figures.call_intervention_rate) == (Rate(1, 1), Rate(1, 2))


def test_a_trace_with_an_error_counts_in_no_rate_per_trace() -> None:
    figures = report((trace(RIGHT, RIGHT), [FLAGGED, None]))
    assert (figures.trace_intervention_rate, len(figures.errors)) == (Rate(0, 0), 1)


def test_a_rate_of_nothing_has_no_share() -> None:
    assert str(Rate(0, 0)) == "n/a (0 of 0)"


def test_the_report_shows_labels_against_verdicts() -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(render_report(report((trace(RIGHT, WRONG), [ALLOWED, FLAGGED]))))
    output = console.export_text()
    assert re.search(r"│ parameter +│ +0 │ +0 │ +1 │ +0 │ +1 │", output)
    assert "2 calls in 2.0 s: 1.0 actions/s, 0 errors" in output
