from urllib.parse import urlencode

import pytest

from reviews.api.trailing_slash import canonical_path
from tests.api.agent import ACTIONS, NATIVE, Agent, read
from tests.cast import Cast


def test_a_key_learns_whose_it_is_and_what_it_may_do(agent: Agent, cast: Cast) -> None:
    me = read(agent.get("/api/v1/me"))
    assert me["workspace"] == cast.workspace.name
    assert me["reads_only"] is False
    assert me["submissions_per_minute"] > 0


@pytest.mark.parametrize("slashes", ["", "/", "//"])
def test_an_address_may_end_in_a_slash(agent: Agent, slashes: str) -> None:
    response = agent.post(f"{ACTIONS}{slashes}", NATIVE)
    assert response.status_code == 202
    action = read(agent.get(f"{ACTIONS}/{response.json()['id']}{slashes}"))
    assert action["links"]["review"] == f"/actions/{action['id']}"


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("/api/v1/schema", "/api/v1/schema/"),
        ("/api/v1/docs//", "/api/v1/docs/"),
        ("/api/v1/", "/api/v1/"),
        ("/queue/", "/queue/"),
    ],
)
def test_other_addresses_stay_what_they_are(path: str, canonical: str) -> None:
    assert canonical_path(path) == canonical


def test_actions_are_listed_by_call_by_several_states_and_by_when_they_were_settled(agent: Agent) -> None:
    submitted = agent.submit(NATIVE)
    cancelled = agent.submit({**NATIVE, "action": {**NATIVE["action"], "tool_call_id": "call_2"}})
    agent.post(f"{ACTIONS}/{cancelled['id']}/cancel", None)

    def listed(query: str) -> list[str]:
        return [item["id"] for item in read(agent.get(f"{ACTIONS}?{query}"))["items"]]

    assert listed("tool_call_id=call_1") == [submitted["id"]]
    assert listed("status=checking,cancelled") == [cancelled["id"], submitted["id"]]
    assert listed("settled_after=2020-01-01T00:00:00Z") == [cancelled["id"]]
    assert agent.get(f"{ACTIONS}?status=checking,gone").status_code == 422


def test_actions_are_listed_by_what_their_metadata_contains(agent: Agent) -> None:
    labelled = agent.submit({**NATIVE, "metadata": {"team": "billing", "run": {"id": 7, "try": 1}}})

    def status_and_ids(metadata: str) -> tuple[int, list[str]]:
        response = agent.get(f"{ACTIONS}?{urlencode({'metadata': metadata})}")
        return response.status_code, [item["id"] for item in response.json().get("items", [])]

    assert status_and_ids('{"run": {"id": 7}}') == (200, [labelled["id"]])
    assert status_and_ids('{"team": "sales"}') == (200, [])
    for refused in ("billing", "[7]", '{"a": 1, "a": 2}', '{"a": "\\u0000"}', "[" * 1999, '{"a": NaN}'):
        assert status_and_ids(refused) == (422, []), refused
