"""Groups of waiting items that are alike, and one decision for all that are chosen of a group."""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.decisions import timed_orders
from reviews.decisions.decide import Approve, Choice, decide_action
from reviews.decisions.order_conditions import OPERATORS, OrderCondition
from reviews.decisions.order_preview import OrderPreview, preview_order
from reviews.desk.groups.forms import MAX_DECIDED, GroupForm, OrderForm, check_shown, sign_items
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.queue.filters import Filters
from reviews.desk.review.case.consequence import weigh_action
from reviews.errors import ApprovedByYouError, ConflictError, found
from reviews.models import Membership, Review, TimedOrder
from reviews.queue.groups import (
    MAX_GROUPED,
    MAX_NAME_SHOWN,
    MAX_SHOWN,
    GroupedItem,
    ItemGroup,
    flatten_arguments,
    group_items,
    is_shown_whole,
    requests_behind,
)
from reviews.queue.ordering import EVERYTHING

# A list to choose from; of more, none in particular is meant.
MAX_CONVERSATIONS: Final = 50
# Sentences that say why items stopped, the commonest first: as many as are read before deciding about all of them.
MAX_REASONS: Final = 3
_AWAIT_SECOND: Final = "have your approval, and wait for another person's"


@dataclass(frozen=True)
class GroupRow:
    """One item of a group as its page lists it."""

    item: GroupedItem
    apart: list[tuple[str, Any]]
    """What it has where it differs from nearly all others, with the pointers."""
    values: list[Any]
    request: str
    """What the user had asked last, or the beginning of it."""
    is_chosen: bool


@require_safe
@never_cache
@member_page
def group_list(request: MemberRequest) -> HttpResponse:
    """The groups among what waits, the largest first."""
    access.require(request.membership, access.Permission.VIEW)
    filters = Filters.of(request.GET)
    groups = group_items(request.membership, filters.selection)
    context = {
        "groups": [group for group in groups if len(group.items) > 1],
        "singles": sum(len(group.items) == 1 for group in groups),
        "within": filters.first_page().within,
        "orders": [(order, _words_of(order)) for order in timed_orders.orders_in_force(request.membership)],
        "administers": access.can(request.membership, access.Permission.ADMINISTER),
        "cut": sum(len(group.items) for group in groups) >= MAX_GROUPED,
        "looked_at": MAX_GROUPED,
    }
    return render(request, "groups/list.html", context)


@require_safe
@never_cache
@member_page
def group_page(request: MemberRequest, key: str) -> HttpResponse:
    """One group: what its items share, which stand out, and the form that decides them."""
    access.require(request.membership, access.Permission.VIEW)
    return _show_group(request, _find_group(request, key))


@require_safe
@never_cache
@member_page
def open_group(request: MemberRequest, review_id: UUID) -> HttpResponse:
    """Lead to the group of a waiting item, be it alone in it."""
    access.require(request.membership, access.Permission.VIEW)
    groups = group_items(request.membership, EVERYTHING)
    holding = (group for group in groups if any(item.review_id == review_id for item in group.items))
    return redirect("group", found(next(holding, None), "group among the first items of the queue").key)


