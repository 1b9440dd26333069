"""A submission's reads and writes, in two batches of statements (`models.pipeline`).

The first locks and reads: idempotency key, texts, tools, trace, in the order of `decisions.locking`. The second writes.
What is rare, a past that contradicts the stored one, goes through `records.store`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast
from uuid import UUID

from django.utils import timezone
from psycopg.types.json import Jsonb

from reviews import models
from reviews.models import Action, AgentKey, Check, GuardProfile, IdempotencyKey, ModelResponse, Trace, pipeline
from reviews.models.base import uuid7
from reviews.models.sql import idempotency_keys, texts, traces
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Context
from reviews.records import store, texts_lock


@dataclass(frozen=True)
class ExistingConversation:
    """What stands of a submission's context, locked until the transaction ends."""

    earlier: bool
    """Whether an action was made of this submission before; nothing else is known then."""
    profile: GuardProfile
    texts: dict[str, UUID]
    """The keys of the stored texts, by their body."""
    tool_set: UUID
    tools_digest: str
    trace: UUID | None
    """The latest revision of the conversation; None for a new one."""
    query: UUID | None
    steps: list[str]
    """Hashes of its history's entries."""


def lock_and_read(
    agent_key: AgentKey, context: Context, external_id: str | None, call_key: str, reserved: IdempotencyKey | None
) -> ExistingConversation:
    """Store the texts and tools, lock the conversation, and read what stands of it: one round trip."""
    workspace, now = agent_key.workspace_id, timezone.now()
    digests = {content_digest(body): body for body in store.bodies_of(context)}
    documents = [store.tool_to_json(tool) for tool in context.tools]
    tools = content_digest(documents)
    names = sorted(digests)
    new_texts = ([uuid7() for _ in names], names, [digests[name] for name in names])
    stored_by_now = (workspace, names, workspace, tools)
    conversation = (workspace, agent_key.agent_id, external_id or "")
    with pipeline.batch():
        # Before the texts are looked up: what is found must still be there when the transaction refers to it.
        pipeline.execute(texts_lock.SHARE_LOCK, [texts_lock.name_of(workspace)])
        # First of what is stored: a parallel twin waits here until this transaction has its action.
        key = pipeline.insert_rows([reserved], unless_there=True) if reserved else None
        new_tools = (uuid7(), now, workspace, tools, Jsonb(documents))
        contents = pipeline.execute(texts.INSERT_MISSING, (*new_texts, now, workspace, *new_tools, *stored_by_now))
        # A conversation without a name is new, and nobody else can have it.
        trace = pipeline.execute(traces.LOCK_LATEST, conversation) if external_id else None
        standing = pipeline.execute(traces.SELECT_STATE, (*conversation, agent_key.agent_id, call_key, workspace))
    keys: dict[str, UUID] = dict(cast(Any, contents.fetchall()))
    if len(keys) <= len(names):
        keys = dict(cast(Any, pipeline.execute(texts.SELECT_STORED, stored_by_now).fetchall()))
    profile, content, steps, twin = cast(Any, standing.fetchone())
    latest = trace.fetchone() if trace else None
    return ExistingConversation(
        earlier=twin is not None or bool(key and not key.rowcount),
        profile=_read_profile(profile, content),
        texts={body: keys[digest] for digest, body in digests.items()},
        tool_set=keys[tools],
        tools_digest=tools,
        trace=latest[0] if latest else None,
        query=latest[1] if latest else None,
        steps=steps or [] if latest else [],
    )


def insert_submission(
    action: Action,
    checks: list[Check],
    *,
    opened: Trace | None,
    steps: list[models.Step],
    response: ModelResponse | None,
    reserved: UUID | None,
) -> None:
    """Store the action with what belongs to it: one round trip. Raises `IntegrityError` for what another has stored."""
    rows = [*([opened] if opened else ()), *steps, action, *checks, *([response] if response else ())]
    if reserved is None:
        pipeline.insert_rows(rows)
        return
    with pipeline.batch():
        pipeline.insert_rows(rows)
        pipeline.execute(idempotency_keys.NAME_ACTION, (action.pk, reserved))


# As many workspaces as are busy at a time; each takes a kilobyte or two.
@lru_cache(maxsize=1024)
def _read_profile(key: UUID, content: str) -> GuardProfile:
    """The version of a profile, which never changes: `content` differs when somebody has written over it."""
    return GuardProfile.objects.get(pk=key)
