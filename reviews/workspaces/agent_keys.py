"""Issue, find and revoke the keys agents sign with."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviews import access, audit
from reviews.models import AgentKey, Membership

# The prefix and six characters of the secret: enough to tell keys apart in a list, too few to help guessing the rest.
HINT_LENGTH = 10
# A write for every request would cost more than the exact second of the last use is worth.
USED_EVERY = timedelta(minutes=1)
"""How exact `last_used_at` is."""


@dataclass(frozen=True)
class Issued:
    """A new key with its secret, which is stored nowhere and cannot be read again."""

    agent_key: AgentKey
    secret: str


@transaction.atomic
def issue(*, membership: Membership, name: str) -> Issued:
    """A new key for an agent. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    secret = AgentKey.new_secret()
    agent_key = AgentKey.objects.create(
        workspace=membership.workspace,
        name=name,
        hint=secret[:HINT_LENGTH],
        key_hash=AgentKey.hash_of(secret),
        created_by=membership.user,
    )
    audit.record(workspace=membership.workspace, verb="agent_key.issued", subject=name, by=membership)
    return Issued(agent_key, secret)


@transaction.atomic
def revoke(*, agent_key: AgentKey, membership: Membership) -> None:
    """End a key at once; revoking it again changes nothing. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    # Compare and set: of two administrators who revoke at once only one is audited as having done it.
    changed = AgentKey.objects.filter(pk=agent_key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())
    if changed:
        audit.record(workspace=membership.workspace, verb="agent_key.revoked", subject=agent_key.name, by=membership)


def find(secret: str) -> AgentKey | None:
    """The key in force with this secret, its use noted; None where there is none."""
    agent_key = (
        AgentKey.objects.select_related("workspace")
        .filter(key_hash=AgentKey.hash_of(secret), revoked_at__isnull=True)
        .first()
    )
    now = timezone.now()
    if agent_key is not None and (agent_key.last_used_at is None or now - agent_key.last_used_at >= USED_EVERY):
        # Compared again in the statement: of an agent's parallel requests only the first writes.
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - USED_EVERY)
        AgentKey.objects.filter(stale, pk=agent_key.pk).update(last_used_at=now)
    return agent_key