@require_POST
@member_page
def decide_group(request: MemberRequest, key: str) -> HttpResponse:
    """Decide the chosen items one after the other. What cannot be decided is left, and told of."""
    access.require(request.membership, access.Permission.DECIDE)
    try:
        shown_at, shown_items = check_shown(request.POST.get("seen", ""), request.membership)
    except ConflictError as error:
        messages.error(request, str(error))
        return redirect(reverse("group", args=[key]) + Filters.of(request.GET).within)
    chosen = [item for item in shown_items if str(item) in request.POST.getlist("item")]
    form = GroupForm(request.POST, chosen=len(chosen))
    if not form.is_valid():
        return _show_group(request, _find_group(request, key), form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    reviews = access.reviews_for(request.membership).filter(pk__in=chosen).order_by("pk")
    # Documents and profile are shared by most of a group, so they are read once each.
    reviews = reviews.prefetch_related("action__tool_set", "action__profile")
    tally = Counter(_decide_one(review, form.choice(), request.membership, shown_at) for review in reviews)
    _tell_outcome(request, tally, form.cleaned_data["outcome"])
    return redirect(reverse("groups") + Filters.of(request.GET).within)


@require_POST
@member_page
def give_order(request: MemberRequest, key: str) -> HttpResponse:
    """From now on decide calls like those of the group without a person, for some hours."""
    access.require(request.membership, access.Permission.ADMINISTER)
    group = _find_group(request, key)
    form = OrderForm(request.POST)
    if not form.is_valid():
        return _show_group(request, group, order_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        order = _draft_order(request.membership, group, form)
    except ConflictError as error:
        form.add_error(None, str(error))
        return _show_group(request, group, order_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if request.POST.get("do") == "preview":
        return _show_group(request, group, order_form=form, preview=preview_order(order, request.membership))
    timed_orders.give_order(order=order, membership=request.membership)
    messages.success(request, "The order is in force for what comes next; what waits already is still to be decided")
    return redirect("groups")


@require_POST
@member_page
def end_order(request: MemberRequest, order_id: UUID) -> HttpResponse:
    """End an order before its time."""
    access.require(request.membership, access.Permission.ADMINISTER)
    order = found(access.timed_orders_for(request.membership).filter(pk=order_id).first(), "order")
    timed_orders.end_order(order=order, membership=request.membership)
    messages.success(request, f"Ended: {order.tool} goes before a person again")
    return redirect("groups")


def _draft_order(membership: Membership, group: ItemGroup, form: OrderForm) -> TimedOrder:
    """The order of a valid form. Raises `ConflictError`."""
    order = form.cleaned_data
    # The agent that the page named: meanwhile another one's item may have come into the group.
    agent = access.agents_for(membership).filter(name=order["agent"]).first()
    is_for_agent = order["only_agent"] or bool(order["conversation"])
    if is_for_agent and agent is None:
        raise ConflictError("There is no such agent. Reload the page, look again, then give the order.")
    return timed_orders.draft_order(
        membership=membership,
        tool=group.tool,
        stopped_by=group.stopped_by,
        shape=group.shape,
        agent=agent if is_for_agent else None,
        outcome=order["outcome"],
        hours=order["hours"],
        message=order["message"],
        conditions=form.conditions,
        conversation=order["conversation"],
    )


def _words_of(order: TimedOrder) -> list[str]:
    return [OrderCondition(**stored).words for stored in order.conditions]


def _conversations_of(membership: Membership, group: ItemGroup) -> list[str]:
    """The conversations of the group's items, as their agent calls them, for one of which an order may be."""
    actions = access.actions_for(membership).filter(pk__in=[item.action_id for item in group.items])
    names = actions.order_by().values_list("trace__external_id", flat=True).distinct()
    return sorted(names)[:MAX_CONVERSATIONS]


def _decide_one(review: Review, choice: Choice, membership: Membership, shown_at: Any) -> str:
    """Decide one item. Returns `done`, or why it was left."""
    action = review.action
    if isinstance(choice, Approve) and weigh_action(action).grave:
        return "are grave: each is approved on its own page"
    if isinstance(choice, Approve) and not is_shown_whole(flatten_arguments(action.arguments)):
        return "have values that are too long or too many for the table: each is approved on its own page"
    try:
        decision = decide_action(action=action, choice=choice, membership=membership, shown_at=shown_at)
    except ApprovedByYouError:
        return _AWAIT_SECOND
    except ConflictError:
        return "were decided, ended or claimed by somebody meanwhile"
    return _AWAIT_SECOND if decision.awaits_second else "done"


def _tell_outcome(request: MemberRequest, tally: Counter[str], outcome: str) -> None:
    decided = tally.pop("done", 0)
    if decided:
        messages.success(request, f"{'Approved' if outcome == 'approve' else 'Rejected'} {decided}")
    for reason, count in tally.items():
        messages.error(request, f"{count} {reason}")


def _find_group(request: MemberRequest, key: str) -> ItemGroup:
    groups = group_items(request.membership, Filters.of(request.GET).selection)
    return found(next((group for group in groups if group.key == key), None), "group")


def _show_group(
    request: MemberRequest,
    group: ItemGroup,
    form: GroupForm | None = None,
    *,
    order_form: OrderForm | None = None,
    preview: OrderPreview | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    outliers, listed = group.find_outliers(), group.items[:MAX_DECIDED]
    # Those that stand out come first: they are what a decision about all would get wrong.
    listed = sorted(listed, key=lambda item: item.review_id not in outliers)
    varied = group.varied
    chosen = _chosen_of(request.POST if form else None, group, outliers)
    requests = requests_behind([item.action_id for item in listed])
    rows = [
        GroupRow(
            item,
            [(pointer, item.compared_values.get(pointer)) for pointer in outliers.get(item.review_id, ())],
            [item.values.get(pointer) for pointer in varied],
            requests[item.action_id],
            item.review_id in chosen,
        )
        for item in listed
    ]
    one_agent = len({item.agent for item in group.items}) == 1
    context = {
        "group": group,
        "reasons": Counter(item.reason for item in group.items if item.reason).most_common(MAX_REASONS),
        "shared": _arguments_among(group.shared_values),
        "usual": _arguments_among(group.usual_values),
        "varied": varied,
        "rows": rows,
        "outliers": len(outliers),
        "chosen": sum(row.is_chosen for row in rows),
        "form": form,
        "order_form": order_form or OrderForm(),
        "operators": OPERATORS.items(),
        "preview": preview,
        "shown_length": MAX_SHOWN,
        "name_length": MAX_NAME_SHOWN,
        "one_agent": one_agent,
        "conversations": _conversations_of(request.membership, group) if one_agent else [],
        "administers": access.can(request.membership, access.Permission.ADMINISTER),
        "seen": sign_items(request.membership, [item.review_id for item in listed]),
        "within": Filters.of(request.GET).first_page().within,
        "may_decide": access.can(request.membership, access.Permission.DECIDE),
    }
    return render(request, "groups/group.html", context, status=status)


def _arguments_among(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """These values without the agent and the risk, which the rows tell."""
    return [(pointer, value) for pointer, value in values.items() if pointer.startswith("/")]


def _chosen_of(refused: QueryDict | None, group: ItemGroup, outliers: Container[UUID]) -> set[UUID]:
    """What is ticked: what was sent with a refused form, else all that do not stand out."""
    if refused is not None:
        return {item.review_id for item in group.items if str(item.review_id) in refused.getlist("item")}
    return {item.review_id for item in group.items if item.review_id not in outliers}
