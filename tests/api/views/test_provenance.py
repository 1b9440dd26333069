"""An action's provenance, over the API."""

import json
from typing import Any

import pytest
from prov.model import ProvDocument

from reviews.api.views.provenance import EXAMPLE
from reviews.decisions import decide
from reviews.models import Action, Review
from tests.api.agent import ACTIONS, NATIVE, Agent, check_problem, read, with_
from tests.api.docs.test_openapi import check_is_a
from tests.cast import PASSED, REJECTED, Cast, Script, decided
from tests.jobs import run_checks

PROV_JSON = "application/prov+json"


def submitted(agent: Agent) -> str:
    """The address of the provenance of a call that a check has looked at."""
    action = agent.submit(with_(NATIVE, "/action/arguments/amount", 300))
    run_checks(action["id"])
    return f"{ACTIONS}/{action['id']}/provenance"


def labels(container: dict[str, Any], kind: str) -> set[str]:
    return {each["prov:label"] for each in container[kind].values() if "prov:label" in each}


def test_the_document_is_prov(agent: Agent) -> None:
    response = agent.get(submitted(agent))
    assert (response.status_code, response["Content-Type"]) == (200, PROV_JSON)
    assert ProvDocument.deserialize(content=response.content, format="json").get_records()


def test_it_is_as_told(agent: Agent) -> None:
    check_is_a("ProvDocument", read(agent.get(submitted(agent))))


def test_the_example_is_prov() -> None:
    assert len(list(ProvDocument.deserialize(content=json.dumps(EXAMPLE), format="json").get_records())) == 5


def test_plain_json_may_be_asked_for(agent: Agent) -> None:
    assert agent.get(submitted(agent), accept="application/json")["Content-Type"] == "application/json"


def test_another_media_type_has_another_etag(agent: Agent) -> None:
    path = submitted(agent)
    assert agent.get(path)["ETag"] != agent.get(path, accept="application/json")["ETag"]


def test_nothing_else_can_be_asked_for(agent: Agent) -> None:
    check_problem(agent.get(submitted(agent), accept="text/turtle"), 406)


def test_it_tells_of_the_agent_and_the_source_of_each_value(agent: Agent) -> None:
    container = read(agent.get(submitted(agent)))
    # Rules leave the call open, so it is the workspace's policy that lets it pass.
    assert labels(container, "agent") == {"support-bot", "ProvenanceGuard Review", "The workspace's policy"}
    values = {each["guard:pointer"] for each in container["entity"].values() if "guard:pointer" in each}
    assert values == {"/to", "/amount"}


def test_a_decision_is_told_with_its_reviewer(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    path = submitted(agent)
    action = Review.objects.get().action
    decided(action, decide.Edit("money_transfer", {"to": "daniel.kim@example.org", "amount": 30}), cast.reviewer)
    container = read(agent.get(path))
    assert "rita" in labels(container, "agent")
    typed = {each.get("guard:typed_by_reviewer") for each in container["entity"].values()}
    assert typed == {None, True, False}


def test_an_unchecked_action_has_a_provenance_too(agent: Agent) -> None:
    container = read(agent.get(f"{ACTIONS}/{agent.submit()['id']}/provenance"))
    assert "action:proposal" in container["entity"]
    assert "action:check.1" not in container["activity"]


def test_an_unchanged_document_is_not_sent_again(agent: Agent) -> None:
    path = submitted(agent)
    unchanged = agent.get(path, If_None_Match=agent.get(path)["ETag"])
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_a_decided_action_has_another_document(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    path = submitted(agent)
    etag = agent.get(path)["ETag"]
    decide.decide_action(action=Review.objects.get().action, choice=decide.Approve(), membership=cast.reviewer)
    assert agent.get(path, If_None_Match=etag).status_code == 200


def test_the_action_links_to_it(agent: Agent) -> None:
    action = agent.submit()
    assert agent.get(action["links"]["provenance"]).status_code == 200


def test_another_workspace_learns_nothing(agent: Agent, outsider: Agent) -> None:
    check_problem(outsider.get(submitted(agent)), 404)


def test_a_stranger_learns_nothing(agent: Agent, stranger: Agent) -> None:
    check_problem(stranger.get(submitted(agent)), 401)


@pytest.mark.parametrize("stages", [(PASSED,), (PASSED, REJECTED)], ids=["passed", "rejected"])
def test_what_was_stored_is_told_as_it_was_found(agent: Agent, script: Script, stages: Any) -> None:
    script(*stages)
    container = read(agent.get(submitted(agent)))
    rationales = {each.get("guard:rationale") for each in container["entity"].values()} - {None}
    assert rationales == {finding.rationale for stage in stages for finding in stage.findings}


@pytest.mark.usefixtures("known_key")
def test_reading_takes_few_queries(agent: Agent, django_assert_max_num_queries: Any) -> None:
    path = submitted(agent)
    assert Action.objects.count() == 1
    with django_assert_max_num_queries(16):
        agent.get(path)
