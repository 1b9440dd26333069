"""What is asked about a value in whose place the request says another one."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import given

from reviews.provenance.core.context import JsonValue
from reviews.provenance.doubts import other_value, readable_value
from tests.provenance.argument_grounding.made import call, context, result, user
from tests.provenance.argument_grounding.tools import BANK, COUNT, NUMBER, TEXT, tool
from tests.provenance.doubts.asking import EVENTS, FLIGHTS, ORDER, PAIRS_OF_AMOUNTS, doubt_of, order
from tests.provenance.proofs.checking import check_unknown, leaf_of

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


def test_a_time_of_day_is_no_other_day_and_a_sentence_no_other_code() -> None:
    asked = context('Move it to tomorrow at 21:00. "See you at the door, everybody."', offered=())
    moved = call("move", date="2026-03-03", time="20:00", channel="#general")
    assert doubt_of(other_value, asked, moved, "/channel") is None
    doubt = doubt_of(other_value, asked, moved, "/time")
    assert doubt is not None
    assert "“21:00”" in doubt.note
    day = doubt_of(other_value, asked, moved, "/date")
    assert day is None or "21:00" not in day.note


@given(PAIRS_OF_AMOUNTS)
def test_another_amount_in_the_request_is_the_question(amounts: tuple[int, int]) -> None:
    said, called = amounts
    asked = context(f"Pay {said} to Ann.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="Ann", amount=called), "/amount")
    assert doubt is not None
    assert doubt.nearest is not None
    assert Decimal(doubt.nearest.quote) == said
    assert doubt_of(other_value, asked, call("pay", to="Ann", amount=said), "/amount") is None


@pytest.mark.parametrize("words", ["3個", "3人分", "第3회", "3kg를"])
def test_figures_that_are_none_by_themselves_are_quoted_with_their_word_and_prove_nothing(words: str) -> None:
    asked = context(f"Pay Ann {words}", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="Ann", amount=40), "/amount")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == words.lstrip("第")
    assert doubt_of(readable_value, asked, call("pay", to="Ann", amount=3), "/amount") is None
    check_unknown(asked, call("pay", to="Ann", amount=3), "/amount")


@given(PAIRS_OF_AMOUNTS)
def test_an_amount_that_another_argument_takes_up_is_no_question(amounts: tuple[int, int]) -> None:
    limit, card = amounts
    asked = context(f"Set the limit of card {card}.", offered=BANK)
    assert doubt_of(other_value, asked, call("set_limit", card_id=str(card), limit=limit), "/limit") is None


def test_what_is_said_of_one_parameter_is_no_question_about_another() -> None:
    book = tool("book_rooms", "Book rooms.", guests=COUNT, nights=COUNT)
    asked = context("Book rooms for 4 guests.", offered=(book,))
    booked = call("book_rooms", guests=5, nights=40)
    assert doubt_of(other_value, asked, booked, "/nights") is None
    assert doubt_of(other_value, asked, booked, "/guests") is not None


def test_of_two_values_that_nothing_says_the_nearer_one_is_asked_about() -> None:
    asked = context("Forward INV-2231 to the accountants.", offered=BANK)
    forwarded = call("forward", invoice="INV-2213", folder="Q3-99")
    assert doubt_of(other_value, asked, forwarded, "/folder") is None
    doubt = doubt_of(other_value, asked, forwarded, "/invoice")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "INV-2231"


def test_a_quoted_sentence_is_not_said_in_place_of_a_name() -> None:
    posted, offered = call("post", board="front end"), (tool("post", "Post a note.", board=TEXT),)
    asked = context("Post 'I have seen that it all went well this week', please.", offered=offered)
    assert doubt_of(other_value, asked, posted, "/board") is None
    assert doubt_of(other_value, context("Post it to 'back end'.", offered=offered), posted, "/board") is not None


@pytest.mark.parametrize("asked", ["Book it, but leave on the 5th.", "Book it for 20:30.", "Réserve pour 20h."])
def test_the_figures_of_a_day_or_a_time_count_nothing(asked: str) -> None:
    offered = (tool("book_table", "Book a table.", guests=COUNT),)
    assert doubt_of(other_value, context(asked, offered=offered), call("book_table", guests=2), "/guests") is None


def test_a_code_is_said_in_place_of_no_word_and_of_another_code() -> None:
    asked = context("Look at 'GA99SEW6jdTF'.", offered=(tool("scan", "Scans one.", sample=TEXT, sex=TEXT),))
    assert doubt_of(other_value, asked, call("scan", sex="male"), "/sex") is None
    assert doubt_of(other_value, asked, call("scan", sample="GA98SEW6jdTF"), "/sample") is not None


def test_a_figure_that_a_record_is_called_by_is_no_other_value() -> None:
    orders = result("get_order", {"order_id": "6018", "customer": "Customer 17", "total": 38})
    refund = (tool("issue_refund", "Refunds an order.", order_id=TEXT, amount=NUMBER),)
    asked = context("Refund the order of Customer 17 in full.", orders, offered=refund)
    assert doubt_of(other_value, asked, call("issue_refund", order_id="6019", amount=39), "/amount") is None
    assert doubt_of(
        other_value, context("Refund Customer 17.", offered=refund), call("issue_refund", amount=39), "/amount"
    )


def test_an_account_in_groups_is_told_whole() -> None:
    asked = context("Pay Ann, DE89 3704 0044 0532 0130 00, please.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="DE89370400440532013009", amount=1), "/to")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "DE89 3704 0044 0532 0130 00"


def test_an_account_in_groups_with_a_banks_letters_is_told_whole() -> None:
    asked = context("Pay Ann, GB33 BUKB 2020 1555 5555 55, today.", offered=BANK)
    doubt = doubt_of(other_value, asked, call("pay", to="GB33BUKB20201555555557", amount=1), "/to")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "GB33 BUKB 2020 1555 5555 55"


@pytest.mark.parametrize(
    ("said", "path"),
    [("Look into 'config.py'.", "projects"), ("Delete all the 'Drafts'.", "plan.txt"), ("Leave 'Drafts'.", "..")],
)
def test_a_file_is_no_other_folder(said: str, path: str) -> None:
    assert doubt_of(other_value, context(said, offered=()), call("open", path=path), "/path") is None
    other = context("Look into 'config.py'.", offered=())
    assert doubt_of(other_value, other, call("open", path="setup.py"), "/path") is not None


def test_words_of_a_composed_text_are_said_in_no_place_of_it() -> None:
    asked = context("Tell Ann about the 'server error'.", offered=())
    told = call("post", text="Last night a server error occurred")
    assert doubt_of(other_value, asked, told, "/text") is None


def test_what_is_said_of_a_parameter_that_is_left_out_is_said_in_no_place_of_a_given_one() -> None:
    copy = tool("cp", "Copies a file.", source=TEXT, destination=TEXT)
    asked = context("Draft 'plan.txt'.", user("Copy it as 'plan_2026.txt'."), offered=(copy,))
    assert doubt_of(other_value, asked, call("cp", source="plan.txt"), "/source") is None
    whole = call("cp", source="plan.txt", destination="archive")
    assert doubt_of(other_value, asked, whole, "/source") is not None
    assert doubt_of(other_value, asked, call("cp", source="plan_2025.txt"), "/source") is not None


def test_the_four_of_us_are_no_amount() -> None:
    asked = context("Dinner was expensive; ask Ann for her share, there were the four of us.", offered=())
    doubt = doubt_of(other_value, asked, call("request_money", amount=50), "/amount")
    assert doubt is None or "four" not in doubt.note


def test_what_an_earlier_call_has_turned_into_the_value_is_said_in_no_place_of_it() -> None:
    asked = context("Set my budget to 20,000 yuan in dollars.", result("convert", {"amount": 2857.14}, value=20000))
    doubt = doubt_of(other_value, asked, call("set_budget", limit=2857.14), "/limit")
    assert doubt is None
    same = context("Cancel K7Q2XM.", result("get_booking", {"booking": "H8R3YN"}, booking_id="K7Q2XM"), offered=())
    assert doubt_of(other_value, same, call("cancel", booking_id="H8R3YN"), "/booking_id") is not None


@pytest.mark.parametrize(
    ("looked_up", "told"), [({"order": 7}, "“31.5”, which stands in history 1."), ({"price": 31.5}, "“31.5”. Is")]
)
def test_beside_what_is_said_stands_which_result_has_the_value_unless_it_was_made_with_it(
    looked_up: dict[str, JsonValue], told: str
) -> None:
    asked = context("Take 8 percent off and bill it.", result("get_price", {"price": 31.5}, **looked_up), offered=())
    doubt = doubt_of(other_value, asked, call("bill", amount=31.5), "/amount")
    assert doubt is not None
    assert f"“8 percent”; the call has {told}" in doubt.note


def test_a_pronoun_is_no_other_option() -> None:
    language = {"type": "string", "enum": ["de", "en", "it", "us"]}
    offered = (tool("find_offers", "Finds offers.", language=language),)
    for words, is_told in (("Search for it.", False), ("Search in US.", True)):
        doubt = doubt_of(other_value, context(words, offered=offered), call("find_offers", language="en"), "/language")
        assert (doubt is not None) is is_told


def test_an_address_in_the_request_is_no_other_path() -> None:
    asked = context("Share the plan with Ann (ann@harbor.example).", offered=BANK)
    other = call("share", path="/shared/plan.pdf", email="ann@harbor-group.example")
    assert doubt_of(other_value, asked, other, "/path") is None
    doubt = doubt_of(other_value, asked, other, "/email")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "ann@harbor.example"


@pytest.mark.parametrize(
    ("words", "start", "rule", "note"),
    [
        ("tomorrow", "2026-03-05T13:30", "part_of_moment", "the day, “tomorrow” (5 Mar); 13:30 has no source."),
        ("at 13:30", "2026-03-05T13:30", "part_of_moment", "the time, “13:30”; 2026-03-05 has no source."),
        ("tomorrow at half past nine", "2026-03-05T09:30", "part_of_moment", "does “half past nine” say 09:30?"),
        ("from 2026-06-03 at 09:00 on", "2026-06-03T09:30", "other_value", "“09:00”; the call has"),
        ("tomorrow for two people", "2026-03-05T13:30", "part_of_moment", "13:30 has no source."),
        ("tomorrow at 9:15", "2026-03-05T13:30", "other_value", "“9:15”; the call has"),
        ("tomorrow", "2026-03-06T13:30", "other_value", "“tomorrow” (5 Mar); the call has"),
        ("tomorrow at 9:15", "2026-03-06T09:15", "other_value", "“tomorrow” (5 Mar); the call has"),
        ("tomorrow", "09:30", "", ""),
        ("tomorrow", "2026-03-05", "", ""),
    ],
)
def test_a_moment_of_which_one_part_is_said_is_nothing_else(words: str, start: str, rule: str, note: str) -> None:
    asked = context(f"Add it {words}", offered=EVENTS)
    doubt = doubt_of(other_value, asked, call("create_event", start=start), "/start")
    assert (doubt.rule if doubt else "") == (f"doubts.{rule}" if rule else "")
    assert note in (doubt.note if doubt else "")


def test_the_rest_of_a_moment_that_stands_in_a_result_is_shown_there() -> None:
    asked = context("Add it tomorrow", result("find_slots", [{"start": "2026-03-05T13:30"}]), offered=EVENTS)
    doubt = doubt_of(other_value, asked, call("create_event", start="2026-03-05T13:30"), "/start")
    assert doubt is not None
    assert doubt.note == "The request says the day, “tomorrow” (5 Mar); 13:30 stands in history 1. Is it meant?"


@pytest.mark.parametrize("day", ["9/15", "15.9.2026"])
def test_a_day_in_figures_is_no_other_identifier(day: str) -> None:
    asked = context(f"I leave on {day}, so move the other one.", result("list_events", FLIGHTS), offered=())
    assert doubt_of(other_value, asked, call("move", event_id="2ff57743-1180"), "/event_id") is None
    assert doubt_of(other_value, asked, call("move", event_id="K-99"), "/event_id") is None
    assert doubt_of(other_value, asked, call("move", event_id="262919693687"), "/event_id") is None


def test_a_day_in_figures_is_said_in_the_place_of_another() -> None:
    asked = context("Add the card that expires 12/25.", offered=())
    doubt = doubt_of(other_value, asked, call("add", expires="12/2035"), "/expires")
    assert doubt is not None
    assert "“12/25”" in doubt.note


def test_a_time_that_is_another_values_is_said_in_no_place_of_it() -> None:
    asked = context("Move the meeting with Alice to 1 pm on 3/16", offered=())
    moved = call("move", start="2026-03-16 13:00:00", end="2026-03-16 13:30:00")
    assert doubt_of(other_value, asked, moved, "/end") is None
    later = call("move", start="2026-03-16 14:00:00", end="2026-03-16 14:30:00")
    doubt = doubt_of(other_value, asked, later, "/start")
    assert doubt is not None
    assert "1 pm" in doubt.note


def test_what_another_value_is_called_by_is_no_number_in_place_of_this_one() -> None:
    said = context("Order a Chianti and pay with my Visa ending in 4242.", offered=(ORDER,))
    assert doubt_of(other_value, said, order(quantity=1, card="visa-4242"), "/quantity") is None
    doubt = doubt_of(other_value, said, order(quantity=1, card="mine"), "/quantity")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "4242"


def test_figures_of_a_code_in_groups_or_behind_the_word_of_another_value_are_no_number_in_place_of_this_one() -> None:
    said = context("Ship it to High Street 12, 111 23 Leeds.", offered=(ORDER,))
    sent = partial(call, "place_order", item="Chianti", quantity=2)
    assert doubt_of(other_value, said, sent(address="High Street 21"), "/quantity") is None
    doubt = doubt_of(other_value, said, sent(address="The Mall"), "/quantity")
    assert doubt is not None
    assert doubt.nearest is not None
    assert doubt.nearest.quote == "12"


def test_what_something_else_is_stands_in_place_of_no_value_that_the_user_has_said() -> None:
    record = tool("record_pressure", "Records a pressure.", user_id=TEXT, notes=TEXT)
    given_id, pressure = user("My user ID is 12345."), user("My pressure is 120/80.")
    asked = replace(context("Record my pressure.", offered=(record,)), history=(given_id, pressure))
    assert doubt_of(other_value, asked, call("record_pressure", user_id="12345"), "/user_id") is None
    # Of a number that nobody has said it may be the one that is meant.
    assert doubt_of(other_value, asked, call("record_pressure", user_id="12346"), "/user_id") is not None


def test_of_a_moment_that_the_user_has_said_before_no_part_is_missing() -> None:
    alarm = tool("move_alarm", "Moves an alarm.", from_time=TEXT, to_time=TEXT)
    asked = context("Move my alarm of 2026-03-20 at 06:30.", user("To 2026-03-20 at 07:00."), offered=(alarm,))
    moved = call("move_alarm", from_time="2026-03-20 06:30", to_time="2026-03-20 07:00")
    assert doubt_of(other_value, asked, moved, "/from_time") is None
    earlier = call("move_alarm", from_time="2026-03-20 06:45", to_time="2026-03-20 07:00")
    doubt = doubt_of(other_value, asked, earlier, "/from_time")
    assert doubt is not None
    assert "06:45 has no source" in doubt.note
    apart = context("Move my alarm of 06:30.", user("To 2026-03-20 at 07:00."), offered=(alarm,))
    doubt = doubt_of(other_value, apart, moved, "/from_time")
    assert doubt is not None
    assert doubt.note == "Message 1 says the day, “2026-03-20”; the request says “06:30”. Is it meant?"


@pytest.mark.parametrize("words", ["Order 250 g of coffee.", "Order coffee with 2% milk.", "Order 80 percent coffee."])
def test_a_weight_or_a_share_is_no_quantity(words: str) -> None:
    said = context(words, offered=(ORDER,))
    assert doubt_of(other_value, said, order(quantity=1), "/quantity") is None
    assert doubt_of(other_value, said, order(tip=1), "/tip") is not None


def test_figures_that_a_record_has_as_text_are_no_amount() -> None:
    asked = "Pay Ann with the card ending in 7334."
    card = {"card_id": "c-1", "last_four": "7334"}
    for known, is_told in ((card, False), ({**card, "last_four": 7334}, True), ({}, True)):
        said = context(asked, result("get_cards", [known]), offered=BANK)
        assert (doubt_of(other_value, said, call("pay", to="Ann", amount=290), "/amount") is not None) is is_told
