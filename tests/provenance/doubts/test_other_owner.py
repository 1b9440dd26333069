"""An item of one order beside another order's number is told; what no record owns alone is not."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from reviews.provenance.doubts import other_owner
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.doubts.asking import doubt_of

FIRST: Final = {"order_id": "#W2692684", "items": [{"name": "Tablet", "item_id": "3788616824"}], "paid": "gift_77118"}
SECOND: Final = {"order_id": "#W5481803", "items": [{"name": "Lamp", "item_id": "6805564527"}], "paid": "card_31247"}
RETURN: Final = (tool("send_back", "Returns an item.", order_id=TEXT, item_ids={"type": "array"}, to=TEXT),)


def told(arguments: Mapping[str, Any], *results: object) -> str:
    asked = context("Return it.", *(result("get_order", shown) for shown in results), offered=RETURN)
    doubt = doubt_of(other_owner, asked, call("send_back", **arguments), "/order_id")
    assert doubt is None or doubt.nearest is not None
    return doubt.note if doubt else ""


def test_an_item_of_another_order_is_told_with_the_order_that_has_it() -> None:
    note = told({"order_id": "#W5481803", "item_ids": ["3788616824"]}, FIRST, SECOND)
    assert note == "“3788616824” stands where order_id is “#W2692684”. Is that one meant?"


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ({"order_id": "#W2692684", "item_ids": ["3788616824"]}, {}),
        # One value of the call goes with this order: the other may be taken to where it was not.
        ({"order_id": "#W5481803", "item_ids": ["6805564527"], "to": "gift_77118"}, {}),
        # It also stands where nothing names an order.
        ({"order_id": "#W5481803", "to": "gift_77118"}, {"payment_methods": [{"id": "gift_77118"}]}),
        # Of two orders neither can be the one.
        ({"order_id": "#W5481803", "item_ids": ["3788616824"]}, {**FIRST, "order_id": "#W1111111"}),
        ({"order_id": "#W5481803", "item_ids": ["Tablet"]}, {}),
    ],
)
def test_what_goes_with_the_order_or_belongs_to_none_alone_is_not_told(
    arguments: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    assert told(arguments, FIRST, SECOND, more) == ""


FILES: Final = [
    {"folder_id": "fold-1", "name": "Drafts", "files": [{"file_id": "file-77", "size": 3}]},
    {"folder_id": "fold-2", "name": "Archive", "files": [{"file_id": "file-78", "size": 4}]},
]
MOVE: Final = (tool("move_file", "Moves a file.", file_id=TEXT, folder_id=TEXT),)


@pytest.mark.parametrize(("words", "is_told"), [("Move it to the Archive.", False), ("Move it.", True)])
def test_where_the_user_wants_it_may_be_another_place_than_where_it_is(words: str, *, is_told: bool) -> None:
    asked = context(words, result("list_folders", FILES), offered=MOVE)
    doubt = doubt_of(other_owner, asked, call("move_file", file_id="file-77", folder_id="fold-2"), "/folder_id")
    assert (doubt is not None) is is_told


def test_what_a_record_says_of_itself_may_be_what_is_changed() -> None:
    tickets = [{"ticket_id": "tick-11", "owner_id": "user-5"}, {"ticket_id": "tick-12", "owner_id": "user-6"}]
    offered = (tool("assign", "Assigns a ticket.", ticket_id=TEXT, owner_id=TEXT),)
    asked = context("Give the ticket to somebody else.", result("list_tickets", tickets), offered=offered)
    assert doubt_of(other_owner, asked, call("assign", ticket_id="tick-11", owner_id="user-6"), "/owner_id") is None
