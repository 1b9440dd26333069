from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.argument_grounding import Grounded, Grounder
from reviews.provenance.core.context import Message, ProposedAction, ToolDoc
from reviews.provenance.core.findings import Grounding
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tools import (
    BANK,
    CLOUD,
    COUNT,
    DAY,
    FILES,
    NUMBER,
    SHOP,
    TEXT,
    TRAVEL,
    one_of,
    tool,
)
from tests.provenance.proofs.checking import check_decided, check_unknown, leaf_of

CANCEL = call("cancel_order", order_id="W1122334")


@pytest.mark.parametrize(
    ("request_text", "pointer", "arguments"),
    [
        ("Transfer 500 to account 77 from account 88.", "/to_account", {"from_account": "88", "to_account": "77"}),
        ("Transfer 500 from account 88 to account 77.", "/from_account", {"from_account": "88", "to_account": "77"}),
    ],
)
def test_the_parameters_own_preposition_says_which_value_it_takes(
    request_text: str, pointer: str, arguments: dict[str, str]
) -> None:
    check_decided(context(request_text, offered=BANK), call("transfer", amount=500, **arguments), pointer,
                  "sole_reading", holds=True)  # fmt: skip


def test_an_only_value_of_its_kind_is_meant() -> None:
    check_decided(context("Cancel the order W1122334."), CANCEL, "/order_id", "sole_reading", holds=True)


def test_a_quoted_text_is_meant_whole() -> None:
    action = call("create_folder", name="My dog")
    leaf = check_decided(context("Create a folder 'My dog'."), action, "/name", "sole_reading", holds=True)
    assert leaf.how is Grounding.COPY


def test_what_an_agreement_answers_is_meant() -> None:
    asked = context("Cancel my order.", agent("I will cancel the order W1122334."), user("Yes, please."))
    leaf = check_decided(asked, CANCEL, "/order_id", "sole_reading", holds=True)
    assert [span.quote for span in leaf.spans] == ["W1122334", "Yes, please."]


CRATES = result("list_crates", [{"crate_id": "CR1001", "owner": "Ivo Brandt"}, {"crate_id": "CR2002", "owner": "Al"}])
UPDATE = (
    tool(
        "update_crate",
        "Updates a crate.",
        crate_id=TEXT,
        field={**TEXT, "description": 'Available fields: "state", "owner"'},
        new_value=TEXT,
    ),
)


@pytest.mark.parametrize(
    ("request_text", "holds"),
    [
        ("Update the state of crate CR1001 to Sealed.", True),
        ("Please update the state of crate CR1001 to Sealed, thanks.", True),
        ("Update the state of crate CR1001 to something better.", None),
        ("Update the state of crate CR1001 to the lid to sealed.", None),
        ("Update the state of crate CR1001 from sealed.", None),
        ("Update the state of crate CR1001 to sealed tomorrow.", None),
    ],
)
def test_what_something_becomes_completes_a_request_that_is_else_taken_up(
    request_text: str, holds: bool | None
) -> None:
    value = "something better" if "better" in request_text else "sealed"
    action = call("update_crate", crate_id="CR1001", field="state", new_value=value)
    assert leaf_of(context(request_text, CRATES, offered=UPDATE), action, "/new_value").holds is holds


def test_the_name_of_a_record_is_no_new_value_and_stays_unknown() -> None:
    asked = context("Update the state to Ivo Brandt.", CRATES, offered=UPDATE)
    action = call("update_crate", crate_id="CR1001", field="state", new_value="Ivo Brandt")
    check_unknown(asked, action, "/new_value")


def test_what_the_tool_works_on_is_no_other_parameters_label() -> None:
    offered = (tool("create_party", "Creates a party.", party_name=TEXT, minutes=COUNT),)
    asked = context("Create a 90 minute party called 'Summer'.", offered=offered)
    check_decided(asked, call("create_party", party_name="Summer", minutes=90), "/minutes", "sole_reading", holds=True)


@pytest.mark.parametrize(("verb", "holds"), [("Add", True), ("Remove", None)])
def test_what_is_made_is_new(verb: str, holds: bool | None) -> None:
    offered = (tool(f"{verb.lower()}_guest", f"{verb}s a guest.", name=TEXT, role=one_of("speaker", "host")),)
    asked = context(f"{verb} the guest 'Ivo' as a new host", offered=offered)
    action = call(f"{verb.lower()}_guest", name="Ivo", role="host")
    assert leaf_of(asked, action, "/role").holds is holds


@pytest.mark.parametrize(
    "request_text",
    [
        "Do not cancel the order W1122334.",
        "Cancel the order W1122334 if it is late.",
        "Did you cancel the order W1122334?",
        "Is there an order W1122334?",
    ],
)
def test_a_value_that_is_denied_asked_or_made_a_condition_stays_unknown(request_text: str) -> None:
    check_unknown(context(request_text), CANCEL, "/order_id")


DISPOSE = (tool("dispose_crate", "Disposes of a crate.", crate_id=TEXT, reason=one_of("broken", "not wanted")),)
OFFER = agent(
    "Here is what I found:\n- **Crate ID:** CR1001\n- **Item:** lamp LX20000\n"
    "Please tell me the reason, and I will dispose of the crate."
)


def crate_leaf(reply: str, offer: Message = OFFER, reason: str = "not wanted") -> Grounded:
    asked = context("What about my lamp?", offer, user(reply), offered=DISPOSE)
    return leaf_of(asked, call("dispose_crate", crate_id="CR1001", reason=reason), "/crate_id")


@pytest.mark.parametrize(
    "reply",
    [
        "Dispose of it with the reason 'not wanted', please.",
        "Please dispose of the crate.",
        "Dispose of the other crate, reason 'not wanted'.",
        "Dispose of crate CR1002, reason 'not wanted'.",
        "Don't dispose of it.",
        "Dispose of it?",
        "The reason is 'not wanted'.",
    ],
)
def test_an_answer_that_is_more_than_an_agreement_leaves_the_offered_value_unknown(reply: str) -> None:
    assert crate_leaf(reply).holds is None


