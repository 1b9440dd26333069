"""Ground truth over the API: made, filled, frozen, put to people, read; by a key with that right and no other."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from pytest_django import Settings

from reviews.annotation import campaigns
from reviews.datasets import imports, mappings, versions
from reviews.evaluation.file_formats.mapped_table import ColumnMapping
from reviews.models import Adjudication, AgentKey, AuditEvent, Campaign, Dataset, DatasetItem, ImportJob
from reviews.records.dataset_items import case_of_item
from reviews.workspaces import agent_keys
from tests.annotation.study import MISALIGNED, annotators, study
from tests.api.agent import Agent, check_problem, read
from tests.api.docs.test_openapi import check_is_a
from tests.cast import Cast, approved
from tests.datasets.collections import line

DATASETS, CAMPAIGNS = "/api/v1/datasets", "/api/v1/campaigns"


@pytest.fixture
def curator(cast: Cast, settings: Settings, tmp_path: Path) -> Agent:
    """A script whose key manages ground truth."""
    settings.MEDIA_ROOT = tmp_path / "stored"
    return Agent(agent_keys.issue_key(membership=cast.admin, name="study", manages_ground_truth=True).secret)


def made(curator: Agent, name: str = "study") -> str:
    """Where a new dataset is."""
    return str(curator.post(DATASETS, {"name": name})["Location"])


def lines(count: int) -> bytes:
    return b"".join(json.dumps(line(number)).encode() + b"\n" for number in range(count))


def sent(curator: Agent, dataset: str, content: bytes, kind: str = "application/jsonl", **headers: str) -> Any:
    """The answer to an import of these bytes."""
    return curator.send("POST", f"{dataset}/imports?reader=items", content, headers, content_type=kind)


def loaded(curator: Agent, dataset: str, content: bytes, **headers: str) -> Any:
    """The import of these bytes once a worker has run it."""
    response = sent(curator, dataset, content, **headers)
    assert response.status_code == 202, response.content
    imports.run_import(response.json()["id"])
    return read(curator.get(response["Location"]))


def both_get_to(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Let this function begin its work only once two are at it; it cannot where one of them waits for the other."""
    function, both_there = getattr(module, name), Barrier(2)

    def wait_and_go_on(*args: Any, **kwargs: Any) -> Any:
        with suppress(BrokenBarrierError):
            both_there.wait(1)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, wait_and_go_on)


def at_once(post: Callable[[], Any]) -> list[Any]:
    """The answers to two requests that come in at the same time."""

    def post_and_close() -> Any:
        try:
            return post()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        return [each.result() for each in [threads.submit(post_and_close) for _ in range(2)]]


def test_a_dataset_is_made_once(curator: Agent) -> None:
    first = read(curator.post(DATASETS, {"name": "study", "description": "Payments."}))
    again = read(curator.post(DATASETS, {"name": " study "}))
    assert first == again
    assert (first["description"], first["items"], first["versions"]) == ("Payments.", 0, [])
    assert AuditEvent.objects.filter(verb="dataset.created", actor="study").count() == 1


def test_calls_that_people_decided_come_in_whichever_agent_proposed_them(cast: Cast, curator: Agent) -> None:
    approved(cast)
    where = f"{made(curator)}/items"
    assert [read(curator.post(where, {"origin": "decided"}))["added"] for _ in range(2)] == [1, 0]
    assert read(curator.post(where, {"origin": "audit", "tool": "send"}))["added"] == 0
    check_problem(curator.post(where, {"origin": "imported"}), 422, "/origin")


