import re
from typing import Any

import pytest

from reviews.decisions import decide, expiry_and_cancellation
from reviews.models import GuardProfile, Interpretation, OnUnknown, Review, Role, Trace
from reviews.profiles import versions
from reviews.provenance.core.findings import Relation
from tests.cast import PASSED, REJECTED, RIGHT, UNCLEAR, Cast, Script, flagged
from tests.desk.desk import Desk, at
from tests.desk.panel import found, looked, planned, shadowed

SHADOW_RATIONALE = "A shadow said so."


def in_shadow(review: Review) -> None:
    """A detector in shadow objects, with a finding and a reading of its own."""
    check = shadowed(
        review, "argus", "injection", found(Relation.ENTAILED_BY, "money_transfer", SHADOW_RATIONALE),
        reason=SHADOW_RATIONALE, judge="a-shadow-model",
    )  # fmt: skip
    Interpretation.objects.create(check_run=check, ordinal=0, reading=SHADOW_RATIONALE, tool="shadowy", arguments={})


@pytest.mark.parametrize("path", ["", "?edit=1", "provenance"])
@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ADMIN])
def test_nobody_sees_a_shadow_before_the_decision(cast: Cast, path: str, role: Role) -> None:
    review = flagged(cast)
    in_shadow(review)
    member = {Role.REVIEWER: cast.reviewer, Role.ADMIN: cast.admin}[role]
    address = at(review) + path if path.startswith("?") else at(review, *filter(None, [path]))
    Desk.of(member).lacks(address, SHADOW_RATIONALE, "argus", "In shadow", "a-shadow-model", "shadowy")


def test_a_reading_of_a_shadow_cannot_be_asked_for(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    in_shadow(review)
    desk.lacks(f"{at(review)}?edit=1&reading={Interpretation.objects.get().pk}", "shadowy")


@pytest.mark.parametrize("end", ["expire", "cancel"])
def test_an_item_that_nobody_decided_shows_no_shadow(cast: Cast, desk: Desk, end: str) -> None:
    review = flagged(cast)
    in_shadow(review)
    if end == "expire":
        expiry_and_cancellation.expire_action(review.action)
    else:
        expiry_and_cancellation.cancel_action(action=review.action, agent_key=cast.agent)
    desk.lacks(at(review), SHADOW_RATIONALE, "argus", "In shadow")


@pytest.mark.parametrize(("choice", "sentence"), [(decide.Approve(), "disagreed"), (decide.Reject("No."), " agreed")])
def test_after_the_decision_the_shadows_are_told(cast: Cast, desk: Desk, choice: decide.Choice, sentence: str) -> None:
    review = flagged(cast)
    in_shadow(review)
    decide.decide_action(action=review.action, choice=choice, membership=cast.reviewer)
    table = re.search(r'<section class="panel shadows".*?</section>', desk.shows(at(review)), re.S)
    assert table
    assert all(each in table[0] for each in ("argus", "asked a person", sentence, 'data-column="Calls">3</td>', "1.50"))


def test_a_shadow_without_an_answer_neither_agreed_nor_disagreed(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    shadowed(review, "argus", verdict="undetermined")
    decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    desk.shows(at(review), "no answer", "asked a person")


def test_a_call_that_nobody_could_establish_says_so_and_does_not_look_refuted(cast: Cast, desk: Desk) -> None:
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW_GRAVE)
    body = desk.shows(
        at(flagged(cast, RIGHT, context=UNCLEAR)), "Nothing speaks against this call", "unproven", "does not object"
    )
    assert "does not hold" not in body


def test_several_detectors_are_counted_and_named(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = flagged(cast)
    looked(review, "direct-prompt")
    desk.shows(at(review), "1 of 2 detectors objects", "direct-prompt", "all established")


def planning(cast: Cast, **plan: Any) -> Review:
    """An item in a workspace that holds calls against plans."""
    versions.new_version(membership=cast.admin, detectors=["intent-guard"])
    review = flagged(cast)
    planned(review, **plan)
    return review


def test_the_plan_is_on_the_table(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    body = desk.shows(at(planning(cast)), "Send him the money.", "the gate let it pass")
    assert re.search(r"rewritten 0 of 2 times", body)


def test_a_long_plan_is_folded(cast: Cast, desk: Desk, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    script(PASSED, REJECTED)
    monkeypatch.setattr("reviews.desk.review.case.plan.UNFOLDED", 1)
    desk.shows(at(planning(cast)), '<ol class="steps" start="2">', "1 more step", "Send him the money.")


def test_a_plan_that_was_sent_back_says_why(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = planning(cast, answer="rewrite", reason="It pays twice.")
    Trace.objects.update(rewrites=1)
    desk.shows(at(review), "sent back to be rewritten", "It pays twice.", "rewritten 1 of 2 times")


def test_a_plan_that_nobody_judged_does_not_look_as_if_it_were(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = planning(cast, judged=False)
    desk.shows(at(review), "let pass unjudged")
    desk.lacks(at(review), "the gate let it pass")


def test_of_an_agent_that_was_told_to_stop_the_page_says_so(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = planning(cast, answer="reject", reason="It pays twice.")
    Trace.objects.update(rewrites=3)
    desk.shows(at(review), "rejected by the gate", "the agent was told to stop")


def test_where_no_detector_asks_for_plans_none_is_shown(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    planned(review)
    desk.lacks(at(review), "Send him the money.")
