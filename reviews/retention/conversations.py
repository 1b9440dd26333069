"""Let go of what is old, or of one conversation on request. Labels and the audit log stay.

Conversations go one transaction each, texts in small batches, so that no lock is held for long; whatever ends it in
between has done whole steps, and the next run goes on.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from reviews import audit
from reviews.errors import UndecidedError
from reviews.models import (
    OPEN,
    Action,
    DatasetItem,
    Execution,
    Label,
    Plan,
    Step,
    Text,
    ToolSet,
    Trace,
    Workspace,
)
from reviews.models.checks import CheckStatus
from reviews.models.sql import actions
from reviews.provenance.core.canonical import content_digest
from reviews.records import texts_lock
from reviews.retention import erasure

# A few milliseconds of statements: as long as submissions of the workspace may wait for it.
TEXTS_AT_ONCE: Final = 200
# Times of rows are made before their commit: far longer than any submission's transaction lasts.
SLACK: Final = timedelta(hours=1)
# What stands in place of the request of an erased conversation.
ERASED: Final = "(erased on request)"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Removed:
    """How many rows of each kind went, or would go."""

    traces: int = 0
    actions: int = 0
    texts: int = 0
    tool_sets: int = 0


def prunable_conversations(workspace: Workspace, before: datetime) -> QuerySet[Trace]:
    """Conversations in which nothing has happened since, nothing is undecided, nothing labelled or in a dataset.

    A label keeps its whole conversation, because it says something about a call in its context.
    """
    of_it = {"trace": OuterRef("pk")}
    actions = Action.objects.filter(**of_it)
    busy = (
        actions.filter(Q(created_at__gte=before) | Q(settled_at__gte=before) | Q(status__in=OPEN)),
        Plan.objects.filter(~Q(status=CheckStatus.DONE) | Q(created_at__gte=before), **of_it),
        Step.objects.filter(created_at__gte=before, **of_it),
        Label.objects.filter(action__trace=OuterRef("pk")),
        DatasetItem.objects.filter(action__trace=OuterRef("pk")),
    )
    old = Trace.objects.filter(workspace=workspace, created_at__lt=before)
    return old.filter(*(~Exists(rows) for rows in busy))


def prune_conversations(workspace: Workspace, before: datetime) -> Removed:
    """Remove the workspace's conversations that ended before then, and the texts and tools nobody refers to any more.

    Texts that a removal cannot get its turn for stay for the next run.
    """
    traces = actions = 0
    for trace_id in prunable_conversations(workspace, before).order_by("created_at").values_list("pk", flat=True):
        with transaction.atomic():
            # Looked at again under its lock: the agent may have gone on with it.
            locked = Trace.objects.select_for_update(no_key=True).filter(pk=trace_id).first()
            if locked is None or not prunable_conversations(workspace, before).filter(pk=trace_id).exists():
                continue
            actions += _empty_trace(locked)
            locked.delete()
            traces += 1
    removed = Removed(traces, actions, *_remove_unused(workspace, before))
    if any((removed.traces, removed.texts, removed.tool_sets)):
        details: dict[str, Any] = {"before": before.isoformat(), "traces": traces, "texts": removed.texts}
        audit.record(workspace=workspace, verb="traces.pruned", subject="retention", details=details)
    return removed


def erase_conversation(workspace: Workspace, external_id: str, *, agent: str | None = None) -> Removed:
    """Remove all content of the conversation of this name, its labels too; a tombstone and an audit entry stay.

    Returns no traces when there is none of this name. Raises `UndecidedError` while a call of it is undecided.
    """
    named_traces = Trace.objects.filter(workspace=workspace, external_id=external_id, erased_at__isnull=True)
    if agent is not None:
        named_traces = named_traces.filter(agent__name=agent)
    with transaction.atomic():
        # Before the traces, as in a submission: texts come first in `decisions.locking`.
        texts_lock.share_lock(workspace.pk)
        tombstone, _ = Text.objects.get_or_create(
            workspace=workspace, digest=content_digest(ERASED), defaults={"body": ERASED}
        )
        traces = list(named_traces.select_for_update(no_key=True).order_by("revision"))
        if Action.objects.filter(trace__in=traces, status__in=OPEN).exists():
            raise UndecidedError("A call of this conversation is undecided: decide or cancel it first.")
        actions = sum(map(_empty_trace, traces))
        # The name itself may be somebody's; a new conversation of this name is another one.
        for trace in traces:
            Trace.objects.filter(pk=trace.pk).update(
                query=tombstone, external_id=f"erased-{trace.pk}", invariants={}, erased_at=timezone.now()
            )
        for trace in traces:
            audit.record(workspace=workspace, verb="trace.erased", subject=str(trace.pk), details={"actions": actions})
    # All that nobody refers to any more, however young: that is what was asked for.
    return Removed(len(traces), actions, *(_remove_unused(workspace, timezone.now()) if traces else (0, 0)))


def _empty_trace(trace: Trace) -> int:
    """Remove all that hangs on a locked trace; returns how many actions that were."""
    actions = Action.objects.filter(trace=trace)
    # Held, in one order: whoever puts them into a dataset has done so, or finds them gone.
    number = len(actions.select_for_update().order_by("pk").values_list("pk"))
    # Its items in datasets hold on to the actions; frozen versions say that they are gone.
    erasure.erase_trace(trace, reason=ERASED)
    # First what protects a decision and a step.
    Execution.objects.filter(action__trace=trace).delete()
    actions.delete()
    Plan.objects.filter(trace=trace).delete()
    Step.objects.filter(trace=trace).delete()
    return number


def _remove_unused(workspace: Workspace, before: datetime) -> tuple[int, int]:
    """Remove the texts and tool sets from before then that nothing refers to; returns how many of each."""
    began = timezone.now() - SLACK
    # One pass over all actions, before anybody is kept waiting: these references are no foreign keys.
    referenced = _digests_in_sources(workspace, workspace.created_at)
    removed = [0, 0]
    for position, unused in enumerate((_unused_texts(workspace, before), _unused_tools(workspace, before))):
        for batch in _iterate_batches(unused, TEXTS_AT_ONCE):
            try:
                with transaction.atomic():
                    texts_lock.hold_lock(workspace.pk)
                    referenced |= _digests_in_sources(workspace, began)
                    # The same condition again, now that nobody can refer to any of them.
                    still_unused = unused.filter(pk__in=batch)
                    removed[position] += (
                        still_unused.exclude(digest__in=referenced) if position == 0 else still_unused
                    ).delete()[0]
            except OperationalError:
                _log.warning("submissions were not to be kept waiting; %d rows stay for the next run", len(batch))
    return removed[0], removed[1]


def _unused_texts(workspace: Workspace, before: datetime) -> QuerySet[Any]:
    """Texts that no request and no step holds; some may still be further sources."""
    used = (Trace.objects.filter(query=OuterRef("pk")), Step.objects.filter(text=OuterRef("pk")))
    old = Text.objects.filter(workspace=workspace, created_at__lt=before).exclude(digest=content_digest(ERASED))
    return old.filter(*(~Exists(rows) for rows in used))


def _unused_tools(workspace: Workspace, before: datetime) -> QuerySet[Any]:
    used = (Action.objects.filter(tool_set=OuterRef("pk")), Plan.objects.filter(tool_set=OuterRef("pk")))
    return ToolSet.objects.filter(workspace=workspace, created_at__lt=before).filter(*(~Exists(rows) for rows in used))


def _digests_in_sources(workspace: Workspace, since: datetime) -> set[str]:
    """Digests of the texts that actions since then hold as further sources."""
    with connection.cursor() as cursor:
        cursor.execute(actions.SELECT_SOURCE_DIGESTS, [workspace.pk, since])
        return {digest for (digest,) in cursor.fetchall()}


def _iterate_batches(rows: QuerySet[Any], size: int) -> Iterator[Sequence[UUID]]:
    """The keys of these rows as they are now, so many at a time."""
    keys = rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=10 * size)
    while batch := list(islice(keys, size)):
        yield batch
