"""Equal calls of one conversation: what proves one of them does not prove the next beside it.

The engine holds a call against the history. What runs, or may, and is not told there, only the database knows: of an
agent that leaves its history out, or tells of two calls the same past.
"""

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from reviews.models import OPEN, RUNNABLE, Action, Decision, Status, Step, StepKind


def has_equal_under_way(action: Action) -> bool:
    """Whether another equal call of the conversation ran or may still run, and this one's past does not tell of it.

    Of two that are still open the earlier one goes first. Behind a further message of the user's it is not the same
    request any more. A call whose place a retry has taken runs no more.
    """
    permitted = Decision.objects.filter(action=OuterRef("pk"), in_force=True, outcome__in=RUNNABLE)
    # Its permission may be over before: that it is not used then is for a person to see.
    may_run = Q(status=Status.DECIDED, expires_at__gt=timezone.now(), retries=None) & Exists(permitted)
    is_ahead = Q(status__in=OPEN, pk__lt=action.pk)
    since = Step.objects.filter(trace=action.trace_id, position__gt=OuterRef("position"), position__lte=action.position)
    told = since.filter(Q(kind=StepKind.USER) | Q(kind=StepKind.CALL, tool=action.tool))
    equal = Action.objects.filter(trace=action.trace_id, digest=action.digest).exclude(pk=action.pk)
    return equal.filter(is_ahead | may_run | Q(execution__isnull=False)).exclude(Exists(told)).exists()