@pytest.mark.django_db(transaction=True)
def test_a_file_that_is_sent_twice_at_once_is_one_import(curator: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = made(curator)
    both_get_to(monkeypatch, imports, "request_import")
    first, second = at_once(lambda: read(sent(curator, dataset, lines(3))))
    assert first["id"] == second["id"]
    assert ImportJob.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_campaign_that_is_sent_twice_at_once_is_one_campaign(
    cast: Cast, curator: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = campaign(cast, curator)
    both_get_to(monkeypatch, campaigns, "open_campaign")
    first, second = at_once(lambda: curator.post(CAMPAIGNS, wanted))
    assert {first.status_code, second.status_code} == {200, 201}
    assert first.json() == second.json()


def test_a_file_is_loaded_and_its_bad_records_explained(curator: Agent) -> None:
    found = loaded(curator, dataset := made(curator), lines(3) + b"{}\n")
    check_is_a("Import", found)
    assert (found["status"], found["loaded"], found["rejected"]) == ("done", 3, 1)
    assert found["problems"][0]["line"] == 4
    assert read(curator.get(found["links"]["dataset"])) == read(curator.get(dataset))


@pytest.mark.parametrize("kind", ["application/jsonl", "application/zip", "application/json", ""])
def test_an_import_without_a_file_is_refused(curator: Agent, kind: str) -> None:
    check_problem(sent(curator, made(curator), b"", kind), 422, "")
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize("name", ["", " ", "\t\n", "a\0"])
def test_a_dataset_without_a_name_is_refused(curator: Agent, name: str) -> None:
    check_problem(curator.post(DATASETS, {"name": name}), 422, "/name")


def test_the_same_file_sent_again_is_the_same_import(curator: Agent) -> None:
    first = loaded(curator, dataset := made(curator), lines(3))
    again = sent(curator, dataset, lines(3)).json()
    assert again == first
    assert ImportJob.objects.count() == 1
    assert not default_storage.exists(ImportJob.objects.get().file)


def test_an_import_that_failed_is_begun_anew(curator: Agent) -> None:
    first = sent(curator, dataset := made(curator), b"x").json()
    ImportJob.objects.update(status="failed", failure="The disk was full.", finished_at="2026-01-01T00:00Z")
    assert sent(curator, dataset, b"x").json()["id"] != first["id"]


def test_a_file_larger_than_a_submission_may_be_is_taken(curator: Agent, settings: Settings) -> None:
    content = lines(2_000)
    assert len(content) > settings.GUARD.max_body_bytes
    assert loaded(curator, made(curator), content)["loaded"] == 2_000


def test_a_packed_file_and_a_zipped_folder_are_taken(curator: Agent) -> None:
    dataset = made(curator)
    packed = gzip.compress(lines(40) + b" " * 3_000_000)
    assert loaded(curator, dataset, packed, **{"Content-Encoding": "gzip"})["loaded"] == 40
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as file:
        file.writestr("calls.jsonl", lines(2))
    assert sent(curator, dataset, archive.getvalue(), "application/zip").status_code == 202


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (gzip.compress(lines(9))[:-9], {"Content-Encoding": "gzip"}, 400),
        (b"no gzip", {"Content-Encoding": "gzip"}, 400),
        (b"x", {"Content-Encoding": "br"}, 415),
        (gzip.compress(b" " * 1_100_000), {"Content-Encoding": "gzip"}, 413),
    ],
    ids=["cut off", "not packed", "packed otherwise", "too large"],
)
def test_a_body_that_cannot_be_taken_is_refused(
    curator: Agent, settings: Settings, content: bytes, headers: dict[str, str], status: int
) -> None:
    settings.GUARD = settings.GUARD.model_copy(update={"max_upload_megabytes": 1})
    assert sent(curator, made(curator), content, **headers).status_code == status
    assert not ImportJob.objects.exists()


def test_what_no_reader_knows_is_refused(curator: Agent) -> None:
    dataset = made(curator)
    response = curator.send("POST", f"{dataset}/imports?reader=odd", b"x", content_type="application/jsonl")
    check_problem(response, 422, "/reader")
    other = check_problem(sent(curator, dataset, b"{}", "application/x-ndjson"), 415)
    assert other["detail"].endswith("Use application/jsonl or application/zip.")


def test_a_version_is_frozen_once_by_its_number(curator: Agent) -> None:
    loaded(curator, dataset := made(curator), lines(10))
    where, body = f"{dataset}/versions/1", json.dumps({"splits": {"train": 0.5, "test": 0.5}, "seed": 3}).encode()
    created = curator.send("PUT", where, body)
    assert (created.status_code, created.json()["frozen_at"]) == (202, None)
    check_problem(curator.send("PUT", f"{dataset}/versions/2", b"{}"), 409, slug="version-number")
    versions.freeze_version(Dataset.objects.get().versions.get().pk)
    again = curator.send("PUT", where, body)
    assert again.status_code == 200
    check_is_a("Version", again.json())
    assert again.json()["card"]["items"] == 10
    for number, other in ((1, b'{"seed": 4}'), (3, b"{}")):
        check_problem(curator.send("PUT", f"{dataset}/versions/{number}", other), 409, slug="version-number")
    assert curator.send("PUT", f"{dataset}/versions/2", b"{}").status_code == 202