@pytest.mark.parametrize(
    "offer",
    [
        "Crate ID: CR1001\nAnything else?",
        "Crate ID: CR1001\nCrate ID: CR1002\nI will dispose of the crate.",
        "Crate ID: CR1001 or CR1002\nI will dispose of the crate.",
        "I disposed of CR1002. Crate CR1001 is left, and I will dispose of the crate.",
    ],
)
def test_what_offers_more_or_something_else_stays_unknown(offer: str) -> None:
    assert crate_leaf("Dispose of it with the reason 'not wanted'.", agent(offer)).holds is None


@pytest.mark.parametrize("reply", ["No.", "Is that right?", "Yes, but W9988776.", "Maybe later."])
def test_an_offer_that_is_not_agreed_to_stays_unknown(reply: str) -> None:
    check_unknown(context("Cancel my order.", agent("I will cancel the order W1122334."), user(reply)), CANCEL,
                  "/order_id")  # fmt: skip


def test_a_value_of_an_earlier_message_stays_unknown() -> None:
    check_unknown(context("Cancel the order W1122334.", user("What is the weather?")), CANCEL, "/order_id")


def test_another_value_of_the_kind_that_nothing_uses_stays_unknown() -> None:
    check_unknown(context("Cancel the order W1122334, W9988776."), CANCEL, "/order_id")


def test_a_value_that_another_parameter_may_take_stays_unknown() -> None:
    check_unknown(context("Move a.txt b.txt.", offered=FILES), call("move_file", source="a.txt", destination="b.txt"),
                  "/source")  # fmt: skip


@pytest.mark.parametrize(
    "request_text",
    ["Cancel the order W1122334's replacement.", "Cancel the W1122334 replacement.", "Cancel opposite W1122334."],
)
def test_a_value_beside_a_word_that_nothing_accounts_for_stays_unknown(request_text: str) -> None:
    check_unknown(context(request_text), CANCEL, "/order_id")


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("$30", True),
        ("the amount of $30", True),
        ("about $30", None),
        ("minus 30", None),
        ("her share of $30", None),
        ("a third of the $30", None),
    ],
)
def test_a_word_between_two_values_and_what_a_preposition_leads_from_are_read(words: str, holds: bool | None) -> None:
    asked = context(f"Send Ann {words}.", offered=(tool("send_money", "Sends money.", recipient=TEXT, amount=NUMBER),))
    assert leaf_of(asked, call("send_money", recipient="Ann", amount=30), "/amount").holds is holds


@pytest.mark.parametrize(
    ("request_text", "name"),
    [("Create a folder Summer Trip.", "Summer"), ("Create a folder with the name of my dog.", "my dog")],
)
def test_a_part_or_a_description_of_a_text_stays_unknown(request_text: str, name: str) -> None:
    check_unknown(context(request_text, offered=FILES), call("create_folder", name=name), "/name")


@pytest.mark.parametrize("amount", ["30%", "30 cents", "30k"])
def test_a_figure_in_another_unit_stays_unknown(amount: str) -> None:
    check_unknown(context(f"Refund {amount} of order W1122334.", offered=SHOP),
                  call("refund", order_id="W1122334", amount=30), "/amount")  # fmt: skip


def test_the_noun_of_another_value_is_no_label_and_stays_unknown() -> None:
    action = call("book_hotel", hotel="Astoria", rooms=3, nights=2)
    check_unknown(context("Book the hotel Astoria, 2 rooms for 3 nights.", offered=TRAVEL), action, "/rooms")


def test_a_path_in_other_letters_stays_unknown() -> None:
    check_unknown(context("Delete the file /tmp/Old.log."), call("delete_file", path="/tmp/old.log"), "/path")


def test_an_instruction_of_the_agent_to_the_user_stays_unknown() -> None:
    asked = context("Cancel my order.", agent("Please cancel the order W1122334 on our site."), user("Ok."))
    check_unknown(asked, CANCEL, "/order_id")


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2069"])
def test_a_disguised_value_stays_unknown(hidden: str) -> None:
    check_unknown(context("Restart the server web-47.", offered=CLOUD),
                  call("restart_server", server=f"web{hidden}-47"), "/server")  # fmt: skip


ALARMS = (
    tool("set_alarm", "Set an alarm.", time=TEXT),
    tool("book_desk", "Book a desk.", date=TEXT),
    tool("plan_call", "Plan a call.", date=TEXT, time=TEXT),
)


@pytest.mark.parametrize("said", ["March 8th at 10:30", "10:30 on March 8th", "2026-03-08 10:30", "March 8, 10:30 am"])
def test_a_day_and_its_time_are_the_values_of_two_parameters(said: str) -> None:
    asked = context(f"Plan a call on {said}.", offered=ALARMS)
    both = call("plan_call", date="2026-03-08", time="10:30")
    for pointer, part in (("/date", "8"), ("/time", "10:30")):
        leaf = check_decided(asked, both, pointer, "sole_reading", holds=True)
        assert all(part in span.quote for span in leaf.spans)
    check_unknown(asked, call("plan_call", date="2026-03-08", time="11:30"), "/time")


