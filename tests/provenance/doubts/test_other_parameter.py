"""A value that is said for another parameter, or counts another thing."""

import pytest
from hypothesis import given

from reviews.provenance.core.context import JsonValue
from reviews.provenance.doubts import other_parameter
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.argument_grounding.tools import BANK, NUMBER, TEXT, look_up, tool
from tests.provenance.doubts.asking import ORDER, PAIRS_OF_AMOUNTS, doubt_of, order


@given(PAIRS_OF_AMOUNTS)
def test_a_value_that_is_said_for_another_parameter_is_the_question(accounts: tuple[int, int]) -> None:
    own, other = map(str, accounts)
    asked = context(f"Transfer 50 from account {own} to account {other}.", offered=BANK)
    right = call("transfer", from_account=own, to_account=other, amount=50)
    assert doubt_of(other_parameter, asked, right, "/from_account") is None
    swapped = call("transfer", from_account=other, to_account=own, amount=50)
    assert doubt_of(other_parameter, asked, swapped, "/from_account") is not None


def test_the_default_of_another_parameter_is_the_question() -> None:
    tool = look_up("find_file", "Finds files.", folder={**TEXT, "default": "."}, name=TEXT)
    asked = context("Where is my draft. Find it.", offered=(tool,))
    assert doubt_of(other_parameter, asked, call("find_file", folder="draft", name="."), "/name") is not None
    assert doubt_of(other_parameter, asked, call("find_file", folder=".", name="draft"), "/folder") is None


def test_what_is_said_only_as_a_part_of_another_value_is_told_so() -> None:
    said = context("Order a Chianti to High Street 5, Leeds.", offered=(ORDER,))
    doubt = doubt_of(other_parameter, said, order(address="High Street 5, Leeds", tip=5), "/tip")
    assert doubt is not None
    assert (
        doubt.note == "The request says “5” as a part of “High Street 5, Leeds”, which is address. Is it meant for tip?"
    )
    twice = context("Order a Chianti to High Street 5, Leeds, and add 5 for the rider.", offered=(ORDER,))
    assert doubt_of(other_parameter, twice, order(address="High Street 5, Leeds", tip=5), "/tip") is None


def test_a_quantity_may_count_anything() -> None:
    said = context("Order 2 pizzas.", offered=(ORDER,))
    assert doubt_of(other_parameter, said, order(quantity=2), "/quantity") is None
    assert doubt_of(other_parameter, said, order(tip=2), "/tip") is not None


def test_a_unit_is_no_other_thing_that_is_counted() -> None:
    heating = (tool("set_heating", "Sets the heating.", temperature=NUMBER),)
    for said, is_asked in (("21 degrees", False), ("21 °C", False), ("21 rooms", True)):
        asked = context(f"Set the heating to {said}.", offered=heating)
        doubt = doubt_of(other_parameter, asked, call("set_heating", temperature=21), "/temperature")
        assert (doubt is not None) is is_asked


def test_what_is_counted_is_told_and_a_unit_of_time_counts_nothing() -> None:
    heating = (tool("set_heating", "Sets the heating.", temperature=NUMBER),)
    asked = context("Set the heating to 21 rooms.", offered=heating)
    doubt = doubt_of(other_parameter, asked, call("set_heating", temperature=21), "/temperature")
    assert doubt is not None
    assert doubt.note == "The request says “21”, counting “rooms”. Is it meant for temperature?"
    aged = (tool("date_sample", "Dates a sample.", age=NUMBER, width=NUMBER),)
    old = context("Date the sample: 200 years old, 10 wide, from 10 rooms.", offered=aged)
    for name, number in (("age", 200), ("width", 10)):
        assert doubt_of(other_parameter, old, call("date_sample", **{name: number}), f"/{name}") is None


