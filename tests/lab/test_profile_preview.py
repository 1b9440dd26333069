"""Calls are proposed under the profile in force, what was found about them goes on record, and a draft is previewed."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.retry import Retry

from reviews import access
from reviews.checks import routing, run
from reviews.decisions import decide
from reviews.errors import ForbiddenError
from reviews.judging.build import judge_for
from reviews.lab import dry_run, profile_preview
from reviews.lab.profile_preview import Preview, Route
from reviews.messaging import signals
from reviews.models import Action, Check, CheckStatus, GuardProfile, JudgeKind, OnUnknown, Status, Trace
from reviews.profiles import versions
from reviews.profiles.options import detector_options
from reviews.provenance.core.context import ProposedAction, ToolDoc
from reviews.provenance.detectors import build
from tests.cast import CONTEXT, RIGHT, SEARCH, UNCLEAR, WRONG, Cast, flagged, propose

PASSED, REVIEWED, UNKNOWN = Route.PASSED, Route.REVIEWED, Route.UNKNOWN
READING = ProposedAction("search_contacts", {"name": "Daniel"}, "Find Daniel")


def preview(cast: Cast, **changes: Any) -> Preview:
    """What the profile in force with these changes would have done."""
    draft = versions.validated(access.current_profile(cast.workspace), **changes)
    return profile_preview.preview(membership=cast.admin, draft=draft)


def check_routes(cast: Cast, *routes: Route, **changes: Any) -> Preview:
    """The calls, in the order they were proposed, would become this."""
    found = preview(cast, **changes)
    assert [call.becomes for call in reversed(found.calls)] == list(routes)
    return found


def llm(cast: Cast, *detectors: str, **changes: Any) -> None:
    """Put a profile in force under which a model judges."""
    versions.new_version(membership=cast.admin, judge=JudgeKind.OPENAI, model="m", detectors=list(detectors), **changes)


def recorded(cast: Cast, verdict: str, action: ProposedAction = WRONG, **columns: Any) -> Action:
    """A call of which every detector of the profile in force, enforced or in shadow, has said this."""
    proposed = propose(cast, action, trace_id=f"conv-{Action.objects.count()}")
    for check in proposed.checks.all():
        options = detector_options(proposed.profile, check.detector)
        done = {
            "status": CheckStatus.DONE,
            "finished_at": timezone.now(),
            "judge": judge_for(proposed.profile).name,
            "detector_version": build(check.detector, options).version,
            "verdict": verdict,
            "established": verdict == "aligned",
            "misalignment": "plan" if verdict == "misaligned" else "",
            "reason": f"{check.detector} says {verdict}.",
        }
        Check.objects.filter(pk=check.pk).update(**done | columns)
    routing.settle(proposed.pk)
    return proposed


def change_verdicts(action: Action, **verdicts: str) -> None:
    """Single detectors said something else."""
    for name, verdict in verdicts.items():
        kind = "plan" if verdict == "misaligned" else ""
        detector = name.replace("_", "-")
        Check.objects.filter(action=action, detector=detector).update(
            verdict=verdict, misalignment=kind, established=verdict == "aligned"
        )


def test_only_administrators_preview(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        profile_preview.preview(membership=cast.reviewer, draft=access.current_profile(cast.workspace))


def test_the_profile_in_force_changes_nothing(cast: Cast) -> None:
    flagged(cast)
    run.check(propose(cast, RIGHT, UNCLEAR, trace_id="other").pk)
    found = check_routes(cast, REVIEWED, Route.UNPROVEN)
    assert [call.changes for call in found.calls] == [False, False]


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
    run.check(propose(cast, RIGHT).pk)
    found = check_routes(cast, route, tool_policies={"money_transfer": policy})
    assert found.calls[0].changes


@pytest.mark.parametrize(("policy", "was"), [("deny", Route.DENIED), ("always_allow", Route.ALLOWED)])
def test_what_an_order_decided_is_found_anew_without_it(cast: Cast, policy: str, was: Route) -> None:
    versions.new_version(membership=cast.admin, tool_policies={"money_transfer": policy})
    run.check(propose(cast, WRONG).pk)
    found = check_routes(cast, REVIEWED, tool_policies={})
    assert found.calls[0].was == was


def test_a_decided_review_still_was_a_review(cast: Cast) -> None:
    decide.decide(action=flagged(cast).action, choice=decide.Approve(), membership=cast.reviewer)
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
    assert (found.left, found.calls[0].changes) == (0, False)


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
    [(0.7, 0.6, "aligned", UNKNOWN), (0.55, 0.6, "aligned", PASSED), (0.3, 0.4, "misaligned", PASSED)],
)
def test_a_score_is_a_lower_bound_where_a_further_question_was_not_asked(
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
    run.check(propose(cast, RIGHT, UNCLEAR).pk)
    check_routes(cast, route, on_unknown=on_unknown)


def test_the_drafts_critical_list_says_what_is_grave(cast: Cast) -> None:
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW_GRAVE)
    mild = replace(RIGHT, tool="update_note", arguments={"note": "lunch"})
    run.check(propose(cast, mild, replace(CONTEXT, tools=(ToolDoc("update_note", "Updates a note."),))).pk)
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


def test_rules_find_what_is_not_on_record(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "misaligned", RIGHT)
    recorded(cast, "aligned", WRONG)
    found = check_routes(cast, Route.PASSED, REVIEWED, judge=JudgeKind.RULES, detectors=["provenance-guard"])
    assert (found.done, found.left) == (2, 0)
    assert "300" in found.calls[0].verdicts[0].reason


def test_nothing_is_run_for_a_call_that_is_settled_without_it(cast: Cast, script: Any) -> None:
    flagged(cast)
    runs = script()
    preview(cast, tool_policies={"money_transfer": "deny"})
    assert runs.resumed_behind == []


def test_a_run_that_breaks_counts_as_an_objection(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    flagged(cast)
    monkeypatch.setattr("reviews.records.load.case_for", lambda action: None)
    found = check_routes(cast, REVIEWED, detectors=["argus"])
    assert found.calls[0].verdicts[0].reason == "The check failed: AttributeError."


@pytest.mark.usefixtures("endless_work")
def test_a_run_that_takes_too_long_counts_as_an_objection(cast: Cast) -> None:
    flagged(cast)
    found = check_routes(cast, REVIEWED, detectors=["argus"])
    assert found.calls[0].verdicts[0].reason == "The call could not be checked in 0.1 seconds."


@pytest.fixture
def one_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In each request."""
    monkeypatch.setattr(dry_run, "AT_ONCE", 1)
    yield
    signals.client().flushdb()


