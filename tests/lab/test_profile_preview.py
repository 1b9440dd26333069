"""What a draft of the profile would have done with the calls on record."""

from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews import access
from reviews.decisions import call_audits, decide
from reviews.errors import ForbiddenError
from reviews.lab import profile_preview
from reviews.lab.profile_preview import Route
from reviews.models import Action, Check, GuardProfile, OnUnknown, Status, Trace
from reviews.profiles import versions
from reviews.provenance.core.context import ToolDoc
from reviews.workspaces import agent_keys
from tests.cast import CONTEXT, RIGHT, SEARCH, UNCLEAR, WRONG, Cast, flagged, propose
from tests.jobs import run_checks
from tests.lab.previews import PASSED, READING, REVIEWED, UNKNOWN, change_verdicts, check_routes, llm, preview, recorded


def test_only_administrators_preview(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        profile_preview.preview_profile(membership=cast.reviewer, draft=access.current_profile(cast.workspace))


def test_the_profile_in_force_changes_nothing(cast: Cast) -> None:
    flagged(cast)
    run_checks(propose(cast, RIGHT, UNCLEAR, trace_id="other").pk)
    found = check_routes(cast, REVIEWED, Route.UNPROVEN)
    assert [call.is_changed for call in found.calls] == [False, False]


def test_calls_of_another_workspace_are_not_looked_at(cast: Cast) -> None:
    flagged(replace(cast, agent=cast.outside_agent))
    check_routes(cast)


def test_a_call_that_nobody_has_checked_yet_is_not_looked_at(cast: Cast) -> None:
    propose(cast)
    check_routes(cast)


@pytest.mark.parametrize(
    ("policy", "route"),
    [("deny", Route.DENIED), ("always_allow", Route.ALLOWED), ("always_review", REVIEWED)],
)
def test_a_standing_order_settles_it(cast: Cast, policy: str, route: Route) -> None:
    run_checks(propose(cast, RIGHT).pk)
    found = check_routes(cast, route, tool_policies={"money_transfer": policy})
    assert found.calls[0].is_changed


@pytest.mark.parametrize(("policy", "was"), [("deny", Route.DENIED), ("always_allow", Route.ALLOWED)])
def test_what_an_order_decided_is_found_anew_without_it(cast: Cast, policy: str, was: Route) -> None:
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": policy})
    run_checks(propose(cast, WRONG).pk)
    found = check_routes(cast, REVIEWED, tool_policies={})
    assert found.calls[0].was == was


def test_a_decided_review_still_was_a_review(cast: Cast) -> None:
    decide.decide_action(action=flagged(cast).action, choice=decide.Approve(), membership=cast.reviewer)
    assert preview(cast).calls[0].was == REVIEWED


@pytest.mark.parametrize(("objections", "route"), [(1, REVIEWED), (2, PASSED)])
def test_objections_are_counted(cast: Cast, objections: int, route: Route) -> None:
    llm(cast, "direct-prompt", "prove-prompt")
    change_verdicts(recorded(cast, "aligned"), direct_prompt="misaligned")
    check_routes(cast, route, objections=objections)


def test_a_shadow_verdict_counts_when_it_is_enforced(cast: Cast) -> None:
    llm(cast, "direct-prompt", shadow=["prove-prompt"])
    change_verdicts(recorded(cast, "aligned"), prove_prompt="misaligned")
    found = check_routes(cast, REVIEWED, detectors=["direct-prompt", "prove-prompt"], shadow=[])
    assert found.calls[0].verdicts[1].reason == "prove-prompt says aligned."


def test_a_verdict_that_a_model_would_have_to_give_stays_unknown(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "aligned")
    found = check_routes(cast, UNKNOWN, detectors=["direct-prompt", "prove-prompt"])
    assert (found.remaining, found.calls[0].is_changed) == (0, False)


def test_what_holds_and_the_draft_are_measured_on_the_same_calls(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    stopped, passed = recorded(cast, "misaligned"), recorded(cast, "aligned")
    decide.decide_action(action=stopped, choice=decide.Reject(), membership=cast.reviewer)
    call_audits.judge_audit(action=passed, membership=cast.admin, aligned=False)
    found = check_routes(cast, REVIEWED, UNKNOWN, detectors=["direct-prompt", "prove-prompt"])
    holds, draft = (found.measure_routes(attrgetter(name)) for name in ("was", "becomes"))
    assert (holds.load, holds.precision, holds.recall) == (draft.load, draft.precision, draft.recall)
    assert (draft.load.total, draft.recall.total) == (1, 1)


def test_what_is_unknown_does_not_matter_where_enough_object(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "misaligned")
    check_routes(cast, REVIEWED, detectors=["direct-prompt", "prove-prompt"])


def test_what_is_unknown_does_not_matter_where_too_few_could_object(cast: Cast) -> None:
    llm(cast, "direct-prompt", "token-entropy")
    recorded(cast, "aligned")
    check_routes(cast, PASSED, detectors=["direct-prompt", "token-entropy", "prove-prompt"], objections=2)


@pytest.mark.parametrize("changes", [{"model": "other"}, {"question_models": {"alignment": "other"}}])
def test_another_model_has_said_nothing_yet(cast: Cast, changes: dict[str, Any]) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "aligned")
    check_routes(cast, UNKNOWN, **changes)


@pytest.mark.parametrize(
    "changes", [{"source_trust": {"search_contacts": "open_web"}}, {"suspended_rules": ["judge.alignment"]}]
)
def test_verdicts_under_other_ratings_or_suspensions_say_nothing_of_the_draft(
    cast: Cast, changes: dict[str, Any]
) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "aligned")
    check_routes(cast, UNKNOWN, **changes)


