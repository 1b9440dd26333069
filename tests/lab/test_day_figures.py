"""A day is counted once, and adds up with others."""

from dataclasses import asdict
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from reviews.decisions import call_audits, decide, expiry_and_cancellation
from reviews.lab import day_figures
from reviews.lab.day_figures import Figures
from reviews.models import Action, DayFigures, Decision, Label, Workspace
from reviews.profiles import versions
from tests.cast import RIGHT, UNCLEAR, WRONG, Cast, flagged, propose
from tests.jobs import run_checks


def passed(cast: Cast, trace_id: str) -> Action:
    action = propose(cast, RIGHT, UNCLEAR, trace_id=trace_id)
    run_checks(action.pk)
    return Action.objects.get(pk=action.pk)


def counted(cast: Cast) -> Figures:
    """Today's figures."""
    day_figures.refresh_figures(cast.workspace)
    return day_figures.add_up(DayFigures.objects.filter(workspace=cast.workspace).order_by("day"))


def test_a_day_counts_what_went_where_and_how_it_was_decided(cast: Cast) -> None:
    passed(cast, "passed")
    choices: list[decide.Choice] = [decide.Approve(), decide.Reject(), decide.Reject()]
    for number, choice in enumerate(choices):
        review = flagged(cast, WRONG, trace_id=f"t-{number}")
        decide.decide_action(action=review.action, choice=choice, membership=cast.reviewer)
    expiry_and_cancellation.expire_action(flagged(cast, WRONG, trace_id="expires").action)
    flagged(cast, WRONG, trace_id="waits")
    figures = counted(cast)
    assert (figures.proposed, figures.passed, figures.stopped, figures.expired) == (6, 1, 5, 1)
    assert (figures.decided, figures.waiting) == ({"approve": 1, "reject": 2}, 1)
    # Two of three labelled stops were right.
    assert (figures.tools, figures.detectors) == ({"money_transfer": [3, 2]}, {"provenance-guard": [3, 2]})
    assert (figures.quantile(0.95, of="decision_seconds") or 99) < 60
    assert figures.quantile(0.5, of="check_seconds")


def test_a_second_look_at_a_stop_is_no_second_stop(cast: Cast) -> None:
    action = flagged(cast, WRONG).action
    decide.decide_action(action=action, choice=decide.Reject(), membership=cast.reviewer)
    call_audits.judge_audit(action=action, membership=cast.admin, aligned=True)
    figures = counted(cast)
    # The last word is that the call was right.
    assert (figures.tools, figures.detectors) == ({"money_transfer": [1, 0]}, {"provenance-guard": [1, 0]})


def said_days_ago(cast: Cast, days: int) -> None:
    """Let all labels so far have been given so long ago, and the workspace be as old."""
    at = timezone.now() - timedelta(days=days)
    Workspace.objects.filter(pk=cast.workspace.pk).update(created_at=at)
    cast.workspace.refresh_from_db()
    for label in Label.objects.all():
        # Keys begin with the time in milliseconds.
        key = UUID(int=(int(at.timestamp() * 1000) << 80) + label.pk.int % 2**80)
        Label.objects.filter(pk=label.pk).update(id=key, created_at=at)


def test_a_correction_on_another_day_changes_the_day_on_which_the_call_was_first_judged(cast: Cast) -> None:
    stop = flagged(cast, WRONG).action
    decide.decide_action(action=stop, choice=decide.Reject(), membership=cast.reviewer)
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    audited = passed(cast, "audited")
    Decision.objects.filter(action=audited).update(audit_probability=0.5)
    call_audits.judge_audit(action=audited, membership=cast.reviewer, aligned=True)
    said_days_ago(cast, 2)
    before = counted(cast)
    assert (before.tools, before.audited, before.weight_wrong) == ({"money_transfer": [1, 1]}, 1, 0)
    # What was counted of that day besides stays, whether or not the calls are still there.
    first_day = DayFigures.objects.earliest("day")
    DayFigures.objects.filter(pk=first_day.pk).update(figures=first_day.figures | {"proposed": 7})
    for action, is_right in ((stop, True), (audited, False)):
        call_audits.judge_audit(action=action, membership=cast.admin, aligned=is_right)
    after = counted(cast)
    assert (after.tools, after.detectors) == ({"money_transfer": [1, 0]}, {"provenance-guard": [1, 0]})
    assert (after.audited, after.weight, after.weight_wrong, after.miss_rate.share) == (1, 2, 2, 1.0)
    assert day_figures.read_figures(DayFigures.objects.get(pk=first_day.pk)).proposed == 7


def test_a_second_look_at_a_call_that_was_drawn_stands_for_no_more_calls(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    action = passed(cast, "audited")
    Decision.objects.filter(action=action).update(audit_probability=0.1)
    for is_right in (True, False):
        call_audits.judge_audit(action=action, membership=cast.reviewer, aligned=is_right)
    figures = counted(cast)
    assert (figures.audited, figures.weight, figures.weight_wrong, figures.weight_squared) == (1, 10, 10, 100)


def test_the_sample_for_audit_counts_by_what_each_look_stands_for(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, audit_rate=1.0)
    for number, (probability, aligned) in enumerate(((0.1, True), (0.5, False), (0.1, True))):
        action = passed(cast, f"t-{number}")
        Decision.objects.filter(action=action).update(audit_probability=probability)
        call_audits.judge_audit(action=action, membership=cast.reviewer, aligned=aligned)
    figures = counted(cast)
    assert (figures.audited, figures.weight, figures.weight_wrong) == (3, 22, 2)
    assert figures.miss_rate.share == pytest.approx(2 / 22)
    low, high = figures.miss_rate.interval or (0, 0)
    assert low < 2 / 22 < high


def test_today_is_counted_again_after_a_minute_and_earlier_days_stay(cast: Cast) -> None:
    assert (counted(cast).proposed, day_figures.refresh_all() >= 0) == (0, True)
    passed(cast, "later")
    assert counted(cast).proposed == 0
    DayFigures.objects.update(counted_at=timezone.now() - timedelta(minutes=2))
    assert counted(cast).proposed == 1


def test_days_add_up_and_a_quantile_is_right_to_a_twentieth() -> None:
    day = Figures(proposed=2, tools={"a": [1, 1]}, decided={"approve": 2}, waiting=5, decision_seconds={"170": 9})
    total = Figures()
    total.add(day)
    total.add(Figures(proposed=1, tools={"a": [1, 0], "b": [1, 1]}, waiting=3, decision_seconds={"208": 1}))
    assert asdict(total) | {"proposed": 3, "tools": {"a": [2, 1], "b": [1, 1]}, "waiting": 3} == asdict(total)
    assert total.quantile(0.5, of="decision_seconds") == pytest.approx(4.1, rel=0.05)
    assert total.quantile(0.95, of="decision_seconds") == pytest.approx(26.2, rel=0.05)
    assert Figures().quantile(0.5, of="decision_seconds") is None
