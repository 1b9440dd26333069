"""Two workspaces that hold the same names: what one's administrator lists, searches, counts, exports is its own."""

import json
from dataclasses import replace
from typing import Any

import pytest

from reviews import audit
from reviews.models import Membership, Role
from reviews.workspaces import invitations, members
from tests.cast import CONTEXT, RIGHT, TRANSFER, Cast, propose
from tests.desk.desk import Desk

SHARED = "shared@example.org"


@pytest.fixture
def outside(cast: Cast) -> Desk:
    """The administrator of the other workspace, in which the same happened once less."""
    for workspace, times in ((cast.workspace, 3), (cast.outsider.workspace, 2)):
        for number in range(times):
            audit.record(workspace=workspace, verb="test.shared", subject=f"{workspace.slug}-{number}")
    invitations.create_invitation(cast.workspace, email=SHARED, role=Role.ANNOTATOR)
    return Desk.of(cast.outsider)


def test_members_and_invitations_are_the_workspaces_own(cast: Cast, outside: Desk, admin_desk: Desk) -> None:
    names = Membership.objects.filter(workspace=cast.workspace).values_list("user__username", flat=True)
    outside.lacks("/settings/members", SHARED, *(f">{name}<" for name in names), *(f" of {name}<" for name in names))
    admin_desk.shows("/settings/members", SHARED)


def test_a_person_of_both_has_the_role_of_each_on_its_page(cast: Cast, outside: Desk) -> None:
    members.admit_member(workspace=cast.outsider.workspace, user=cast.reviewer.user, role=Role.ANNOTATOR)
    theirs = Membership.objects.get(workspace=cast.outsider.workspace, user=cast.reviewer.user)
    outside.sends(f"/settings/members/{theirs.pk}/role", "rita is Admin now.", role="admin")
    cast.reviewer.refresh_from_db()
    assert cast.reviewer.role == Role.REVIEWER


def test_a_tool_of_the_same_name_is_counted_and_described_by_each_for_itself(
    cast: Cast, outside: Desk, admin_desk: Desk
) -> None:
    for number in range(3):
        propose(cast, RIGHT, trace_id=f"here-{number}")
    described = replace(CONTEXT, tools=(replace(TRANSFER, description="How Elsewhere pays."),))
    there = replace(cast, workspace=cast.outsider.workspace, agent=cast.outside_agent)
    propose(there, RIGHT, described, trace_id="there")
    assert '<td class="num">1</td>' in outside.shows("/settings/tools", "How Elsewhere pays.")
    assert '<td class="num">3</td>' in admin_desk.shows("/settings/tools")
    admin_desk.lacks("/settings/tools", "How Elsewhere pays.")


@pytest.mark.parametrize("query", ["", "?what=test", "?who=installation", "?who=ada", f"?who={SHARED}"])
def test_the_audit_log_finds_and_exports_the_workspaces_own(cast: Cast, outside: Desk, query: str) -> None:
    outside.lacks(f"/settings/audit{query}", "acme-0", SHARED + "<")
    response: Any = outside.client.get(f"/settings/audit/export.jsonl{query}")
    rows = [json.loads(line) for line in b"".join(response).splitlines()]
    assert {row["workspace"] for row in rows} <= {str(cast.outsider.workspace_id)}


def test_each_chain_is_counted_for_itself(cast: Cast, outside: Desk, admin_desk: Desk) -> None:
    outside.sends("/settings/audit/verify", "up to its last event, 2.")
    admin_desk.sends("/settings/audit/verify", "up to its last event, 4.")


def test_a_cursor_of_one_log_opens_nothing_of_the_other(
    outside: Desk, admin_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.desk.settings.audit_log.EVENTS_SHOWN", 1)
    cursor = admin_desk.client.get("/settings/audit").context["next_cursor"]
    outside.lacks(f"/settings/audit?cursor={cursor}", "acme-", SHARED)
