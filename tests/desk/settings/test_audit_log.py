import csv
import io
import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import pytest
import time_machine

from reviews import access, audit
from reviews.annotation import campaigns, staffing
from reviews.desk.addresses import is_uuid
from reviews.desk.settings import audit_log
from reviews.messaging.webhooks import endpoints
from reviews.models import AuditEvent, Role
from reviews.profiles import versions
from reviews.provenance.core.canonical import content_digest
from reviews.workspaces import agent_keys, members
from tests.annotation.study import dataset_of, study
from tests.cast import Cast
from tests.desk.desk import Desk

PAGE = "/settings/audit"


@pytest.fixture
def events(cast: Cast) -> None:
    """Two acts of different people and days here, one in another workspace."""
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False):
        audit.record(workspace=cast.workspace, verb="agent_key.issued", subject="first-key", by=cast.admin)
    with time_machine.travel("2026-03-05T12:00:00Z", tick=False):
        audit.record(workspace=cast.workspace, verb="action.rejected", subject="a-call", by=cast.reviewer)
    audit.record(workspace=cast.outsider.workspace, verb="agent_key.issued", subject="secret-key", by=cast.outsider)


def exported(desk: Desk, query: str = "") -> list[dict[str, Any]]:
    response: Any = desk.client.get(f"{PAGE}/export.jsonl{query}")
    assert response["Content-Disposition"] == 'attachment; filename="audit.jsonl"'
    return [json.loads(line) for line in b"".join(response).splitlines()]


def test_the_log_is_listed_newest_first(events: None, admin_desk: Desk) -> None:
    body = admin_desk.shows(PAGE, "first-key", "a-call", "rita")
    assert body.index("a-call") < body.index("first-key")
    assert "secret-key" not in body


def test_what_an_event_changed_is_told_beside_it(cast: Cast, admin_desk: Desk) -> None:
    members.change_role(member=cast.annotator, role=Role.REVIEWER, membership=cast.admin)
    versions.new_version(membership=cast.admin, window=7, rewrites=access.current_profile(cast.workspace).rewrites)
    agent_keys.issue_key(membership=cast.admin, name="bot", reads_only=True)
    body = admin_desk.shows(PAGE, "annotator → reviewer", "window: 5 → 7", "reads_only: true")
    assert "rewrites" not in body


def test_hostile_details_are_shown_as_text(cast: Cast, admin_desk: Desk) -> None:
    details = {"agent": "<img src=x>\u202e", "long": "x" * 5000} | {f"further-{number}": number for number in range(6)}
    audit.record(workspace=cast.workspace, verb="test.event", subject="it", by=cast.admin, details=details)
    body = admin_desk.shows(PAGE, "agent: &lt;img src=x&gt;", "and 2 more")
    assert "\u202e" not in body
    assert "x" * 300 not in body


@pytest.mark.parametrize(
    "query", ["who=rita", "what=rejected", "since=2026-03-02", "since=2026-03-05&until=2026-03-05"]
)
def test_a_filter_leaves_what_fits(events: None, admin_desk: Desk, query: str) -> None:
    body = admin_desk.shows(f"{PAGE}?{query}", "a-call")
    assert "first-key" not in body
    assert [row["subject"] for row in exported(admin_desk, f"?{query}")] == ["a-call"]


@pytest.mark.parametrize("query", ["who=oscar", "what=nothing", "until=2020-01-01"])
def test_a_filter_that_nothing_fits_shows_nothing_of_others(events: None, admin_desk: Desk, query: str) -> None:
    assert "secret-key" not in admin_desk.shows(f"{PAGE}?{query}")


@pytest.mark.parametrize("query", ["since=tomorrow", "until=2026-02-30", "who=%00"])
def test_a_filter_that_cannot_be_read_is_refused(events: None, admin_desk: Desk, query: str) -> None:
    for path in (PAGE, f"{PAGE}/export.jsonl"):
        admin_desk.shows(f"{path}?{query}", "field__error", status=HTTPStatus.UNPROCESSABLE_ENTITY)


def test_older_events_are_a_page_further(cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "EVENTS_SHOWN", 2)
    for number in range(3):
        audit.record(workspace=cast.workspace, verb="test.event", subject=f"event-{number}", by=cast.admin)
    page = admin_desk.client.get(f"{PAGE}?what=test")
    assert "event-0" not in page.content.decode()
    following = admin_desk.shows(f"{PAGE}?what=test&cursor={page.context['next_cursor']}", "event-0")
    assert "event-1" not in following


@pytest.mark.parametrize("cursor", ["nonsense", "W10", "WzFd" * 100])
def test_a_cursor_that_is_none_shows_the_first_page(events: None, admin_desk: Desk, cursor: str) -> None:
    admin_desk.shows(f"{PAGE}?cursor={cursor}", "a-call")


