"""Erase one conversation because somebody asked for it, its labels too. A tombstone and an audit entry stay."""

from django.db import transaction
from django.utils import timezone

from reviews import audit
from reviews.errors import UndecidedError
from reviews.models import OPEN, Action, Dataset, Text, TimedOrder, Trace, Workspace
from reviews.provenance.core.canonical import content_digest
from reviews.records import texts_lock
from reviews.retention import dataset_erasure
from reviews.retention.removal import ERASED, Removed, empty_trace, remove_unused


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
        actions = sum(map(empty_trace, traces))
        # The name itself may be somebody's; a new conversation of this name is another one, which no order for this one
        # decides.
        agents = {trace.agent_id for trace in traces}
        TimedOrder.objects.filter(workspace=workspace, agent__in=agents, conversation=external_id).delete()
        for trace in traces:
            Trace.objects.filter(pk=trace.pk).update(
                query=tombstone, external_id=f"erased-{trace.pk}", invariants={}, erased_at=timezone.now()
            )
        for trace in traces:
            # A sandbox has no members who could read a log of its own.
            log = workspace.sandbox_of or workspace
            audit.record(workspace=log, verb="trace.erased", subject=str(trace.pk), details={"actions": actions})
    # All that nobody refers to any more, however young: that is what was asked for.
    return Removed(len(traces), actions, *(remove_unused(workspace, timezone.now()) if traces else (0, 0)))


@transaction.atomic
def erase_imported(dataset: Dataset, conversation: str) -> int:
    """Erase the imported calls of the conversation of this name from the dataset; an audit entry stays.

    Returns how many there were. Calls of the workspace's own record go with their conversation (`erase_conversation`).
    """
    imported = dataset.items.filter(conversation=conversation, action__isnull=True, erased_at__isnull=True)
    erased = dataset_erasure.erase_items(imported.values_list("pk", flat=True), reason=ERASED)
    if erased:
        # Not the conversation's name, which may be somebody's.
        audit.record(
            workspace=dataset.workspace,
            verb="dataset.erased",
            subject=str(dataset.pk),
            details={"items": erased},
            name=dataset.name,
        )
    return erased
