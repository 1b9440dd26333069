"""The export of labels."""

import json
from typing import Any

import pytest

from reviews.decisions import decide
from reviews.models import Label
from reviews.workspaces import agent_keys
from tests.api.agent import Agent, check_problem
from tests.cast import Cast, decided, flagged

# The export lists what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

LABELS = "/api/v1/labels.jsonl"


def lines(agent: Agent, query: str = "") -> list[Any]:
    response = agent.get(LABELS + query)
    assert response.streaming
    assert response["Content-Type"] == "application/jsonl"
    return [json.loads(line) for line in b"".join(response).splitlines()]


def reject(cast: Cast, trace_id: str = "conv-42") -> str:
    action = flagged(cast, trace_id=trace_id).action
    decide.decide_action(action=action, choice=decide.Reject("Wrong amount."), membership=cast.reviewer)
    return str(action.pk)


def test_no_label_is_an_empty_export(agent: Agent) -> None:
    assert lines(agent) == []


def test_a_decision_becomes_a_line(agent: Agent, cast: Cast) -> None:
    action_id = reject(cast)
    (line,) = lines(agent)
    assert (line["action_id"], line["trace_id"]) == (action_id, "conv-42")
    assert (line["aligned"], line["misalignment"], line["outcome"]) == (False, "parameter", "reject")
    assert (line["reviewer"], line["note"], line["source"]) == ("rita", "Wrong amount.", "operational")
    assert line["arguments"]["amount"] == 300
    assert line["decided_at"].endswith("Z")
    assert len(line["context"]["query"]) == 64


def test_an_edit_tells_the_corrected_call(agent: Agent, cast: Cast) -> None:
    arguments = {"to": "daniel.kim@example.org", "amount": 30}
    choice = decide.Edit("money_transfer", arguments)
    decided(flagged(cast).action, choice, cast.reviewer)
    (line,) = lines(agent)
    assert (line["corrected_tool"], line["corrected_arguments"]) == ("money_transfer", arguments)


def test_the_export_goes_on_behind_the_last_line(agent: Agent, cast: Cast) -> None:
    ids = [reject(cast, f"conv-{number}") for number in range(3)]
    first, *rest = lines(agent)
    assert [line["action_id"] for line in (first, *rest)] == ids
    assert lines(agent, f"?after={first['cursor']}") == rest


def test_a_position_from_before_cursors_still_leads_on(agent: Agent, cast: Cast) -> None:
    for number in range(3):
        reject(cast, f"conv-{number}")
    first, *rest = lines(agent)
    assert lines(agent, f"?after={first['id']}") == rest


def test_a_key_that_is_allowed_it_exports_all_labels(agent: Agent, cast: Cast) -> None:
    reject(cast)
    keys = [
        agent_keys.issue_key(membership=cast.admin, name="analyst", reads_all_labels=allowed)
        for allowed in (True, False)
    ]
    assert [len(lines(Agent(key.secret))) for key in keys] == [1, 0]


def test_batches_join_without_gap(agent: Agent, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.api.views.labels._BATCH", 2)
    for number in range(5):
        reject(cast, f"conv-{number}")
    ids = [line["id"] for line in lines(agent)]
    assert ids == [str(pk) for pk in Label.objects.order_by("id").values_list("pk", flat=True)]


@pytest.mark.parametrize(
    ("query", "pointer"), [("?after=last", "/after"), ("?after=WzIsMSwiYSJd", "/after"), ("?since=1", "/since")]
)
def test_a_wrong_parameter_is_named(agent: Agent, query: str, pointer: str) -> None:
    check_problem(agent.get(LABELS + query), 422, pointer)


def test_the_media_type_may_be_asked_for(agent: Agent) -> None:
    assert agent.get(LABELS, Accept="application/jsonl").status_code == 200
