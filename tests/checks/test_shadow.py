"""What runs in shadow is recorded, changes nothing, and is seen by nobody too early."""

from decimal import Decimal
from typing import Any

import pytest

from reviews import access, tasks
from reviews.api.serializers import actions
from reviews.checks import run
from reviews.decisions import decide, expiry_and_cancellation
from reviews.models import Action, Check, CheckMode, CheckStatus, GuardProfile, JudgeSpend, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.findings import StageResult
from reviews.provenance.judges import JudgeUnavailableError
from reviews.records import w3c_prov
from tests.cast import PASSED, REJECTED, UNSURE, Cast, propose
from tests.jobs import run_attempt, run_check, run_checks
from tests.panel import FIRST, INJECTED, PANEL, SECOND, Say, looked_at

SHADOWED: dict[str, Any] = {"detectors": [FIRST], "shadow": [SECOND]}


def the_shadow(action: Action) -> Check:
    return action.checks.shadow().get()


def check_readable(action: Action, detector: str, *, hidden: str) -> None:
    """An agent reads the one detector's name and nothing of the other's."""
    (stored,) = actions.prefetch_readable(Action.objects.filter(pk=action.pk))
    text = actions.serialize_action(stored).model_dump_json() + w3c_prov.prov_json(action)
    assert (detector in text, hidden in text) == (True, False)


def test_both_kinds_of_checks_are_planned_the_enforced_first(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, detectors=[SECOND], shadow=[FIRST])
    planned = propose(cast).checks.in_profile_order().values_list("detector", "mode")
    assert list(planned) == [(SECOND, CheckMode.ENFORCED), (FIRST, CheckMode.SHADOW)]


def test_a_detector_named_in_both_is_enforced_once(cast: Cast) -> None:
    GuardProfile.objects.update(detectors=[FIRST], shadow=[FIRST, SECOND])
    planned = propose(cast).checks.values_list("detector", "mode")
    assert set(planned) == {(FIRST, CheckMode.ENFORCED), (SECOND, CheckMode.SHADOW)}


def test_nothing_runs_in_shadow_where_a_policy_decides_without_looking(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, **SHADOWED, tool_policies={"money_transfer": "deny"})
    assert not propose(cast).checks.exists()


@pytest.mark.parametrize(
    "result", [REJECTED, UNSURE, INJECTED, JudgeUnavailableError("refused"), RuntimeError("a bug")]
)
def test_what_is_said_in_shadow_stops_nothing(cast: Cast, say: Say, result: StageResult | Exception) -> None:
    say(PASSED, result)
    assert (looked_at(cast, **SHADOWED).status, Review.objects.count()) == (Status.DECIDED, 0)


@pytest.mark.parametrize("result", [PASSED, INJECTED])
def test_what_is_said_in_shadow_is_not_in_the_queue(cast: Cast, say: Say, result: StageResult) -> None:
    say(UNSURE, result)
    review = Review.objects.get(action=looked_at(cast, **SHADOWED))
    assert (review.reason, review.priority) == ("The judge gave no usable answer.", 5)


