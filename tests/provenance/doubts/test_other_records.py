"""Which other record a request means, told by a number that is called as its field is."""

import pytest

from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.proofs.checking import leaf_of

SWAP = tool("swap_item", "Swaps an item for another one.", new_item_id=TEXT)
ITEMS = result("list_items", [{"item_id": "1002", "size": 9}, {"item_id": "1003", "size": 10}])


def rule_of(request_text: str, item: str) -> str:
    return leaf_of(
        context(request_text, ITEMS, offered=(SWAP,)), call("swap_item", new_item_id=item), "/new_item_id"
    ).rule


def test_the_one_record_with_the_number_that_is_said_is_the_question() -> None:
    asked = context("Swap the boots for size 9.", ITEMS, offered=(SWAP,))
    taken = leaf_of(asked, call("swap_item", new_item_id="1003"), "/new_item_id")
    assert taken.note == "Its size is “10”; the request says “9”, whose item_id is “1002”. Is that one meant?"
    assert [rival.value for rival in taken.competing] == ["1002"]


@pytest.mark.parametrize(
    ("request_text", "item"),
    [("Swap the boots for size 9.", "1002"), ("Swap 9 boots.", "1003"), ("Swap the boots at 9.", "1003")],
)
def test_a_number_that_is_not_called_so_or_the_records_own_tells_no_other(request_text: str, item: str) -> None:
    assert rule_of(request_text, item) == "doubts.stands_in_data"
