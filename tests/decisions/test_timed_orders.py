"""A flood is decided by an order for hours; what is grave, other or later goes before a person."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews.decisions import decide, timed_orders
from reviews.decisions.order_conditions import OrderCondition, all_hold, check_conditions
from reviews.decisions.order_preview import preview_order
from reviews.errors import ConflictError, ForbiddenError
from reviews.models import Action, AuditEvent, OrderedDecision, Outcome, Status, TimedOrder
from reviews.profiles import versions
from reviews.provenance.core.context import ProposedAction
from reviews.provenance.core.findings import Finding, Misalignment, Relation, StageResult
from reviews.queue import groups
from reviews.queue.ordering import EVERYTHING
from reviews.retention import conversation_erasure
from tests.cast import REJECTED, UNSURE, WRONG, Cast, Script, flagged, propose
from tests.jobs import run_checks
from tests.panel import INJECTED, PANEL, Say

LABEL = ProposedAction("search_contacts", {"name": "lunch"})


def given(cast: Cast, outcome: Outcome = Outcome.REJECT, **changes: object) -> TimedOrder:
    """An order for calls like the one that waits."""
    (group, *_) = groups.group_items(cast.reviewer, EVERYTHING)
    kind = {"tool": group.tool, "stopped_by": group.stopped_by, "shape": group.shape, "outcome": outcome, "hours": 1}
    draft = timed_orders.draft_order(membership=cast.admin, **kind | changes)  # type: ignore[arg-type]
    return timed_orders.give_order(order=draft, membership=cast.admin)


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
    assert [each.decided for each in timed_orders.orders_in_force(cast.reviewer)] == [1]  # type: ignore[attr-defined]
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
    timed_orders.end_order(order=order, membership=cast.admin)
    assert proposed(cast).status == Status.PENDING
    past = timezone.now() - timedelta(seconds=1)
    TimedOrder.objects.filter(pk=order.pk).update(ended_at=None, ends_at=past)
    assert proposed(cast).status == Status.PENDING


def test_an_order_is_an_administrators_and_never_for_ever(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        timed_orders.draft_order(
            membership=cast.reviewer, tool="x", stopped_by="tool", shape="", outcome=Outcome.REJECT, hours=1
        )
    with pytest.raises(ConflictError):
        given(cast, hours=25)
    with pytest.raises(ConflictError):
        given(cast, stopped_by="")
    order = given(cast)
    with pytest.raises(IntegrityError), transaction.atomic():
        TimedOrder.objects.filter(pk=order.pk).update(ends_at=timezone.now() + timedelta(days=2))


PAYMENT = ProposedAction("money_transfer", {"to": "daniel.kim@example.org", "amount": 30})
SMALL_AND_KNOWN = [
    OrderCondition("/amount", "at_most", "100"),
    OrderCondition("/to", "one_of", "ann@example.org\ndaniel.kim@example.org"),
]


def unsure_payment(cast: Cast, script: Script, stage: StageResult = UNSURE) -> dict[str, Any]:
    """The kind of a payment that waits, and about which nobody can tell."""
    versions.new_version(membership=cast.admin, on_unknown="review")
    script(stage)
    flagged(cast, PAYMENT, trace_id="first")
    group = next(each for each in groups.group_items(cast.reviewer, EVERYTHING) if each.tool == PAYMENT.tool)
    return {"tool": group.tool, "shape": group.shape, "stopped_by": group.stopped_by}


def paid(cast: Cast, **arguments: object) -> Action:
    return proposed(cast, replace(PAYMENT, arguments={**PAYMENT.arguments, **arguments}))


def test_a_small_payment_to_a_known_recipient_passes_and_any_other_waits(cast: Cast, script: Script) -> None:
    kind = unsure_payment(cast, script)
    given(cast, Outcome.APPROVE, conditions=SMALL_AND_KNOWN, **kind)
    assert paid(cast, amount=100).decisions.get().decided_by == "policy"
    assert paid(cast, amount=100.01).status == Status.PENDING
    assert paid(cast, to="eve@example.org").status == Status.PENDING
    assert paid(cast, to="Daniel.kim@example.org").status == Status.PENDING


def test_what_something_speaks_against_waits_whatever_the_conditions(cast: Cast, script: Script) -> None:
    kind = unsure_payment(cast, script, REJECTED)
    given(cast, Outcome.APPROVE, conditions=SMALL_AND_KNOWN, **kind)
    assert paid(cast).status == Status.PENDING


def unproven(pointer: str) -> StageResult:
    finding = Finding(Relation.DERIVED_FROM, pointer, False, "It appears nowhere.")
    return StageResult("parameter", findings=(finding,), misalignment=Misalignment.PARAMETER)


def test_an_order_for_calls_in_which_one_value_fails_is_for_none_in_which_another_does(
    cast: Cast, script: Script
) -> None:
    call = ProposedAction("search_contacts", {"name": "lunch", "near": "here"})
    script(unproven("/name"))
    flagged(cast, call, trace_id="first")
    group = next(each for each in groups.group_items(cast.reviewer, EVERYTHING) if each.items[0].values.get("/near"))
    given(cast, Outcome.APPROVE, shape=group.shape, stopped_by=group.stopped_by)
    assert proposed(cast, call).status == Status.DECIDED
    script(unproven("/near"))
    assert proposed(cast, call).status == Status.PENDING


def test_what_the_strongest_objection_says_decides_whether_an_order_is_for_the_call(cast: Cast, say: Say) -> None:
    versions.new_version(membership=cast.admin, on_unknown="review", detectors=list(PANEL[:2]))
    say(UNSURE, UNSURE)
    flagged(cast, LABEL, trace_id="first")
    group = next(each for each in groups.group_items(cast.reviewer, EVERYTHING) if each.stopped_by == "undetermined")
    given(cast, Outcome.APPROVE, shape=group.shape, stopped_by=group.stopped_by)
    assert proposed(cast).status == Status.DECIDED
    say(UNSURE, INJECTED)
    assert proposed(cast).status == Status.PENDING


@pytest.mark.parametrize("decoy", [{"to/amount": 1}, {"to~1amount": 1}])
def test_a_name_with_a_slash_is_not_taken_for_a_value_within_another(decoy: dict[str, Any]) -> None:
    real: dict[str, Any] = {"to": {"amount": 90_000}}
    for arguments in ({**real, **decoy}, {**decoy, **real}):
        values = groups.flatten_arguments(arguments)
        assert values is not None
        assert (values["/to/amount"], len(values)) == (90_000, 2)


def test_an_empty_object_is_a_value() -> None:
    assert groups.flatten_arguments({"to": {}}) == {"/to": {}}


def test_an_order_for_a_conversation_that_is_erased_decides_nothing_of_another_one_of_its_name(cast: Cast) -> None:
    order = given(cast, conversation="conv-1", agent=cast.agent.agent)
    assert proposed(cast).status == Status.DECIDED
    conversation_erasure.erase_conversation(cast.workspace, "conv-1")
    assert proposed(cast).status == Status.PENDING
    assert not TimedOrder.objects.filter(pk=order.pk).exists()
    assert not AuditEvent.objects.filter(details__conversation="conv-1").exists()


def test_an_order_for_one_conversation_leaves_all_others_alone(cast: Cast, script: Script) -> None:
    script(REJECTED)
    order = given(cast, conversation="conv-7", agent=cast.agent.agent)
    elsewhere = proposed(cast)
    assert elsewhere.status == Status.PENDING
    TimedOrder.objects.filter(pk=order.pk).update(conversation=elsewhere.trace.external_id)
    inside = propose(cast, LABEL, trace_id=elsewhere.trace.external_id)
    run_checks(inside.pk)
    assert inside.decisions.get().ordered.order == order
    with pytest.raises(ConflictError):
        given(cast, conversation="conv-7")


def test_a_preview_tells_what_an_order_would_have_decided_and_changes_nothing(cast: Cast, script: Script) -> None:
    kind = unsure_payment(cast, script)
    rejected = paid(cast, amount=90)
    decide.decide_action(action=rejected, choice=decide.Reject(), membership=cast.reviewer)
    paid(cast, amount=900)
    draft = timed_orders.draft_order(
        membership=cast.admin, outcome=Outcome.APPROVE, hours=1, conditions=SMALL_AND_KNOWN, **kind
    )
    preview = preview_order(draft, cast.admin)
    assert preview.outcomes == {"pending": 1, "reject": 1}
    assert (preview.looked_at, preview.actions[0]) == (3, rejected)
    assert not TimedOrder.objects.exists()


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        (OrderCondition("/x", "at_most", "100"), 100, True),
        (OrderCondition("/x", "at_most", "100"), 10**30, False),
        (OrderCondition("/x", "at_most", "100"), "50", False),
        (OrderCondition("/x", "at_most", "100"), True, False),
        (OrderCondition("/x", "at_most", "100"), None, False),
        (OrderCondition("/x", "at_most", "100"), [50], False),
        (OrderCondition("/x", "at_least", "0"), -0.5, False),
        (OrderCondition("/x", "at_least", "0"), 0, True),
        (OrderCondition("/x", "one_of", "a\n b "), "b", True),
        (OrderCondition("/x", "one_of", "a\nb"), "B", False),
        (OrderCondition("/x", "one_of", "a\nb"), ["a"], False),
        (OrderCondition("/x", "one_of", "7"), 7, True),
        (OrderCondition("/y", "one_of", "a"), "a", False),
    ],
)
def test_a_condition_holds_only_for_what_is_proven_to_fit(
    condition: OrderCondition, value: object, holds: bool
) -> None:
    assert condition.holds_for({"/x": value}) is holds


@pytest.mark.parametrize(
    ("conditions", "value", "holds"),
    [
        ([("at_most", "100")], 0, True),
        ([("at_most", "100")], -1000, False),
        ([("at_most", "0")], -0.01, False),
        ([("at_most", "100"), ("at_least", "-1000")], -1000, True),
        ([("at_most", "-5")], -6, True),
        ([("at_most", "100"), ("one_of", "-7")], -7, False),
        ([("one_of", "-7")], -7, True),
    ],
)
def test_an_upper_limit_alone_lets_nothing_below_zero_pass(
    conditions: list[tuple[str, str]], value: float, holds: bool
) -> None:
    assert all_hold([OrderCondition("/x", *condition) for condition in conditions], {"/x": value}) is holds


@pytest.mark.parametrize(
    "condition",
    [
        OrderCondition("", "at_most", "1"),
        OrderCondition("/x", "above", "1"),
        OrderCondition("/x", "at_most", "many"),
        OrderCondition("/x", "at_most", "NaN"),
        OrderCondition("/x", "at_most", "Infinity"),
        OrderCondition("/x", "one_of", " \n "),
        OrderCondition("/x", "one_of", "x" * 2001),
        OrderCondition("/x\x00", "one_of", "a"),
        OrderCondition("/x", "one_of", "a\x00"),
        OrderCondition("/" + "x" * 500, "one_of", "a"),
    ],
)
def test_a_condition_that_cannot_be_compared_is_refused(condition: OrderCondition) -> None:
    with pytest.raises(ConflictError):
        check_conditions([condition])