@pytest.mark.parametrize("said", ["March 8th at 10:30", "10:30 on March 8th", "2026-03-08 10:30"])
def test_a_day_without_its_time_and_a_time_without_its_day_are_not_all_that_is_asked(said: str) -> None:
    check_unknown(context(f"Set an alarm for {said}.", offered=ALARMS), call("set_alarm", time="10:30"), "/time")
    check_unknown(context(f"Book a desk for {said}.", offered=ALARMS), call("book_desk", date="2026-03-08"), "/date")


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("5 March", "2025-03-05"), ("5 March", "2027-03-05"), ("5 September", "2026-09-05"),
        ("03/04/2026", "2026-04-03"),
        ("03/04/2026", "2026-03-04"), ("5 March at 7:30", "2026-03-05T19:30:00"),
        ("5 March at 7:30", "2026-03-05T07:30:00"),
        ("5 March at 7 pm PST", "2026-03-05T19:00:00Z"), ("5 March at 7 pm", "2026-03-05T19:00:00Z"),
        ("5 March at 7 pm", "2026-03-05T19:00:30"),
    ],
)  # fmt: skip
def test_a_moment_that_may_be_read_in_two_ways_stays_unknown(said: str, value: str) -> None:
    check_unknown(context(f"Set an alarm for {said}.", offered=ALARMS), call("set_alarm", time=value), "/time")


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("5 March", "2026-03-05"),
        ("5 March at 7 pm", "2026-03-05T19:00:00"),
        ("5 March at 07:30", "2026-03-05T07:30:00"),
    ],
)
def test_a_moment_that_is_read_in_one_way_is_proven(said: str, value: str) -> None:
    asked = context(f"Set an alarm for {said}.", offered=ALARMS)
    check_decided(asked, call("set_alarm", time=value), "/time", "sole_reading", holds=True)


@pytest.mark.parametrize(
    ("said", "value"), [("12.500 EUR", 12.5), ("12.500 EUR", 12500), ("1.234 EUR", 1.234), ("$1.234", 1.234)]
)
def test_a_number_whose_point_may_group_or_part_stays_unknown(said: str, value: float) -> None:
    pay = (tool("pay", "Pay an amount.", amount={"type": "number"}),)
    check_unknown(context(f"Pay {said}.", offered=pay), call("pay", amount=value), "/amount")


@pytest.mark.parametrize(
    ("said", "value"),
    [("müller@corp.test", "muller@corp.test"), ("dQw4w9WgXcQ", "dqw4w9wgxcq"), ("dqw4w9wgxcq", "dQw4w9WgXcQ")],
)
def test_an_identifier_that_only_reads_alike_stays_unknown(said: str, value: str) -> None:
    alarms = (tool("open_video", "Open a video.", video=TEXT),)
    check_unknown(context(f"Open the video {said}.", offered=alarms), call("open_video", video=value), "/video")


MOVES = (tool("move_class", "Move a class to another room.", class_id=TEXT, room=TEXT),)


@pytest.mark.parametrize(
    ("way", "holds"), [("to", True), ("into", True), ("from", None), ("out of", None), ("away from", None)]
)
def test_where_something_comes_from_is_not_where_it_goes_and_stays_unknown(way: str, holds: bool | None) -> None:
    traced = Grounder(context(f"Move class BIO-7 {way} room 12.", offered=MOVES)).trace_call(
        call("move_class", class_id="BIO-7", room="12")
    )
    assert (traced.is_proven or None) is holds


LENDING = (
    tool("lend_book", "Lend a book to a reader.", book=TEXT, reader=TEXT),
    tool("return_book", "Return a book from a reader.", book=TEXT, reader=TEXT),
)


@pytest.mark.parametrize(
    ("request_text", "verb", "holds"),
    [
        ("Lend the book 'Dune' to Omar.", "lend_book", True),
        ("Lend the book 'Dune' to reader Omar.", "lend_book", True),
        ("Return the book 'Dune' from Omar.", "return_book", True),
        ("Return the book 'Dune' to Omar.", "return_book", None),
        ("Return the book 'Dune' to reader Omar.", "return_book", None),
        ("Return the book 'Dune' for reader Omar.", "return_book", None),
        ("Lend the book 'Dune' from reader Omar.", "lend_book", None),
        ("Lend the book 'Dune' with reader Omar.", "lend_book", None),
    ],
)
def test_the_documents_preposition_says_whose_a_value_is_and_another_one_leaves_it_unknown(
    request_text: str, verb: str, holds: bool | None
) -> None:
    action = call(verb, book="Dune", reader="Omar")
    assert leaf_of(context(request_text, offered=LENDING), action, "/reader").holds is holds


def test_a_noun_behind_a_value_that_two_parameters_are_called_by_names_neither() -> None:
    offered = (tool("change_address", "Change the address of a user.", address1=TEXT, address2=TEXT, city=TEXT),)
    asked = context("Update the DC address.", offered=offered)
    check_unknown(asked, call("change_address", address2="DC"), "/address2")


@pytest.mark.parametrize(
    ("request_text", "name", "value"),
    [
        ("List the archives in Bern that keep manuscripts.", "archive_type", "Bern"),
        ("List the projects for Bern.", "project_type", "Bern"),
        ("Create a magazine called Transit published by Nova.", "publisher", "Transit"),
    ],
)
def test_what_a_preposition_leads_to_and_what_somebody_does_has_no_label_of_the_noun_beside_it(
    request_text: str, name: str, value: str
) -> None:
    offered = (tool(request_text.split(maxsplit=1)[0].lower(), "Does so.", **{name: TEXT, "other": TEXT}),)
    check_unknown(context(request_text, offered=offered), call(offered[0].name, **{name: value}), f"/{name}")


@pytest.mark.parametrize(("date", "time", "holds"), [("2026-04-06", "10:00", True), ("10:00", "2026-04-06", None)])
def test_a_day_and_a_time_that_are_exchanged_stay_unknown(date: str, time: str, holds: bool | None) -> None:
    offered = (tool("book_visit", "Books a visit.", date=TEXT, time=TEXT),)
    asked = context("Book a visit on April 6, 2026 at 10:00.", offered=offered)
    for pointer in ("/date", "/time"):
        assert leaf_of(asked, call("book_visit", date=date, time=time), pointer).holds is holds


def test_a_day_that_is_exchanged_with_a_place_stays_unknown_where_of_stands_in_the_parameters_name() -> None:
    offered = (tool("buy_tickets", "Buys tickets for an event.", date=TEXT, city_of_event=TEXT),)
    asked = context("Please buy me two tickets for the fair in Porto on May 3 2026", offered=offered)
    action = call("buy_tickets", date="Porto", city_of_event="2026-05-03")
    assert leaf_of(asked, action, "/city_of_event").holds is None


