"""Invite people by a link that works once, for a while, for one e-mail address."""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.errors import AlreadyIssuedError, AlreadyMemberError, ForbiddenError, InvitationEndedError
from reviews.models import Invitation, Membership, Role, Workspace
from reviews.models.base import uuid7

# A week: over a holiday and a weekend, and not for as long as a mail lies in a mailbox that somebody takes over.
LASTS: Final = timedelta(days=7)


@dataclass(frozen=True)
class Issued:
    """A new invitation with the secret of its link, which is stored nowhere and cannot be read again."""

    invitation: Invitation
    token: str = field(repr=False)


def invite_person(*, membership: Membership, email: str, role: Role, row_id: UUID | None = None) -> Issued:
    """A new invitation to the workspace. Whoever may ask twice for the same one names its row.

    Raises `ForbiddenError`, `AlreadyMemberError`, `AlreadyIssuedError`.
    """
    access.require(membership, access.Permission.ADMINISTER)
    return create_invitation(membership.workspace, email=email, role=role, row_id=row_id, by=membership)


@transaction.atomic
def create_invitation(
    workspace: Workspace, *, email: str, role: Role, row_id: UUID | None = None, by: Membership | None = None
) -> Issued:
    """As `invite_person`, without a look at rights. `by` is None for the installation's operator.

    An earlier invitation of the same person ends with it. Raises `AlreadyMemberError`, `AlreadyIssuedError`.
    """
    email, token, now = email.lower(), secrets.token_urlsafe(32), timezone.now()
    # Locked: of two invitations at once the later one must find the earlier one to end it.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    if Membership.objects.filter(workspace=workspace, user__in=_accounts_with(email)).exists():
        raise AlreadyMemberError(f"{email} is a member of {workspace} already.")
    open_ones = {"accepted_at__isnull": True, "withdrawn_at__isnull": True}
    Invitation.objects.filter(workspace=workspace, email=email, **open_ones).update(withdrawn_at=now)
    values = {
        "workspace": workspace,
        "email": email,
        "role": role,
        "token_hash": _hash_of(token),
        "created_by": by.user if by else None,
        "expires_at": now + LASTS,
    }
    invitation, is_new = Invitation.objects.get_or_create(pk=row_id or uuid7(), defaults=values)
    if not is_new:
        raise AlreadyIssuedError("This invitation was made already.")
    audit.record(workspace=workspace, verb="member.invited", subject=email, by=by, details={"role": str(role)})
    return Issued(invitation, token)


@transaction.atomic
def withdraw_invitation(*, invitation: Invitation, membership: Membership) -> None:
    """End an invitation that nobody used; again changes nothing. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    if access.invitations_in_force().filter(pk=invitation.pk).update(withdrawn_at=timezone.now()):
        audit.record(
            workspace=membership.workspace, verb="invitation.withdrawn", subject=invitation.email, by=membership
        )


def find_invitation(token: str) -> Invitation:
    """The invitation in force with this secret. Raises `InvitationEndedError`."""
    # One message for all, so that a guess learns nothing.
    invitation = access.invitations_in_force().select_related("workspace").filter(token_hash=_hash_of(token)).first()
    if invitation is None:
        raise InvitationEndedError("This invitation was used or withdrawn, or its week is over. Ask for a new one.")
    return invitation


def account_of(invitation: Invitation) -> User | None:
    """The account that the invited person has already; None for somebody new."""
    return _accounts_with(invitation.email).first()


@transaction.atomic
def accept_invitation(invitation: Invitation, *, user: User) -> Membership:
    """The invited person joins. Whoever is a member already keeps their role.

    Raises `ForbiddenError` for an account of another address, `InvitationEndedError`.
    """
    if not _accounts_with(invitation.email).filter(pk=user.pk).exists():
        raise ForbiddenError(f"This invitation is for {invitation.email}; you are signed in as {user.get_username()}.")
    # Compare and set: a link that is opened twice at once lets in once.
    if not access.invitations_in_force().filter(pk=invitation.pk).update(accepted_at=timezone.now()):
        raise InvitationEndedError("This invitation was used meanwhile.")
    membership, joined = Membership.objects.get_or_create(
        workspace=invitation.workspace, user=user, defaults={"role": invitation.role}
    )
    if joined:
        audit.record(
            workspace=invitation.workspace,
            verb="member.joined",
            subject=user.get_username(),
            by=membership,
            details={"role": invitation.role},
        )
    return membership


@transaction.atomic
def join_workspace(invitation: Invitation, *, password: str) -> User:
    """An account for the invited person, who joins with it. Raises `InvitationEndedError`."""
    user, created = User.objects.get_or_create(username=invitation.email, defaults={"email": invitation.email})
    if not created:
        # Made meanwhile, by an invitation to another workspace: its password is not ours to set.
        raise InvitationEndedError(
            "There is an account for this address now. Sign in with it, and open the link again."
        )
    user.set_password(password)
    user.save(update_fields=["password"])
    accept_invitation(invitation, user=user)
    return user


def _accounts_with(email: str) -> QuerySet[User]:
    """Accounts of this address, whose user name it is or who have it as their address."""
    return User.objects.filter(Q(username__iexact=email) | Q(email__iexact=email)).order_by("pk")


def _hash_of(token: str) -> str:
    # A plain hash suffices: the secret is random, there is no dictionary to try.
    return hashlib.sha256(token.encode()).hexdigest()
