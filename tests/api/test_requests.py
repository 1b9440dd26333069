"""What a request may say besides its body's fields: preferences, parameters, encodings, inline media, cursors."""

import base64
import gzip
import json
import os
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.test import override_settings
from django.utils import timezone

from guardapp.config import config
from guardapp.embedded import EmbeddedRedis
from reviews.api.preferences import BadHeaderError, preferred_wait
from reviews.api.rate_limits import count_kilobytes
from reviews.models import Action
from reviews.provenance.core.context import JsonValue
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, check_problem, with_
from tests.api.views.test_submit import ANTHROPIC

SMALL = config().model_copy(update={"max_body_bytes": 5_000, "max_media_body_bytes": 40_000})
ONE = f"{ACTIONS}/{UUID(int=7)}"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([], 0),
        (["wait=5"], 5),
        (['respond-async, WAIT = "7" ; x=1'], 7),
        (["handling=lenient", "wait=5"], 5),
        (['note="a, wait=3", wait=4'], 4),
        (["waiting=3, x-wait=4, ,;"], 0),
    ],
)
def test_a_wait_is_found_among_other_preferences(headers: list[str], seconds: int) -> None:
    assert preferred_wait(headers) == seconds


@pytest.mark.parametrize(
    "headers", [["wait=abc"], ["wait=-1"], ["wait"], ["wait=1.5"], ["wait=1, wait=1"], ["wait=1", "wait=2"], ["wait=٣"]]
)
def test_a_wait_that_means_nothing_is_refused(headers: list[str]) -> None:
    with pytest.raises(BadHeaderError):
        preferred_wait(headers)


@pytest.mark.parametrize("prefer", ["wait=abc", "wait=-1", "wait=1, wait=2"])
def test_a_submission_with_a_wait_that_means_nothing_is_refused(agent: Agent, prefer: str) -> None:
    check_problem(agent.post(ACTIONS, NATIVE, prefer=prefer), 400, slug="bad-header")
    assert not Action.objects.exists()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", ACTIONS),
        ("POST", "/api/v1/plans"),
        ("GET", ACTIONS),
        ("GET", ONE),
        ("GET", f"{ONE}/provenance"),
        ("POST", f"{ONE}/execution"),
        ("PUT", f"{ONE}/execution/outcome"),
        ("POST", f"{ONE}/cancel"),
        ("GET", "/api/v1/labels.jsonl"),
    ],
)
def test_a_parameter_that_nobody_knows_is_refused(agent: Agent, method: str, path: str) -> None:
    check_problem(agent.send(method, f"{path}?waiting=5", {}), 422, "/waiting")


@pytest.mark.parametrize("path", [ACTIONS, ONE, f"{ONE}/provenance", "/api/v1/labels.jsonl", "/api/v1/plans"])
def test_options_name_the_methods(agent: Agent, path: str) -> None:
    response = agent.send("OPTIONS", path)
    assert (response.status_code, "OPTIONS" in response["Allow"]) == (204, True)


@pytest.mark.parametrize(
    ("method", "path", "told"),
    [("POST", f"{ONE}/execution/outcome", "Use PUT."), ("PUT", ACTIONS, "Use GET or POST.")],
)
def test_a_wrong_method_is_told_the_right_ones(agent: Agent, method: str, path: str, told: str) -> None:
    response = agent.send(method, path, {})
    assert check_problem(response, 405)["detail"].endswith(f"not allowed. {told}")
    assert response["Allow"]


def packed(body: Any) -> bytes:
    return gzip.compress(json.dumps(body).encode())


def test_a_packed_body_is_read(agent: Agent) -> None:
    response = agent.send("POST", ACTIONS, packed(NATIVE), headers={"content-encoding": "gzip"})
    assert response.status_code == 202


@override_settings(GUARD=SMALL)
def test_a_packed_body_is_bounded_by_what_it_unpacks_to(agent: Agent) -> None:
    bomb = packed("x" * 10_000_000)
    assert len(bomb) < 40_000
    check_problem(agent.send("POST", ACTIONS, bomb, headers={"content-encoding": "gzip"}), 413, slug="too-large")


def test_a_large_answer_is_packed_for_who_accepts_it(agent: Agent) -> None:
    action = agent.submit({**NATIVE, "metadata": {"note": "as it was agreed " * 300}})
    plain, small = agent.get(action["links"]["self"]), agent.get("/api/v1/me", accept_encoding="gzip")
    large = agent.get(action["links"]["self"], accept_encoding="gzip")
    assert gzip.decompress(large.content) == plain.content
    assert len(large.content) < len(plain.content) / 3
    assert "Content-Encoding" not in {**small.headers, **plain.headers}
    held = agent.get(action["links"]["self"], accept_encoding="gzip", if_none_match=large["ETag"])
    assert held.status_code == 304


@pytest.mark.parametrize("body", [b"{}", packed(NATIVE)[:-9], packed(NATIVE) + b"more"])
def test_a_body_that_is_not_packed_as_announced_is_refused(agent: Agent, body: bytes) -> None:
    check_problem(agent.send("POST", ACTIONS, body, headers={"content-encoding": "gzip"}), 400)


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip"])
def test_another_encoding_is_refused(agent: Agent, encoding: str) -> None:
    check_problem(agent.send("POST", ACTIONS, packed(NATIVE), headers={"content-encoding": encoding}), 415)


PICTURE = base64.b64encode(os.urandom(9_000)).decode()
IN_CHAT = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
IN_MESSAGES = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}


