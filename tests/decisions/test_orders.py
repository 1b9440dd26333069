"""A flood is decided by an order for hours; what is grave, other or later goes before a person."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews.decisions import orders
from reviews.errors import ConflictError, ForbiddenError
from reviews.models import Action, AuditEvent, OrderedDecision, Outcome, Status, TimedOrder
from reviews.provenance.core.context import ProposedAction
from reviews.queue import groups
from reviews.queue.order import EVERYTHING
from tests.cast import REJECTED, WRONG, Cast, Script, flagged, propose
from tests.jobs import run_checks

LABEL = ProposedAction("search_contacts", {"name": "lunch"})


def given(cast: Cast, outcome: Outcome = Outcome.REJECT, **changes: object) -> TimedOrder:
    """An order for calls like the one that waits."""
    (group, *_) = groups.group_items(cast.reviewer, EVERYTHING)
    kind = {"tool": group.tool, "stopped_by": group.stopped_by, "shape": group.shape, "outcome": outcome, "hours": 1}
    return orders.give_order(membership=cast.admin, **kind | changes)  # type: ignore[arg-type]


def proposed(cast: Cast, action: ProposedAction = LABEL) -> Action:
    """The call once it is checked."""
    submitted = propose(cast, action, trace_id=f"conv-{Action.objects.count()}")
    run_checks(submitted.pk)
    return Action.objects.get(pk=submitted.pk)


@pytest.fixture(autouse=True)
def _stopped(cast: Cast, script: Script) -> None:
    """Every call stops; one waits."""
    script(REJECTED)
    flagged(cast, LABEL)


def test_calls_like_it_are_decided_by_the_order_and_counted(cast: Cast) -> None:
    order = given(cast, message="Not now.")
    action = proposed(cast, ProposedAction("search_contacts", {"name": "dinner"}))
    decision = action.decisions.get()
    assert (action.status, decision.outcome, decision.decided_by, decision.message) == (
        Status.DECIDED, "reject", "policy", "Not now.",
    )  # fmt: skip
    assert OrderedDecision.objects.get(decision=decision).order == order
    assert [each.decided for each in orders.orders_in_force(cast.reviewer)] == [1]  # type: ignore[attr-defined]
    assert AuditEvent.objects.filter(verb="order.given", details__tool="search_contacts").exists()


def test_a_share_of_what_it_lets_pass_is_drawn_for_audit(cast: Cast) -> None:
    TimedOrder.objects.filter(pk=given(cast, Outcome.APPROVE).pk).update(audit_rate=1)
    assert proposed(cast).decisions.get().audit_probability == 1


@pytest.mark.parametrize(
    "action", [ProposedAction("search_contacts", {"name": 3}), ProposedAction("request_money", {"name": "lunch"})]
)
def test_what_is_not_like_it_waits(cast: Cast, action: ProposedAction) -> None:
    given(cast)
    assert proposed(cast, action).status == Status.PENDING


def test_a_grave_call_waits_whatever_the_order(cast: Cast) -> None:
    review = flagged(cast, WRONG, trace_id="grave")
    group = next(each for each in groups.group_items(cast.reviewer, EVERYTHING) if each.tool == review.action.tool)
    given(cast, Outcome.APPROVE, tool=group.tool, shape=group.shape)
    assert proposed(cast, WRONG).status == Status.PENDING
    assert not OrderedDecision.objects.exists()


def test_an_order_ends_by_itself_by_hand_and_for_other_agents(cast: Cast) -> None:
    order = given(cast, agent=cast.outside_agent.agent)
    assert proposed(cast).status == Status.PENDING
    TimedOrder.objects.filter(pk=order.pk).update(agent=None)
    orders.end_order(order=order, membership=cast.admin)
    assert proposed(cast).status == Status.PENDING
    past = timezone.now() - timedelta(seconds=1)
    TimedOrder.objects.filter(pk=order.pk).update(ended_at=None, ends_at=past)
    assert proposed(cast).status == Status.PENDING


def test_an_order_is_an_administrators_and_never_for_ever(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        orders.give_order(
            membership=cast.reviewer, tool="x", stopped_by="tool", shape="", outcome=Outcome.REJECT, hours=1
        )
    with pytest.raises(ConflictError):
        given(cast, hours=25)
    with pytest.raises(ConflictError):
        given(cast, stopped_by="")
    order = given(cast)
    with pytest.raises(IntegrityError), transaction.atomic():
        TimedOrder.objects.filter(pk=order.pk).update(ends_at=timezone.now() + timedelta(days=2))
