"""What is like calls whose checks had to be stopped is not begun; everything else goes on."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from reviews.checks.scheduler import SCHEDULER
from reviews.intake import actions
from reviews.models import Action, AgentKey, Check, CheckStatus, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.context import Context, ProposedAction, Step
from reviews.scheduling import fair_scheduler, quarantine
from reviews.workspaces import agent_keys
from tests.cast import CONTEXT, PASSED, RIGHT, Cast, Script, proposal

SEARCH = ProposedAction("search_contacts", {"name": "Daniel"}, "Find Daniel")
LONG_HISTORY = replace(CONTEXT, history=(Step("search_contacts", {}, "Daniel Kim, daniel.kim@example.org " * 100),))
DISTANT = quarantine.MEMORY + timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _no_turn_is_kept(monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    # What a process knows of agents is looked up anew a few times a second.
    monkeypatch.setattr(fair_scheduler, "ROUND_SECONDS", 0)
    monkeypatch.setattr(SCHEDULER, "_round", fair_scheduler._Round())
    script(PASSED)


def submitted(agent: AgentKey, trace: str, action: ProposedAction = RIGHT, context: Context = CONTEXT) -> Action:
    return actions.submit_action(agent_key=agent, proposal=proposal(action, context, trace_id=trace)).action


def stopped(
    agent: AgentKey, trace: str, action: ProposedAction = RIGHT, context: Context = CONTEXT, **row: Any
) -> None:
    """A call of which the check was killed at its deadline, and which waits for a person since."""
    submission, now = submitted(agent, trace, action, context), timezone.now()
    ended = {"status": CheckStatus.DONE, "verdict": "undetermined", "killed": 1, "started_at": now, "finished_at": now}
    submission.checks.update(**ended | row)
    Action.objects.filter(pk=submission.pk).update(status=Status.PENDING)


def outcome(action: Action) -> tuple[str, str, str]:
    """Where the action and its check stand, once the check has had its turn, and why."""
    SCHEDULER.serve_next()
    action.refresh_from_db()
    check = action.checks.get()
    return action.status, check.verdict, check.reason


NOT_BEGUN = (Status.PENDING, "undetermined", quarantine.REASON)
WENT_ON = (Status.DECIDED, "aligned", "")


def test_behind_two_stopped_checks_a_call_like_them_goes_to_a_person_who_reads_why(cast: Cast) -> None:
    for number in range(2):
        stopped(cast.agent, f"poison-{number}")
    action = submitted(cast.agent, "next")
    assert outcome(action) == NOT_BEGUN
    assert Review.objects.get(action=action).reason == quarantine.REASON


def test_one_stopped_check_is_no_reason(cast: Cast) -> None:
    stopped(cast.agent, "poison")
    assert outcome(submitted(cast.agent, "next")) == WENT_ON


@pytest.mark.parametrize(
    ("trace", "action", "context", "expected"),
    [
        pytest.param("next", RIGHT, LONG_HISTORY, NOT_BEGUN, id="same tool"),
        pytest.param("poison", SEARCH, LONG_HISTORY, NOT_BEGUN, id="same conversation"),
        pytest.param("next", SEARCH, LONG_HISTORY, WENT_ON, id="another tool elsewhere"),
        pytest.param("next", RIGHT, CONTEXT, WENT_ON, id="same tool, much smaller"),
    ],
)
def test_alike_is_what_shares_tool_or_conversation_and_is_not_much_smaller(
    cast: Cast, trace: str, action: ProposedAction, context: Context, expected: tuple[str, str, str]
) -> None:
    for amount in (1, 2):
        stopped(cast.agent, "poison", replace(RIGHT, arguments={"amount": amount}), LONG_HISTORY)
    assert outcome(submitted(cast.agent, trace, action, context)) == expected


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"finished_at": -DISTANT}, id="a while ago"),
        pytest.param({"verdict": "aligned"}, id="finished by the next process"),
        pytest.param({"killed": 0}, id="undetermined by itself"),
        pytest.param({"detector": "direct-prompt"}, id="another detector"),
    ],
)
def test_what_tells_nothing_of_the_next_check_is_not_held_against_it(cast: Cast, row: dict[str, Any]) -> None:
    now = timezone.now()
    changed: dict[str, Any] = {k: now + v if isinstance(v, timedelta) else v for k, v in row.items()}
    for number in range(2):
        stopped(cast.agent, f"t{number}", RIGHT, CONTEXT, **changed)
    assert outcome(submitted(cast.agent, "next")) == WENT_ON


def test_another_agents_calls_go_on(cast: Cast) -> None:
    for number in range(2):
        stopped(cast.agent, f"poison-{number}")
    other = agent_keys.issue_key(membership=cast.admin, name="other").agent_key
    assert outcome(submitted(other, "next")) == WENT_ON


def test_a_shadow_like_stopped_ones_is_not_begun_and_its_action_is_none_the_worse(cast: Cast) -> None:
    for number in range(2):
        stopped(cast.agent, f"poison-{number}", detector="direct-prompt")
    versions.new_version(membership=cast.admin, shadow=["direct-prompt"])
    action = submitted(cast.agent, "next")
    SCHEDULER.serve_next()
    SCHEDULER.serve_next()
    action.refresh_from_db()
    assert action.status == Status.DECIDED
    assert Check.objects.get(action=action, mode="shadow").reason == quarantine.REASON
