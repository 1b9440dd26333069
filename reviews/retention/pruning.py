"""Let go of conversations that ended long ago. What is labelled, and the audit log, stays."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from reviews import audit
from reviews.models import OPEN, Action, DatasetItem, Label, Plan, Step, Trace, Workspace
from reviews.models.checks import CheckStatus
from reviews.retention.removal import Removed, empty_trace, remove_unused


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
            actions += empty_trace(locked)
            locked.delete()
            traces += 1
    removed = Removed(traces, actions, *remove_unused(workspace, before))
    if any((removed.traces, removed.texts, removed.tool_sets)):
        details: dict[str, Any] = {"before": before.isoformat(), "traces": traces, "texts": removed.texts}
        audit.record(workspace=workspace, verb="traces.pruned", subject="retention", details=details)
    return removed