def test_an_empty_dataset_and_odd_splits_are_not_frozen(curator: Agent) -> None:
    dataset = made(curator)
    check_problem(curator.send("PUT", f"{dataset}/versions/1", b"{}"), 422, "/dataset")
    check_problem(curator.send("PUT", f"{dataset}/versions/1", b'{"splits": {"a": 0.2}}'), 422, "/splits")
    many = json.dumps({"splits": {f"part-{number}": 0.05 for number in range(20)}}).encode()
    told = check_problem(curator.send("PUT", f"{dataset}/versions/1", many), 422, "/splits")
    assert told["errors"][0]["detail"] == "At most 10 entries are accepted; these are more."


def campaign(cast: Cast, curator: Agent, **changed: Any) -> dict[str, Any]:
    """What opens a campaign of two people over three calls."""
    people = [each.user.get_username() for each in annotators(cast, 2)]
    loaded(curator, where := made(curator), lines(3))
    dataset = where.rpartition("/")[2]
    return {"name": "Round", "dataset": dataset, "annotators": people, "seed": 1, **changed}


def test_a_campaign_is_opened_once_and_moved(cast: Cast, curator: Agent) -> None:
    body = campaign(cast, curator)
    opened = curator.post(CAMPAIGNS, body)
    assert opened.status_code == 201
    check_is_a("CampaignWithProgress", opened.json())
    assert opened.json()["progress"]["answers_wanted"] == 6
    again = curator.post(CAMPAIGNS, body)
    assert (again.status_code, again.json()) == (200, opened.json())
    for others in ({"guidelines": "Others."}, {"annotators": [*body["annotators"], "rita"]}, {"seed": 2}):
        check_problem(curator.post(CAMPAIGNS, body | others), 422)
    where = opened["Location"]
    for state in ("paused", "paused", "running", "closed", "closed"):
        assert read(curator.send("PATCH", where, json.dumps({"state": state}).encode()))["state"] == state
    check_problem(curator.send("PATCH", where, b'{"state": "running"}'), 409, slug="campaign-state")
    assert [each["id"] for each in read(curator.get(CAMPAIGNS))["campaigns"]] == [opened.json()["id"]]


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"annotators": ["anna", "nobody"]}, "/annotators/1"),
        ({"annotators": ["anna"]}, "/annotators"),
        ({"annotators": ["rita", "rob"]}, "/annotators"),
        ({"annotators_per_item": 0}, "/annotators_per_item"),
        ({"questions": ["weather"]}, "/questions/0"),
        ({"name": ""}, "/name"),
    ],
)
def test_a_campaign_that_cannot_be_opened_is_refused(
    cast: Cast, curator: Agent, changed: dict[str, Any], pointer: str
) -> None:
    check_problem(curator.post(CAMPAIGNS, campaign(cast, curator, **changed)), 422, pointer)
    assert not Campaign.objects.exists()


def test_agreement_is_read_with_its_intervals(cast: Cast, curator: Agent) -> None:
    running = study(cast, items=3)
    for person, answers in enumerate(((MISALIGNED, MISALIGNED), (MISALIGNED,))):
        for answer in answers:
            running.given(person, answer)
    where = f"{CAMPAIGNS}/{running.campaign.pk}"
    report = read(curator.get(f"{where}/agreement"))
    check_is_a("AgreementReport", report)
    assert (report["fields"][0]["items"], report["fields"][0]["raw"]["value"]) == (1, 1.0)
    assert report["pairs"][0]["first"] == "anna"
    people = read(curator.get(where))["progress"]["people"]
    assert {each["annotator"]: each["answered"] for each in people} == {"anna": 2, "annotator-1": 1}


def attempts(cast: Cast) -> list[tuple[str, str, bytes]]:
    """Everything that changes ground truth, once."""
    running = study(cast, items=1, people=1, per_item=1).campaign
    dataset = f"{DATASETS}/{running.dataset_id}"
    return [
        ("POST", DATASETS, b'{"name": "another"}'),
        ("POST", f"{dataset}/items", b'{"origin": "decided"}'),
        ("POST", f"{dataset}/imports?reader=items", lines(1)),
        ("PUT", f"{dataset}/versions/1", b"{}"),
        ("POST", CAMPAIGNS, b"{}"),
        ("PATCH", f"{CAMPAIGNS}/{running.pk}", b'{"state": "closed"}'),
    ]


