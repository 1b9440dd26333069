"""Equal calls of one conversation: what proves one of them does not prove the next beside it.

The engine holds a call against the history. What runs, or may, and is not told there, only the database knows: of an
agent that leaves its history out, tells of two calls the same past, or shortens its past and tells it in other words.
"""

from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from reviews.models import OPEN, RUNNABLE, Action, Decision, Status, Step, StepKind, Trace


def has_equal_under_way(action: Action) -> bool:
    """Whether another equal call of the conversation ran or may still run, and this one's past does not tell of it.

    Of two that are still open the earlier one goes first. Behind a further message of the user's it is not the same
    request any more. A call whose place a retry has taken runs no more.
    """
    permitted = Decision.objects.filter(action=OuterRef("pk"), in_force=True, outcome__in=RUNNABLE)
    # Its permission may be over before: that it is not used then is for a person to see.
    may_run = Q(status=Status.DECIDED, expires_at__gt=timezone.now(), retries=None) & Exists(permitted)
    is_ahead = Q(status__in=OPEN, pk__lt=action.pk)
    conversation = {"workspace": action.workspace_id, "agent": action.agent_id, "external_id": action.trace.external_id}
    pasts = Trace.objects.filter(query=action.trace.query_id, **conversation)
    equal = Action.objects.filter(trace__in=pasts, digest=action.digest).exclude(pk=action.pk)
    under_way = equal.filter(is_ahead | may_run | Q(execution__isnull=False))
    # By their number, because two pasts of one request need not have the same places.
    counted = under_way.annotate(
        users=_count_steps(OuterRef("trace"), OuterRef("position"), kind=StepKind.USER),
        calls=_count_steps(OuterRef("trace"), OuterRef("position"), kind=StepKind.CALL, tool=action.tool),
        own_users=_count_steps(action.trace_id, action.position, kind=StepKind.USER),
        own_calls=_count_steps(action.trace_id, action.position, kind=StepKind.CALL, tool=action.tool),
    )
    past_calls = Step.objects.filter(trace=action.trace_id, position__lte=action.position, kind=StepKind.CALL)
    # A shorter past that tells of an equal call was held against that; which of several it is, its number cannot say.
    told_elsewhere = ~Q(trace=action.trace_id) & Exists(past_calls.filter(tool=action.tool, arguments=action.arguments))
    return counted.exclude(Q(own_users__gt=F("users")) | Q(own_calls__gt=F("calls")) | told_elsewhere).exists()


def _count_steps(trace: UUID | OuterRef, position: int | OuterRef, **kind: Any) -> Coalesce:
    """How many such steps a past has."""
    steps = Step.objects.filter(trace=trace, position__lte=position, **kind).order_by()
    return Coalesce(Subquery(steps.values("trace").annotate(count=Count("pk")).values("count")), 0)
