"""Calls on their way through the product, by the hundred, for benchmarks of its later steps."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Final

from django.test import Client

from reviews.models import Action, Check, Membership, Status
from tests.bench.conftest import Site
from tests.bench.load import Request, drive

WRONG: Final = {"tool": "money_transfer", "arguments": {"to": "daniel.kim@example.org", "amount": 300}}
"""A call that rules refute: the request says 30."""


def submitted(site: Site, number: int, **changed: object) -> list[str]:
    """The ids of that many new actions, which nobody has checked."""
    load = asyncio.run(drive(site.url, [site.submission(**changed) for _ in range(number)], clients=16))
    assert load.statuses() == {202: number}
    return [answer.json()["id"] for answer in load.answers]


def until(condition: Callable[[], bool], *, seconds: float = 120) -> float:
    """How long the condition took to hold."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds
        # Rarely: each look costs the database what a check does.
        time.sleep(0.1)
    return time.monotonic() - started


def none_checking() -> bool:
    """Whether every action has been checked."""
    return not Action.objects.filter(status=Status.CHECKING).exists()


def checks_done() -> int:
    """How many checks are done."""
    return Check.objects.filter(status="done").count()


def person(membership: Membership) -> dict[str, str]:
    """Headers of a signed-in person's browser that sends a form."""
    client = Client()
    client.force_login(membership.user)
    token = "a" * 32
    session = client.cookies["sessionid"].value
    return {
        "Cookie": f"sessionid={session}; csrftoken={token}",
        "X-CSRFToken": token,
        "Content-Type": "application/x-www-form-urlencoded",
    }


def decision(review_id: object, headers: dict[str, str]) -> Request:
    """A reviewer rejects this item."""
    return Request("POST", f"/reviews/{review_id}/decide", b"outcome=reject&message=no&misalignment=", headers)


def body(value: object) -> bytes:
    """JSON."""
    return json.dumps(value).encode()
