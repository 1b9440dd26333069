"""What an agent sees of another workspace: nothing, and not even that it is there."""

import pytest

from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read

NOWHERE = "0190a1b2-0000-7000-8000-000000000000"


@pytest.mark.parametrize(
    ("method", "end"), [("GET", ""), ("POST", "/cancel"), ("POST", "/execution"), ("PUT", "/execution/outcome")]
)
def test_an_action_of_another_workspace_does_not_exist(agent: Agent, outsider: Agent, method: str, end: str) -> None:
    path = f"{ACTIONS}/{agent.submit()['id']}{end}"
    body = {"status": "succeeded", "outcome": "ok"}
    foreign = check_problem(outsider.send(method, path, body), 404, slug="not-found")
    unknown = check_problem(outsider.send(method, f"{ACTIONS}/{NOWHERE}{end}", body), 404)
    # Each request has a name of its own.
    assert foreign | {"request_id": ""} == unknown | {"request_id": ""}


def test_lists_and_exports_hold_nothing_of_another_workspace(agent: Agent, outsider: Agent) -> None:
    agent.submit(NATIVE)
    assert read(outsider.get(ACTIONS))["items"] == []
    assert b"".join(outsider.get("/api/v1/labels.jsonl")) == b""
