"""Orders for a flood: calls of one kind are decided without a person for some hours. Grave calls never are."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from reviews import access, audit
from reviews.decisions import outcomes
from reviews.errors import ConflictError
from reviews.models import Action, Agent, Check, DecidedBy, Membership, OrderedDecision, Outcome, TimedOrder
from reviews.models.orders import MAX_ORDER_TIME
from reviews.profiles.options import is_grave
from reviews.queue.groups import flatten_arguments, shape_of
from reviews.queue.selection import stopped_by


@transaction.atomic
def give_order(
    *,
    membership: Membership,
    tool: str,
    stopped_by: str,
    shape: str,
    outcome: Outcome,
    hours: int,
    agent: Agent | None = None,
    message: str = "",
) -> TimedOrder:
    """From now on decide calls of this kind so, for some hours. Raises `ForbiddenError` and `ConflictError`."""
    access.require(membership, access.Permission.ADMINISTER)
    lasting = timedelta(hours=hours)
    if not timedelta() < lasting <= MAX_ORDER_TIME:
        raise ConflictError("An order lasts an hour to a day. For longer, change the guard profile.")
    if not stopped_by:
        raise ConflictError("A policy of the workspace stops these calls. Change it in the guard profile.")
    order = TimedOrder.objects.create(
        workspace=membership.workspace,
        tool=tool,
        stopped_by=stopped_by,
        shape=shape,
        agent=agent,
        outcome=outcome,
        message=message,
        created_by=membership.user,
        ends_at=timezone.now() + lasting,
    )
    details = {"tool": tool, "stopped_by": stopped_by, "outcome": outcome, "hours": hours}
    audit.record(
        workspace=membership.workspace, verb="order.given", subject=str(order.pk), by=membership, details=details
    )
    return order


@transaction.atomic
def end_order(*, order: TimedOrder, membership: Membership) -> None:
    """End it now; ending one that has ended changes nothing. Raises `ForbiddenError`."""
    access.require(membership, access.Permission.ADMINISTER)
    now = timezone.now()
    if TimedOrder.objects.filter(pk=order.pk, ended_at__isnull=True, ends_at__gt=now).update(ended_at=now):
        audit.record(workspace=membership.workspace, verb="order.ended", subject=str(order.pk), by=membership)


def orders_in_force(membership: Membership) -> QuerySet[TimedOrder]:
    """The workspace's orders that still decide, each with `decided`, how many calls it has decided."""
    orders = access.timed_orders_for(membership).filter(_in_force()).select_related("created_by", "agent")
    return orders.annotate(decided=Count("decisions")).order_by("ends_at")


def decide_by_order(action: Action, checks: Sequence[Check]) -> bool:
    """Decide a call that is about to stop by the order for its kind. Returns whether there is one that may."""
    orders = TimedOrder.objects.filter(_in_force(), workspace=action.workspace_id, tool=action.tool)
    orders = orders.filter(Q(agent=None) | Q(agent=action.agent_id)).select_related("created_by").order_by("created_at")
    kind = _kind_of(action, checks)
    order = next((order for order in orders if (order.stopped_by, order.shape) == kind), None)
    if order is None or is_grave(action):
        return False
    decision = outcomes.decide_without_a_person(
        action, Outcome(order.outcome), DecidedBy.POLICY, _words_of(order), audit_rate=order.audit_rate
    )
    OrderedDecision.objects.create(decision=decision, order=order)
    return True


def _in_force() -> Q:
    return Q(ended_at__isnull=True, ends_at__gt=timezone.now())


def _kind_of(action: Action, checks: Sequence[Check]) -> tuple[str, str]:
    """What stopped the call and the shape of its arguments, as `queue.groups` has them."""
    reasons = (stopped_by(check.verdict, check.misalignment, established=check.established) for check in checks)
    values = flatten_arguments(action.arguments)
    return next(filter(None, reasons), ""), action.digest if values is None else shape_of(values)


def _words_of(order: TimedOrder) -> str:
    """What stands with each decision, and what the agent is told of a rejection."""
    if order.outcome == Outcome.REJECT and order.message:
        return order.message
    return f"{order.created_by.get_username()} ordered this for calls like it, until {order.ends_at:%H:%M} UTC."
