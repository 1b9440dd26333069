"""Frozen versions over the API: read, compared, exported, and nobody else's."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from reviews.datasets import export_jobs
from reviews.models import AgentKey, DatasetVersion
from tests.cast import Cast
from tests.datasets.collections import frozen, line, load, made_version, write_lines

DATASETS = "/api/v1/datasets"


@pytest.fixture
def reader(cast: Cast, settings: Settings, tmp_path: Path) -> Client:
    """An agent whose key may read all labels."""
    settings.MEDIA_ROOT = tmp_path / "stored"
    AgentKey.objects.filter(pk=cast.agent.pk).update(reads_all_labels=True)
    return Client(headers={"Authorization": f"Bearer {cast.agent_secret}"})


def got(client: Client, path: str, status: int = 200) -> Any:
    response = client.get(path)
    assert response.status_code == status, response.content
    return response.json()


def address(version: DatasetVersion) -> str:
    return f"{DATASETS}/{version.dataset_id}/versions/{version.number}"


def test_datasets_are_listed_with_their_versions(cast: Cast, reader: Client, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    (dataset,) = got(reader, DATASETS)["datasets"]
    assert (dataset["name"], dataset["items"]) == ("study", 10)
    assert dataset["versions"][0]["content_hash"] == version.content_hash
    assert got(reader, f"{DATASETS}/{version.dataset_id}") == dataset


def test_a_version_shows_its_card(cast: Cast, reader: Client, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path, shares={"train": 0.5, "test": 0.5})
    page = got(reader, address(version))
    assert (page["splits"], page["card"]["items"]) == ({"train": 0.5, "test": 0.5}, 10)


def test_two_versions_are_compared(cast: Cast, reader: Client, tmp_path: Path) -> None:
    first = made_version(cast, tmp_path)
    load(cast, write_lines(tmp_path / "more.jsonl", [line(50)]))
    second = frozen(first.dataset)
    found = got(reader, f"{address(second)}/diff?against=1")
    assert {name: found[name]["count"] for name in found} == {"added": 1, "removed": 0, "changed": 0}
    assert found["added"]["first"][0]["id"] == "call-50"


def test_an_export_is_asked_for_waited_for_and_downloaded(cast: Cast, reader: Client, tmp_path: Path) -> None:
    version = made_version(cast, tmp_path)
    body = json.dumps({"format": "jsonl", "redact": ["email"]})
    export = reader.post(f"{address(version)}/exports", body, content_type="application/json")
    assert export.status_code == 202
    assert export.json()["status"] == "queued"
    where = export["Location"]
    assert got(reader, f"{where}/file", 404)["type"].endswith("not-found")
    export_jobs.run_export(export.json()["id"])
    done = got(reader, where)
    assert (done["status"], done["done"]) == ("done", 10)
    file = reader.get(done["links"]["file"])
    lines = [json.loads(text) for text in b"".join(file.streaming_content).splitlines()]  # type: ignore[attr-defined]
    assert [each["ordinal"] for each in lines] == list(range(1, 11))
    assert {each["kind"] for each in lines} == {"ground truth"}


@pytest.mark.parametrize("body", [{"format": "xml"}, {"format": "csv", "redact": ["names"]}, {}])
def test_an_export_that_cannot_be_made_is_refused(
    cast: Cast, reader: Client, tmp_path: Path, body: dict[str, Any]
) -> None:
    where = f"{address(made_version(cast, tmp_path))}/exports"
    assert reader.post(where, json.dumps(body), content_type="application/json").status_code == 422


def test_a_key_without_the_right_and_another_workspaces_key_see_nothing(
    cast: Cast, reader: Client, tmp_path: Path
) -> None:
    version = made_version(cast, tmp_path)
    job = export_jobs.request_export(version, form="jsonl")
    export_jobs.run_export(job.pk)
    AgentKey.objects.filter(pk=cast.agent.pk).update(reads_all_labels=False)
    AgentKey.objects.filter(pk=cast.outside_agent.pk).update(reads_all_labels=True)
    outsider = Client(headers={"Authorization": f"Bearer {cast.outside_secret}"})
    for client in (reader, outsider):
        assert got(client, DATASETS) == {"datasets": []}
        for path in (address(version), f"/api/v1/exports/{job.pk}", f"/api/v1/exports/{job.pk}/file"):
            got(client, path, 404)
