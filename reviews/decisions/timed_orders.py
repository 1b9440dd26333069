"""Orders: calls of one kind are decided without a person for some hours.

An order may be narrowed to one conversation and by conditions on the arguments. Grave calls are decided by none, but by
one with conditions: whoever says how much may go to whom has thought of it; and then only where nothing speaks against
the call.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import outcomes
from reviews.decisions.order_conditions import OrderCondition, all_hold, check_conditions
from reviews.errors import ConflictError
from reviews.models import (
    Action,
    Agent,
    Check,
    DecidedBy,
    Membership,
    OrderedDecision,
    Outcome,
    TimedOrder,
    VerdictLabel,
)
from reviews.models.timed_orders import MAX_ORDER_TIME
from reviews.profiles.options import is_grave
from reviews.provenance.core.canonical import content_digest
from reviews.queue.filtering import UNPROVEN, stopped_by, strongest
from reviews.queue.groups import failing_relations, flatten_arguments, shape_of

# Neither refuted nor brought about by an order in data, which is a type of failure.
_NOTHING_AGAINST: Final = frozenset({UNPROVEN, VerdictLabel.UNDETERMINED.value})


def draft_order(
    *,
    membership: Membership,
    tool: str,
    stopped_by: str,
    shape: str,
    outcome: Outcome,
    hours: int,
    agent: Agent | None = None,
    message: str = "",
    conditions: Sequence[OrderCondition] = (),
    conversation: str = "",
) -> TimedOrder:
    """An order that is not in force yet, to be given or previewed. Raises `ForbiddenError` and `ConflictError`."""
    access.require(membership, access.Permission.ADMINISTER)
    lasting = timedelta(hours=hours)
    if not timedelta() < lasting <= MAX_ORDER_TIME:
        raise ConflictError("An order lasts an hour to a day. For longer, change the guard profile.")
    if not stopped_by:
        raise ConflictError("A policy of the workspace stops these calls. Change it in the guard profile.")
    if conversation and agent is None:
        raise ConflictError("An order for one conversation is for its agent alone.")
    check_conditions(conditions)
    return TimedOrder(
        workspace=membership.workspace,
        tool=tool,
        stopped_by=stopped_by,
        shape=shape,
        agent=agent,
        outcome=outcome,
        message=message,
        conditions=[condition.stored() for condition in conditions],
        conversation=conversation,
        created_by=membership.user,
        ends_at=timezone.now() + lasting,
    )


@transaction.atomic
def give_order(*, order: TimedOrder, membership: Membership) -> TimedOrder:
    """Put a draft in force: from now on calls of its kind are decided so. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    order.save(force_insert=True)
    details = {
        "tool": order.tool,
        "stopped_by": order.stopped_by,
        "outcome": order.outcome,
        "ends_at": order.ends_at.isoformat(),
        "conditions": order.conditions,
        # Not the name, which may be a person's: the log outlives an erasure of the conversation.
        "conversation": order.conversation and content_digest(order.conversation),
    }
    audit.record(
        workspace=membership.workspace, verb="order.given", subject=str(order.pk), by=membership, details=details,
        name=order.tool,
    )  # fmt: skip
    return order


@transaction.atomic
def end_order(*, order: TimedOrder, membership: Membership) -> None:
    """End it now; ending one that has ended changes nothing. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    now = timezone.now()
    if TimedOrder.objects.filter(pk=order.pk, ended_at__isnull=True, ends_at__gt=now).update(ended_at=now):
        audit.record(
            workspace=membership.workspace, verb="order.ended", subject=str(order.pk), by=membership, name=order.tool
        )


def orders_in_force(membership: Membership) -> QuerySet[TimedOrder]:
    """The workspace's orders that still decide, each with `decided`, how many calls it has decided."""
    orders = access.timed_orders_for(membership).filter(_in_force()).select_related("created_by", "agent")
    return orders.annotate(decided=Count("decisions")).order_by("ends_at")


def decide_by_order(action: Action, checks: Sequence[Check]) -> bool:
    """Decide a call that is about to stop by the order for its kind. Returns whether there is one that may."""
    orders = TimedOrder.objects.filter(_in_force(), workspace=action.workspace_id, tool=action.tool)
    orders = orders.filter(Q(agent=None) | Q(agent=action.agent_id)).select_related("created_by").order_by("created_at")
    order = next((order for order in orders if is_decided_by(order, action, checks)), None)
    if order is None:
        return False
    decision = outcomes.decide_without_a_person(
        action, Outcome(order.outcome), DecidedBy.POLICY, _words_of(order), audit_rate=order.audit_rate
    )
    OrderedDecision.objects.create(decision=decision, order=order)
    return True


def is_decided_by(order: TimedOrder, action: Action, checks: Sequence[Check]) -> bool:
    """Whether the order is for this call of its tool, and agent, and may decide it."""
    reasons, values = _reasons_of(checks), flatten_arguments(action.arguments)
    if order.stopped_by != strongest(reasons):
        return False
    if order.agent_id not in (None, action.agent_id) or order.conversation not in ("", action.trace.external_id):
        return False
    failing = failing_relations([action.pk]).get(action.pk, ())
    if order.shape != shape_of(values, failing, action.digest):
        return False
    conditions = [OrderCondition(**stored) for stored in order.conditions]
    if conditions and (values is None or not all_hold(conditions, values)):
        return False
    # Of several detectors another may have found what the first did not.
    may_be_grave = bool(conditions) and _NOTHING_AGAINST.issuperset(reasons)
    return may_be_grave or not is_grave(action)


def _in_force() -> Q:
    return Q(ended_at__isnull=True, ends_at__gt=timezone.now())


def _reasons_of(checks: Sequence[Check]) -> list[str]:
    """What each check says against the call, of those that say anything."""
    reasons = (stopped_by(check.verdict, check.misalignment, established=check.established) for check in checks)
    return [reason for reason in reasons if reason]


def _words_of(order: TimedOrder) -> str:
    """What stands with each decision, and what the agent is told of a rejection."""
    if order.outcome == Outcome.REJECT and order.message:
        return order.message
    return f"{order.created_by.get_username()} ordered this for calls like it, until {order.ends_at:%H:%M} UTC."