@pytest.mark.parametrize(
    ("name", "schema", "holds"),
    [
        ("area", TEXT, None),
        ("visit_time", TEXT, True),
        ("visit", {**TEXT, "description": "The hour of the visit."}, True),
        ("visit", {**TEXT, "format": "time"}, True),
    ],
)
def test_a_moment_is_meant_for_a_parameter_that_takes_moments(
    name: str, schema: dict[str, Any], holds: bool | None
) -> None:
    offered = (tool("book_visit", "Books a visit.", place=TEXT, **{name: schema}),)
    action = call("book_visit", place="Room 5", **{name: "09:00"})
    for words in ("Book a visit at 9:00 AM.", f"Book a visit in the {name.replace('_', ' ')} at 9:00 AM."):
        assert leaf_of(context(words, offered=offered), action, f"/{name}").holds is holds


@pytest.mark.parametrize(
    ("request_text", "game", "holds"),
    [
        ("Get the score of Chess.", "Chess", True),
        ("Get the game score of Emily in 'Chess'.", "Emily", None),
        ("Get the score of Emily in the game 'Chess'.", "Emily", None),
        ("Get the score of the game Chess.", "Chess", True),
    ],
)
def test_of_leads_to_something_else_where_the_parameters_own_noun_is_said(
    request_text: str, game: str, holds: bool | None
) -> None:
    offered = (tool("get_score", "Get the score of a game.", game_name=TEXT, player_name=TEXT),)
    action = call("get_score", game_name=game)
    assert leaf_of(context(request_text, offered=offered), action, "/game_name").holds is holds


def test_of_two_parameters_with_one_noun_the_documents_preposition_names_neither() -> None:
    offered = (tool("link_pages", "Link a page to a page.", source_page=TEXT, target_page=TEXT),)
    asked = context("Link page Home to page Blog.", offered=offered)
    for source, target in (("Home", "Blog"), ("Blog", "Home")):
        check_unknown(asked, call("link_pages", source_page=source, target_page=target), "/source_page")


@pytest.mark.parametrize(("day", "holds"), [("on March 9", True), ("by March 9", None), ("from March 9", None)])
def test_the_latest_or_first_day_of_a_stretch_is_no_day_of_its_own_and_stays_unknown(
    day: str, holds: bool | None
) -> None:
    asked = context(f"Book a desk {day}.", offered=ALARMS)
    assert leaf_of(asked, call("book_desk", date="2026-03-09"), "/date").holds is holds


COUNTING = (
    tool("set_oven", "Set the oven.", degrees=NUMBER),
    tool("dim_lamp", "Dim a lamp.", lamp=TEXT, percent=COUNT),
    tool("book_table", "Book a table.", table=TEXT, guests=COUNT),
    tool("jump", "Jump to a place.", x=COUNT, y=COUNT),
)


@pytest.mark.parametrize(
    ("request_text", "action", "pointer"),
    [
        ("Set the oven to 180 degrees.", call("set_oven", degrees=180), "/degrees"),
        ("Dim lamp L1 to 40%.", call("dim_lamp", lamp="L1", percent=40), "/percent"),
        ("Dim lamp L1 to 40 percent.", call("dim_lamp", lamp="L1", percent=40), "/percent"),
        ("Book table T9 for 4 guests.", call("book_table", table="T9", guests=4), "/guests"),
    ],
)
def test_what_is_counted_says_whose_number_it_is(request_text: str, action: ProposedAction, pointer: str) -> None:
    check_decided(context(request_text, offered=COUNTING), action, pointer, "sole_reading", holds=True)


@pytest.mark.parametrize(
    ("request_text", "action", "pointer"),
    [
        ("Set the oven by 20 degrees.", call("set_oven", degrees=20), "/degrees"),
        ("Set the oven from 180 degrees.", call("set_oven", degrees=180), "/degrees"),
        ("Jump to x 10 y 20.", call("jump", x=20, y=10), "/x"),
        ("Book table T9 for $40.", call("book_table", table="T9", guests=40), "/guests"),
    ],
)
def test_a_number_that_is_a_difference_or_another_ones_or_money_stays_unknown(
    request_text: str, action: ProposedAction, pointer: str
) -> None:
    check_unknown(context(request_text, offered=COUNTING), action, pointer)


def test_a_number_that_may_be_for_a_parameter_that_is_left_out_stays_unknown() -> None:
    both = {"type": "object", "properties": {"ticker": TEXT, "shares": COUNT, "price": NUMBER}}
    offered = (ToolDoc("buy", "Buy a stock.", both),)
    asked = context("Buy the ticker ABC at 870.", offered=offered)
    check_unknown(asked, call("buy", ticker="ABC", shares=870), "/shares")
    check_decided(asked, call("buy", ticker="ABC", shares=1, price=870), "/ticker", "sole_reading", holds=True)


@pytest.mark.parametrize("other", ["device", "room"])
def test_what_is_said_once_is_no_second_parameters_value_and_stays_unknown(other: str) -> None:
    offered = (tool("play_song", "Play a song.", song=TEXT, **{other: TEXT}),)
    asked = context("Play the song Halo.", offered=offered)
    check_unknown(asked, call("play_song", song="Halo", **{other: "Halo"}), f"/{other}")


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Delete the file my notes.txt.", "notes.txt"), ("Delete the file a b.txt.", "b.txt"),
        ("Delete the file a.txt and file b.txt.", "a.txt and file b.txt"),
        ("Delete the file a.txt, b.txt.", "a.txt, b.txt"),
        ("Delete the file 'notes on.txt'.", "notes"), ("Delete the file.", "file"), ("Delete it, the file.", "it"),
    ],
)  # fmt: skip
def test_words_that_are_less_or_more_than_a_value_stay_unknown(said: str, value: str) -> None:
    check_unknown(context(said, offered=FILES), call("delete_file", path=value), "/path")


