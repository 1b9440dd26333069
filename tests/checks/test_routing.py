"""How many objections it takes, and what they say in the queue."""

import importlib
import pkgutil
from uuid import NAMESPACE_URL, uuid5

import pytest
from django.apps import apps

from reviews import migrations
from reviews.checks import routing
from reviews.decisions.audit_sampling import is_drawn
from reviews.models import Action, Check, CheckStatus, Decision, GuardProfile, OnUnknown, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.findings import Finding, Relation, StageResult
from tests.cast import PASSED, REJECTED, UNSURE, Cast, propose
from tests.jobs import run_check
from tests.panel import FIRST, INJECTED, PANEL, SECOND, THIRD, Say, looked_at

TWO_OF_THREE = {"detectors": [*PANEL], "objections": 2}


def check_route(action: Action, status: Status) -> None:
    """The action went there, and nobody but the guard approved what passed."""
    assert action.status == status
    assert [each.decided_by for each in Decision.objects.all()] == (["guard"] if status == Status.DECIDED else [])


@pytest.mark.parametrize("objection", [REJECTED, UNSURE])
def test_any_objection_is_enough_unless_the_profile_says_otherwise(
    cast: Cast, say: Say, objection: StageResult
) -> None:
    say(PASSED, PASSED, objection)
    check_route(looked_at(cast, detectors=[*PANEL]), Status.PENDING)


@pytest.mark.parametrize("objection", [REJECTED, UNSURE])
def test_one_objection_of_three_passes_where_two_are_asked_for(cast: Cast, say: Say, objection: StageResult) -> None:
    say(PASSED, objection, PASSED)
    check_route(looked_at(cast, **TWO_OF_THREE), Status.DECIDED)


def test_two_objections_of_different_kinds_add_up(cast: Cast, say: Say) -> None:
    say(UNSURE, PASSED, REJECTED)
    check_route(looked_at(cast, **TWO_OF_THREE), Status.PENDING)


def test_more_objections_than_detectors_are_never_asked_for(cast: Cast, say: Say) -> None:
    say(REJECTED)
    GuardProfile.objects.update(objections=5)
    check_route(looked_at(cast, expires_in=60), Status.PENDING)


def test_nobody_looked_is_an_objection() -> None:
    assert routing.is_stopped([], objections=2)


@pytest.mark.parametrize("order", [[THIRD, SECOND, FIRST], [SECOND, THIRD, FIRST]])
def test_the_review_gives_what_is_wrong_before_what_nobody_could_tell(cast: Cast, say: Say, order: list[str]) -> None:
    say(PASSED, UNSURE, REJECTED)
    action = looked_at(cast, detectors=order)
    assert Review.objects.get(action=action).reason == "amount: The value 300 appears nowhere."


def test_the_review_gives_an_attack_before_an_error(cast: Cast, say: Say) -> None:
    say(REJECTED, INJECTED)
    action = looked_at(cast, detectors=[FIRST, SECOND])
    assert Review.objects.get(action=action).reason == action.checks.get(detector=SECOND).reason


def test_an_injection_found_by_any_of_them_raises_the_priority(cast: Cast, say: Say) -> None:
    say(UNSURE, INJECTED)
    assert Review.objects.get(action=looked_at(cast, detectors=[FIRST, SECOND])).priority == 7


def test_an_action_waits_for_its_last_enforced_check(cast: Cast, say: Say) -> None:
    say(REJECTED, PASSED)
    versions.new_version(membership=cast.admin, detectors=[FIRST, SECOND])
    action = propose(cast)
    run_check(action.checks.get(detector=FIRST).pk)
    action.refresh_from_db()
    check_route(action, Status.CHECKING)
    run_check(action.checks.get(detector=SECOND).pk)
    action.refresh_from_db()
    check_route(action, Status.PENDING)


def test_a_check_that_was_settled_without_is_not_run(cast: Cast, say: Say) -> None:
    say(PASSED)
    action = propose(cast)
    Action.objects.update(status=Status.PENDING)
    run_check(action.checks.get().pk)
    assert action.checks.get().status == CheckStatus.QUEUED


def test_a_policy_goes_before_every_objection(cast: Cast, say: Say) -> None:
    say(REJECTED, REJECTED, REJECTED)
    action = looked_at(cast, detectors=[*PANEL], tool_policies={"money_transfer": "always_allow"})
    assert (action.status, action.decisions.get().decided_by) == (Status.DECIDED, "policy")


