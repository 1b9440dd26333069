"""How many objections it takes, and what they say in the queue."""

import pytest

from reviews.checks import routing, run
from reviews.models import Action, CheckStatus, Decision, GuardProfile, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.findings import StageResult
from tests.cast import PASSED, REJECTED, UNSURE, Cast, propose
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
    assert routing.stopped([], objections=2)


def test_the_review_gives_the_first_objection_in_the_order_of_the_profile(cast: Cast, say: Say) -> None:
    say(PASSED, UNSURE, REJECTED)
    action = looked_at(cast, detectors=[THIRD, SECOND, FIRST])
    assert Review.objects.get(action=action).reason == "amount: The value 300 appears nowhere."


def test_an_injection_found_by_any_of_them_raises_the_priority(cast: Cast, say: Say) -> None:
    say(UNSURE, INJECTED)
    assert Review.objects.get(action=looked_at(cast, detectors=[FIRST, SECOND])).priority == 6


def test_an_action_waits_for_its_last_enforced_check(cast: Cast, say: Say) -> None:
    say(REJECTED, PASSED)
    versions.new_version(membership=cast.admin, detectors=[FIRST, SECOND])
    action = propose(cast)
    run.run(action.checks.get(detector=FIRST).pk)
    action.refresh_from_db()
    check_route(action, Status.CHECKING)
    run.run(action.checks.get(detector=SECOND).pk)
    action.refresh_from_db()
    check_route(action, Status.PENDING)


def test_a_check_that_was_settled_without_is_not_run(cast: Cast, say: Say) -> None:
    say(PASSED)
    action = propose(cast)
    Action.objects.update(status=Status.PENDING)
    run.run(action.checks.get().pk)
    assert action.checks.get().status == CheckStatus.QUEUED


def test_a_policy_goes_before_every_objection(cast: Cast, say: Say) -> None:
    say(REJECTED, REJECTED, REJECTED)
    action = looked_at(cast, detectors=[*PANEL], tool_policies={"money_transfer": "always_allow"})
    assert (action.status, action.decisions.get().decided_by) == (Status.DECIDED, "policy")
