"""The figures for Prometheus: closed without the token, true to the database, and of bounded cardinality."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from django.http import HttpResponse
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from pytest_django import Settings

from reviews.decisions import expiry_and_cancellation
from tests.cast import WRONG, Cast, approved, flagged, make_cast, propose
from tests.intake.test_plans import submitted
from tests.jobs import check_plan

TOKEN = "t" * 32

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def _token(settings: Settings) -> None:
    settings.GUARD = settings.GUARD.model_copy(update={"metrics_token": SecretStr(TOKEN)})


def scraped(token: str = TOKEN) -> HttpResponse:
    return Client().get("/metrics", headers={"Authorization": f"Bearer {token}"})  # type: ignore[return-value]


def samples() -> Mapping[tuple[str, frozenset[tuple[str, str]]], float]:
    """Each series with its present value."""
    families = text_string_to_metric_families(scraped().content.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def value(name: str, **labels: str) -> float:
    return samples().get((name, frozenset(labels.items())), 0)


def test_without_a_token_there_is_no_page() -> None:
    assert scraped().status_code == 404


@pytest.mark.usefixtures("_token")
@pytest.mark.parametrize("given", ["", "wrong", TOKEN[:-1], TOKEN + "é"])
def test_a_wrong_token_opens_nothing(given: str) -> None:
    response = scraped(given)
    assert response.status_code == 401
    assert b"guard_" not in response.content


@pytest.mark.usefixtures("_token")
def test_what_waits_is_read_from_the_database(cast: Cast) -> None:
    flagged(cast)
    propose(cast, trace_id="another")
    assert value("guard_reviews_open") == 1
    assert value("guard_review_oldest_seconds") > 0
    assert value("guard_checks_unfinished", kind="enforced", status="queued") == 1


@pytest.mark.usefixtures("_token")
def test_a_call_is_counted_on_its_whole_way(cast: Cast) -> None:
    steps = {
        ("guard_submissions_total", frozenset({("outcome", "created")})),
        (
            "guard_verdicts_total",
            frozenset({("detector", "provenance-guard"), ("mode", "enforced"), ("result", "refuted")}),
        ),
        ("guard_decisions_total", frozenset({("outcome", "approve"), ("decided_by", "reviewer")})),
        ("guard_settled_total", frozenset({("status", "decided")})),
        ("guard_check_seconds_count", frozenset({("detector", "provenance-guard")})),
    }
    before = samples()
    approved(cast)
    after = samples()
    assert {step: after[step] - before.get(step, 0) for step in steps} == dict.fromkeys(steps, 1)


@pytest.mark.usefixtures("_token")
def test_the_answer_to_a_plan_is_counted(cast: Cast) -> None:
    before = value("guard_plans_total", answer="safe")
    check_plan(submitted(cast).pk)
    assert value("guard_plans_total", answer="safe") == before + 1


@pytest.mark.usefixtures("_token")
def test_an_expiry_is_counted_as_one(cast: Cast) -> None:
    before = value("guard_settled_total", status="expired")
    expiry_and_cancellation.expire_action(flagged(cast).action)
    assert value("guard_settled_total", status="expired") == before + 1


@pytest.mark.usefixtures("_token")
def test_no_series_is_made_of_what_agents_send(cast: Cast) -> None:
    flagged(cast)
    before = set(samples())
    for number in range(3):
        flagged(cast, replace(WRONG, tool=f"tool_{number}"), trace_id=f"conversation-{number}")
    # Another verdict may come up for the first time, but nothing that three calls bring three times.
    assert len(set(samples()) - before) < 3
    assert b"tool_0" not in scraped().content
    assert b"conversation-0" not in scraped().content
