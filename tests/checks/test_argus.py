"""The conditions of a task are derived once, and the profile says who can write what a tool returns."""

from dataclasses import replace
from typing import Any

import pytest

from reviews.models import Action, Status, Trace
from reviews.profiles import versions
from reviews.provenance.core.context import Message
from reviews.provenance.core.trust import TrustClass
from reviews.records import load
from reviews.retention import conversation_erasure
from tests.cast import CONTEXT, Cast, propose
from tests.jobs import run_checks
from tests.provenance.detectors.paying import CONDITIONS, argus, keeps
from tests.provenance.detectors.scripted import GIBBERISH, ScriptedJudge, support


@pytest.fixture
def judge(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> ScriptedJudge:
    """Answers ARGUS, which the workspace enforces."""
    versions.new_version(membership=cast.admin, detectors=["argus"])
    scripted = argus(support=support())
    monkeypatch.setattr("reviews.judging.build.judge_for", lambda *_: scripted)
    return scripted


def checked(cast: Cast, **choices: Any) -> Action:
    action = propose(cast, trace_id="conv-42", **choices)
    run_checks(action.pk)
    return Action.objects.select_related("trace", "profile", "tool_set").get(pk=action.pk)


def test_the_conditions_of_a_task_are_derived_once_and_kept_with_its_trace(cast: Cast, judge: ScriptedJudge) -> None:
    first, second = checked(cast), checked(cast)
    assert judge.asked.count("invariants") == 1
    assert judge.asked.count("invariant_check") == 2
    assert load.load_context(second).invariants == CONDITIONS
    assert first.trace == second.trace


def test_conditions_are_kept_though_nobody_could_tell_whether_the_call_keeps_them(
    cast: Cast, judge: ScriptedJudge
) -> None:
    judge.answers["invariant_check"] = GIBBERISH
    checked(cast)
    judge.answers["invariant_check"] = keeps(True, True)
    checked(cast)
    assert judge.asked.count("invariants") == 1


def test_a_later_message_of_the_user_derives_them_anew(cast: Cast, judge: ScriptedJudge) -> None:
    checked(cast)
    later = replace(CONTEXT, history=(*CONTEXT.history, Message("user", "Now pay Ann $20.")))
    checked(cast, context=later)
    assert judge.asked.count("invariants") == 2


def test_an_erased_conversation_keeps_no_conditions(cast: Cast, judge: ScriptedJudge) -> None:
    action = checked(cast)
    Action.objects.filter(pk=action.pk, status=Status.PENDING).update(status=Status.CANCELLED)
    conversation_erasure.erase_conversation(cast.workspace, "conv-42")
    assert Trace.objects.get().invariants == {}


def test_the_profile_says_who_can_write_what_a_tool_returns(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, source_trust={"search_contacts": "open_web"})
    sources = load.load_context(propose(cast)).sources
    assert sources["history/1/outcome"].rating is TrustClass.OPEN_WEB


def test_a_payee_from_a_source_that_anyone_can_write_goes_to_a_person(cast: Cast) -> None:
    assert checked(cast).status == Status.DECIDED
    versions.new_version(membership=cast.admin, source_trust={"search_contacts": "open_web"})
    action = checked(cast)
    assert action.status == Status.PENDING
    assert "anyone may have written it" in action.review.reason
