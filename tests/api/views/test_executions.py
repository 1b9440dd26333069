"""Running what was approved, once; and taking back what was proposed."""

import gzip
from datetime import datetime
from typing import Any, Final

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from reviews.decisions import decide
from reviews.models import Action, Step
from reviews.provenance.core.canonical import call_digest
from tests.api.agent import ACTIONS, Agent, check_problem, read
from tests.api.docs.test_openapi import document
from tests.cast import Cast, approved, flagged


def path_of(action: Action) -> str:
    return f"{ACTIONS}/{action.pk}"


@pytest.fixture
def allowed(cast: Cast) -> str:
    return path_of(approved(cast))


def test_the_permission_names_exactly_the_approved_call(agent: Agent, allowed: str) -> None:
    response = agent.post(f"{allowed}/execution")
    execution = read(response)
    assert response.status_code == 201
    assert execution["digest"] == call_digest(execution["tool"], execution["arguments"])
    assert execution["digest"] == read(agent.get(allowed))["decision"]["digest"]
    assert execution["status"] == "started"


def test_the_permission_is_given_once(agent: Agent, allowed: str) -> None:
    agent.post(f"{allowed}/execution")
    check_problem(agent.post(f"{allowed}/execution"), 409, slug="already-executed")


def test_a_lost_permission_is_answered_again_until_its_outcome_is_reported(agent: Agent, allowed: str) -> None:
    first, again = [agent.post(f"{allowed}/execution", idempotency_key="run-7") for _ in range(2)]
    assert (first.status_code, again.status_code) == (201, 201)
    assert read(first) == read(again)
    assert ("Idempotency-Replayed" in first, again["Idempotency-Replayed"]) == (False, "true")
    for key in ({"idempotency_key": "run-8"}, {}):
        check_problem(agent.post(f"{allowed}/execution", **key), 409, slug="already-executed")
    agent.put(f"{allowed}/execution/outcome", {"status": "succeeded", "outcome": "sent"})
    check_problem(agent.post(f"{allowed}/execution", idempotency_key="run-7"), 409, slug="already-executed")


def test_a_key_that_could_come_back_changed_is_refused(agent: Agent, allowed: str) -> None:
    check_problem(agent.post(f"{allowed}/execution", idempotency_key="two words"), 400, slug="bad-header")


BODILESS: Final = ("execution", "cancel", "user-confirmation")


@pytest.mark.parametrize("deed", BODILESS)
def test_what_is_said_where_nothing_is_read_is_refused_and_does_nothing(agent: Agent, cast: Cast, deed: str) -> None:
    action = path_of(approved(cast) if deed == "execution" else flagged(cast).action)
    before = read(agent.get(action))
    check_problem(agent.post(f"{action}/{deed}", {"idempotency_key": "run-7"}), 422, "/idempotency_key")
    check_problem(agent.post(f"{action}/{deed}", ["run-7"]), 422)
    assert read(agent.get(action)) == before


def test_each_endpoint_that_reads_no_body_is_among_these() -> None:
    bodiless = {
        path.rpartition("/")[2]
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if method in ("post", "put", "patch") and "requestBody" not in operation
    }
    assert bodiless == set(BODILESS)


def test_an_empty_object_says_nothing_and_takes_the_permission(agent: Agent, allowed: str) -> None:
    assert agent.post(f"{allowed}/execution", {}).status_code == 201


def test_the_decision_says_until_when_the_call_may_run(agent: Agent, allowed: str) -> None:
    action = read(agent.get(allowed))
    until = datetime.fromisoformat(action["decision"]["executable_until"])
    assert until <= datetime.fromisoformat(action["expires_at"])
    with time_machine.travel(until):
        check_problem(agent.post(f"{allowed}/execution"), 409, slug="expired")


def test_a_rejection_is_never_executable(agent: Agent, cast: Cast) -> None:
    action = flagged(cast).action
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.reviewer)
    assert read(agent.get(path_of(action)))["decision"]["executable_until"] is None


def test_what_nobody_approved_does_not_run(agent: Agent, cast: Cast) -> None:
    path = path_of(flagged(cast).action)
    check_problem(agent.post(f"{path}/execution"), 409, slug="not-runnable")


@pytest.mark.parametrize(
    ("outcome", "stored"),
    [
        ("sent", "sent"),
        ({"id": 2**63}, '{"id": 9223372036854775808}'),
        (None, "null"),
        ([1, "ü"], '[1, "ü"]'),
        ("", ""),
    ],
)
def test_the_outcome_becomes_history(agent: Agent, allowed: str, outcome: Any, stored: str) -> None:
    agent.post(f"{allowed}/execution")
    response = agent.put(f"{allowed}/execution/outcome", {"status": "succeeded", "outcome": outcome})
    assert response.status_code == 200
    assert read(response)["status"] == "succeeded"
    step = Step.objects.select_related("text").latest("position")
    assert step.text is not None
    assert step.text.body == stored


