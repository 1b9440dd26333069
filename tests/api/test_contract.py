"""What a schema-aware fuzzer sends gets an answer that the OpenAPI document tells of, and never a 5xx."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from guardapp.wsgi import application
from reviews.models import AgentKey
from tests.cast import Cast

schemathesis.serializer.alias(["application/jsonl", "application/zip"], "application/octet-stream")
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# Few for each operation: the suite shall not wait for a fuzzer. What a long run finds becomes a test of its own.
FEW = hypothesis_settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Requests leave the test's connection open, with the transaction that is rolled back after it."""
    hooks = (request_started, request_finished)
    for hook in hooks:
        hook.disconnect(close_old_connections)
    yield
    for hook in hooks:
        hook.connect(close_old_connections)


@pytest.fixture(autouse=True)
def stored(settings: Settings, tmp_path: Path) -> None:
    """What is sent as a collection goes with the test."""
    settings.MEDIA_ROOT = tmp_path


@cache
def contract() -> Any:
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", application)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/actions"),
        ("GET", "/api/v1/actions"),
        ("GET", "/api/v1/actions/{action_id}"),
        ("POST", "/api/v1/actions/{action_id}/cancel"),
        ("POST", "/api/v1/actions/{action_id}/execution"),
        ("PUT", "/api/v1/actions/{action_id}/execution/outcome"),
        ("GET", "/api/v1/actions/{action_id}/provenance"),
        ("GET", "/api/v1/labels.jsonl"),
        ("GET", "/api/v1/datasets"),
        ("POST", "/api/v1/datasets"),
        ("GET", "/api/v1/datasets/{dataset_id}"),
        ("POST", "/api/v1/datasets/{dataset_id}/items"),
        ("POST", "/api/v1/datasets/{dataset_id}/imports"),
        ("PUT", "/api/v1/datasets/{dataset_id}/versions/{number}"),
        ("GET", "/api/v1/imports/{import_id}"),
        ("GET", "/api/v1/campaigns"),
        ("POST", "/api/v1/campaigns"),
        ("GET", "/api/v1/campaigns/{campaign_id}"),
        ("PATCH", "/api/v1/campaigns/{campaign_id}"),
        ("GET", "/api/v1/campaigns/{campaign_id}/agreement"),
        ("GET", "/api/v1/datasets/{dataset_id}/versions/{number}"),
        ("GET", "/api/v1/datasets/{dataset_id}/versions/{number}/diff"),
        ("POST", "/api/v1/datasets/{dataset_id}/versions/{number}/exports"),
        ("GET", "/api/v1/exports/{export_id}"),
        ("GET", "/api/v1/exports/{export_id}/file"),
        ("POST", "/api/v1/plans"),
        ("GET", "/api/v1/plans/{plan_id}"),
    ],
)
def test_every_answer_is_one_the_document_tells_of(cast: Cast, method: str, path: str) -> None:
    operation = contract()[path][method]
    # So that what is sent about datasets gets as far as it can.
    AgentKey.objects.filter(pk=cast.agent.pk).update(manages_ground_truth=True)

    @FEW
    @given(data=st.data())
    def send(data: Any) -> None:
        case = data.draw(operation.as_strategy())
        case.call_and_validate(checks=CHECKS, headers={"Authorization": f"Bearer {cast.agent_secret}"})

    send()