@pytest.mark.parametrize(
    ("name", "other", "is_told"),
    [
        ("room_type", TEXT, True),
        ("room_type", {**TEXT, "enum": ["suite", "single"]}, False),
        ("room_count", NUMBER, False),
        ("rooms", {"type": "array"}, False),
        ("room_id", TEXT, False),
    ],
)
def test_a_label_beside_a_value_is_told_only_of_a_parameter_that_could_take_it(
    name: str, other: dict[str, JsonValue], is_told: bool
) -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, **{name: other})
    asked = context("Book the room Ritz.", offered=(book,))
    doubt = doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel")
    told = f"The request says “Ritz”, maybe for {name}. Is it meant for hotel?"
    assert (doubt and doubt.note) == (told if is_told else None)


def test_a_verb_is_no_label_of_the_parameter_that_has_its_stem() -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, floor_preference=TEXT)
    asked = context("I would prefer Ritz.", offered=(book,))
    assert doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel") is None


def test_of_is_no_label() -> None:
    look = look_up("find_extras", "Finds extras of a menu item.", query=TEXT, menu_item_id=TEXT)
    asked = context("What kind of cheese goes with it?", offered=(look,))
    action = call("find_extras", query="cheese", menu_item_id="bagel-17")
    assert doubt_of(other_parameter, asked, action, "/query") is None


def test_a_verb_may_be_the_label_of_a_parameter_that_is_given() -> None:
    add = tool("add_card", "Adds a card.", code=TEXT, expiration_date=TEXT)
    asked = context("Add my card, it expires on 08/2035.", offered=(add,))
    doubt = doubt_of(other_parameter, asked, call("add_card", code="08/2035", expiration_date="251675"), "/code")
    assert doubt is not None
    assert doubt.note == "The request says “08/2035”, maybe for expiration_date. Is it meant for code?"


@pytest.mark.parametrize("query", ["Book a room at Ritz.", "Book the room in the Ritz", "Book rooms for Ritz."])
def test_what_a_preposition_leads_to_is_not_called_by_the_noun_before_it(query: str) -> None:
    book = tool("book_stay", "Books a stay.", hotel=TEXT, room_type=TEXT)
    asked = context(query, offered=(book,))
    assert doubt_of(other_parameter, asked, call("book_stay", hotel="Ritz"), "/hotel") is None


def test_a_figure_that_is_a_part_of_a_longer_value_is_quoted_with_it() -> None:
    run = tool("run_test", "Runs a test.", duration={**NUMBER, "description": "In seconds."}, end=NUMBER)
    asked = context("Run the test for 300 seconds.", offered=(run,))
    doubt = doubt_of(other_parameter, asked, call("run_test", duration=300, end=300), "/end")
    assert doubt is not None
    assert "as a part of “300 seconds”, which is duration." in doubt.note


def test_what_has_its_own_label_is_meant_for_no_other_parameter() -> None:
    alerts = tool("set_alerts", "Sets alerts sent to an email.", email=TEXT, frequency=TEXT)
    asked = context("Set daily email alerts. My email is ann@example.org.", offered=(alerts,))
    right = call("set_alerts", email="ann@example.org", frequency="daily")
    assert doubt_of(other_parameter, asked, right, "/frequency") is None
    unsaid = call("set_alerts", email="bob@example.org", frequency="daily")
    assert doubt_of(other_parameter, asked, unsaid, "/frequency") is not None


def test_within_the_value_that_is_asked_about_no_other_is_said() -> None:
    layers = tool("get_layer", "Gets a layer.", layer_name=TEXT, attribute_filter=TEXT)
    said = 'Please retrieve the data from the "Green" layer and filter it based on the attribute "green > 50%".'
    swapped = call("get_layer", layer_name="green > 50%", attribute_filter="Green")
    assert doubt_of(other_parameter, context(said, offered=(layers,)), swapped, "/layer_name") is not None


@pytest.mark.parametrize(
    ("said", "is_counted"),
    [("a width of 500 pixels", False), ("500 pixels", True), ("a width of 40 and 500 pixels", True)],
)
def test_a_figure_behind_the_parameters_name_counts_nothing_else(said: str, is_counted: bool) -> None:
    cats = (tool("get_cat", "Gets a cat.", width=NUMBER),)
    asked = context(f"Get a cat with {said}.", offered=cats)
    doubt = doubt_of(other_parameter, asked, call("get_cat", width=500), "/width")
    assert (doubt is not None) is is_counted