@override_settings(GUARD=SMALL)
@pytest.mark.parametrize(
    ("body", "part", "placeholder"),
    [(OPENAI, IN_CHAT, "[image_url: image/png]"), (ANTHROPIC, IN_MESSAGES, "[image: image/png]")],
)
def test_a_picture_counts_by_its_placeholder(agent: Agent, body: Any, part: Any, placeholder: str) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "Send $30 to Daniel."}, part]}
    place = f"/messages/{next(at for at, said in enumerate(body['messages']) if said['role'] == 'user')}"
    stored = Action.objects.get(pk=agent.submit(with_(body, place, message))["id"])
    assert stored.trace.query.body == f"Send $30 to Daniel.\n{placeholder}"


@override_settings(GUARD=SMALL)
@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/messages/1/content", "x" * 9_000),
        ("/messages/1/content", PICTURE),
        ("/metadata", {"type": "image", "data": PICTURE}),
        ("/tool_call/function/arguments", json.dumps({"type": "image", "data": PICTURE})),
        ("/messages/2/tool_calls/0/function/arguments", json.dumps({"type": "image", "data": PICTURE})),
    ],
)
def test_only_inline_media_count_less(agent: Agent, pointer: str, value: Any) -> None:
    check_problem(agent.post(ACTIONS, with_(OPENAI, pointer, value)), 413, slug="too-large")


@override_settings(GUARD=SMALL)
def test_a_body_with_pictures_has_a_bound_too(agent: Agent) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "?"}, *[IN_CHAT] * 4]}
    check_problem(agent.post(ACTIONS, with_(OPENAI, "/messages/1", message)), 413, slug="too-large")


@override_settings(GUARD=SMALL)
def test_two_pictures_are_two_submissions(agent: Agent) -> None:
    for picture, status in ((PICTURE, 202), (PICTURE[::-1].lstrip("="), 422)):
        part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
        body = with_(OPENAI, "/messages/1", {"role": "user", "content": [{"type": "text", "text": "Pay."}, part]})
        assert agent.post(ACTIONS, body, idempotency_key="once").status_code == status


def cursor(*values: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "made_up",
    [
        cursor("0001-01-01T00:00:00+14:00", str(UUID(int=7))),
        cursor("9999-12-31T23:59:59-14:00", str(UUID(int=7))),
        cursor("2026-01-01T00:00:00", str(UUID(int=7))),
        cursor(None, str(UUID(int=7))),
        cursor("2026-01-01T00:00:00Z", None),
        cursor("2026-01-01T00:00:00Z", "\x00"),
        cursor(float("nan"), str(UUID(int=7))),
        cursor({"a": 1}, [1]),
    ],
)
def test_a_crafted_cursor_is_refused(agent: Agent, made_up: str) -> None:
    check_problem(agent.get(f"{ACTIONS}?cursor={made_up}"), 422, "/cursor", slug="invalid-cursor")


UNITS = ("submissions", "kilobytes")


def within(**bounds: int) -> Any:
    return override_settings(GUARD=config().model_copy(update=bounds))


@pytest.mark.parametrize(
    ("bound", "whose"),
    [
        ("submissions_per_key", "2 submissions a minute of this key"),
        ("submissions_per_workspace", "2 submissions a minute of this workspace"),
        ("kilobytes_per_key", "2 kilobytes a minute of this key"),
        ("kilobytes_per_workspace", "2 kilobytes a minute of this workspace"),
    ],
)
def test_whoever_submits_too_much_is_told_for_how_long_to_wait(agent: Agent, bound: str, whose: str) -> None:
    with within(**{bound: 2}):
        assert [agent.post(ACTIONS, NATIVE).status_code for _ in range(2)] == [202, 202]
        response = agent.post(ACTIONS, NATIVE)
        assert check_problem(response, 429, slug="budget-exceeded")["budget"] == whose
        assert 1 <= int(response["Retry-After"]) <= 120
        assert response["RateLimit"] == f'"{bound.replace("_", "-")}";r=0;t={response["Retry-After"]}'
        assert agent.get(ACTIONS).status_code == 200


def test_answers_tell_what_is_left_of_each_budget(agent: Agent) -> None:
    with within(submissions_per_key=30, kilobytes_per_key=20):
        agent.post(ACTIONS, NATIVE)
        for response in (agent.post(ACTIONS, NATIVE), agent.post("/api/v1/plans", NATIVE)):
            remaining = dict(item.split(";r=") for item in response["RateLimit"].split(", "))
            assert set(remaining) == {f'"{unit}-per-{whose}"' for unit in UNITS for whose in ("key", "workspace")}
            assert response["RateLimit-Policy"].startswith('"submissions-per-key";q=30;w=60, ')
            assert '"kilobytes-per-key";q=20;w=60;qu="kilobytes"' in response["RateLimit-Policy"]
        # The refused one was counted too.
        assert (response.status_code, remaining['"submissions-per-key"']) == (422, "27")
        assert "RateLimit" not in agent.get(ACTIONS)


def test_another_workspaces_agent_has_a_budget_of_its_own(agent: Agent, outsider: Agent) -> None:
    with within(submissions_per_key=1, submissions_per_workspace=1):
        assert [who.post(ACTIONS, NATIVE).status_code for who in (agent, agent, outsider)] == [202, 429, 202]


def test_nobody_is_refused_for_an_outage_of_redis(agent: Agent, redis_server: EmbeddedRedis) -> None:
    redis_server.stop()
    # What a process counts for itself it counts by the clock's minutes: none ends within the test.
    with time_machine.travel(timezone.now().replace(second=0)), within(submissions_per_key=3):
        assert [agent.post(ACTIONS, NATIVE).status_code for _ in range(4)] == [202, 202, 202, 429]


def test_values_count_as_well_as_text() -> None:
    bodies: list[JsonValue] = [{}, ["x" * 10_240], [1] * 1_000]
    assert [count_kilobytes(body) for body in bodies] == [1, 10, 10]