@given(st.sampled_from(["report", "ann", "quix", "Old Budgets"]), st.sampled_from(["on", "in", "of the", "by", "flam"]))
def test_a_part_of_a_quotation_stays_unknown(value: str, rest: str) -> None:
    offered = (tool("run_command", "Run a command.", command=TEXT),)
    asked = context(f"Run the command '{value} {rest}'.", offered=offered)
    check_unknown(asked, call("run_command", command=value), "/command")
    whole = call("run_command", command=f"{value} {rest}")
    check_decided(asked, whole, "/command", "sole_reading", holds=True)


def test_a_count_before_a_noun_is_no_part_of_it_and_stays_unknown() -> None:
    drop = ToolDoc("drop_item", "Drop an item.", {"properties": {"item": TEXT, "count": COUNT}, "required": ["item"]})
    check_unknown(context("Drop 3 arrows.", offered=(drop,)), call("drop_item", item="3 arrows"), "/item")


DAYS = {"type": "array", "items": one_of("mon", "tue", "wed", "thu", "fri")}
SCHEDULE = (tool("set_days", "Set the days of a pump.", pump=TEXT, days=DAYS),)


@pytest.mark.parametrize(("joint", "holds"), [(", ", True), (" and ", True), (" to ", None), (" - ", None)])
def test_the_ends_of_a_range_are_no_list_and_stay_unknown(joint: str, holds: bool | None) -> None:
    asked = context(f"Set the days of pump P1: days mon{joint}thu.", offered=SCHEDULE)
    assert leaf_of(asked, call("set_days", pump="P1", days=["mon", "thu"]), "/days/1").holds is holds


@pytest.mark.parametrize(
    ("said", "value"), [("2.1", "2.10"), ("2.10", "2.1"), ("7", "007"), ("007", "7"), ("1.20", "1.2")]
)
def test_a_text_of_other_figures_is_another_version_and_stays_unknown(said: str, value: str) -> None:
    asked = context(f"Deploy version {said} to staging.", offered=CLOUD)
    check_unknown(asked, call("deploy", version=value, environment="staging"), "/version")
    check_decided(asked, call("deploy", version=said, environment="staging"), "/version", "sole_reading", holds=True)


def test_a_value_with_a_blank_at_its_edge_stays_unknown() -> None:
    for path in ("notes.txt ", " notes.txt", "notes.txt\n"):
        check_unknown(context("Delete the file notes.txt.", offered=FILES), call("delete_file", path=path), "/path")


@pytest.mark.parametrize("idiom", ["Call it a day.", "Call me Ann.", "Call them names."])
def test_what_stands_in_for_something_is_what_the_verb_governs_and_the_rest_stays_unknown(idiom: str) -> None:
    offered = (tool("call_person", "Call a person.", person=TEXT),)
    for person in ("day", "Ann", "me Ann", "names", "them names"):
        if person.lower() in idiom.lower():
            check_unknown(context(idiom, offered=offered), call("call_person", person=person), "/person")


FIGURES = (
    tool("delete_alarm", "Delete an alarm.", alarm_id=COUNT),
    tool("book_seats", "Book seats for guests.", count=COUNT),
)
LAST_ALARM = call("delete_alarm", alarm_id=3)


@pytest.mark.parametrize("said", ["3 alarms", "3 of the alarms", "3 of my alarms"])
def test_a_figure_that_counts_things_is_no_name_of_one_and_stays_unknown(said: str) -> None:
    check_unknown(context(f"Delete {said}.", offered=FIGURES), LAST_ALARM, "/alarm_id")


@pytest.mark.parametrize("said", ["1 alarm", "one alarm"])
def test_one_thing_is_not_the_first_one_and_stays_unknown(said: str) -> None:
    check_unknown(context(f"Delete {said}.", offered=FIGURES), call("delete_alarm", alarm_id=1), "/alarm_id")


def test_a_figure_that_counts_what_the_tool_takes_several_of_is_meant() -> None:
    asked = context("Book 3 seats.", offered=FIGURES)
    check_decided(asked, call("book_seats", count=3), "/count", "sole_reading", holds=True)


@pytest.mark.parametrize("name", ["priority", "folder", "id"])
def test_a_figure_that_counts_things_is_none_of_what_they_have_and_stays_unknown(name: str) -> None:
    offered = (tool("delete_alarms", "Delete alarms.", **{name: COUNT}),)
    check_unknown(context("Delete 3 alarms.", offered=offered), call("delete_alarms", **{name: 3}), f"/{name}")


def test_how_many_there_are_is_no_entry_of_a_list() -> None:
    offered = (tool("delete_alarms", "Delete alarms.", alarms={"type": "array", "items": COUNT}),)
    deleted = call("delete_alarms", alarms=[3])
    check_unknown(context("Delete 3 alarms.", offered=offered), deleted, "/alarms/0")
    check_decided(context("Delete the alarms 3.", offered=offered), deleted, "/alarms/0", "sole_reading", holds=True)


@pytest.mark.parametrize(("said", "expected"), [("a table for 5", True), ("table 5", None), ("the table 5", None)])
def test_the_figure_behind_a_noun_says_none_of_what_it_has(said: str, expected: bool | None) -> None:
    offered = (tool("book_table", "Books a table.", people=COUNT),)
    booked = leaf_of(context(f"Book {said}.", offered=offered), call("book_table", people=5), "/people")
    assert booked.holds is expected


@pytest.mark.parametrize("said", ["alarm 3", "alarm number 3"])
def test_the_figure_behind_a_noun_names_one(said: str) -> None:
    check_decided(context(f"Delete {said}.", offered=FIGURES), LAST_ALARM, "/alarm_id", "sole_reading", holds=True)


@pytest.mark.parametrize("said", ["number 3 of the alarm", "the number of alarm 3", "the number 3 of the alarm"])
def test_a_number_that_is_not_what_a_noun_is_called_by_stays_unknown(said: str) -> None:
    assert not Grounder(context(f"Delete {said}.", offered=FIGURES)).trace_call(LAST_ALARM).is_proven


def refund_in(unit: str) -> ToolDoc:
    amount = {**NUMBER, "description": f"Amount in {unit}."}
    return tool("refund_order", "Refund an order.", order_id=TEXT, amount=amount)