def test_the_export_is_a_chain_that_a_reader_can_verify(
    events: None, cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_BATCH", 1)
    first, second = exported(admin_desk)
    assert first["previous_hash"] == audit.GENESIS
    assert second["previous_hash"] == first["hash"]
    assert first.keys() >= {"workspace", "sequence", "at", "actor", "verb", "subject", "details"}


def test_a_chain_that_holds_is_told(events: None, admin_desk: Desk) -> None:
    admin_desk.sends(f"{PAGE}/verify", "The chain holds, up to its last event, 2.")


def test_a_changed_event_is_named(events: None, cast: Cast, admin_desk: Desk) -> None:
    AuditEvent.objects.filter(workspace=cast.workspace, sequence=2).update(subject="forged")
    admin_desk.sends(f"{PAGE}/verify", "Event 2 is missing or was changed.")


def test_a_long_chain_is_verified_in_steps(
    events: None, cast: Cast, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "VERIFIED_AT_ONCE", 1)
    admin_desk.sends(f"{PAGE}/verify", "holds up to event 1. There are more.", 'name="after" value="1"')
    admin_desk.sends(f"{PAGE}/verify", "The chain holds, up to its last event, 2.", after="1")
    AuditEvent.objects.filter(workspace=cast.workspace, sequence=1).update(subject="forged")
    admin_desk.sends(f"{PAGE}/verify", "Event 1 is missing or was changed.", after="1")


@pytest.mark.parametrize("after", ["-1", "x", "9" * 40, "²"])
def test_a_step_that_the_page_has_not_offered_starts_over(events: None, admin_desk: Desk, after: str) -> None:
    admin_desk.sends(f"{PAGE}/verify", "The chain holds", after=after)


def test_every_exported_event_can_be_verified_from_the_file(cast: Cast, admin_desk: Desk) -> None:
    # An act over HTTP has the name of its request, which its hash covers, too.
    admin_desk.client.post("/settings/keys", {"name": "second-key", "row_id": uuid4()})
    rows = exported(admin_desk)
    assert any(row.get("request_id") for row in rows)
    assert [content_digest({name: row[name] for name in row if name != "hash"}) for row in rows] == [
        row["hash"] for row in rows
    ]


def bare_ids(events: Iterable[AuditEvent]) -> list[str]:
    """Verbs of events that name what they are about by nothing but a key."""
    return [event.verb for event in events if is_uuid(event.subject) and not event.details.get("name")]


def test_who_reads_of_a_campaign_a_dataset_a_webhook_or_an_order_reads_its_name(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast, items=1)
    running.given(0)
    holder = running.campaign.annotators.all()[0]
    staffing.release_items(campaign=running.campaign, annotator=holder, membership=cast.admin, to=None)
    staffing.extend_campaign(campaign=running.campaign, membership=cast.admin)
    campaigns.pause_campaign(campaign=running.campaign, by=cast.admin)
    endpoints.add_endpoint(membership=cast.admin, url="https://example.org/hook?key=hidden", events=[])
    admin_desk.shows(PAGE, "<bdi>First round</bdi>", "<bdi>Payments</bdi>", "<bdi>example.org</bdi>")
    assert bare_ids(AuditEvent.objects.all()) == []
    assert {row["details"].get("name") for row in exported(admin_desk)} == {"First round", "Payments", "example.org"}


def test_a_name_is_told_as_it_was_bounded_and_as_text(cast: Cast, admin_desk: Desk) -> None:
    name = "<b>a\u202eb</b>" + "x" * 300
    audit.record(workspace=cast.workspace, verb="campaign.opened", subject=str(uuid4()), by=cast.admin, name=name)
    body = admin_desk.shows(PAGE, "&lt;b&gt;a", "right-to-left")
    assert "<b>a" not in body
    (row,) = exported(admin_desk)
    assert row["details"]["name"] == name[:200]


def test_a_spreadsheet_of_the_log_has_names_and_no_formula(cast: Cast, admin_desk: Desk) -> None:
    audit.record(
        workspace=cast.workspace, verb="campaign.opened", subject=str(uuid4()), by=cast.admin, name="=cmd|' /C calc'!A0"
    )
    audit.record(workspace=cast.workspace, verb="member.removed", subject="rita", by=cast.admin)
    response: Any = admin_desk.client.get(f"{PAGE}/export.csv")
    assert response["Content-Disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(io.StringIO(b"".join(response).decode(), newline="")))
    assert [(row["what"], row["about"]) for row in rows] == [
        ("campaign.opened", "'=cmd|' /C calc'!A0"), ("member.removed", "rita"),
    ]  # fmt: skip
    nothing: Any = admin_desk.client.get(f"{PAGE}/export.csv?who=nobody")
    assert b"".join(nothing).startswith(b'"number","when"')


def test_an_event_from_before_names_were_kept_is_told_by_the_name_that_stands(cast: Cast, admin_desk: Desk) -> None:
    dataset = dataset_of(cast, 0, "Refunds")
    AuditEvent.objects.all().delete()
    for key in (dataset.pk, uuid4()):
        audit.record(workspace=cast.workspace, verb="dataset.extended", subject=str(key), by=cast.admin)
    admin_desk.shows(PAGE, "<bdi>Refunds</bdi>", f"<bdi>{key}</bdi>")
