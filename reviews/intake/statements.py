"""A submission's reads and writes, in two batches of statements (`records.pipeline`).

The first locks and reads: idempotency key, texts, tools, trace, in the order of `decisions.locking`. The second writes.
What is rare, a past that contradicts the stored one, goes through `records.store`.
"""

from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, cast
from uuid import UUID

from django.utils import timezone
from psycopg.types.json import Jsonb

from reviews import models
from reviews.models import Action, AgentKey, Check, GuardProfile, IdempotencyKey, Trace
from reviews.models.base import uuid7
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context
from reviews.records import store
from reviews.records.pipeline import batch

_EARLIER: Final = "SELECT id FROM reviews_action WHERE agent_id = %s AND call_key = %s AND call_key <> ''"
# The row's place and writer tell its content: a version never changes in service, and is read once a process.
_PROFILE: Final = """
SELECT id, xmin::text || ctid::text FROM reviews_guardprofile WHERE workspace_id = %s ORDER BY version DESC LIMIT 1
"""
# In the order of their hashes, so that two submissions that share texts wait for each other in one order.
_STORE_TEXTS: Final = """
INSERT INTO reviews_text (id, created_at, workspace_id, digest, body)
SELECT id, %s, %s, digest, body FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS given (id, digest, body)
ORDER BY digest ON CONFLICT DO NOTHING
"""
# Read again: another submission may have stored them under keys of its own.
_TEXTS: Final = "SELECT digest, id FROM reviews_text WHERE workspace_id = %s AND digest = ANY(%s)"
_STORE_TOOLS: Final = """
INSERT INTO reviews_toolset (id, created_at, workspace_id, digest, tools) VALUES (%s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
"""
_TOOLS: Final = "SELECT id FROM reviews_toolset WHERE workspace_id = %s AND digest = %s"
_LATEST_REVISION: Final = """
FROM reviews_trace WHERE workspace_id = %s AND agent_id = %s AND external_id = %s ORDER BY revision DESC LIMIT 1
"""
# Locked, so that two submissions of one conversation append to its history one after the other.
_TRACE: Final = f"SELECT id, query_id {_LATEST_REVISION} FOR NO KEY UPDATE"
# A statement of its own behind the lock, which sees what whoever held it has appended.
_STEPS: Final = f"SELECT digest FROM reviews_step WHERE trace_id = (SELECT id {_LATEST_REVISION}) ORDER BY position"
_NAME_ACTION: Final = "UPDATE reviews_idempotencykey SET action_id = %s WHERE id = %s"


@dataclass(frozen=True)
class Found:
    """What stands of a submission's context, locked until the transaction ends."""

    earlier: bool
    """Whether an action was made of this submission before; nothing else is known then."""
    profile: GuardProfile
    texts: dict[str, UUID]
    """The keys of the stored texts, by their body."""
    tool_set: UUID
    trace: UUID | None
    """The latest revision of the conversation; None for a new one."""
    query: UUID | None
    steps: list[str]
    """Hashes of its history's entries."""


def prepare(
    agent_key: AgentKey, context: Context, external_id: str | None, call_key: str, reserved: IdempotencyKey | None
) -> Found:
    """Store the texts and tools, lock the conversation, and read what stands of it: one round trip."""
    workspace, now = agent_key.workspace_id, timezone.now()
    digests = sorted(((content_digest(body), body) for body in store.bodies_of(context)), key=itemgetter(0))
    documents = [store.tool_to_json(tool) for tool in context.tools]
    tools_digest = content_digest(documents)
    names, bodies = [digest for digest, _ in digests], [body for _, body in digests]
    conversation = (workspace, agent_key.agent_id, external_id)
    with batch() as statements:
        # First: a parallel twin waits here until this transaction has its action.
        key = statements.insert([reserved], unless_there=True) if reserved else None
        twin = statements.execute(_EARLIER, (agent_key.agent_id, call_key)) if call_key else None
        profile = statements.execute(_PROFILE, (workspace,))
        keys = [uuid7() for _ in names]
        statements.execute(_STORE_TEXTS, (now, workspace, keys, names, bodies))
        texts = statements.execute(_TEXTS, (workspace, names))
        statements.execute(_STORE_TOOLS, (uuid7(), now, workspace, tools_digest, Jsonb(documents)))
        tools = statements.execute(_TOOLS, (workspace, tools_digest))
        # A conversation without a name is new, and nobody else can have it.
        trace = statements.execute(_TRACE, conversation) if external_id else None
        steps = statements.execute(_STEPS, conversation) if external_id else None
    latest = trace.fetchone() if trace else None
    by_digest: dict[str, UUID] = dict(cast(Any, texts.fetchall()))
    return Found(
        earlier=bool((key and not key.rowcount) or (twin and twin.rowcount)),
        profile=_profile(*cast(Any, profile.fetchone())),
        texts={body: by_digest[digest] for digest, body in digests},
        tool_set=cast(Any, tools.fetchone())[0],
        trace=latest[0] if latest else None,
        query=latest[1] if latest else None,
        steps=[digest for (digest,) in steps.fetchall()] if steps else [],
    )


def write(
    action: Action, checks: list[Check], *, opened: Trace | None, steps: list[models.Step], reserved: UUID | None
) -> None:
    """Store the action with what belongs to it: one round trip. Raises `IntegrityError` for what another has stored."""
    with batch() as statements:
        if opened is not None:
            statements.insert([opened])
        statements.insert([*steps, action, *checks])
        if reserved is not None:
            statements.execute(_NAME_ACTION, (action.pk, reserved))


# As many workspaces as are busy at a time; each takes a kilobyte or two.
@lru_cache(maxsize=1024)
def _profile(key: UUID, content: str) -> GuardProfile:
    """The version of a profile, which never changes: `content` differs when somebody has written over it all the same."""
    return GuardProfile.objects.get(pk=key)
