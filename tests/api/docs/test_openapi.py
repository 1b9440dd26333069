"""The OpenAPI document is valid, and real requests and answers are what it says."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, ValidationError

from reviews.decisions import decide
from reviews.models import Review
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, read, with_
from tests.cast import REJECTED, Cast, Script, approved, decided
from tests.jobs import run_checks


@cache
def document() -> Any:
    return json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True)))


def check_is_a(name: str, value: Any) -> None:
    """The value is what the document calls by this name, and has no field it does not tell of."""
    components = document()["components"]
    Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": components}).validate(value)
    properties = components["schemas"][name].get("properties")
    assert properties is None or set(value) <= set(properties)


def test_the_document_is_valid_and_complete(tmp_path: Path) -> None:
    call_command("spectacular", "--validate", "--fail-on-warn", file=str(tmp_path / "openapi.yaml"))


def test_the_document_tells_every_address() -> None:
    assert sorted(document()["paths"]) == [
        "/api/v1/actions",
        "/api/v1/actions/{action_id}",
        "/api/v1/actions/{action_id}/cancel",
        "/api/v1/actions/{action_id}/execution",
        "/api/v1/actions/{action_id}/execution/outcome",
        "/api/v1/actions/{action_id}/provenance",
        "/api/v1/actions/{action_id}/user-confirmation",
        "/api/v1/campaigns",
        "/api/v1/campaigns/{campaign_id}",
        "/api/v1/campaigns/{campaign_id}/agreement",
        "/api/v1/campaigns/{campaign_id}/disputes",
        "/api/v1/campaigns/{campaign_id}/items/{item_id}/adjudication",
        "/api/v1/datasets",
        "/api/v1/datasets/{dataset_id}",
        "/api/v1/datasets/{dataset_id}/imports",
        "/api/v1/datasets/{dataset_id}/items",
        "/api/v1/datasets/{dataset_id}/versions/{number}",
        "/api/v1/datasets/{dataset_id}/versions/{number}/diff",
        "/api/v1/datasets/{dataset_id}/versions/{number}/exports",
        "/api/v1/events",
        "/api/v1/experiments",
        "/api/v1/experiments/{experiment_id}",
        "/api/v1/experiments/{experiment_id}/results",
        "/api/v1/exports/{export_id}",
        "/api/v1/exports/{export_id}/file",
        "/api/v1/imports/{import_id}",
        "/api/v1/labels.jsonl",
        "/api/v1/me",
        "/api/v1/plans",
        "/api/v1/plans/{plan_id}",
    ]


def test_a_client_can_be_generated_from_the_document() -> None:
    """No schema that cannot be named, and no two fields of one that a generator would give the same name."""
    assert "JsonValue" not in document()["components"]["schemas"]
    assert "schemas/JsonValue" not in json.dumps(document(), default=str)
    for name, schema in document()["components"]["schemas"].items():
        fields = [field.replace("_", "").lower() for field in schema.get("properties", {})]
        assert len(set(fields)) == len(fields), name


@pytest.mark.parametrize("body", [NATIVE, OPENAI], ids=["native", "openai"])
def test_submissions_are_as_told(body: dict[str, Any]) -> None:
    check_is_a("Submission", body)


def test_a_wrong_submission_is_wrong_by_the_document() -> None:
    with pytest.raises(Exception, match="is not valid under any of the given schemas"):
        check_is_a("Submission", with_(NATIVE, "/risk", "enormous"))


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ({"quote": "$30", "source": "query"}, True),
        ({"step": 0, "path": "/0/email"}, True),
        ({"tool_call_id": "call_0"}, True),
        ({"quote": "$30", "path": "/0/email"}, False),
        ({"step": 0, "path": "0/email"}, False),
        ({"path": "/0/email"}, False),
    ],
)
def test_what_an_agent_may_say_of_its_sources_is_told(claim: dict[str, Any], told: bool) -> None:
    body = {**OPENAI, "provenance": {"/to": claim}}
    if told:
        check_is_a("ChatSubmission", body)
    else:
        with pytest.raises(ValidationError):
            check_is_a("ChatSubmission", body)


def test_a_new_action_is_as_told(agent: Agent) -> None:
    check_is_a("Action", agent.submit())


def test_a_stopped_action_is_as_told(agent: Agent, script: Script) -> None:
    script(REJECTED)
    submitted = agent.submit()
    run_checks(submitted["id"])
    action = read(agent.get(submitted["links"]["self"]))
    check_is_a("Action", action)
    check_is_a("Verdict", action["verdict"])
    check_is_a("Finding", action["verdict"]["findings"][0])
    check_is_a("Interpretation", action["verdict"]["interpretations"][0])


# The export lists what is committed.
@pytest.mark.django_db(transaction=True)
def test_pages_decisions_executions_and_labels_are_as_told(agent: Agent, cast: Cast) -> None:
    path = f"{ACTIONS}/{approved(cast).pk}"
    check_is_a("ActionPage", read(agent.get(ACTIONS)))
    check_is_a("Decision", read(agent.get(path))["decision"])
    check_is_a("Execution", read(agent.post(f"{path}/execution")))
    check_is_a("Execution", read(agent.put(f"{path}/execution/outcome", {"status": "failed", "outcome": 1})))
    (line,) = b"".join(agent.get("/api/v1/labels.jsonl")).splitlines()
    check_is_a("Label", json.loads(line))


# The export lists what is committed.
@pytest.mark.django_db(transaction=True)
def test_labels_of_edits_are_as_told(agent: Agent, cast: Cast, script: Script) -> None:
    script(REJECTED)
    submitted = agent.submit(with_(NATIVE, "/action/arguments/amount", 300))
    run_checks(submitted["id"])
    reading = read(agent.get(submitted["links"]["self"]))["verdict"]["interpretations"][0]
    choice = decide.Edit(reading["tool"], reading["arguments"], interpretation=reading["id"])
    decided(Review.objects.get(action=submitted["id"]).action, choice, cast.reviewer)
    (line,) = b"".join(agent.get("/api/v1/labels.jsonl")).splitlines()
    label = json.loads(line)
    check_is_a("Label", label)
    assert label["interpretation"]["id"] == reading["id"]


def test_problems_are_as_told(agent: Agent) -> None:
    check_is_a("Problem", read(agent.post(ACTIONS, {})))


@pytest.mark.parametrize(
    ("accepted", "answered"),
    [("application/json", None), ("application/vnd.oai.openapi+json", "json"), ("application/vnd.oai.openapi", "yaml")],
)
def test_the_document_is_served_without_a_key(accepted: str, answered: str | None) -> None:
    response = Client().get("/api/v1/schema/", headers={"accept": accepted})
    assert response.status_code == 200
    assert b"/api/v1/actions" in response.content
    assert answered is None or response["Content-Type"].split(";")[0] == accepted


def test_the_docs_page_holds_no_script_or_style_of_its_own() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    assert "<style" not in page
    assert all("></script>" in part for part in page.split("<script")[1:])