def test_what_is_said_in_shadow_is_recorded(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    shadow = the_shadow(looked_at(cast, **SHADOWED))
    assert (shadow.verdict, shadow.findings.count(), shadow.interpretations.count()) == ("misaligned", 1, 1)


def test_nobody_waits_for_a_shadow(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    versions.new_version(membership=cast.admin, **SHADOWED)
    action = propose(cast)
    run_check(action.checks.enforced().get().pk)
    action.refresh_from_db()
    assert (action.status, the_shadow(action).status) == (Status.DECIDED, CheckStatus.QUEUED)


def test_an_action_nobody_settled_waits_for_no_shadow(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    versions.new_version(membership=cast.admin, **SHADOWED)
    action = propose(cast)
    run_attempt(run.CHECKS, action.checks.enforced().get().pk)
    tasks.settle_action(str(action.pk))
    action.refresh_from_db()
    assert action.status == Status.DECIDED


def test_where_there_are_only_shadows_a_person_looks(cast: Cast, say: Say) -> None:
    say(PASSED, PASSED)
    GuardProfile.objects.update(detectors=[], shadow=[FIRST, SECOND])
    action = propose(cast)
    run_checks(action.pk)
    action.refresh_from_db()
    assert (action.status, Review.objects.get().reason) == (Status.PENDING, "No detector has looked at this call.")


def test_a_shadow_that_comes_first_settles_nothing(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    versions.new_version(membership=cast.admin, **SHADOWED)
    action = propose(cast)
    run_check(the_shadow(action).pk)
    action.refresh_from_db()
    assert (action.status, the_shadow(action).status) == (Status.CHECKING, CheckStatus.DONE)


def test_a_shadow_runs_behind_a_decision(cast: Cast, say: Say) -> None:
    say(UNSURE, PASSED)
    versions.new_version(membership=cast.admin, **SHADOWED)
    action = propose(cast)
    run_check(action.checks.enforced().get().pk)
    decide.decide_action(action=action, choice=decide.Reject(), membership=cast.reviewer)
    run_check(the_shadow(action).pk)
    assert the_shadow(action).verdict == "aligned"


def test_a_shadow_in_trouble_is_tried_again(cast: Cast, say: Say) -> None:
    say(PASSED, JudgeUnavailableError("refused"))
    versions.new_version(membership=cast.admin, **SHADOWED)
    assert run_check(the_shadow(propose(cast)).pk) is not None


@pytest.mark.parametrize(
    ("limits", "spent", "verdict"),
    [
        ({"daily_tokens": 100}, {"prompt_tokens": 30, "completion_tokens": 19}, "aligned"),
        ({"daily_tokens": 100}, {"prompt_tokens": 30, "completion_tokens": 20}, "undetermined"),
        ({"daily_tokens": 100}, {}, "aligned"),
        ({"daily_usd": 2}, {"usd": 1, "prompt_tokens": 10**9}, "undetermined"),
        ({"daily_usd": 2}, {"usd": Decimal("0.99")}, "aligned"),
        ({}, {"usd": 10, "prompt_tokens": 10**9}, "aligned"),
    ],
)
def test_half_of_the_days_budget_is_kept_for_what_is_enforced(
    cast: Cast, say: Say, limits: dict[str, Any], spent: dict[str, Any], verdict: str
) -> None:
    say(PASSED, PASSED)
    JudgeSpend.objects.create(workspace=cast.workspace, day=JudgeSpend.today(), **spent)
    action = looked_at(cast, **SHADOWED, **limits)
    assert (action.status, the_shadow(action).verdict) == (Status.DECIDED, verdict)


@pytest.mark.parametrize("result", [REJECTED, UNSURE])
def test_an_agent_reads_nothing_of_a_shadow(cast: Cast, say: Say, result: StageResult) -> None:
    say(PASSED, result)
    check_readable(looked_at(cast, **SHADOWED), FIRST, hidden=SECOND)


def test_a_key_is_shown_no_shadow(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    looked_at(cast, **SHADOWED)
    assert [check.detector for check in access.checks_for(cast.agent)] == [FIRST]


def test_a_person_sees_the_shadow_after_the_decision_only(cast: Cast, say: Say) -> None:
    say(REJECTED, PASSED)
    action = looked_at(cast, **SHADOWED)
    assert [check.detector for check in access.checks_for(cast.reviewer)] == [FIRST]
    decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
    assert {check.detector for check in access.checks_for(cast.reviewer)} == {FIRST, SECOND}


def test_no_shadow_is_seen_from_another_workspace(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    looked_at(cast, **SHADOWED)
    assert not access.checks_for(cast.outsider).exists()


def test_a_reading_found_in_shadow_cannot_be_chosen(cast: Cast, say: Say) -> None:
    say(UNSURE, REJECTED)
    action = looked_at(cast, **SHADOWED)
    reading = the_shadow(action).interpretations.get()
    choice = decide.Reject(interpretation=reading.pk)
    assert decide.decide_action(action=action, choice=choice, membership=cast.reviewer).interpretation is None


def test_a_label_knows_nothing_of_shadows(cast: Cast, say: Say) -> None:
    say(UNSURE, REJECTED)
    action = looked_at(cast, **SHADOWED)
    label = decide.decide_action(action=action, choice=decide.Reject(), membership=cast.reviewer).label
    assert (label.misalignment, label.relation) == ("", "")


def test_the_verdict_an_agent_reads_is_the_one_that_counted(cast: Cast, say: Say) -> None:
    say(REJECTED, PASSED, PASSED)
    action = looked_at(cast, detectors=[*PANEL], objections=2)
    (stored,) = actions.prefetch_readable(Action.objects.filter(pk=action.pk))
    verdict = actions.serialize_action(stored).verdict
    assert verdict is not None
    assert (verdict.aligned, verdict.detector) == (True, SECOND)


def test_an_action_that_ended_before_all_had_looked_has_no_verdict(cast: Cast, say: Say) -> None:
    say(PASSED, REJECTED)
    versions.new_version(membership=cast.admin, detectors=[FIRST, SECOND])
    action = propose(cast)
    run_check(action.checks.get(detector=FIRST).pk)
    expiry_and_cancellation.expire_action(action)
    (stored,) = actions.prefetch_readable(Action.objects.filter(pk=action.pk))
    assert actions.serialize_action(stored).verdict is None