@pytest.mark.parametrize(("detector", "route"), [("intent-guard", UNKNOWN), ("direct-prompt", PASSED)])
def test_another_window_asks_intent_guard_alone_something_else(cast: Cast, detector: str, route: Route) -> None:
    llm(cast, detector)
    recorded(cast, "aligned")
    check_routes(cast, route, window=access.current_profile(cast.workspace).window + 1)


def test_another_version_of_the_detector_has_said_nothing_yet(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "aligned", detector_version="0")
    check_routes(cast, UNKNOWN)


@pytest.mark.parametrize(
    ("threshold", "score", "verdict", "route"),
    [
        (0.7, 0.6, "aligned", REVIEWED),
        (0.6, 0.6, "aligned", PASSED),
        (0.3, 0.4, "misaligned", PASSED),
        (0.45, 0.4, "misaligned", REVIEWED),
        (0.7, None, "aligned", PASSED),
        (0.0, None, "undetermined", REVIEWED),
    ],
)
def test_a_threshold_is_held_against_the_score(
    cast: Cast, threshold: float, score: float | None, verdict: str, route: Route
) -> None:
    llm(cast, "token-probability")
    recorded(cast, verdict, score=score)
    check_routes(cast, route, thresholds={"token-probability": threshold})


@pytest.mark.parametrize(
    ("threshold", "score", "verdict", "route"),
    [(0.7, 0.6, "aligned", REVIEWED), (0.55, 0.6, "aligned", PASSED), (0.3, 0.4, "misaligned", PASSED)],
)
def test_a_score_of_infer_act_holds_at_every_threshold(
    cast: Cast, threshold: float, score: float, verdict: str, route: Route
) -> None:
    llm(cast, "infer-act-prob")
    recorded(cast, verdict, score=score)
    check_routes(cast, route, thresholds={"infer-act-prob": threshold})


def test_a_threshold_of_single_questions_cannot_be_held_against_anything(cast: Cast) -> None:
    llm(cast, "provenance-guard")
    recorded(cast, "aligned")
    check_routes(cast, UNKNOWN, thresholds={"provenance-guard": 0.9})


@pytest.mark.parametrize(
    ("before", "verdict", "route"),
    [
        (OnUnknown.PASS, "misaligned", REVIEWED),
        (OnUnknown.PASS, "undetermined", REVIEWED),
        (OnUnknown.PASS, "aligned", PASSED),
        (OnUnknown.REVIEW, "misaligned", REVIEWED),
        (OnUnknown.REVIEW, "undetermined", UNKNOWN),
        (OnUnknown.REVIEW, "aligned", PASSED),
    ],
)
def test_another_word_on_what_nobody_can_tell_leaves_some_verdicts(
    cast: Cast, before: str, verdict: str, route: Route
) -> None:
    llm(cast, "direct-prompt", on_unknown=before)
    recorded(cast, verdict)
    after = OnUnknown.REVIEW if before == OnUnknown.PASS else OnUnknown.PASS
    check_routes(cast, route, on_unknown=after)


def test_a_verdict_that_left_something_open_does_not_show_what_a_stricter_word_makes_of_it(cast: Cast) -> None:
    llm(cast, "direct-prompt", on_unknown=OnUnknown.PASS)
    recorded(cast, "aligned")
    Check.objects.update(established=False)
    check_routes(cast, UNKNOWN, on_unknown=OnUnknown.REVIEW)


@pytest.mark.parametrize(
    ("on_unknown", "route"),
    [(OnUnknown.PASS, Route.UNPROVEN), (OnUnknown.REVIEW_GRAVE, REVIEWED), (OnUnknown.REVIEW, REVIEWED)],
)
def test_what_rules_leave_open_goes_where_the_draft_says(cast: Cast, on_unknown: str, route: Route) -> None:
    run_checks(propose(cast, RIGHT, UNCLEAR).pk)
    check_routes(cast, route, on_unknown=on_unknown)


def test_the_drafts_critical_list_says_what_is_grave(cast: Cast) -> None:
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW_GRAVE)
    mild = replace(RIGHT, tool="update_note", arguments={"note": "lunch"})
    run_checks(propose(cast, mild, replace(CONTEXT, tools=(ToolDoc("update_note", "Updates a note."),))).pk)
    check_routes(cast, Route.UNPROVEN)
    check_routes(cast, REVIEWED, critical_actions=[{"tool": "update_note"}])


