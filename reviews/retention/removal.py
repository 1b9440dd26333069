"""What goes with a conversation, and the texts that nobody refers to any more. The audit log stays.

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
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from reviews.models import Action, Execution, ExperimentArm, Plan, Step, Text, ToolSet, Trace, Workspace
from reviews.models.sql import actions
from reviews.provenance.core.canonical import content_digest
from reviews.records import texts_lock
from reviews.retention import dataset_erasure

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


def empty_trace(trace: Trace) -> int:
    """Remove all that hangs on a locked trace; returns how many actions that were."""
    actions = Action.objects.filter(trace=trace)
    # Held, in one order: whoever puts them into a dataset has done so, or finds them gone.
    number = len(actions.select_for_update().order_by("pk").values_list("pk"))
    # Its items in datasets hold on to the actions; frozen versions say that they are gone.
    dataset_erasure.erase_items_of(trace, reason=ERASED)
    # Verdicts of experiments go with their calls.
    dataset_erasure.forget_figures(ExperimentArm.objects.filter(verdicts__call__action__trace=trace))
    # First what protects a decision and a step.
    Execution.objects.filter(action__trace=trace).delete()
    actions.delete()
    Plan.objects.filter(trace=trace).delete()
    Step.objects.filter(trace=trace).delete()
    return number


def remove_unused(workspace: Workspace, before: datetime) -> tuple[int, int]:
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
