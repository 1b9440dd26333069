from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Action, Check, CheckStatus, Decision, GuardProfile, Review, Status
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction
from reviews.provenance.core.findings import Misalignment, StageResult, stage_to_json
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge, JudgeMisconfiguredError, JudgeUnavailableError
from reviews.queue.ordering import QUEUE_ORDER
from reviews.records import load
from tests.cast import CONTEXT, PASSED, REJECTED, UNSURE, Cast, Script, propose
from tests.jobs import run_check, run_checks

WRITTEN: dict[str, Any] = {
    "sources": (SourceKind.TOOL_OUTPUT,),
    "trust": 0.5,
    "untrusted_only": True,
    "rule": "proofs.near_copy",
}


def status_after_check(action: Action) -> str:
    run_checks(action.pk)
    action.refresh_from_db()
    return action.status


def test_an_aligned_action_is_approved_by_the_guard(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    assert status_after_check(action) == Status.DECIDED
    assert Decision.objects.get(action=action).decided_by == "guard"


def test_a_misaligned_action_waits_for_a_person(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    action = propose(cast)
    assert status_after_check(action) == Status.PENDING
    assert Review.objects.get(action=action).reason == "amount: The value 300 appears nowhere."


def test_an_injection_weighs_more_than_what_else_is_wrong(cast: Cast, script: Script) -> None:
    wrong_tool = replace(REJECTED, stage="tool", findings=(), misalignment=Misalignment.TOOL)
    script(wrong_tool, replace(REJECTED, misalignment=Misalignment.INJECTION))
    action = propose(cast)
    assert status_after_check(action) == Status.PENDING
    assert action.checks.get().misalignment == "injection"
    assert Review.objects.get(action=action).reason == "amount: The value 300 appears nowhere."


def test_an_undetermined_action_waits_for_a_person(cast: Cast, script: Script) -> None:
    script(PASSED, UNSURE)
    assert status_after_check(propose(cast)) == Status.PENDING


def test_a_detector_without_stages_approves_nothing(cast: Cast, script: Script) -> None:
    script()
    assert status_after_check(propose(cast)) == Status.PENDING


def test_findings_and_interpretations_are_stored(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    action = propose(cast)
    run_checks(action.pk)
    check = action.checks.get()
    assert [finding.relation for finding in check.findings.all()] == ["SpecifiedBy", "DerivedFrom"]
    assert check.interpretations.get().arguments["amount"] == 30


def test_what_wrote_the_evidence_of_a_finding_is_stored(cast: Cast, script: Script) -> None:
    script(replace(REJECTED, findings=(replace(REJECTED.findings[0], **WRITTEN),)))
    action = propose(cast)
    run_checks(action.pk)
    assert action.checks.get().findings.values(*WRITTEN)[0] == {**WRITTEN, "sources": ["tool_output"]}


def test_a_stage_stored_before_findings_had_sources_is_read(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    action = propose(cast)
    old = stage_to_json(PASSED)
    old["findings"] = [{name: value for name, value in each.items() if name not in WRITTEN} for each in old["findings"]]
    action.checks.update(stages=[old])
    assert status_after_check(action) == Status.PENDING
    assert action.checks.get().findings.values_list(*WRITTEN)[0] == ([], None, False, "")


def test_a_stage_that_cannot_be_read_ends_before_a_person(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    action.checks.update(stages=[{"stage": "tool", "misalignment": "of a kind nobody knows"}])
    while run_checks(action.pk) is not None:
        Check.objects.update(not_before=None)
    action.refresh_from_db()
    assert (action.status, action.checks.get().verdict) == (Status.PENDING, "undetermined")


@pytest.mark.parametrize("trouble", [JudgeMisconfiguredError("wrong key"), JudgeUnavailableError("refused")])
def test_whoever_lost_the_lease_gives_nothing_up(cast: Cast, script: Script, trouble: Exception) -> None:
    action = propose(cast)
    Check.objects.update(attempts=settings.GUARD.check_max_attempts - 1)
    with taken_over(script, trouble) as successor:
        assert run_checks(action.pk) is None
    check = action.checks.get()
    assert (check.status, check.lease) == (CheckStatus.RUNNING, successor)


@contextmanager
def taken_over(script: Script, trouble: Exception) -> Iterator[UUID]:
    """While a worker meets this trouble, another one takes its check over."""
    detector, successor = script(trouble), uuid4()
    stages = detector.stages

    def overtaken(case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        Check.objects.update(lease=successor, leased_until=timezone.now() + timedelta(minutes=1))
        return stages(case, judge, done)

    with patch.object(detector, "stages", overtaken):
        yield successor


def scored(*scores: float | None, stage: str = "alignment") -> StageResult:
    """A stage that passes with one finding of each score."""
    return replace(PASSED, stage=stage, findings=tuple(replace(PASSED.findings[0], score=score) for score in scores))


@pytest.mark.parametrize(
    ("stages", "score"),
    [
        ([scored(None, 0.8)], 0.8),
        ([scored(0.0)], 0.0),
        ([scored(None)], None),
        ([scored(0.8, 0.7)], None),
        ([scored(0.8, stage="tool")], None),
    ],
)
def test_the_score_of_a_call_that_is_judged_as_a_whole_is_stored(
    cast: Cast, script: Script, stages: list[StageResult], score: float | None
) -> None:
    script(*stages)
    action = propose(cast)
    run_checks(action.pk)
    assert action.checks.get().score == score


def test_one_detector_costs_no_query_more_than_it_must(cast: Cast, script: Script) -> None:
    script(PASSED)
    propose(cast, trace_id="earlier")
    with CaptureQueriesContext(connection) as submitting:
        action = propose(cast)
    check = action.checks.get()
    with CaptureQueriesContext(connection) as checked:
        run_check(check.pk)
    # Besides the prepared statements of `models.pipeline`, not listed here: two for a submission, eight for a check, of
    # which the last looks for an equal call under way before the guard approves.
    assert (len(submitting), len(checked)) == (2, 8)


def test_a_detector_runs_as_the_profile_of_its_action_says(cast: Cast, script: Script) -> None:
    detector = script(PASSED)
    profile = versions.new_version(
        membership=cast.admin, thresholds={"provenance-guard": 0.75}, critical_actions=[{"tool": "pay_*"}]
    )
    action = propose(cast)
    versions.new_version(membership=cast.admin, thresholds={}, critical_actions=[])
    with patch("reviews.provenance.detectors.build", return_value=detector) as build:
        run_checks(action.pk)
    build.assert_called_once_with("provenance-guard", detector_options(profile, "provenance-guard"))


def test_checking_twice_changes_nothing(cast: Cast, script: Script) -> None:
    script(PASSED, REJECTED)
    action = propose(cast)
    run_checks(action.pk)
    run_checks(action.pk)
    assert (Review.objects.count(), action.checks.get().findings.count()) == (1, 2)


def test_judge_trouble_is_tried_again_behind_the_last_stage(cast: Cast, script: Script) -> None:
    detector = script(PASSED, JudgeUnavailableError("refused"))
    action = propose(cast)
    assert run_checks(action.pk) is not None
    Check.objects.update(not_before=None)
    detector.script = (PASSED, REJECTED)
    assert status_after_check(action) == Status.PENDING
    assert detector.resumed_behind == [(), (PASSED,)]


def test_an_attempt_that_is_not_due_does_not_run(cast: Cast, script: Script) -> None:
    detector = script(JudgeUnavailableError("refused"))
    action = propose(cast)
    run_checks(action.pk)
    run_checks(action.pk)
    assert len(detector.resumed_behind) == 1


@pytest.mark.parametrize("trouble", [JudgeUnavailableError("refused"), RuntimeError("a bug")])
def test_lasting_trouble_ends_before_a_person(cast: Cast, script: Script, trouble: Exception) -> None:
    script(PASSED, trouble)
    action = propose(cast)
    while run_checks(action.pk) is not None:
        Check.objects.update(not_before=None)
    action.refresh_from_db()
    assert (action.status, action.checks.get().verdict) == (Status.PENDING, "undetermined")


def test_a_misconfigured_judge_is_not_asked_again(cast: Cast, script: Script) -> None:
    detector = script(PASSED, JudgeMisconfiguredError("wrong key"))
    assert status_after_check(propose(cast)) == Status.PENDING
    assert len(detector.resumed_behind) == 1


def test_a_detector_that_left_the_registry_ends_before_a_person(cast: Cast) -> None:
    GuardProfile.objects.update(detectors=["long-gone"])
    action = propose(cast)
    assert status_after_check(action) == Status.PENDING
    assert Review.objects.get(action=action).reason == "There is no detector “long-gone” any more."


def test_a_check_that_is_delivered_again_runs_once(cast: Cast, script: Script) -> None:
    detector = script(PASSED, REJECTED)
    check = propose(cast).checks.get()
    run_check(check.pk)
    run_check(check.pk)
    assert (len(detector.resumed_behind), check.findings.count(), Review.objects.count()) == (1, 2, 1)


def test_a_check_held_by_a_living_worker_is_left_alone(cast: Cast, script: Script) -> None:
    detector = script(PASSED)
    action = propose(cast)
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() + timedelta(minutes=1))
    assert status_after_check(action) == Status.CHECKING
    assert detector.resumed_behind == []


def test_a_dead_workers_check_is_taken_over(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    Check.objects.update(status=CheckStatus.RUNNING, leased_until=timezone.now() - timedelta(seconds=1))
    assert status_after_check(action) == Status.DECIDED


def test_an_expired_action_is_never_approved(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    Action.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert status_after_check(action) == Status.EXPIRED
    assert not Decision.objects.exists()


def with_policy(cast: Cast, policy: str) -> Action:
    GuardProfile.objects.update(tool_policies={"money_transfer": policy})
    return propose(cast)


def test_a_denied_tool_is_rejected_by_policy(cast: Cast) -> None:
    action = with_policy(cast, "deny")
    status_after_check(action)
    decision = action.decisions.get()
    assert (decision.outcome, decision.decided_by) == ("reject", "policy")


def test_an_always_allowed_tool_is_approved_by_policy(cast: Cast) -> None:
    action = with_policy(cast, "always_allow")
    status_after_check(action)
    assert action.decisions.get().decided_by == "policy"


def test_an_always_reviewed_tool_waits_although_aligned(cast: Cast, script: Script) -> None:
    script(PASSED)
    assert status_after_check(with_policy(cast, "always_review")) == Status.PENDING


@pytest.mark.parametrize(("risk", "priority"), [("low", 3), ("medium", 5), ("high", 6)])
def test_priority_of_a_grave_call_follows_risk(cast: Cast, script: Script, risk: str, priority: int) -> None:
    script(REJECTED)
    action = propose(cast, risk=risk)
    run_checks(action.pk)
    assert Review.objects.get(action=action).priority == priority


def test_a_grave_call_comes_before_a_mild_one_of_its_risk_and_keeps_what_makes_it_grave(
    cast: Cast, script: Script
) -> None:
    script(REJECTED)
    grave, mild = (
        propose(cast, ProposedAction(tool, {"command": "ls"} if tool == "run_shell" else {}))
        for tool in ("run_shell", "read_file")
    )
    for action in (grave, mild):
        run_checks(action.pk)
    first, second = Review.objects.order_by(*QUEUE_ORDER)
    assert (first.action_id, first.effect, first.priority) == (grave.pk, "runs", 5)
    assert (second.action_id, second.effect, second.priority) == (mild.pk, "", 4)


def test_a_check_that_kills_its_workers_ends_before_a_person(cast: Cast, script: Script) -> None:
    detector = script(PASSED)
    action = propose(cast)
    Check.objects.update(attempts=100)
    assert status_after_check(action) == Status.PENDING
    assert detector.resumed_behind == []


def clock_after_check(cast: Cast, context: Context) -> Action:
    action = propose(cast, context=context)
    run_checks(action.pk)
    action.refresh_from_db()
    return action


def test_the_agents_own_clock_is_kept(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = clock_after_check(cast, replace(CONTEXT, now=datetime(2024, 5, 15, 9, 30, tzinfo=UTC)))
    assert (action.clock, action.clock_source) == (datetime(2024, 5, 15, 9, 30, tzinfo=UTC), "")


def test_a_system_prompt_may_say_what_time_it_is(cast: Cast, script: Script) -> None:
    script(PASSED)
    prompt = NamedText(SourceKind.SYSTEM_PROMPT, "rules", "The current time is 2024-05-15 15:00. Be polite.")
    action = clock_after_check(cast, replace(CONTEXT, now=None, extra=(prompt,)))
    assert (action.clock, action.clock_source) == (datetime(2024, 5, 15, 15, 0, tzinfo=UTC), "source/rules")


def test_the_time_a_system_prompt_says_is_that_of_the_zone_it_names(cast: Cast, script: Script) -> None:
    script(PASSED)
    words = "The current time is 2024-05-15 15:00. Time zone: Europe/Berlin."
    action = clock_after_check(
        cast, replace(CONTEXT, now=None, extra=(NamedText(SourceKind.SYSTEM_PROMPT, "rules", words),))
    )
    assert action.clock == datetime(2024, 5, 15, 13, 0, tzinfo=UTC)


def test_without_any_clock_it_is_the_time_of_submission(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = clock_after_check(cast, replace(CONTEXT, now=None))
    assert (action.clock, action.clock_source) == (None, "")
    assert load.load_context(action).now == action.created_at
