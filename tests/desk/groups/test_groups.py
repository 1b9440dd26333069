"""Items that are alike are decided together, by somebody who has seen and counted them."""

import re
from collections.abc import Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.desk.groups import forms
from reviews.models import Action, Decision, Review, Step, Text, TimedOrder
from reviews.queue import groups
from reviews.queue.ordering import EVERYTHING
from tests.cast import Cast
from tests.desk.desk import Desk, check_page, held, rejected_by_another, waiting


def flood(cast: Cast, arguments: Sequence[dict[str, Any]], tool: str = "label_note") -> list[Review]:
    """One waiting item for each of these arguments."""
    reviews = [waiting(cast, tool) for _ in arguments]
    for review, values in zip(reviews, arguments, strict=True):
        Action.objects.filter(pk=review.action_id).update(arguments=values)
    return reviews


def key_of(cast: Cast) -> str:
    """The largest group."""
    return groups.group_items(cast.reviewer, EVERYTHING)[0].key


def send(desk: Desk, key: str, chosen: Sequence[Review], *, count: int | None = None, **form: Any) -> Any:
    """Decide these items on the page of their group, which the person has had before them for a minute."""
    page = desk.shows(f"/queue/groups/{key}")
    token = re.search(r'name="seen"\s+value="([^"]+)"', page)
    assert token
    items = [str(review.pk) for review in chosen]
    data = {"seen": token[1], "item": items, "count": count or len(items), "outcome": "reject", **form}
    return desk.client.post(f"/queue/groups/{key}/decide", data, follow=True)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "MIN_LOOK", timedelta())


def test_items_of_one_tool_finding_and_shape_are_one_group(cast: Cast, desk: Desk) -> None:
    flood(cast, [{"to": f"x{number}@example.org", "amount": 1} for number in range(3)])
    flood(cast, [{"to": "x@example.org", "amount": "1"}])
    flood(cast, [{"to": "x@example.org", "amount": 1}], tool="send_email")
    waiting(cast, misalignment="injection")
    grouped = groups.group_items(cast.reviewer, EVERYTHING)
    assert [len(group.items) for group in grouped] == [3, 1, 1, 1]
    desk.shows("/queue/groups", "3 more items wait that are like no other", "<bdi>amount</bdi>", "differ in")


def test_a_group_shows_what_was_asked_last_before_each_call(cast: Cast, desk: Desk) -> None:
    first, second = flood(cast, [{"to": "a"}] * 2)
    words = Text.objects.create(workspace=cast.workspace, digest="0" * 64, body="And label it <urgent>.")
    position = second.action.position
    Step.objects.create(trace=second.action.trace, position=position + 1, kind="user", text=words, digest="0" * 64)
    first_page = desk.shows(f"/queue/groups/{key_of(cast)}", first.action.trace.query.body[:20])
    assert "urgent" not in first_page
    Action.objects.filter(pk=second.action_id).update(position=position + 1)
    desk.shows(f"/queue/groups/{key_of(cast)}", "And label it &lt;urgent&gt;.", first.action.trace.query.body[:20])


def test_what_stands_out_is_listed_and_not_chosen(cast: Cast, desk: Desk) -> None:
    normal = [{"to": "a@example.org", "list": ["x"], "amount": 10 + number} for number in range(9)]
    odd = [{"to": "evil@example.org", "list": ["x", "evil"], "amount": 900}]
    reviews = flood(cast, [*normal, *odd])
    (group,) = groups.group_items(cast.reviewer, EVERYTHING)
    assert group.find_outliers() == {reviews[-1].pk: ["/to", "/list", "/amount"]}
    desk.shows(f"/queue/groups/{group.key}", "1 stands out and is not chosen", "Type <span data-chosen>9</span>")


def test_what_they_share_is_what_all_of_them_have(cast: Cast, desk: Desk) -> None:
    usual = {"to": "a@example.org", "station": "Porto", "insurance": "full"}
    flood(cast, [usual, usual, usual, usual, {**usual, "station": "Faro"}, {**usual, "insurance": "none"}])
    (group,) = groups.group_items(cast.reviewer, EVERYTHING)
    assert group.shared_values == {"/to": "a@example.org", "agent": "support-bot", "risk": group.items[0].risk}
    assert group.usual_values == {"/station": "Porto", "/insurance": "full"}
    listed = desk.shows("/queue/groups", "2 stand out")
    assert listed.index("a@example.org") < listed.index("most have") < listed.index("Porto") < listed.index("full")
    opened = desk.shows(f"/queue/groups/{group.key}", "<bdi>station</bdi>")
    shared, usually = opened.index("What they share"), opened.index("Most have, and 2 stand out:")
    assert shared < opened.index("a@example.org") < usually < opened.index("Porto")


