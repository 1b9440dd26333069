"""Every address of the site, by every kind of visitor. A new address fails until the table says who may reach it."""

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django import DjangoDbBlocker

from reviews.datasets import curation, export_jobs, imports
from reviews.decisions import timed_orders
from reviews.desk.queue import live
from reviews.desk.review.forms import SNOOZES
from reviews.messaging.webhooks import endpoints
from reviews.models import DatasetVersion, Outcome, Role, SavedPage
from reviews.queue import saved_views
from reviews.workspaces import invitations
from tests.access_matrix import MATRIX, VISITORS
from tests.annotation.study import study
from tests.cast import Cast, approved, cast, flagged
from tests.datasets.collections import frozen
from tests.intake.test_plans import submitted

__all__ = ["cast"]


# As much of a form as leads a request on to where its rights are looked at.
SENDS = {"outcome": "reject", "seconds": SNOOZES[0][0], "role": Role.ANNOTATOR, "workspace": "none", "move": "pause"}
READS: dict[str, str | int] = {"source": "history/1/outcome", "start": 0, "end": 5}


@dataclass(frozen=True)
class Address:
    """One address of the site."""

    name: str
    parameters: frozenset[str]


def addresses(patterns: Any = None, namespace: str = "", parameters: frozenset[str] = frozenset()) -> Iterator[Address]:
    """Every address that the site knows."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        named = parameters | set(each.pattern.regex.groupindex)
        match each:
            case URLResolver():
                inner = f"{namespace}{each.namespace}:" if each.namespace else namespace
                yield from addresses(each.url_patterns, inner, named)
            case URLPattern():
                yield Address(f"{namespace}{each.name or each.pattern}", named)


def test_the_table_names_every_address_and_no_other() -> None:
    assert {address.name for address in addresses()} == set(MATRIX)


@pytest.fixture(scope="module")
def things(kept_cast: bytes, django_db_blocker: DjangoDbBlocker) -> Mapping[str, Any]:
    """What every visitor asks for, made once: it takes as long as many of their requests."""
    with django_db_blocker.unblock():
        return things_of(pickle.loads(kept_cast))  # noqa: S301 - our own


@pytest.mark.parametrize("visitor", VISITORS)
def test_a_visitor_reaches_what_the_table_says(
    things: Mapping[str, Any], cast: Cast, visitor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A stream is read to its end here.
    monkeypatch.setattr(live, "MAX_LOOKS", 0)
    client = client_of(cast, visitor)
    column, different = VISITORS.index(visitor), []
    for address in addresses():
        path = reverse(address.name, kwargs={name: things[name] for name in address.parameters})
        for method, row in zip(("get", "post"), MATRIX[address.name], strict=True):
            # The API refuses a parameter it does not know before it looks at rights.
            reads = {} if address.name.startswith("api:") else READS
            got = met(client, method, path, reads)
            if got != row[column]:
                different.append(f"{method} {address.name}: {got}, not {row[column]}")
    assert "\n".join(different) == ""


def client_of(cast: Cast, visitor: str) -> Client:
    """The visitor's browser, or the agent's HTTP client."""
    secrets = {"agent": cast.agent_secret, "other_agent": cast.outside_secret}
    if visitor in secrets:
        return Client(headers={"authorization": f"Bearer {secrets[visitor]}"})
    client = Client()
    if visitor != "nobody":
        client.force_login(getattr(cast, visitor).user)
    return client


def things_of(cast: Cast) -> Mapping[str, Any]:
    """Something of the first workspace for each parameter of an address."""
    review = flagged(cast)
    running, version = study(cast), version_of(cast)
    hook = endpoints.add_endpoint(membership=cast.admin, url="https://example.org/", events=[]).endpoint
    issued = invitations.invite_person(membership=cast.admin, email="new@example.org", role=Role.REVIEWER)
    return {
        "review_id": review.pk,
        "decision_id": approved(cast).decisions.get().pk,
        "campaign_id": running.campaign.pk,
        "item_id": running.next().item_id,
        "action_id": review.action_id,
        "trace_id": review.action.trace_id,
        "agent_id": review.action.agent_id,
        "plan_id": submitted(cast).pk,
        "key_id": cast.agent.pk,
        "issuer_id": cast.admin.user_id,
        "member_id": cast.other_reviewer.pk,
        "invitation_id": issued.invitation.pk,
        "token": issued.token,
        "view_id": saved_views.save_view(
            membership=cast.admin, page=SavedPage.QUEUE, name="Grave", query="risk=high"
        ).pk,
        "order_id": timed_orders.give_order(
            order=timed_orders.draft_order(
                membership=cast.admin, tool="mail", stopped_by="tool", shape="x", outcome=Outcome.REJECT, hours=1
            ),
            membership=cast.admin,
        ).pk,
        "endpoint_id": hook.pk,
        "delivery_id": endpoints.send_test(endpoint=hook, membership=cast.admin).pk,
        "number": 1,
        "pk": 0,
        "slug": "conflict",
        "uidb36": "1",
        "key": "no-key",
        "provider_id": "nobody",
        "organization_slug": "nobody",
        "dataset_id": version.dataset_id,
        "import_id": imports.request_import(version.dataset, reader="items").pk,
        "experiment_id": version.pk,
        "ordinal": 1,
        "form": "csv",
        "export_id": export_jobs.request_export(version, form="jsonl").pk,
    }


def version_of(cast: Cast) -> DatasetVersion:
    """A frozen version of one call that was decided."""
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="study")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    return frozen(dataset)


def met(client: Client, method: str, path: str, reads: Mapping[str, str | int]) -> str:
    """What the visitor gets there, as a sign. Nothing that the request has changed remains."""
    cookies = SimpleCookie({name: each.value for name, each in client.cookies.items()})
    # The API refuses a form before it looks at rights.
    sends = {"data": b"", "content_type": "application/json"} if path.startswith("/api/") else {"data": SENDS}
    with transaction.atomic():
        response = client.get(path, reads) if method == "get" else client.post(path, **sends)
        # Of a stream nothing is made before it is read; one that waits for what happens would never end.
        is_endless = response.streaming and getattr(response, "is_async", False)
        content = b"" if is_endless else b"".join(response) if response.streaming else response.content
        assert content is not None
        transaction.set_rollback(True)
    client.cookies = cookies
    if response.status_code == HTTPStatus.FOUND and response["Location"].startswith("/sign-in"):
        return "s"
    if response.status_code == HTTPStatus.UNAUTHORIZED and b'href="/sign-in?next=' in content:
        # A form is not redirected: it would be lost.
        return "s"
    return {401: "u", 403: "f", 404: "a", 405: "m"}.get(response.status_code, "+")