@pytest.mark.parametrize(
    ("said", "unit", "holds"),
    [
        ("20", "euros", True), ("20 EUR", "euros", True), ("$20", "USD", True),
        ("$20", "euros", None), ("20 USD", "euros", None), ("$20", "Canadian dollars", None),
        ("$20", "cents", None), ("20", "cents", None),
        ("twenty", "cents", None), ("20", "the smallest unit", None), ("20 EUR", "thousands of euros", None),
    ],
)  # fmt: skip
def test_a_figure_in_another_unit_than_the_documents_stays_unknown(said: str, unit: str, holds: bool | None) -> None:
    asked = context(f"Refund {said} for order W1122334.", offered=(refund_in(unit),))
    assert leaf_of(asked, call("refund_order", order_id="W1122334", amount=20), "/amount").holds is holds


@pytest.mark.parametrize(("said", "holds"), [("20", True), ("20 EUR", True), ("$20", None), ("20 pounds", None)])
def test_a_figure_in_another_currency_than_the_parameters_name_stays_unknown(said: str, holds: bool | None) -> None:
    offered = (tool("set_price", "Set the price of an article.", article=TEXT, price_eur=NUMBER),)
    asked = context(f"Set the price of article lamp to {said}.", offered=offered)
    assert leaf_of(asked, call("set_price", article="lamp", price_eur=20), "/price_eur").holds is holds


def test_an_option_that_is_a_pronoun_as_well_stays_unknown() -> None:
    offered = (tool("set_language", "Set the language of a profile.", profile=TEXT, language=one_of("de", "it")),)
    asked = context("Set it, the language of profile ann.", offered=offered)
    check_unknown(asked, call("set_language", profile="ann", language="it"), "/language")


SCALING = (tool("scale_service", "Set the number of replicas of a service.", service=TEXT, replicas=COUNT),)


@pytest.mark.parametrize(("way", "holds"), [("to", True), ("from", None), ("by", None)])
def test_what_a_count_becomes_is_meant_and_what_it_was_or_differs_by_stays_unknown(
    way: str, holds: bool | None
) -> None:
    asked = context(f"Scale service web {way} 6 replicas.", offered=SCALING)
    assert leaf_of(asked, call("scale_service", service="web", replicas=6), "/replicas").holds is holds


REWORD = (tool("reword_memo", "Gives a memo another text.", text=TEXT, new_text=TEXT),)
QUOTED = ("old plan", "new plan")


@pytest.mark.parametrize(
    "request_text",
    ["I have a memo that says '{}'. Reword it to '{}'.", "Reword my memo '{}', please: '{}'.", "Reword '{}' '{}'."],
)
@pytest.mark.parametrize("values", [QUOTED, QUOTED[::-1]])
@pytest.mark.parametrize("pointer", ["/text", "/new_text"])
def test_of_two_texts_that_nothing_tells_apart_neither_is_proven(
    request_text: str, values: tuple[str, str], pointer: str
) -> None:
    # An agent words texts as well: that it may does not make one of them less a reading of the other.
    text, new_text = values
    asked = context(request_text.format(*QUOTED), offered=REWORD)
    check_unknown(asked, call("reword_memo", text=text, new_text=new_text), pointer)


@pytest.mark.parametrize("said", ["The room is called 'Blue Hall'.", "The door says 'Blue Hall'."])
def test_what_is_quoted_before_the_sentence_that_asks_is_not_what_is_asked_for(said: str) -> None:
    signs = (tool("set_sign", "Sets the sign of a door.", sign=TEXT),)
    check_unknown(context(f"{said} Set the matching sign.", offered=signs), call("set_sign", sign="Blue Hall"), "/sign")


@pytest.mark.parametrize(
    "request_text",
    [
        "The old room is called 'Blue Hall'. Create a new room.",
        "I have a room named 'Blue Hall'. Create another room.",
    ],
)
def test_what_something_else_is_called_is_no_name_for_a_new_one(request_text: str) -> None:
    rooms = (tool("create_room", "Creates a room.", name=TEXT),)
    check_unknown(context(request_text, offered=rooms), call("create_room", name="Blue Hall"), "/name")


@pytest.mark.parametrize(
    "request_text",
    ["Move the sign from room '{}' to '{}'.", "Move the sign from room {} to room {}."],
)
@pytest.mark.parametrize("pointer", ["/room", "/message"])
def test_a_composed_text_that_takes_the_destination_makes_the_origin_no_destination(
    request_text: str, pointer: str
) -> None:
    signs = (tool("move_sign", "Moves the sign to a room.", room=TEXT, message=TEXT),)
    asked = context(request_text.format("North", "South"), offered=signs)
    leaf = leaf_of(asked, call("move_sign", room="North", message="South"), pointer)
    assert leaf.holds is None, (leaf.rule, leaf.note)


OPTIONAL_TEXT = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
OPTIONAL_COUNT = {"type": ["integer", "null"]}


@pytest.mark.parametrize(
    ("query", "parameters", "given", "holds"),
    [
        ("Set the alarm to 5", {"minutes": OPTIONAL_COUNT, "seconds": OPTIONAL_COUNT}, {"seconds": 5}, None),
        ("Set the alarm to 5 seconds", {"minutes": OPTIONAL_COUNT, "seconds": OPTIONAL_COUNT}, {"seconds": 5}, True),
        (
            "Set the alarm to 5",
            {"limits": {"type": "object", "properties": {"minutes": COUNT, "seconds": COUNT}}},
            {"limits": {"seconds": 5}},
            None,
        ),
        ("Set the alarm to 2026-04-05", {"start": TEXT, "end": TEXT}, {"end": "2026-04-05"}, None),
        ("Set the alarm to end 2026-04-05", {"start": TEXT, "end": TEXT}, {"end": "2026-04-05"}, True),
        ("Set S123456", {"alarm_id": OPTIONAL_TEXT, "room_id": OPTIONAL_TEXT}, {"room_id": "S123456"}, None),
        ("Set the alarm to Ann", {"user": TEXT, "team": TEXT}, {"team": "Ann"}, None),
        ("Set the alarm to Ann", {"user": TEXT, "notes": TEXT}, {"user": "Ann"}, True),
        ("Set the alarm 'Ann'", {"user": TEXT, "notes": TEXT}, {"user": "Ann"}, None),
        ("Set the alarm to Ann", {"user": TEXT, "day": DAY}, {"user": "Ann"}, True),
    ],
)
def test_what_may_be_meant_for_a_parameter_that_is_left_out_stays_unknown(
    query: str, parameters: dict[str, Any], given: dict[str, Any], holds: bool | None
) -> None:
    document = ToolDoc("set_alarm", "Sets the alarm.", {"type": "object", "properties": parameters})
    (leaf,) = Grounder(context(query, offered=(document,))).trace_call(call("set_alarm", **given)).leaves
    assert leaf.holds is holds


