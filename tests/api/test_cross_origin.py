"""Pages of other sites: those an operator names may call the API, and nothing else of the site."""

from typing import Any

import pytest
from django.test import Client

from reviews.api.longpoll.asgi import Answer
from reviews.api.longpoll.pushed_answers import PushedAnswer, ResponseCache
from tests.api.agent import ACTIONS, NATIVE, Agent

APP = "https://app.example"


@pytest.fixture
def app_is_named(settings: Any) -> None:
    settings.CORS_ALLOWED_ORIGINS = [APP]


def preflight(path: str, origin: str) -> dict[str, str]:
    asked = {"origin": origin, "access-control-request-method": "POST"}
    return dict(Client().options(path, headers=asked).headers)


@pytest.mark.usefixtures("app_is_named")
def test_a_named_site_may_call_the_api_without_cookies(agent: Agent) -> None:
    allowed = preflight(ACTIONS, APP)
    assert allowed["access-control-allow-origin"] == APP
    assert {"authorization", "idempotency-key", "prefer"} <= set(allowed["access-control-allow-headers"].split(", "))
    assert "access-control-allow-credentials" not in allowed
    answer = agent.post(ACTIONS, NATIVE, origin=APP)
    assert answer["access-control-allow-origin"] == APP
    assert "RateLimit" in answer["access-control-expose-headers"]
    refused = agent.post(ACTIONS, {}, origin=APP)
    assert (refused.status_code, refused["access-control-allow-origin"]) == (422, APP)


@pytest.mark.usefixtures("app_is_named")
@pytest.mark.parametrize(
    ("path", "origin"),
    [
        (ACTIONS, "https://other.example"),
        (ACTIONS, "http://app.example"),
        (ACTIONS, "https://app.example.evil"),
        (ACTIONS, "null"),
        ("/queue/", APP),
        ("/confirm/x", APP),
    ],
)
def test_nothing_is_open_to_another_site_and_no_other_address(path: str, origin: str) -> None:
    assert "access-control-allow-origin" not in preflight(path, origin)


def test_no_site_is_named_by_default() -> None:
    assert "access-control-allow-origin" not in preflight(ACTIONS, APP)


def test_an_answer_of_one_site_is_made_into_none_for_another() -> None:
    path = f"{ACTIONS}/00000000-0000-0000-0000-000000000007"
    bearer = (b"authorization", b"Bearer k")
    from_page = {"path": path, "query_string": b"", "headers": [bearer, (b"origin", APP.encode())]}
    from_agent = {"path": path, "query_string": b"", "headers": [bearer]}
    # The SHA-256 of the key.
    news = PushedAnswer(frozenset({b"8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a"}), b"{}")
    cache = ResponseCache()
    cache.remember_headers(from_page, Answer(200, [(b"access-control-allow-origin", APP.encode())]))
    assert cache.answer_to(from_agent, news) is None
    cache.remember_headers(from_agent, Answer(200, [(b"content-type", b"application/json")]))
    assert cache.answer_to(from_agent, news) is not None
    assert cache.answer_to(from_page, news) is None
