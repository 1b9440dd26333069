"""Open a workspace, let people in, change what they may do, and see them out."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviews import access, audit
from reviews.errors import ForbiddenError, LastAdminError
from reviews.models import (
    DEFAULT_DETECTORS,
    GuardProfile,
    JudgeKind,
    Membership,
    OnUnknown,
    ReviewAssignment,
    Role,
    Workspace,
)
from reviews.workspaces import agent_keys

# A page asks the server every few seconds; a write for each would cost more than the exact second is worth.
SEEN_EVERY = timedelta(minutes=1)
"""How exact `last_seen_at` is."""


@transaction.atomic
def create_workspace(
    *, name: str, slug: str, judge: JudgeKind = JudgeKind.RULES, on_unknown: OnUnknown = OnUnknown.REVIEW
) -> Workspace:
    """A workspace with the first version of its guard profile."""
    workspace = Workspace.objects.create(name=name, slug=slug)
    # In the same transaction: without a profile no submission of the workspace could be checked.
    GuardProfile.objects.create(
        workspace=workspace, version=1, detectors=list(DEFAULT_DETECTORS), judge=judge, on_unknown=on_unknown
    )
    audit.record(workspace=workspace, verb="workspace.created", subject=slug)
    return workspace


@transaction.atomic
def admit_member(*, workspace: Workspace, user: AbstractBaseUser, role: Role) -> Membership:
    """Give a person a role, or another role than before; the one they have changes nothing. Returns the membership."""
    same = Membership.objects.filter(workspace=workspace, user_id=user.pk, role=role).first()
    if same is not None:
        return same
    membership, _ = Membership.objects.update_or_create(workspace=workspace, user_id=user.pk, defaults={"role": role})
    audit.record(workspace=workspace, verb="member.admitted", subject=user.get_username(), details={"role": str(role)})
    return membership


@transaction.atomic
def change_role(*, member: Membership, role: Role, membership: Membership) -> None:
    """Give a member of the same workspace another role; the one they have changes nothing.

    Keys that act in the name of an administrator end with that role. Raises `ForbiddenError`, `LastAdminError`.
    """
    before = _lock_member(member, membership)
    if before is None or before.role == role:
        return
    if before.role == Role.ADMIN:
        _refuse_the_last_admin(before)
    Membership.objects.filter(pk=member.pk).update(role=role)
    if role == Role.ANNOTATOR:
        _free_assigned(member)
    if before.role == Role.ADMIN:
        agent_keys.end_personal_keys(issuer=member.user, membership=membership)
    details = {"before": before.role, "after": str(role)}
    subject = member.user.get_username()
    audit.record(
        workspace=membership.workspace, verb="member.role_changed", subject=subject, by=membership, details=details
    )


@transaction.atomic
def remove_member(*, member: Membership, membership: Membership, revokes_keys: bool = False) -> None:
    """End a membership at once; the account stays, as what it decided names it. Again changes nothing.

    Keys that act in the member's name end with it. Those that they issued for agents stay in force, as the agents do,
    unless `revokes_keys`. Raises `ForbiddenError`, `LastAdminError`.
    """
    before = _lock_member(member, membership)
    if before is None:
        return
    if before.role == Role.ADMIN:
        _refuse_the_last_admin(before)
    subject, details = member.user.get_username(), {"role": before.role}
    Membership.objects.filter(pk=member.pk).delete()
    _free_assigned(member)
    end_keys = agent_keys.revoke_issued_keys if revokes_keys else agent_keys.end_personal_keys
    end_keys(issuer=member.user, membership=membership)
    audit.record(workspace=membership.workspace, verb="member.removed", subject=subject, by=membership, details=details)


def require_second_factor(*, required: bool, membership: Membership) -> None:
    """Say whether members must prove a second factor. Raises `ForbiddenError`."""
    choose_for_workspace(membership, "second_factor", {"required": required}, requires_second_factor=required)


def let_reviewers_annotate(*, allowed: bool, membership: Membership) -> None:
    """Say whether reviewers and administrators may be asked in campaigns too. Raises `ForbiddenError`."""
    since = {"reviewers_annotate_since": timezone.now() if allowed else None}
    choose_for_workspace(
        membership, "reviewers_annotate", {"allowed": allowed}, beside=since, lets_reviewers_annotate=allowed
    )


@transaction.atomic
def choose_for_workspace(
    membership: Membership,
    verb: str,
    details: dict[str, Any],
    *,
    beside: dict[str, Any] | None = None,
    **choice: Any,
) -> None:
    """Store an administrator's choice and audit it as this verb; what holds already changes nothing, `beside` neither.

    Raises `ForbiddenError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    # Compare and set: of two administrators who say the same only one is audited.
    changed = Workspace.objects.filter(pk=membership.workspace_id).exclude(**choice)
    if changed.update(**choice, **(beside or {})):
        audit.record(
            workspace=membership.workspace,
            verb=f"workspace.{verb}",
            subject=membership.workspace.slug,
            by=membership,
            details=details,
        )


def note_seen(membership: Membership) -> None:
    """Write down that the person is here, at most once a minute."""
    now = timezone.now()
    if membership.last_seen_at is None or now - membership.last_seen_at >= SEEN_EVERY:
        # Compared again in the statement: of a page's parallel requests only the first writes.
        stale = Q(last_seen_at__isnull=True) | Q(last_seen_at__lte=now - SEEN_EVERY)
        Membership.objects.filter(stale, pk=membership.pk).update(last_seen_at=now)


def _lock_member(member: Membership, by: Membership) -> Membership | None:
    """The member as stored, while nobody else changes the workspace's members; None when removed meanwhile.

    Raises `ForbiddenError` unless the one who asks still administers the workspace.
    """
    # The workspace's row stands for all of its memberships: two administrators who remove each other at once would
    # each lock one row, see the other as the admin that is left, and leave none.
    Workspace.objects.select_for_update(no_key=True).get(pk=by.workspace_id)
    # Read again behind the lock: the second of the two is no administrator any more.
    requester = Membership.objects.select_related("workspace").filter(pk=by.pk).first()
    if requester is None:
        raise ForbiddenError("You are no longer a member of this workspace.")
    access.require(requester, access.Permission.ADMINISTER)
    return Membership.objects.filter(pk=member.pk).first()


def _free_assigned(member: Membership) -> None:
    """Items that were meant for a member who no longer decides are anybody's."""
    ReviewAssignment.objects.filter(assignee=member.user_id, review__workspace=member.workspace_id).delete()


def _refuse_the_last_admin(member: Membership) -> None:
    admins = Membership.objects.filter(workspace=member.workspace_id, role=Role.ADMIN)
    if not admins.exclude(pk=member.pk).exists():
        raise LastAdminError("This is the last administrator. Make somebody else one first.")