def test_what_has_to_be_given_is_said_first() -> None:
    parameters = {"type": "object", "properties": {"user": TEXT, "team": TEXT}, "required": ["user"]}
    offered = (ToolDoc("set_alarm", "Sets the alarm.", parameters),)
    check_decided(
        context("Set the alarm to Ann", offered=offered), call("set_alarm", user="Ann"), "/user", "sole_reading",
        holds=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("Invite the user U123456 as admin", True),
        ("Invite the user U123456, role admin", True),
        ("Invite the user U123456, admin role", True),
        ("Invite the admin U123456", None),
        ("Invite the admin user U123456", None),
        ("Invite the admin role user U123456", None),
    ],
)
def test_an_option_that_describes_what_is_there_is_none_to_be_set(query: str, holds: bool | None) -> None:
    invite = (tool("invite_user", "Invites a user.", user_id=TEXT, role=one_of("guest", "admin")),)
    asked = context(query, offered=invite)
    assert leaf_of(asked, call("invite_user", user_id="U123456", role="admin"), "/role").holds is holds


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("the event E123456 to 2026-04-06", True),
        ("the event E123456, start 2026-04-06", True),
        ("the event E123456 on 2026-04-06", None),
        ("the event E123456 of 2026-04-06", None),
        ("the event E123456 2026-04-06", None),
        ("the 2026-04-06 event E123456", None),
    ],
)
def test_what_tells_which_thing_is_meant_is_not_what_becomes_of_it(words: str, holds: bool | None) -> None:
    move = (tool("move_event", "Moves an event.", event_id=TEXT, start=TEXT),)
    action = call("move_event", event_id="E123456", start="2026-04-06")
    assert leaf_of(context(f"Move {words}", offered=move), action, "/start").holds is holds
    update = (tool("update_order", "Updates an order.", order_id=TEXT, amount=NUMBER),)
    said = words.replace("event E123456", "order O123456").replace("2026-04-06", "$30").replace("start", "amount")
    action = call("update_order", order_id="O123456", amount=30)
    assert leaf_of(context(f"Update {said}", offered=update), action, "/amount").holds is holds


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("order W1122334", True),
        ("order W7654321 and order W1122334", None),
        ("it and order W1122334", None),
        ("and order W1122334", None),
    ],
)
def test_a_noun_that_may_be_a_verb_of_its_own_is_none_of_the_first_verbs(words: str, holds: bool | None) -> None:
    assert leaf_of(context(f"Cancel {words}"), CANCEL, "/order_id").holds is holds


@pytest.mark.parametrize(
    ("said", "parameter", "holds"),
    [
        ("to U-1001", "to_user", True),
        ("to U-1001", "reply_to", None),
        ("assigned to U-1001", "assigned_to", True),
        ("to U-1001", "assigned_to", None),
        ("by U-1001", "blocked_by", None),
        ("at 17:00", "expires_at", None),
    ],
)
def test_a_preposition_says_no_parameter_whose_name_has_a_word_more(
    said: str, parameter: str, holds: bool | None
) -> None:
    value = said.rpartition(" ")[2]
    offered = (tool("create_ticket", "Creates a ticket.", title=TEXT, **{parameter: TEXT}),)
    asked = context(f'Create a ticket "Leak" {said}', offered=offered)
    assert leaf_of(asked, call("create_ticket", title="Leak", **{parameter: value}), f"/{parameter}").holds is holds


TICKET = tool(
    "update_ticket", "Updates a ticket.", ticket=TEXT, priority=COUNT, status=one_of("open", "done"), due_date=TEXT
)


@pytest.mark.parametrize(
    ("said", "name", "value", "holds"),
    [
        ("the ticket T-1001 to priority 1", "priority", 1, True),
        ("the priority 1 ticket T-1001", "priority", 1, None),
        ("the ticket T-1001 of priority 1", "priority", 1, None),
        ("the ticket of priority 1 T-1001", "priority", 1, None),
        ("the ticket T-1001, status done", "status", "done", True),
        ("the status done ticket T-1001", "status", "done", None),
        ("the ticket T-1001, due date 2026-10-05", "due_date", "2026-10-05", True),
        ("the due date 2026-10-05 ticket T-1001", "due_date", "2026-10-05", None),
        ("the 2026-10-05 due date ticket T-1001", "due_date", "2026-10-05", None),
    ],
)
def test_what_a_thing_has_before_its_name_is_not_what_becomes_of_it(
    said: str, name: str, value: str | int, holds: bool | None
) -> None:
    asked = context(f"Update {said}", offered=(TICKET,))
    assert leaf_of(asked, call("update_ticket", ticket="T-1001", **{name: value}), f"/{name}").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("width 2, height 3", True),
        ("width: 2, height: 3", True),
        ("the height, width: 3, 2", None),
        ("the height, the width to 3, 2", None),
    ],
)
def test_of_two_labels_before_two_values_nobody_knows_which_is_which(said: str, holds: bool | None) -> None:
    offered = (tool("set_frame", "Sets a frame.", width=COUNT, height=COUNT),)
    given = {"width": 2, "height": 3} if holds else {"width": 3, "height": 2}
    asked = context(f"Set {said}", offered=offered)
    assert leaf_of(asked, call("set_frame", **given), "/width").holds is holds


