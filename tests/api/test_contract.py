"""What a schema-aware fuzzer sends gets an answer that the OpenAPI document tells of, and never a 5xx.

`CONTRACT_EXAMPLES` is how many requests are made up for each operation and kind of data; few for the suite, which shall
not wait for a fuzzer, and hundreds for a night. What a long run finds becomes a test of its own.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import override_settings
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from guardapp.wsgi import application
from reviews.datasets import export_jobs
from reviews.decisions import executions
from reviews.lab.experiments import ArmChoice, request_experiment
from reviews.models import AgentKey, ExportFormat
from tests.annotation.study import study
from tests.api.agent import Agent, read
from tests.api.docs.test_openapi import document
from tests.api.views.test_plans import BODY, PLANS
from tests.cast import Cast, approved, make_cast
from tests.datasets.collections import made_version

pytestmark = pytest.mark.django_db

schemathesis.serializer.alias(["application/jsonl", "application/zip"], "application/octet-stream")


def answers_as_told(ctx: Any, response: Any, case: Any) -> bool | None:
    """With `fields`, which leaves out others by its description, exactly the members it names; else all as told."""
    chosen = (case.query or {}).get("fields")
    if not chosen or response.status_code != 200:
        return response_schema_conformance(ctx, response, case)
    body = response.json()
    assert all(set(item) == set(chosen.split(",")) for item in body.get("items", [body]))
    return None


CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    answers_as_told,
    response_headers_conformance,
]
EXAMPLES: Final = int(os.environ.get("CONTRACT_EXAMPLES", "4"))
FEW = hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
    # The same requests in every run of the suite, and others in every long run.
    derandomize="CONTRACT_EXAMPLES" not in os.environ,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
OPERATIONS = [
    (method.upper(), path)
    for path, methods in document()["paths"].items()
    for method in methods
    if method in ("get", "post", "put", "patch", "delete")
]
# What these are sent has a meaning beside its form, so that not all that is valid is accepted: a call has to fit its
# tool's own schema, shares add up to 1, annotators are members, detectors have names, a settled label rests on answers.
WITH_A_MEANING = {
    ("POST", "/api/v1/actions"),
    ("POST", "/api/v1/plans"),
    ("POST", "/api/v1/campaigns"),
    ("POST", "/api/v1/experiments"),
    ("POST", "/api/v1/datasets/{dataset_id}/imports"),
    ("PUT", "/api/v1/datasets/{dataset_id}/versions/{number}"),
    ("PUT", "/api/v1/campaigns/{campaign_id}/items/{item_id}/adjudication"),
}


@contextmanager
def one_connection() -> Iterator[None]:
    """Requests leave the test's connection open, with the transaction that is rolled back after it."""
    hooks = (request_started, request_finished)
    for hook in hooks:
        hook.disconnect(close_old_connections)
    yield
    for hook in hooks:
        hook.connect(close_old_connections)


@cache
def contract() -> Any:
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", application)


@dataclass(frozen=True)
class There:
    """Something of each kind that a path names, so that what is sent gets further than to a 404."""

    action_id: str
    plan_id: str
    dataset_id: str
    import_id: str
    export_id: str
    experiment_id: str
    campaign_id: str
    item_id: str
    number: int = 1


@pytest.fixture(scope="module")
def cast(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cast]:
    """One for all tests, since what is there takes longer to make than a test: each is a savepoint of this transaction.

    What is sent as a collection goes with the last of them.
    """
    stored = tmp_path_factory.mktemp("contract")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=stored), transaction.atomic():
        yield make_cast()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def there(cast: Cast, tmp_path_factory: pytest.TempPathFactory) -> There:
    AgentKey.objects.filter(pk=cast.agent.pk).update(manages_ground_truth=True, reads_all_labels=True)
    action = approved(cast)
    executions.start_execution(action=action, agent_key=cast.agent)
    version = made_version(cast, tmp_path_factory.mktemp("collection"), 4)
    running = study(cast)
    export = export_jobs.request_export(version, form=ExportFormat.JSONL)
    export_jobs.run_export(export.pk)
    experiment = request_experiment(version, name="night", arms=[ArmChoice("provenance-guard")], by=None)
    return There(
        action_id=str(action.pk),
        plan_id=read(Agent(cast.agent_secret).post(PLANS, BODY))["id"],
        dataset_id=str(version.dataset_id),
        import_id=str(version.dataset.imports.get().pk),
        export_id=str(export.pk),
        experiment_id=str(experiment.pk),
        campaign_id=str(running.campaign.pk),
        item_id=str(running.next().item_id),
    )


def fuzz(
    cast: Cast, there: There, operation: tuple[str, str], mode: GenerationMode, *more: Callable[..., Any], named: bool
) -> None:
    """Send what is made up; `named`: to the addresses of what is there."""
    method, path = operation
    names = {name: value for name, value in asdict(there).items() if f"{{{name}}}" in path}

    @FEW
    @given(data=st.data())
    def send(data: Any) -> None:
        case = data.draw(contract()[path][method].as_strategy(mode, path_parameters=names if named else None))
        # Without a server, nobody unpacks an answer.
        headers = {"Authorization": f"Bearer {cast.agent_secret}", "Accept-Encoding": "identity"}
        case.call_and_validate(checks=[*CHECKS, *more], headers=headers)

    with one_connection():
        send()


@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_what_the_document_calls_valid_is_accepted_and_answered_as_it_tells(
    cast: Cast, there: There, operation: tuple[str, str]
) -> None:
    accepted = [] if operation in WITH_A_MEANING else [positive_data_acceptance]
    fuzz(cast, there, operation, GenerationMode.POSITIVE, *accepted, named=True)


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if "{" in each[1]], ids=" ".join)
def test_what_is_not_there_is_answered_as_the_document_tells(
    cast: Cast, there: There, operation: tuple[str, str]
) -> None:
    fuzz(cast, there, operation, GenerationMode.POSITIVE, named=False)


# Others take nothing that could be wrong by its form.
@pytest.mark.parametrize(
    "operation",
    [
        (method, path)
        for method, path in OPERATIONS
        if document()["paths"][path][method.lower()].get("requestBody")
        or any(field["in"] == "query" for field in document()["paths"][path][method.lower()].get("parameters", []))
    ],
    ids=" ".join,
)
def test_what_the_document_calls_wrong_is_answered_as_it_tells(
    cast: Cast, there: There, operation: tuple[str, str]
) -> None:
    fuzz(cast, there, operation, GenerationMode.NEGATIVE, named=True)
