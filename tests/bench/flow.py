"""Calls on their way through the product, by the hundred, for benchmarks of its later steps."""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.test import Client
from django.utils import timezone

from reviews.desk.review import seen
from reviews.models import Action, Check, Membership, Review, Status
from reviews.provenance.core.canonical import call_digest
from tests.bench.conftest import Site
from tests.bench.load import Request, drive

WRONG: Final[dict[str, Any]] = {"tool": "money_transfer", "arguments": {"to": "daniel.kin@example.org", "amount": 30}}
"""A call that rules refute: a letter of the address is another one than in the history."""


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


def decision(review_id: Any, headers: dict[str, str], membership: Membership) -> Request:
    """A reviewer rejects this item, whose call is `WRONG`, after a minute."""
    shown = Review(pk=review_id, action=Action(digest=call_digest(WRONG["tool"], WRONG["arguments"])))
    token = seen.sign_token(shown, membership, timezone.now() - timedelta(minutes=1))
    form = f"outcome=reject&message=no&misalignment=&seen={token}".encode()
    return Request("POST", f"/reviews/{review_id}/decide", form, headers)


def body(value: object) -> bytes:
    """JSON."""
    return json.dumps(value).encode()
