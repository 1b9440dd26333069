"""The feed of events, page by page."""

import json
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.utils import timezone

from reviews import access
from reviews.checks.sweep_chores import sweep_lost_and_due
from reviews.decisions import decide, expiry_and_cancellation
from reviews.messaging import events
from reviews.models import ActionEvent, AgentKey
from reviews.records import event_feed
from reviews.workspaces import agent_keys
from tests.api.agent import Agent, check_problem, read
from tests.cast import Cast, flagged, propose
from tests.records.test_commit_order import uncommitted

# The feed lists what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

EVENTS = "/api/v1/events"


def page(reader: Agent, /, **query: Any) -> Any:
    response = reader.get(f"{EVENTS}?{urlencode(query)}")
    assert response.status_code == 200, response.content
    return read(response)


def told(reader: Agent, /, **query: Any) -> list[tuple[str, str]]:
    return [(event["type"], event["data"]["trace_id"]) for event in page(reader, **query)["items"]]


def test_what_becomes_of_calls_is_told_in_order_without_their_arguments(agent: Agent, cast: Cast) -> None:
    action = flagged(cast, tool_call_id="c1", metadata={"team": "billing"}).action
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.reviewer)
    first = page(agent)
    waiting, decided = first["items"]
    assert (waiting["type"], waiting["data"]["status"]) == ("action.waiting", "pending")
    assert waiting["data"]["outcome"] is None
    assert (decided["type"], decided["data"]["outcome"], decided["data"]["decided_by"]) == (
        "action.decided", "reject", "reviewer",
    )  # fmt: skip
    assert decided["data"]["id"] == str(action.pk)
    assert (decided["data"]["agent"], decided["data"]["metadata"]) == ("support-bot", {"team": "billing"})
    assert "daniel" not in json.dumps(first)
    assert (first["cursor"], first["has_more"]) == (decided["id"], False)


def test_whoever_pauses_between_reads_misses_and_repeats_nothing(agent: Agent, cast: Cast) -> None:
    seen, after = list[str](), dict[str, str]()
    for number in range(6):
        expiry_and_cancellation.cancel_action(action=propose(cast, trace_id=f"c{number}"), agent_key=cast.agent)
        # A slower transaction ends behind the read of what others committed before it.
        with uncommitted(lambda number=number: propose_and_cancel(cast, f"slow{number}")):  # type: ignore[misc]
            read_on = page(agent, limit=1, **after)
            seen += [event["data"]["trace_id"] for event in read_on["items"]]
            after = {"after": read_on["cursor"]}
    while (read_on := page(agent, limit=2, **after))["items"]:
        seen += [event["data"]["trace_id"] for event in read_on["items"]]
        after = {"after": read_on["cursor"]}
    assert len(seen) == len(set(seen)) == ActionEvent.objects.count() == 12


def propose_and_cancel(cast: Cast, trace_id: str) -> None:
    expiry_and_cancellation.cancel_action(action=propose(cast, trace_id=trace_id), agent_key=cast.agent)


def test_a_key_follows_its_own_agent_and_one_with_the_right_all_of_its_workspace(
    agent: Agent, outsider: Agent, cast: Cast
) -> None:
    propose_and_cancel(cast, "own")
    secrets = [
        agent_keys.issue_key(membership=cast.admin, name="controller", reads_all_events=allowed).secret
        for allowed in (True, False)
    ]
    assert [len(told(Agent(secret))) for secret in secrets] == [1, 0]
    assert (len(told(agent)), len(told(outsider))) == (1, 0)
    assert told(Agent(secrets[0]), agent="support-bot") == [("action.cancelled", "own")]
    assert told(Agent(secrets[0]), agent="controller") == []


def test_filters_leave_out_events_and_move_the_cursor_behind_them(
    agent: Agent, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_feed, "MAX_LOOKED_AT", 2)
    before = timezone.now()
    for number in range(3):
        propose_and_cancel(cast, f"c{number}")
    flagged(cast, trace_id="waits", tool_call_id="c9")
    assert told(agent, status="pending", after=page(agent, limit=2)["cursor"]) == [("action.waiting", "waits")]
    first = page(agent, tool_call_id="c9")
    assert (first["items"], first["has_more"]) == ([], True)
    assert told(agent, tool_call_id="c9", after=first["cursor"]) == [("action.waiting", "waits")]
    assert told(agent, trace_id="c1") == [("action.cancelled", "c1")]
    assert len(told(agent, settled_after=before.isoformat())) == 2
    assert told(agent, settled_after=timezone.now().isoformat()) == []


def test_the_calls_of_one_team_are_followed(agent: Agent, cast: Cast) -> None:
    for team in ("billing", "sales"):
        action = propose(cast, trace_id=team, metadata={"team": team, "run": 7})
        expiry_and_cancellation.cancel_action(action=action, agent_key=cast.agent)
    assert told(agent, metadata=json.dumps({"team": "sales"})) == [("action.cancelled", "sales")]


def test_events_have_the_members_that_are_asked_for(agent: Agent, cast: Cast) -> None:
    propose_and_cancel(cast, "own")
    whole = page(agent)
    (event,) = whole["items"]
    assert page(agent, fields="type,id") == {**whole, "items": [{"id": event["id"], "type": event["type"]}]}
    refusal = check_problem(agent.get(f"{EVENTS}?fields=status"), 422, "/fields")
    assert "id, type, timestamp, data" in refusal["detail"]


def test_the_latest_place_is_behind_everything(agent: Agent, cast: Cast) -> None:
    assert page(agent, after="latest") == {"items": [], "cursor": "0" * 48, "has_more": False}
    propose_and_cancel(cast, "before")
    cursor = page(agent, after="latest")["cursor"]
    propose_and_cancel(cast, "behind")
    assert told(agent, after=cursor) == [("action.cancelled", "behind")]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("?after=x", "/after"), ("?status=checking", "/status"), ("?tool=t", "/tool"), ("?metadata=[]", "/metadata")],
)
def test_a_wrong_parameter_is_named(agent: Agent, query: str, pointer: str) -> None:
    check_problem(agent.get(EVENTS + query), 422, pointer)


def test_only_readers_whose_key_is_in_force_are_told_of_news(cast: Cast) -> None:
    propose_and_cancel(cast, "own")
    ended = agent_keys.issue_key(membership=cast.admin, name="ended", reads_all_events=True).agent_key
    agent_keys.revoke_key(agent_key=ended, membership=cast.admin)
    event = ActionEvent.objects.get()
    start = (0, UUID(int=0))
    keys = [cast.agent.key_hash, cast.outside_agent.key_hash, ended.key_hash]
    readers = [*((key, *start) for key in keys), (cast.agent.key_hash, event.transaction, event.pk)]
    news = access.readers_with_news(readers)
    assert list(map(news.get, readers)) == [True, False, None, False]
    AgentKey.objects.filter(pk=cast.agent.pk).update(reads_all_events=True)
    assert access.readers_with_news(readers)[readers[0]]


def test_old_events_are_forgotten(agent: Agent, cast: Cast) -> None:
    propose_and_cancel(cast, "old")
    ActionEvent.objects.update(created_at=timezone.now() - events.KEPT)
    propose_and_cancel(cast, "new")
    sweep_lost_and_due()
    assert told(agent) == [("action.cancelled", "new")]
