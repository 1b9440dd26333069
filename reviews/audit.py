"""The audit chain. Every event's hash covers the one before, so a changed or missing row shows."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone
from psycopg.types.json import Jsonb

from reviews.models import AgentKey, AuditEvent, Membership, Workspace, pipeline
from reviews.models.sql import audit_events
from reviews.provenance.core.canonical import canonical_json, content_digest

# In place of the hash before the first event: as long as a SHA-256, and the hash of nothing that could be stored.
GENESIS = "0" * 64
_LONGEST = 200
"""Characters of a subject and of a name."""


def record(
    *,
    workspace: Workspace,
    verb: str,
    subject: str,
    by: Membership | AgentKey | None = None,
    details: dict[str, Any] | None = None,
    name: str = "",
) -> None:
    """Append one event. Inside a transaction the chain is locked until it ends, so call it last.

    `name` is what people call a subject that is given by its key; it is kept as it is now, in the details.
    """
    match by:
        case Membership():
            actor = by.user.get_username()
        case AgentKey():
            actor = by.name
        case None:
            # Its operator in a shell, or its own upkeep.
            actor = "installation"
    event = AuditEvent(
        workspace=workspace,
        at=timezone.now(),
        user=by.user if isinstance(by, Membership) else None,
        agent_key=by if isinstance(by, AgentKey) else None,
        actor=actor,
        verb=verb,
        # Cut to the column: a long name in an audited act must not keep the act from happening.
        subject=subject[:_LONGEST],
        details={"name": name[:_LONGEST], **(details or {})} if name else details or {},
    )
    # Without a savepoint: an act that cannot be recorded must not stand either.
    with transaction.atomic(savepoint=False), pipeline.batch():
        # Without a lock two events would follow the same one, and the second insert would fail its whole transaction.
        # An advisory one, because every insert that refers to the workspace would wait for a lock on its row.
        pipeline.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"audit:{workspace.pk}"])
        pipeline.execute(audit_events.APPEND, _appended(event))


def _appended(event: AuditEvent) -> dict[str, Any]:
    """The parameters of `APPEND`. Its hash is that of `hash_of`, once the event has its place in the chain."""
    # Nothing that anybody wrote can hold these names.
    hash_here, sequence_here = uuid4().hex, uuid4().hex
    content = content_of(event) | {"previous_hash": hash_here, "sequence": sequence_here}
    before_hash, _, rest = canonical_json(content).decode().partition(hash_here)
    # A number stands without the quotation marks of its name.
    before_sequence, _, behind = rest.partition(f'"{sequence_here}"')
    columns = ("id", "at", "actor", "verb", "subject", "request_id")
    return {name: getattr(event, name) for name in columns} | {
        "workspace": event.workspace_id,
        "user": event.user_id,
        "agent_key": event.agent_key_id,
        "details": Jsonb(event.details),
        "genesis": GENESIS,
        "before_hash": before_hash,
        "before_sequence": before_sequence,
        "behind": behind,
    }


def hash_of(event: AuditEvent) -> str:
    """SHA-256 over the event's content and the previous hash, in hexadecimal.

    The account and the key are left out: both may be deleted, and the name that acted is in `actor`.
    """
    return content_digest(content_of(event))


def content_of(event: AuditEvent) -> dict[str, Any]:
    """All that an event's hash covers, as JSON."""
    return {
        "workspace": str(event.workspace_id),
        "sequence": event.sequence,
        "at": event.at.isoformat(),
        "actor": event.actor,
        "verb": event.verb,
        "subject": event.subject,
        "details": event.details,
        "previous_hash": event.previous_hash,
        # Entries outside of requests, and those from before requests had names, have none and hash as ever.
        **({"request_id": event.request_id} if event.request_id else {}),
    }


@dataclass(frozen=True)
class Verified:
    """How far a chain was verified."""

    up_to: int
    """Sequence number of the last event that fits; 0 for none."""
    broken: int | None
    """Sequence number of the first event that is missing or was changed."""
    complete: bool
    """Nothing stands behind what was verified."""


def verify(workspace: Workspace, *, after: int = 0, most: int | None = None) -> Verified:
    """Verify the chain behind this event, which was verified before; at most so many events, or all."""
    events = AuditEvent.objects.filter(workspace=workspace).order_by("sequence")
    previous, last = GENESIS, after
    if after:
        earlier = events.filter(sequence=after).first()
        # Gone since it was verified, or never there.
        if earlier is None or earlier.hash != hash_of(earlier):
            return Verified(after - 1, after, complete=False)
        previous = earlier.hash
    # One more than is verified tells whether any is left. Streamed, because a chain grows for as long as the
    # workspace exists.
    rows = events.filter(sequence__gt=after)
    for number, event in enumerate((rows if most is None else rows[: most + 1]).iterator()):
        if most is not None and number == most:
            return Verified(last, None, complete=False)
        if event.sequence != last + 1 or event.previous_hash != previous or event.hash != hash_of(event):
            return Verified(last, last + 1, complete=False)
        previous, last = event.hash, event.sequence
    return Verified(last, None, complete=True)


def first_broken(workspace: Workspace) -> int | None:
    """Sequence number of the first event that does not fit the chain; None when all fit."""
    return verify(workspace).broken