@pytest.mark.parametrize(
    ("rights", "refusals"),
    [
        # To an agent the workspace's ground truth does not exist.
        ({}, {403, 404}),
        ({"reads_all_labels": True}, {403}),
        ({"manages_ground_truth": True, "reads_only": True}, {403}),
    ],
    ids=["an agent's key", "reads labels", "only reads"],
)
def test_a_key_without_the_right_changes_nothing(cast: Cast, rights: dict[str, bool], refusals: set[int]) -> None:
    AgentKey.objects.filter(pk=cast.agent.pk).update(**rights)
    agent, events = Agent(cast.agent_secret), AuditEvent.objects.count()
    kinds = {True: "application/jsonl", False: "application/json"}
    got = {
        agent.send(method, path, body, content_type=kinds["imports" in path]).status_code
        for method, path, body in attempts(cast)
    }
    assert got == refusals
    assert AuditEvent.objects.exclude(verb__in=("dataset.created", "campaign.opened")).count() == events


def test_another_workspaces_key_finds_nothing(cast: Cast) -> None:
    AgentKey.objects.filter(pk=cast.outside_agent.pk).update(manages_ground_truth=True)
    outsider = Agent(cast.outside_secret)
    tried = [each for each in attempts(cast) if each[1] not in (DATASETS, CAMPAIGNS)]
    assert {outsider.send(method, path, body).status_code for method, path, body in tried} == {404}
    assert read(outsider.get(CAMPAIGNS)) == {"campaigns": []}


def test_what_differs_is_listed_with_every_answer_and_settled(cast: Cast, curator: Agent) -> None:
    running = study(cast, items=1)
    running.given(0, MISALIGNED)
    running.given(1)
    where = f"{CAMPAIGNS}/{running.campaign.pk}"
    listed = read(curator.get(f"{where}/disputes"))
    check_is_a("Disputes", listed)
    (dispute,) = listed["disputes"]
    assert (listed["left"], dispute["adjudication"]) == (1, None)
    assert {each["judgement"] for each in dispute["answers"]} == {"aligned", "misaligned"}
    chosen = next(each["id"] for each in dispute["answers"] if each["judgement"] == "misaligned")
    at = f"{where}/items/{dispute['item']}/adjudication"
    body = {"method": "chosen", "reason": "The request says 30.", "sources": [chosen]}
    settled = read(curator.send("PUT", at, json.dumps(body).encode()))
    check_is_a("SettledLabel", settled)
    again = read(curator.get(f"{where}/disputes"))
    assert (again["left"], again["disputes"][0]["adjudication"]["reason"]) == (0, "The request says 30.")
    check_problem(curator.send("PUT", at, json.dumps({**body, "reason": " "}).encode()), 422, "/reason")
    unknown = {**body, "method": "written", "sources": [chosen, str(uuid4())]}
    check_problem(curator.send("PUT", at, json.dumps(unknown).encode()), 422, "/sources")
    item = DatasetItem.objects.get(pk=dispute["item"])
    query = case_of_item(item).context.query
    span = {"source": "query", "start": 0, "end": 7, "quote": query[:7]}
    written = {**body, "method": "written", "judgement": "aligned", "evidence": [span], "interpretations": ["All."]}
    read(curator.send("PUT", at, json.dumps(written).encode()))
    kept = Adjudication.objects.get(item=item, in_force=True)
    assert (kept.evidence, kept.interpretations) == ([span], ["All."])
    elsewhere = {**written, "evidence": [{**span, "start": 1}]}
    check_problem(curator.send("PUT", at, json.dumps(elsewhere).encode()), 422, "/evidence")


def test_a_table_is_loaded_by_the_mapping_that_a_person_made_for_its_columns(curator: Agent, cast: Cast) -> None:
    where = f"{made(curator)}/imports?reader=table"
    send: dict[str, Any] = {"content_type": "application/jsonl"}
    first = curator.send("POST", where, b"q,f\nPay,pay\n", **send).json()
    check_is_a("Import", first)
    assert first["status"] == "draft"
    draft = ImportJob.objects.get(pk=first["id"])
    mappings.begin_import(draft, ColumnMapping(query="q", tool="f"), by=cast.admin)
    second = curator.send("POST", where, b"q,f\nSend,send\n", **send).json()
    assert second["status"] == "queued"
    imports.run_import(ImportJob.objects.get(pk=second["id"]).pk)
    assert DatasetItem.objects.get().tool == "send"