@pytest.mark.parametrize(
    ("said", "name", "holds"),
    [
        ("'Milk'", "title", True),
        ("'Milk'", "note", True),
        ("'Milk'", "path", True),
        ("'Milk'", "folder", None),
        ("titled 'Milk'", "folder", None),
        ("to the folder 'Milk'", "folder", True),
    ],
)
def test_what_is_quoted_is_not_what_has_to_be_given_where_a_text_is_left_out(
    said: str, name: str, holds: bool | None
) -> None:
    parameters = {"type": "object", "properties": {name: TEXT, "body": TEXT}, "required": [name]}
    asked = context(f"Add a note {said}", offered=(ToolDoc("add_note", "Adds a note.", parameters),))
    assert leaf_of(asked, call("add_note", **{name: "Milk"}), f"/{name}").holds is holds


@pytest.mark.parametrize(("name", "holds"), [("alarm_id", True), ("id", True), ("user_id", None), ("volume", None)])
def test_the_figure_behind_a_noun_is_its_own_identifier_or_none(name: str, holds: bool | None) -> None:
    offered = (tool("delete_alarm", "Deletes an alarm.", **{name: COUNT}),)
    assert (
        leaf_of(context("Delete alarm 3.", offered=offered), call("delete_alarm", **{name: 3}), f"/{name}").holds
        is holds
    )


CLOSING = (tool("close_account", "Closes an account.", account_id=TEXT),)


@pytest.mark.parametrize(
    ("query", "history", "holds"),
    [
        ("Close the account A100155.", (), True),
        ("Close my account. The account is A100155.", (), True),
        ("I pay rent with account A100155. Close the savings account.", (), None),
        ("Close my old account. The money goes to A100155.", (), None),
        ("Close one of my accounts.", (agent("Which one shall stay open?"), user("Account A100155.")), None),
        ("Hi", (agent("How can I help you?"), user("Get rid of account A100155.")), True),
        ("Hi", (agent("You have account A100155. Shall I close the other account?"), user("Yes.")), None),
    ],
)
def test_what_is_said_beside_a_request_or_answers_the_agent_does_not_tell_which_thing_is_meant(
    query: str, history: tuple[Message, ...], holds: bool | None
) -> None:
    asked = context(query, *history, offered=CLOSING)
    assert leaf_of(asked, call("close_account", account_id="A100155"), "/account_id").holds is holds


KNOWN_USERS = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee", "email": "ann@firm.example"}])


@pytest.mark.parametrize(
    ("parameter", "value", "holds"),
    [
        ("user_id", "Ann Lee", None),
        ("email", "Ann Lee", None),
        ("assignee", "Ann Lee", True),
        ("user_id", "U-1001", True),
    ],
)
def test_what_data_know_as_another_field_is_no_identifier(parameter: str, value: str, holds: bool | None) -> None:
    offered = (tool("assign_ticket", "Assigns a ticket.", ticket=TEXT, **{parameter: TEXT}),)
    asked = context("Assign the ticket T-5001 to Ann Lee.", KNOWN_USERS, offered=offered)
    assert leaf_of(asked, call("assign_ticket", ticket="T-5001", **{parameter: value}), f"/{parameter}").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("called Work", True),
        ("called Work, please", True),
        ("called 'Work' in the archive", True),
        ("called Work in progress", None),
        ("called Work (old)", None),
        ("called Work & Home", None),
        ("called Work, 2026", None),
    ],
)
def test_nobody_knows_where_a_name_ends_that_goes_on_in_words_unread(said: str, holds: bool | None) -> None:
    asked = context(f"Create a folder {said}.", offered=FILES)
    assert leaf_of(asked, call("create_folder", name="Work"), "/name").holds is holds


@pytest.mark.parametrize(("thing", "holds"), [("the order W1122334", True), ("the lamp of order W1122334", None)])
def test_a_thing_of_another_one_is_not_that_one_and_stays_unknown(thing: str, holds: bool | None) -> None:
    assert leaf_of(context(f"Cancel {thing}.", offered=SHOP), CANCEL, "/order_id").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("a folder 'Photos'", True),
        ("a folder in the folder 'Photos'", None),
        ("a folder inside the folder 'Photos'", None),
        ("the folder of folder 'Photos'", None),
    ],
)
def test_where_a_thing_is_put_is_not_what_it_is_called(said: str, holds: bool | None) -> None:
    create = tool("create_folder", "Creates a folder.", name=TEXT)
    asked = context(f"Create {said}.", offered=(create,))
    assert leaf_of(asked, call("create_folder", name="Photos"), "/name").holds is holds


def test_a_thing_that_is_named_is_no_other_ones_place() -> None:
    merge = tool("merge_tickets", "Merges a ticket into another ticket.", ticket_id=TEXT, into_ticket_id=TEXT)
    asked = context("Merge ticket T-1001 into ticket T-2002.", offered=(merge,))
    action = call("merge_tickets", ticket_id="T-1001", into_ticket_id="T-2002")
    check_decided(asked, action, "/into_ticket_id", "sole_reading", holds=True)


# Today is the fourth of March 2026.
@pytest.mark.parametrize(
    ("said", "day", "holds"),
    [
        ("March 20", "2026-03-20", True),
        ("December 5", "2025-12-05", None),
        ("December 5", "2026-12-05", None),
        ("March 1", "2026-03-01", None),
        ("26-03-20", "2026-03-20", None),
        ("26-03-20", "2020-03-26", None),
    ],
)
def test_a_day_without_its_year_is_the_next_one_if_that_is_near(said: str, day: str, holds: bool | None) -> None:
    offered = (tool("move_event", "Moves an event to another day.", event_id=TEXT, day=DAY),)
    asked = context(f"Move the event E7001 to {said}", offered=offered)
    assert leaf_of(asked, call("move_event", event_id="E7001", day=day), "/day").holds is holds