@pytest.mark.usefixtures("one_run")
def test_what_was_found_is_kept_for_the_next_request(cast: Cast) -> None:
    for number in range(3):
        flagged(cast, trace_id=f"t{number}")
    steps = [preview(cast, detectors=["argus"]) for _ in range(3)]
    assert [(step.done, step.left) for step in steps] == [(1, 2), (2, 1), (3, 0)]


@pytest.mark.usefixtures("one_run")
def test_what_was_found_with_other_options_is_not_taken_for_it(cast: Cast) -> None:
    flagged(cast)
    preview(cast, detectors=["argus"])
    draft = copy.copy(access.current_profile(cast.workspace))
    assert dry_run.kept_results(draft, ["argus"], actions(cast))
    draft.on_unknown = OnUnknown.REVIEW
    assert not dry_run.kept_results(draft, ["argus"], actions(cast))


def actions(cast: Cast) -> list[Action]:
    return list(access.actions_for(cast.admin))


def test_without_redis_a_preview_goes_as_far_as_one_request(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    flagged(cast)
    away = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    monkeypatch.setattr(signals, "client", lambda: away)
    found = preview(cast, detectors=["argus"])
    assert (found.done, found.left) == (1, 0)


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
    assert preview(cast, **chosen).calls[0].withheld
    Action.objects.update(status=Status.DECIDED, settled_at=timezone.now())
    assert not preview(cast, **chosen).calls[0].withheld


def test_an_undecided_call_is_withheld_where_it_rests_on_a_fresh_run(cast: Cast) -> None:
    flagged(cast)
    assert preview(cast, detectors=["argus"]).calls[0].withheld


def test_an_undecided_call_is_shown_where_it_rests_on_enforced_checks(cast: Cast) -> None:
    flagged(cast)
    assert not preview(cast, objections=1).calls[0].withheld


def test_more_calls_cost_no_further_queries(cast: Cast) -> None:
    counts = []
    for number in range(2):
        flagged(cast, trace_id=f"t{number}")
        run.check(propose(cast, RIGHT, trace_id=f"r{number}").pk)
        with CaptureQueriesContext(connection) as queries:
            preview(cast)
        counts.append(len(queries))
    assert counts[0] == counts[1]
