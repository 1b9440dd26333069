"""Who asks and what their role includes."""

from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q, QuerySet

from reviews.errors import ForbiddenError
from reviews.models import AgentKey, Membership, Role, Workspace, pipeline
from reviews.models.sql import memberships

Principal: TypeAlias = Membership | AgentKey
"""Whoever makes a request. Both kinds belong to exactly one workspace."""
_KNOWN: Final = "known_memberships"
"""Where an account keeps those that were read with it."""


class Permission(StrEnum):
    """What a member may be allowed to do."""

    VIEW = "view"
    DECIDE = "decide"
    ANNOTATE = "annotate"
    ADMINISTER = "administer"


# Annotators do not decide and reviewers do not annotate, unless a workspace has too few people for that: labels of a
# study are compared with decisions, so they must not come from the same person (`annotation.assignment`). Nor do
# annotators view what the guard found and people decided: their labels would follow it.
_GRANTED = MappingProxyType(
    {
        Role.REVIEWER: frozenset({Permission.VIEW, Permission.DECIDE}),
        Role.ANNOTATOR: frozenset({Permission.ANNOTATE}),
        Role.ADMIN: frozenset(Permission),
    }
)


def membership_for(user: AbstractBaseUser | AnonymousUser, workspace_id: UUID | None = None) -> Membership:
    """The person's membership: in the named workspace, or the oldest. Raises `ForbiddenError` when there is none."""
    if not user.is_authenticated:
        raise ForbiddenError("Sign in first.")
    # The oldest, so that being added to another workspace does not change what a person sees by default.
    in_order = memberships_in_order(user)
    membership = next((mine for mine in in_order if workspace_id in (None, mine.workspace_id)), None)
    if membership is None:
        raise ForbiddenError("You are not a member of any workspace. Ask an administrator to add you.")
    # Who asks has been read already.
    membership.user = cast(User, user)
    return membership


def account_with_memberships(user_id: int) -> User | None:
    """The account of a request, whose memberships are read with it: every page of a person asks for them."""
    rows = pipeline.execute(memberships.select_account(), (user_id,)).fetchall()
    if not rows:
        return None
    in_order: list[Membership] = []
    for values in map(iter, rows):
        membership, workspace = pipeline.read_joined(values, Membership), pipeline.read_joined(values, Workspace)
        if membership is not None and workspace is not None:
            membership.workspace = workspace
            in_order.append(membership)
    # Each row ends with it.
    account = pipeline.read_row(values, User)
    setattr(account, _KNOWN, in_order)
    return account


def memberships_in_order(user: AbstractBaseUser | AnonymousUser) -> list[Membership]:
    """The person's memberships with their workspaces, the oldest first, as they were when the account was read."""
    cached: list[Membership] | None = getattr(user, _KNOWN, None)
    if cached is not None:
        return cached
    in_order = []
    for values in map(iter, pipeline.execute(memberships.select_all(), (user.pk,)).fetchall()):
        membership = pipeline.read_row(values, Membership)
        membership.workspace = pipeline.read_row(values, Workspace)
        in_order.append(membership)
    return in_order


def can(membership: Membership, permission: Permission) -> bool:
    """Whether the person's role includes this, or the workspace lets its reviewers annotate as well."""
    if permission in _GRANTED[Role(membership.role)]:
        return True
    return permission is Permission.ANNOTATE and membership.workspace.lets_reviewers_annotate


def deciders_of(workspace_id: UUID) -> QuerySet[Membership]:
    """Everybody whose role includes decisions, with their accounts."""
    roles = [role for role, permissions in _GRANTED.items() if Permission.DECIDE in permissions]
    return Membership.objects.filter(workspace=workspace_id, role__in=roles).select_related("user")


def annotating_members(workspace_id: UUID) -> QuerySet[Membership]:
    """Everybody who may answer in campaigns, by role or because the workspace lets its reviewers."""
    roles = [role for role, permissions in _GRANTED.items() if Permission.ANNOTATE in permissions]
    may = Q(role__in=roles) | Q(workspace__lets_reviewers_annotate=True)
    return Membership.objects.filter(may, workspace=workspace_id)


def require(membership: Membership, permission: Permission) -> None:
    """Raises `ForbiddenError` unless the person's role includes this."""
    if not can(membership, permission):
        raise ForbiddenError(f"Your role in {membership.workspace} ({membership.role}) does not allow this.")


def require_curator(principal: Principal) -> None:
    """Raises `ForbiddenError` unless they may change datasets and campaigns: administrators, and keys for that."""
    if isinstance(principal, Membership):
        require(principal, Permission.ADMINISTER)
    elif not principal.manages_ground_truth:
        raise ForbiddenError("This key does not manage datasets and campaigns. That takes another one.")


def account_of(principal: Principal | None) -> User | None:
    """The account of a person; None for a key, or where the installation itself acts."""
    return principal.user if isinstance(principal, Membership) else None


def owned_by(principal: Principal, agent: str) -> dict[str, Any]:
    """Look-ups for what the principal may see: people the whole workspace, a key only what its agent owns.

    `agent` leads from the row to the agent. To every other agent of the workspace a row does not exist, nor to an
    annotator, who sees a call only as an item of a campaign.
    """
    if isinstance(principal, AgentKey):
        return {agent: principal.agent_id}
    return {} if can(principal, Permission.VIEW) else {"pk__in": ()}
