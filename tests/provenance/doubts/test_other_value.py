"""What is asked about a value in whose place the request says another one."""

import pytest

from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import NUMBER, TEXT, tool
from tests.provenance.proofs.checking import leaf_of

CLOSE = tool("close_account", "Closes an account.", account_id=TEXT)
MOVE = tool("move_visit", "Moves a visit.", visit_id=TEXT, start={"type": "string", "format": "date-time"})
VISITS = result(
    "list_visits",
    [{"visit_id": "V-17", "start": "2026-03-10T09:00"}, {"visit_id": "V-18", "start": "2026-03-11T11:00"}],
)


def note_of(request_text: str, account: str) -> str:
    return leaf_of(
        context(request_text, offered=(CLOSE,)), call("close_account", account_id=account), "/account_id"
    ).note


def test_another_number_of_an_account_is_the_question() -> None:
    assert note_of("Close account 77001234.", "77001243") == (
        "The request says “77001234”; the call has “77001243”. Is that meant?"
    )


def test_an_account_that_nothing_in_the_call_takes_stands_beside_the_one_that_is_said() -> None:
    assert note_of("I pay rent with 77001234. Close account 88001234.", "77001234") == (
        "The request says “77001234” and, for nothing in the call, “88001234”. Is it meant for account_id?"
    )


@pytest.mark.parametrize("other", ["12 boxes", "$88001", "order AB-88001234", "88"])
def test_what_is_written_otherwise_stands_beside_no_account(other: str) -> None:
    assert "for nothing in the call" not in note_of(f"I sent {other}. Close the one with 77001234.", "77001234")


def test_an_amount_of_money_is_no_other_number_of_an_account() -> None:
    assert "77001234" not in note_of("I have 77001234 dollars. Close my account.", "88001234")


def test_where_another_account_is_said_the_one_that_is_taken_is_not_proven() -> None:
    asked = context("Close account 77001234, which 88001234 replaces.", offered=(CLOSE,))
    assert leaf_of(asked, call("close_account", account_id="77001234"), "/account_id").holds is None


@pytest.mark.parametrize("said", ["next Tuesday at 4", "next Tuesday at 4 pm"])
def test_a_day_that_the_request_says_goes_before_what_data_and_request_say_together(said: str) -> None:
    asked = context(f"Move my visit to {said}.", VISITS, offered=(MOVE,))
    moved = leaf_of(asked, call("move_visit", visit_id="V-17", start="2026-03-11T16:00:00"), "/start")
    assert moved.note == "The request says “next Tuesday”; the call has “2026-03-11T16:00:00”. Is that meant?"


def test_where_the_request_says_no_day_that_of_the_data_may_be_meant() -> None:
    asked = context("Move my visit to 4 pm.", VISITS, offered=(MOVE,))
    moved = leaf_of(asked, call("move_visit", visit_id="V-17", start="2026-03-10T16:00:00"), "/start")
    assert moved.rule == "doubts.readable_value"


def test_a_size_is_no_other_identifier() -> None:
    swap = tool("swap_item", "Swaps an item.", item_id=TEXT, quantity=NUMBER)
    asked = context("Swap the boots for size 9.", result("list_items", [{"item_id": "1001"}]), offered=(swap,))
    assert leaf_of(asked, call("swap_item", item_id="1001"), "/item_id").rule == "doubts.stands_in_data"


SEARCH = tool("search", "Searches.", start_date=TEXT, end_date=TEXT, limit=NUMBER)


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("2022-05-01 00:00", "2022-06-30 00:00", {"/start_date": "June 1, 2022", "/end_date": None}),
        ("2022-06-01 00:00", "2022-09-30 00:00", {"/start_date": None, "/end_date": "June 30, 2022"}),
    ],
)
def test_a_day_that_another_argument_has_with_a_time_is_said_in_no_others_place(
    start: str, end: str, told: dict[str, str | None]
) -> None:
    asked = context("Search what changed after June 1, 2022, but before June 30, 2022.", offered=(SEARCH,))
    for pointer, day in told.items():
        note = leaf_of(asked, call("search", start_date=start, end_date=end), pointer).note
        assert ("the call has" in note) is (day is not None)
        assert day is None or f"The request says “{day}”" in note


def test_whole_figures_are_said_in_no_coordinates_place() -> None:
    place = tool("find_stops", "Finds stops.", latitude=NUMBER)
    asked = context("Find stops near 456 Broadway.", offered=(place,))
    assert "456" not in leaf_of(asked, call("find_stops", latitude=37.789281), "/latitude").note
    assert "456" in leaf_of(asked, call("find_stops", latitude=37.5), "/latitude").note