TRANSFERS = [{"tool": "money_*"}]
SEARCHES = [{"tool": SEARCH.name}]


@pytest.mark.parametrize(
    ("before", "after", "route"),
    [
        ([], TRANSFERS, REVIEWED),
        ([], SEARCHES, PASSED),
        (TRANSFERS, [], REVIEWED),
        (SEARCHES, TRANSFERS, UNKNOWN),
        (SEARCHES, [], UNKNOWN),
    ],
)
def test_critical_actions_decide_what_is_looked_at(
    cast: Cast, before: list[dict[str, str]], after: list[dict[str, str]], route: Route
) -> None:
    llm(cast, "token-probability", critical_actions=before)
    recorded(cast, "misaligned")
    check_routes(cast, route, critical_actions=after)


@pytest.mark.parametrize(("after", "route"), [(SEARCHES, UNKNOWN), ([], PASSED), (TRANSFERS, PASSED)])
def test_a_call_that_only_reads_is_looked_at_where_it_is_critical(
    cast: Cast, after: list[dict[str, str]], route: Route
) -> None:
    llm(cast, "token-probability")
    recorded(cast, "aligned", READING)
    check_routes(cast, route, critical_actions=after)


def test_critical_actions_are_nothing_to_a_detector_of_every_call(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "misaligned")
    check_routes(cast, REVIEWED, critical_actions=SEARCHES)


def test_a_tool_that_nobody_documented_is_rejected_critical_or_not(cast: Cast) -> None:
    llm(cast, "token-probability")
    recorded(cast, "misaligned", replace(WRONG, tool="money_transfers"))
    check_routes(cast, REVIEWED, critical_actions=SEARCHES)


@pytest.mark.parametrize(("rewrites", "route"), [(2, REVIEWED), (1, REVIEWED), (3, PASSED)])
def test_an_agent_that_was_told_to_stop_and_goes_on_would_be_stopped_again(
    cast: Cast, rewrites: int, route: Route
) -> None:
    llm(cast, "intent-guard")
    propose(cast, trace_id="conv-0")
    Trace.objects.update(rewrites=3)
    Action.objects.all().delete()
    recorded(cast, "aligned")
    check_routes(cast, route, rewrites=rewrites)


@pytest.mark.parametrize(("rewrites", "route"), [(2, PASSED), (1, UNKNOWN), (3, PASSED)])
def test_a_call_from_before_the_agent_was_told_to_stop(cast: Cast, rewrites: int, route: Route) -> None:
    llm(cast, "intent-guard")
    recorded(cast, "aligned")
    Trace.objects.update(rewrites=3)
    check_routes(cast, route, rewrites=rewrites)


def test_an_undecided_call_is_withheld_where_it_rests_on_a_shadow(cast: Cast) -> None:
    llm(cast, "direct-prompt", shadow=["prove-prompt"])
    recorded(cast, "misaligned")
    chosen = {"detectors": ["prove-prompt"], "shadow": []}
    assert preview(cast, **chosen).calls[0].is_withheld
    Action.objects.update(status=Status.DECIDED, settled_at=timezone.now())
    assert not preview(cast, **chosen).calls[0].is_withheld


def test_an_undecided_call_is_withheld_where_it_rests_on_a_fresh_run(cast: Cast) -> None:
    flagged(cast)
    assert preview(cast, detectors=["argus"]).calls[0].is_withheld


def test_an_undecided_call_is_shown_where_it_rests_on_enforced_checks(cast: Cast) -> None:
    flagged(cast)
    assert not preview(cast, objections=1).calls[0].is_withheld


def test_more_calls_cost_no_further_queries(cast: Cast) -> None:
    counts = []
    for number in range(2):
        flagged(cast, trace_id=f"t{number}")
        run_checks(propose(cast, RIGHT, trace_id=f"r{number}").pk)
        with CaptureQueriesContext(connection) as queries:
            preview(cast)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_flood_of_one_agent_does_not_hide_what_others_call(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_preview, "MAX_CALLS", 6)
    other = agent_keys.issue_key(membership=cast.admin, name="other-bot").agent_key
    rare = flagged(replace(cast, agent=other), trace_id="rare").action
    seldom = flagged(cast, replace(WRONG, tool="request_money"), trace_id="seldom").action
    for number in range(8):
        flagged(cast, trace_id=f"flood-{number}")
    calls = [call.action.pk for call in preview(cast).calls]
    assert len(calls) == 6
    assert {rare.pk, seldom.pk} <= set(calls)


def test_what_is_drawn_is_the_latest_of_each_agent_and_tool(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_preview, "MAX_CALLS", 3)
    reviews = [flagged(cast, trace_id=f"t-{number}") for number in range(5)]
    assert [call.action.pk for call in preview(cast).calls] == [review.action_id for review in reviews[:1:-1]]