@pytest.mark.parametrize(
    ("outcome", "stored", "replaced"),
    [
        (r'"a\u0000b"', "a\ufffdb", 1),
        (r'"\ud83d"', "\ufffd", 1),
        (r'"\uDE00\uD83D"', "\ufffd\ufffd", 2),
        (r'"\ud83d\ude00\ud83d"', "😀\ufffd", 1),
        (r'{"a\u0000": ["\u0000", "x"]}', '{"a\ufffd": ["\ufffd", "x"]}', 2),
        # A backslash that is escaped itself begins no escape.
        (r'"\\u0000\\\u0000"', "\\u0000\\\ufffd", 1),
        (r'"\ufffd\n\\\\"', "\ufffd\n\\\\", 0),
    ],
)
def test_what_cannot_be_stored_of_an_outcome_is_replaced_and_counted(
    agent: Agent, allowed: str, outcome: str, stored: str, replaced: int
) -> None:
    agent.post(f"{allowed}/execution")
    body = f'{{"status": "succeeded", "outcome": {outcome}}}'.encode()
    first, again = (agent.put(f"{allowed}/execution/outcome", body) for _ in range(2))
    assert (first.status_code, read(first)["replaced_characters"]) == (200, replaced)
    assert read(first) == read(again)
    text = Step.objects.select_related("text").latest("position").text
    assert text is not None
    assert text.body == stored


def test_a_call_that_ran_otherwise_than_approved_is_marked_and_shown(
    agent: Agent, cast: Cast, client: Client, allowed: str
) -> None:
    approved_call = read(agent.post(f"{allowed}/execution"))
    body = {"status": "succeeded", "outcome": "sent", "arguments": {**approved_call["arguments"], "amount": 4711}}
    answered = read(agent.put(f"{allowed}/execution/outcome", body))
    assert answered["deviates"]
    assert answered["arguments"] == approved_call["arguments"]


def test_arguments_that_no_call_can_hold_are_refused(agent: Agent, allowed: str) -> None:
    agent.post(f"{allowed}/execution")
    body = b'{"status": "succeeded", "outcome": "sent", "arguments": {"amount": 1e400}}'
    assert agent.put(f"{allowed}/execution/outcome", body).status_code in (400, 422)


def test_a_packed_outcome_is_replaced_alike(agent: Agent, allowed: str) -> None:
    agent.post(f"{allowed}/execution")
    body = gzip.compress(rb'{"status": "succeeded", "outcome": "a\u0000"}')
    path, headers = f"{allowed}/execution/outcome", {"Content-Encoding": "gzip"}
    assert read(agent.send("PUT", path, body, headers))["replaced_characters"] == 1


def test_a_reviewer_reads_that_an_outcome_is_not_whole(agent: Agent, cast: Cast, client: Client) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    agent.post(f"{path_of(review.action)}/execution")
    agent.put(f"{path_of(review.action)}/execution/outcome", {"status": "succeeded", "outcome": "a\x00b"})
    client.force_login(cast.reviewer.user)
    page = client.get(reverse("review", args=[review.pk])).content.decode()
    assert "1 character could not be stored" in page


def test_the_same_report_again_changes_nothing(agent: Agent, allowed: str) -> None:
    agent.post(f"{allowed}/execution")
    report = {"status": "failed", "outcome": "no funds"}
    first, second = (agent.put(f"{allowed}/execution/outcome", report) for _ in range(2))
    assert read(first) == read(second)


def test_another_report_is_refused(agent: Agent, allowed: str) -> None:
    agent.post(f"{allowed}/execution")
    agent.put(f"{allowed}/execution/outcome", {"status": "failed", "outcome": "no funds"})
    other = agent.put(f"{allowed}/execution/outcome", {"status": "succeeded", "outcome": "sent"})
    check_problem(other, 409, slug="not-executing")


def test_a_report_without_execution_is_refused(agent: Agent, allowed: str) -> None:
    report = {"status": "succeeded", "outcome": "sent"}
    check_problem(agent.put(f"{allowed}/execution/outcome", report), 409, slug="not-executing")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"status": "succeeded"}, "/outcome"),
        ({"outcome": "sent"}, "/status"),
        ({"status": "done", "outcome": "sent"}, "/status"),
        ({"status": "failed", "outcome": "x", "why": "y"}, "/why"),
        (b'{"status": "failed", "outcome": {"a": [1e999]}}', "/outcome/a/0"),
        ({"status": "failed\x00", "outcome": "x"}, "/status"),
        (None, "/outcome"),
        ([], ""),
    ],
)
def test_a_wrong_report_is_named(agent: Agent, allowed: str, body: Any, pointer: str) -> None:
    check_problem(agent.put(f"{allowed}/execution/outcome", body), 422, pointer)


def test_an_undecided_action_can_be_cancelled_more_than_once(agent: Agent) -> None:
    path = agent.submit()["links"]["cancel"]
    for _ in range(2):
        response = agent.post(path)
        assert response.status_code == 200
        assert read(response)["status"] == "cancelled"


def test_a_decided_action_cannot_be_cancelled(agent: Agent, allowed: str) -> None:
    check_problem(agent.post(f"{allowed}/cancel"), 409, slug="already-decided")


def test_a_cancelled_action_does_not_run(agent: Agent) -> None:
    links = agent.submit()["links"]
    agent.post(links["cancel"])
    check_problem(agent.post(links["execution"]), 409, slug="not-runnable")