def test_the_chosen_are_decided_and_the_others_wait_on(cast: Cast, desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a"}] * 4)
    check_page(send(desk, key_of(cast), reviews[:3], message="Stop that."), "Rejected 3")
    assert set(Decision.objects.values_list("action_id", "message")) == {
        (review.action_id, "Stop that.") for review in reviews[:3]
    }
    assert Review.objects.filter(closed_at__isnull=True).get() == reviews[3]


def test_what_others_hold_or_have_decided_is_left(cast: Cast, desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a"}] * 3)
    key = key_of(cast)
    held(reviews[0], cast.other_reviewer)
    check_page(send(desk, key, reviews), "Rejected 2", "1 were decided, ended or claimed")


def test_a_wrong_count_decides_nothing_and_keeps_what_was_chosen(cast: Cast, desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a"}] * 3)
    response = send(desk, key_of(cast), reviews[:2], count=3, message="Kept")
    check_page(response, "You typed 3, and 2 items are chosen.", "Kept", status=HTTPStatus.UNPROCESSABLE_ENTITY)
    assert not Decision.objects.exists()


def test_grave_calls_are_not_approved_together(cast: Cast, desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a", "amount": 3}] * 2, tool="money_transfer")
    check_page(send(desk, key_of(cast), reviews, outcome="approve"), "2 are grave: each is approved on its own page")
    assert not Decision.objects.exists()


def test_only_what_was_shown_to_this_person_is_decided(cast: Cast, desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a"}] * 2)
    key = key_of(cast)
    (later,) = flood(cast, [{"to": "a"}])
    foreign = forms.sign_items(cast.other_reviewer, [review.pk for review in reviews])
    check_page(send(desk, key, reviews, seen=foreign), "only just appeared")
    own = forms.sign_items(cast.reviewer, [review.pk for review in reviews])
    send(desk, key, [*reviews, later], count=2, seen=own)
    assert set(Decision.objects.values_list("action_id", flat=True)) == {review.action_id for review in reviews}


def test_another_workspace_has_no_such_group(cast: Cast) -> None:
    flood(cast, [{"to": "a"}] * 2)
    outsider = Desk.of(cast.outsider)
    outsider.lacks("/queue/groups", "label_note")
    outsider.shows(f"/queue/groups/{key_of(cast)}", status=HTTPStatus.NOT_FOUND)


def test_groups_cost_as_many_queries_however_many_items(cast: Cast, desk: Desk, django_assert_num_queries: Any) -> None:
    flood(cast, [{"to": "a"}] * 2)
    key = key_of(cast)
    desk.shows(f"/queue/groups/{key}")
    with CaptureQueriesContext(connection) as few:
        desk.shows(f"/queue/groups/{key}")
    flood(cast, [{"to": "a"}] * 9)
    with django_assert_num_queries(len(few)):
        desk.shows(f"/queue/groups/{key}")


def test_a_decided_item_leaves_its_group(cast: Cast) -> None:
    first, *_ = flood(cast, [{"to": "a"}] * 2)
    rejected_by_another(cast, first)
    (group,) = groups.group_items(cast.reviewer, EVERYTHING)
    assert (len(group.items), group.items[0].created_at < timezone.now()) == (1, True)


def test_arguments_too_many_to_compare_are_alike_only_when_they_are_the_same() -> None:
    assert groups.flatten_arguments({f"a{number}": 1 for number in range(groups.MAX_LEAVES + 1)}) is None
    assert groups.flatten_arguments({"a": {"b": [1, 2]}, "c": None}) == {"/a/b": [1, 2], "/c": None}


def test_an_administrator_orders_for_what_comes_and_ends_it(cast: Cast, admin_desk: Desk, desk: Desk) -> None:
    flood(cast, [{"to": "a"}] * 2)
    address = f"/queue/groups/{key_of(cast)}"
    desk.lacks(address, "Give the order")
    admin_desk.shows(address, "Give the order", "/settings/profile?tool=label_note")
    form: Any = {"outcome": "reject", "hours": 4, "message": "", "only_agent": "on", "agent": "support-bot"}
    admin_desk.sends(f"{address}/order", "The order is in force", "0 decided", "0 decided", **form)
    order = TimedOrder.objects.get()
    desk.shows(f"/actions?order={order.pk}", "No action matches")
    admin_desk.sends(f"/queue/orders/{order.pk}/end", "goes before a person again")
    desk.lacks("/queue/groups", "Orders in force")


def test_an_order_with_conditions_is_previewed_before_it_is_given(cast: Cast, admin_desk: Desk) -> None:
    reviews = flood(cast, [{"to": "a@example.org", "amount": amount} for amount in (5, 50, 500)])
    key = key_of(cast)
    order: dict[str, Any] = {
        "outcome": "approve",
        "hours": "4",
        "condition_pointer": ["/amount", "", ""],
        "condition_operator": ["at_most", "at_most", "one_of"],
        "condition_value": ["100", "", ""],
        "conversation": reviews[0].action.trace.external_id,
        "agent": "support-bot",
    }
    address = f"/queue/groups/{key}/order"
    admin_desk.shows(f"/reviews/{reviews[0].pk}", f"/reviews/{reviews[0].pk}/group")
    assert admin_desk.client.get(f"/reviews/{reviews[0].pk}/group").headers["Location"] == f"/queue/groups/{key}"
    page = admin_desk.sends(address, "would have decided <strong>", do="preview", **order)
    assert re.search(r'<option value="/amount"\s+selected>', page)
    assert re.search(r'<option value="4"\s+selected>', page)
    assert not TimedOrder.objects.exists()
    wrong = {**order, "condition_value": ["many", "", ""]}
    refused = HTTPStatus.UNPROCESSABLE_ENTITY
    admin_desk.sends(address, "/amount is compared with a number.", status=refused, **wrong)
    admin_desk.sends(address, "The order is in force", do="give", **order)
    given = TimedOrder.objects.get()
    assert given.conditions == [{"pointer": "/amount", "operator": "at_most", "value": "100"}]
    assert (given.conversation, given.agent) == (order["conversation"], cast.agent.agent)
    admin_desk.shows("/queue/groups", "/amount is at most 100", f"in <bdi>{given.conversation}")


def test_an_order_for_one_agent_is_for_the_one_that_the_page_named(cast: Cast, admin_desk: Desk) -> None:
    flood(cast, [{"to": "a"}] * 2)
    address = f"/queue/groups/{key_of(cast)}"
    admin_desk.shows(address, 'name="agent" value="support-bot"')
    form: Any = {"outcome": "reject", "hours": 4, "message": "", "only_agent": "on"}
    admin_desk.sends(f"{address}/order", "no such agent", status=HTTPStatus.UNPROCESSABLE_ENTITY, **form)
    assert not TimedOrder.objects.exists()
    admin_desk.sends(f"{address}/order", "The order is in force", **form, agent="support-bot")
    assert TimedOrder.objects.get().agent == cast.agent.agent


def test_what_stands_out_is_shown_with_its_values(cast: Cast, desk: Desk) -> None:
    flood(cast, [{"to": "a@example.org", "note": "lunch"}] * 6 + [{"to": "evil@example.org", "note": "lunch"}])
    desk.shows(f"/queue/groups/{key_of(cast)}", "evil@example.org")


@pytest.mark.parametrize(
    "arguments", [{"to": "a" * 200 + "evil"}, {"to": ["a" * 200]}, {"x" * 80: 1}, {f"a{n}": 1 for n in range(50)}]
)
def test_what_the_table_does_not_show_whole_is_not_approved_there(
    cast: Cast, desk: Desk, arguments: dict[str, Any]
) -> None:
    reviews = flood(cast, [arguments])
    check_page(send(desk, key_of(cast), reviews, outcome="approve"), "1 have values that are too long or too many")
    check_page(send(desk, key_of(cast), reviews), "Rejected 1")


def test_a_group_says_why_its_items_stopped(cast: Cast, desk: Desk) -> None:
    for reason in ("Only <history 1> gives this value.",) * 2 + ("It appears nowhere.",):
        waiting(cast, "label_note", reason=reason)
    told = ("Only &lt;history 1&gt; gives this value.", "It appears nowhere.", "2 of 3")
    desk.shows(f"/queue/groups/{key_of(cast)}", *told, "Grave calls")


def test_to_preview_an_order_takes_no_item_from_those_that_are_chosen(cast: Cast, admin_desk: Desk) -> None:
    flood(cast, [{"to": "x@example.org"}] * 3)
    address = f"/queue/groups/{key_of(cast)}"
    form: dict[str, Any] = {"outcome": "reject", "hours": "1", "message": "No.", "do": "preview"}
    for page in (admin_desk.shows(address), admin_desk.sends(f"{address}/order", **form)):
        assert "Type <span data-chosen>3</span> to confirm" in page
