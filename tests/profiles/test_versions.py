"""What a guard profile may say, and how it becomes the next version."""

from typing import Any

import pytest

from reviews import access
from reviews.errors import InvalidProfileError
from reviews.models import AuditEvent, GuardProfile
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.critical_actions import CriticalAction
from tests.cast import Cast
from tests.panel import FIRST, PANEL, SECOND


def check_refused(cast: Cast, pointer: str, **changes: Any) -> None:
    """The change is refused with exactly one problem, at this field."""
    with pytest.raises(InvalidProfileError) as refused:
        versions.new_version(membership=cast.admin, **changes)
    assert [problem.pointer for problem in refused.value.errors] == [pointer]


def check_stored(cast: Cast, **changes: Any) -> None:
    """The change is stored as it is."""
    versions.new_version(membership=cast.admin, **changes)
    profile = access.current_profile(cast.workspace)
    assert {name: getattr(profile, name) for name in changes} == changes


def critical(**parts: Any) -> list[dict[str, Any]]:
    return [{"tool": "money_transfer"}, {"tool": "pay_*", "pointer": "/amount"} | parts]


def test_a_new_workspace_has_the_numbers_of_the_papers(cast: Cast) -> None:
    profile = access.current_profile(cast.workspace)
    # IntentGuard: h and R (4.4); InferAct: rounds (5.3).
    assert (profile.window, profile.rewrites, profile.retry_rounds) == (5, 2, 3)
    assert Options.window == 5


@pytest.mark.parametrize(
    ("pointer", "changes"),
    [
        ("/no-such", {"no-such": 1}),
        ("/shadow/0", {"shadow": ["no-such"]}),
        ("/shadow/1", {"shadow": [SECOND, SECOND]}),
        ("/shadow/0", {"shadow": [FIRST]}),
        ("/detectors/1", {"detectors": [SECOND, "no-such"]}),
        ("/objections", {"objections": 0}),
        ("/objections", {"objections": 2}),
        ("/thresholds/no-such", {"thresholds": {"no-such": 0.5}}),
        ("/critical_actions/0/terminal", {"critical_actions": [{"tool": "pay", "terminal": "yes"}]}),
        ("/retry_rounds", {"retry_rounds": 11}),
        ("/aggregate", {"aggregate": "median"}),
        ("/thresholds/infer-act-prob", {"thresholds": {"infer-act-prob": 1.01}}),
        ("/thresholds/infer-act-prob", {"thresholds": {"infer-act-prob": float("nan")}}),
        ("/thresholds/infer-act-prob", {"thresholds": {"infer-act-prob": "0.5"}}),
        ("/rewrites", {"rewrites": 11}),
        ("/rewrites", {"rewrites": -1}),
        ("/window", {"window": 0}),
        ("/window", {"window": 21}),
        ("/source_trust/source~1wiki", {"source_trust": {"source/wiki": "whatever"}}),
        ("/source_trust", {"source_trust": {f"tool_{n}": "internal" for n in range(501)}}),
        ("/tool_policies/a~1b", {"tool_policies": {"a/b": "whatever"}}),
        ("/critical_actions/1/tool", {"critical_actions": critical(tool=" ")}),
        ("/critical_actions/1/tool", {"critical_actions": critical(tool="t" * 201)}),
        ("/critical_actions/1/tool", {"critical_actions": critical(tool=7)}),
        ("/critical_actions/1/pointer", {"critical_actions": critical(pointer="amount")}),
        ("/critical_actions/1/pointer", {"critical_actions": critical(pointer="", operator="equals")}),
        ("/critical_actions/1/operator", {"critical_actions": critical(operator="resembles")}),
        ("/critical_actions/1/value", {"critical_actions": critical(operator="above", value="much")}),
        ("/critical_actions/1/value", {"critical_actions": critical(operator="above", value="nan")}),
        ("/critical_actions/1/value", {"critical_actions": critical(value="v" * 501)}),
        ("/critical_actions/1/why", {"critical_actions": critical(why="so")}),
        ("/critical_actions", {"critical_actions": [{"tool": "t"}] * 101}),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(cast: Cast, pointer: str, changes: dict[str, Any]) -> None:
    check_refused(cast, pointer, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"detectors": [*PANEL], "objections": 2},
        {"shadow": ["infer-act-prob", SECOND]},
        {"detectors": [SECOND], "shadow": [FIRST]},
        {"thresholds": {"infer-act-prob": 0.25, "multi-step": 0, "token-probability": 1}},
        {"critical_actions": critical(operator="above", value="1e3")},
        {"critical_actions": []},
        {"rewrites": 0},
    ],
)
def test_what_can_be_is_stored(cast: Cast, changes: dict[str, Any]) -> None:
    check_stored(cast, **changes)


def test_fewer_detectors_than_objections_are_refused(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, detectors=[*PANEL], objections=3)
    check_refused(cast, "/objections", detectors=[FIRST, SECOND])


def test_a_detector_that_runs_in_shadow_is_not_enforced_beside(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, shadow=[SECOND])
    check_refused(cast, "/shadow/0", detectors=[FIRST, SECOND])


def test_a_draft_is_stored_nowhere_and_leaves_the_version_in_force_as_it_is(cast: Cast) -> None:
    profile = access.current_profile(cast.workspace)
    draft = versions.validate_profile(profile, shadow=[SECOND])
    assert (draft.version, draft.shadow, profile.version, profile.shadow) == (2, [SECOND], 1, [])
    assert GuardProfile.objects.filter(workspace=cast.workspace).count() == 1


def test_an_unusable_draft_is_refused(cast: Cast) -> None:
    with pytest.raises(InvalidProfileError):
        versions.validate_profile(access.current_profile(cast.workspace), shadow=[FIRST])


def test_changes_to_one_version_do_not_follow_on_another(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, based_on=1, shadow=[SECOND])
    check_refused(cast, "", based_on=1, detectors=[FIRST])
    assert access.current_profile(cast.workspace).shadow == [SECOND]


def test_what_changes_nothing_makes_no_version(cast: Cast) -> None:
    for _ in range(2):
        stored = versions.new_version(membership=cast.admin, min_rule_precision=0.9, orders_queue=False)
    assert (stored.version, access.current_profile(cast.workspace).version) == (2, 2)
    assert AuditEvent.objects.filter(workspace=cast.workspace, verb="profile.changed").count() == 1


def test_what_was_and_what_is_are_audited(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, detectors=[*PANEL], objections=2)
    details = AuditEvent.objects.get(workspace=cast.workspace, verb="profile.changed").details
    assert (details["before"]["objections"], details["after"]["objections"]) == (1, 2)


def test_a_detector_gets_what_the_profile_chooses_for_it(cast: Cast) -> None:
    chosen: dict[str, Any] = {
        "thresholds": {"infer-act-prob": 0.25},
        "critical_actions": critical(operator="above", value="5"),
    }
    options = detector_options(
        versions.new_version(membership=cast.admin, on_unknown="review", **chosen), "infer-act-prob"
    )
    assert (options.threshold, options.unknown) == (0.25, "review")
    assert options.critical == (CriticalAction("money_transfer"), CriticalAction("pay_*", "/amount", "above", "5"))


def test_another_detector_gets_the_usual_threshold(cast: Cast) -> None:
    profile = versions.new_version(membership=cast.admin, thresholds={"infer-act-prob": 0.25})
    assert detector_options(profile, "multi-step").threshold == 0.5
