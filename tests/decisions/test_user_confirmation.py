"""The acting user decides one call, once, by a link; never what the workspace keeps for its own people."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from reviews.decisions import decide, executions, holds
from reviews.decisions.user_confirmation import answer_as_user, ask_user, reason_not_to_ask
from reviews.errors import AlreadyDecidedError, ConflictError, ForbiddenError, NotOpenError
from reviews.models import Action, AuditEvent, DecidedBy, Decision, GuardProfile, Outcome, Status
from reviews.profiles import versions
from tests.api.agent import ACTIONS, Agent
from tests.cast import WRONG, Cast, flagged, propose
from tests.desk.desk import INLINE, Desk, check_page

ANY: dict[str, Any] = {"user_confirms": "any", "agents_ask_user": True}


@pytest.fixture
def waiting(cast: Cast) -> Action:
    """A payment that waits, in a workspace that asks users about any call."""
    versions.new_version(membership=cast.admin, **ANY)
    return flagged(cast).action


def test_the_user_confirms_a_call_in_plain_words_and_the_agent_may_run_it(cast: Cast, waiting: Action) -> None:
    path = ask_user(action=waiting, by=cast.reviewer)
    stranger = Client()
    body = check_page(stranger.get(path), "Do you want this?", "daniel.kin@example.org", "300", "support-bot")
    assert not INLINE.search(body)
    # Nothing of the conversation, nor of what the guard thinks of it.
    assert "I owe him" not in body
    waiting.refresh_from_db()
    assert waiting.status == Status.PENDING
    check_page(stranger.post(path, {"answer": "confirm"}), "It is confirmed")
    decision = Decision.objects.get(action=waiting)
    assert (decision.outcome, decision.decided_by, decision.reviewer) == (Outcome.APPROVE, DecidedBy.USER, None)
    assert decision.digest == waiting.digest
    waiting.refresh_from_db()
    assert executions.start_execution(action=waiting, agent_key=cast.agent)
    verbs = AuditEvent.objects.filter(subject=str(waiting.pk)).order_by("sequence").values_list("verb", flat=True)
    assert list(verbs)[:2] == ["action.user_asked", "action.user_confirmed"]


def test_the_user_refuses_a_call_and_its_review_is_closed(cast: Cast, waiting: Action) -> None:
    path = ask_user(action=waiting, by=cast.reviewer)
    check_page(Client().post(path, {"answer": "refuse"}), "It is refused")
    waiting.refresh_from_db()
    assert waiting.status == Status.DECIDED
    assert waiting.decisions.get().outcome == Outcome.REJECT
    assert waiting.review.closed_at is not None
    Desk.of(cast.reviewer).shows(f"/actions/{waiting.pk}", "by the user")


def test_a_link_answers_once(cast: Cast, waiting: Action) -> None:
    path = ask_user(action=waiting, by=cast.reviewer)
    stranger = Client()
    stranger.post(path, {"answer": "refuse"})
    check_page(stranger.post(path, {"answer": "confirm"}), "It is refused", status=HTTPStatus.CONFLICT)
    assert waiting.decisions.get().outcome == Outcome.REJECT


def test_a_reviewer_who_comes_late_is_told_that_the_user_decided(cast: Cast, waiting: Action) -> None:
    ask_user(action=waiting, by=cast.reviewer)
    waiting.refresh_from_db()
    answer_as_user(action=waiting, confirms=False)
    with pytest.raises(AlreadyDecidedError, match="Already decided by the user: reject"):
        decide.decide_action(action=waiting, choice=decide.Approve(), membership=cast.reviewer)


def test_a_link_is_worth_nothing_once_the_call_is_decided_or_over(cast: Cast, waiting: Action) -> None:
    ask_user(action=waiting, by=cast.reviewer)
    waiting.refresh_from_db()
    decide.decide_action(action=waiting, choice=decide.Reject(), membership=cast.reviewer)
    with pytest.raises(AlreadyDecidedError):
        answer_as_user(action=waiting, confirms=True)
    late = flagged(cast, trace_id="late").action
    path = ask_user(action=late, by=cast.reviewer)
    Action.objects.filter(pk=late.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    check_page(Client().get(path), "It is too late")
    check_page(Client().post(path, {"answer": "confirm"}), "It is too late", status=HTTPStatus.CONFLICT)
    assert not late.decisions.exists()
    with pytest.raises(NotOpenError):
        ask_user(action=late, by=cast.reviewer)


def test_a_refusal_withdraws_an_approval_the_agent_was_not_told_of(cast: Cast) -> None:
    versions.new_version(membership=cast.admin, hold_seconds=60, **ANY)
    action = flagged(cast).action
    path = ask_user(action=action, by=cast.reviewer)
    held = decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
    action.refresh_from_db()
    with pytest.raises(AlreadyDecidedError):
        answer_as_user(action=action, confirms=True)
    # Whoever says yes a moment later is told why it changes nothing, and that they can still say no.
    sent = Client().post(path, {"answer": "confirm"})
    body = check_page(sent, "It is being answered", "No, do not", status=HTTPStatus.CONFLICT)
    assert "Yes, do this" not in body
    answer_as_user(action=action, confirms=False)
    Decision.objects.filter(held_until__isnull=False).update(held_until=timezone.now())
    assert not holds.release_decision(held.pk)
    assert action.decisions.get(in_force=True).decided_by == DecidedBy.USER


@pytest.mark.parametrize("forge", [lambda key: key, lambda key: signing.Signer(salt="other").sign(key)])
def test_a_forged_link_and_one_nobody_asked_for_open_nothing(waiting: Action, forge: Callable[[str], str]) -> None:
    assert Client().get(f"/confirm/{forge(waiting.pk.hex)}").status_code == HTTPStatus.NOT_FOUND
    right = signing.Signer(salt="reviews.user-confirmation").sign(waiting.pk.hex)
    assert Client().post(f"/confirm/{right}", {"answer": "confirm"}).status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        ({}, "does not ask users"),
        ({"user_confirms": "mild"}, "grave"),
        ({"user_confirms": "any", "tool_policies": {"money_transfer": "always_review"}}, "always review"),
        ({"user_confirms": "any", "tool_policies": {"money_transfer": "two_people"}}, "always review"),
    ],
)
def test_what_the_workspace_keeps_for_its_people_no_user_is_asked(
    cast: Cast, profile: dict[str, Any], reason: str
) -> None:
    if profile:
        versions.new_version(membership=cast.admin, **profile)
    action = flagged(cast).action
    with pytest.raises(ConflictError, match=reason):
        ask_user(action=action, by=cast.reviewer)


def test_a_call_too_long_to_read_is_not_asked_about(waiting: Action) -> None:
    waiting.arguments = {"note": "x" * 5000}
    assert "too long" in reason_not_to_ask(waiting)


def test_who_may_not_decide_may_not_ask(cast: Cast, waiting: Action) -> None:
    with pytest.raises(ForbiddenError):
        ask_user(action=waiting, by=cast.annotator)
    versions.new_version(membership=cast.admin, agents_ask_user=False)
    later = flagged(cast, trace_id="later").action
    with pytest.raises(ForbiddenError, match="reviewers alone"):
        ask_user(action=later, by=cast.agent)


def test_the_agents_application_fetches_the_link(cast: Cast, waiting: Action) -> None:
    agent = Agent(cast.agent_secret)
    response = agent.post(f"{ACTIONS}/{waiting.pk}/user-confirmation")
    assert response.status_code == HTTPStatus.OK
    url = response.json()["url"]
    Client().post(url[url.index("/confirm/") :], {"answer": "confirm"})
    decision = agent.get(f"{ACTIONS}/{waiting.pk}").json()["decision"]
    assert (decision["outcome"], decision["decided_by"]) == ("approve", "user")
    assert decision["model_message"].startswith("The user confirmed the call.")


def test_a_reviewer_asks_from_the_call(cast: Cast, waiting: Action) -> None:
    desk = Desk.of(cast.reviewer)
    page = f"/reviews/{waiting.review.pk}"
    desk.shows(page, "Ask the user")
    desk.sends(f"{page}/ask-user", "/confirm/", "to nobody else")
    GuardProfile.objects.update(user_confirms="never")
    desk.lacks(page, "/ask-user")


def test_what_is_still_checked_waits_for_no_user(cast: Cast, waiting: Action) -> None:
    checking = propose(cast, WRONG, trace_id="fresh")
    with pytest.raises(NotOpenError):
        ask_user(action=checking, by=cast.reviewer)


def test_of_a_call_that_a_user_is_asked_about_nothing_is_cut(cast: Cast, waiting: Action) -> None:
    people = [f"u{number:03}@example.org" for number in range(200)] + ["last@example.org"]
    long = flagged(cast, replace(WRONG, arguments={"to": people, "amount": 300}), trace_id="long").action
    check_page(Client().get(ask_user(action=long, by=cast.reviewer)), "last@example.org")
