"""Checks whose judge is an endpoint, through everything that stands before it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import Settings

from reviews.judging.daily_budget import NO_PRICE, USED_UP
from reviews.models import Action, Check, Decision, GuardProfile, JudgeSpend, Review, Status
from reviews.profiles import versions
from tests.cast import CONTEXT, Cast, make_cast, propose
from tests.endpoint import ScriptedEndpoint
from tests.jobs import run_checks

NOON = replace(CONTEXT, now=datetime(2030, 1, 1, 12, tzinfo=UTC))

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def endpoint(settings: Settings) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as endpoint:
        breaker = {"openai_base_url": endpoint.base_url, "judge_breaker_failures": 1, "judge_breaker_seconds": 300}
        settings.GUARD = settings.GUARD.model_copy(update=breaker)
        yield endpoint


def judged(cast: Cast, **choices: Any) -> None:
    """From now on a model judges that no test has asked before."""
    versions.new_version(membership=cast.admin, judge="openai", model=f"scripted-{uuid4()}", **choices)


def checked(cast: Cast, trace_id: str = "conv-42") -> Action:
    """The same call at the same hour, proposed and checked."""
    action = propose(cast, context=NOON, trace_id=trace_id)
    run_checks(action.pk)
    action.refresh_from_db()
    return action


def check_waits_for_a_person(action: Action, reason: str) -> None:
    """Nobody decided, and the review says why."""
    assert action.status == Status.PENDING
    assert reason in Review.objects.get(action=action).reason
    assert not Decision.objects.filter(action=action).exists()


def test_a_used_up_budget_asks_nobody_and_passes_nothing(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast, daily_tokens=10)
    check_waits_for_a_person(checked(cast), USED_UP)
    assert endpoint.questions.total() == 0


def test_a_budget_in_dollars_whose_price_was_taken_away_passes_nothing(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast)
    GuardProfile.objects.update(daily_usd=1)
    check_waits_for_a_person(checked(cast), NO_PRICE)
    assert endpoint.questions.total() == 0


def test_every_call_is_charged_to_the_workspace(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast)
    usage = checked(cast).checks.get().usage
    account = JudgeSpend.objects.get(workspace=cast.workspace)
    assert (account.calls, account.prompt_tokens) == (endpoint.questions.total(), usage["prompt_tokens"])
    assert account.completion_tokens == usage["completion_tokens"] > 0


def test_the_same_check_again_costs_no_call(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast)
    checked(cast)
    before = endpoint.questions.total()
    again = checked(cast, trace_id="another")
    assert (again.status, endpoint.questions.total(), again.checks.get().usage["calls"]) == (Status.DECIDED, before, 0)


def test_a_kept_answer_needs_neither_money_nor_an_endpoint(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast)
    checked(cast)
    endpoint.down = True
    versions.new_version(membership=cast.admin, daily_tokens=1)
    assert checked(cast, trace_id="another").status == Status.DECIDED


def test_an_open_breaker_is_not_tried_before_its_time(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    # More than the breaker stays open, so that the check has time left behind it.
    judged(cast, check_seconds_judge=600)
    endpoint.down = True
    checked(cast)
    before = endpoint.questions.total()
    Check.objects.update(not_before=None)
    action = propose(cast, trace_id="another")
    delay = run_checks(action.pk)
    assert delay is not None
    assert delay > 250
    assert endpoint.questions.total() == before


def test_a_breaker_that_stays_open_beyond_the_deadline_leaves_the_call_to_a_person(
    cast: Cast, endpoint: ScriptedEndpoint
) -> None:
    judged(cast, check_seconds_judge=120)
    endpoint.down = True
    checked(cast)
    before = endpoint.questions.total()
    check_waits_for_a_person(checked(cast, trace_id="another"), "The judge was not asked")
    assert endpoint.questions.total() == before


def test_the_check_names_the_model_of_each_question(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    judged(cast, question_models={"candidates": "another"})
    assert checked(cast).checks.get().judge.endswith(" (candidates: another)")