OPEN = StageResult("tool", findings=(Finding(Relation.RELEVANT_TO, "money_transfer", None, "Nobody can tell."),))


@pytest.mark.parametrize(
    ("on_unknown", "status"),
    [(OnUnknown.PASS, "decided"), (OnUnknown.REVIEW_GRAVE, "pending"), (OnUnknown.REVIEW, "pending")],
)
def test_a_grave_call_that_is_left_open_goes_where_the_profile_says(
    cast: Cast, say: Say, on_unknown: str, status: str
) -> None:
    say(OPEN)
    assert looked_at(cast, on_unknown=on_unknown).status == status


def test_what_passes_unproven_is_decided_by_policy_and_says_why(cast: Cast, say: Say) -> None:
    say(OPEN)
    looked_at(cast, on_unknown=OnUnknown.PASS)
    decision = Decision.objects.get()
    assert (decision.decided_by, decision.message) == ("policy", routing.PASSED_UNKNOWN)


def test_the_review_of_a_grave_call_says_why_it_is_grave_and_what_is_open(cast: Cast, say: Say) -> None:
    say(OPEN)
    reason = Review.objects.get(action=looked_at(cast, on_unknown=OnUnknown.REVIEW_GRAVE)).reason
    assert "cannot be undone" in reason
    assert "Not proven: “money_transfer” serves the step." in reason


def test_only_what_is_established_is_approved_by_the_guard(cast: Cast, say: Say) -> None:
    say(PASSED)
    check_route(looked_at(cast, on_unknown=OnUnknown.REVIEW), Status.DECIDED)
    assert Check.objects.get().established


def test_one_open_verdict_of_three_is_the_guards_where_two_objections_are_asked_for(cast: Cast, say: Say) -> None:
    say(PASSED, OPEN, PASSED)
    check_route(looked_at(cast, on_unknown=OnUnknown.REVIEW, **TWO_OF_THREE), Status.DECIDED)


def test_an_open_verdict_adds_up_with_an_objection_where_the_profile_wants_a_person(cast: Cast, say: Say) -> None:
    say(PASSED, OPEN, REJECTED)
    assert looked_at(cast, on_unknown=OnUnknown.REVIEW, **TWO_OF_THREE).status == Status.PENDING


def test_an_open_verdict_beside_an_objection_too_few_passes_by_policy(cast: Cast, say: Say) -> None:
    say(PASSED, OPEN, REJECTED)
    looked_at(cast, on_unknown=OnUnknown.PASS, **TWO_OF_THREE)
    assert Decision.objects.get().decided_by == "policy"


def test_nothing_is_drawn_for_audit_unless_the_profile_says_so(cast: Cast, say: Say) -> None:
    say(PASSED)
    looked_at(cast, expires_in=60)
    assert Decision.objects.get().audit_probability is None


@pytest.mark.parametrize("stage", [PASSED, OPEN])
def test_what_passed_without_a_person_is_drawn_with_its_probability(cast: Cast, say: Say, stage: StageResult) -> None:
    say(stage)
    looked_at(cast, audit_rate=1.0)
    assert Decision.objects.get().audit_probability == 1


def test_what_a_policy_denies_is_not_drawn(cast: Cast, say: Say) -> None:
    say(PASSED)
    looked_at(cast, audit_rate=1.0, tool_policies={"money_transfer": "deny"})
    assert Decision.objects.get().audit_probability is None


def test_the_draw_takes_its_share_and_keeps_what_a_lower_one_took() -> None:
    ids = [uuid5(NAMESPACE_URL, str(number)) for number in range(2000)]
    few = {pk for pk in ids if is_drawn(pk, 0.1)}
    many = {pk for pk in ids if is_drawn(pk, 0.3)}
    # Four standard deviations around 200: a fair draw of these fixed ids stays far inside.
    assert 146 <= len(few) <= 254
    assert few < many


def test_an_upgrade_marks_what_earlier_checks_established(cast: Cast, say: Say) -> None:
    for stage in (PASSED, OPEN):
        say(stage)
        looked_at(cast, expires_in=60)
    Check.objects.update(established=False)
    # By its name without the number, which changes when branches meet.
    names = (name for _, name, _ in pkgutil.iter_modules(migrations.__path__) if name.endswith("unknown_and_audit"))
    importlib.import_module(f"reviews.migrations.{next(names)}").establish(apps, None)
    assert list(Check.objects.order_by("created_at").values_list("established", flat=True)) == [True, False]
