"""A preposition that leads where nothing of the call says makes something else of what is asked for."""

import pytest

from reviews.provenance.core.context import ToolDoc
from tests.provenance.argument_grounding.made import agent, call, user
from tests.provenance.argument_grounding.test_soundness import is_proven
from tests.provenance.argument_grounding.tools import COUNT, TEXT, tool


@pytest.mark.parametrize(
    ("query", "name", "document", "expected"),
    [
        ("Turn off the device D123456", "turn_off", "Turns a device off.", True),
        ("Turn on the device D123456", "turn_off", "Turns a device off.", False),
        ("Turn the device D123456 on", "turn_off", "Turns a device off.", False),
        ("Turn on the device D123456", "turn_on", "Turns a device on.", True),
        ("Turn on the device D123456", "toggle_device", "Turns a device on or off.", False),
        ("Check in the device D123456", "check_out", "Checks out a device.", False),
        ("Log in the device D123456", "log_out", "Logs out a device.", False),
    ],
)
def test_a_preposition_at_the_verb_makes_another_deed_of_it(
    query: str, name: str, document: str, *, expected: bool
) -> None:
    offered = (tool(name, document, device_id=TEXT),)
    assert is_proven(query, action=call(name, device_id="D123456"), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "name", "document", "expected"),
    [
        ("Check in the guest 'Ann'", "check_in", "Checks in a guest.", True),
        ("Check the guest 'Ann' in", "check_in", "Checks in a guest.", True),
        ("Check the guest 'Ann'", "check_in", "Checks in a guest.", False),
        ("Check on the guest 'Ann'", "check_in", "Checks in a guest.", False),
        ("Check in on the guest 'Ann'", "check_in", "Checks in a guest.", False),
        ("Call the guest 'Ann'", "call_in", "Calls in a guest.", False),
        ("Look at the guest 'Ann'", "look_for", "Looks for a guest.", False),
        ("Wait for the guest 'Ann'", "wait_for", "Waits for a guest.", True),
        ("Fill in the guest for 'Ann'", "fill_in", "Fills in a guest.", False),
        ("Turn on the guest at 'Ann'", "turn_on", "Turns on a guest.", False),
        ("Turn on the guest on 'Ann'", "turn_on", "Turns on a guest.", False),
    ],
)
def test_a_verb_with_a_preposition_is_said_with_that_preposition_and_leads_with_no_other(
    query: str, name: str, document: str, *, expected: bool
) -> None:
    offered = (tool(name, document, guest=TEXT),)
    assert is_proven(query, action=call(name, guest="Ann"), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "name", "document", "given", "expected"),
    [
        ("Sign the document as 'Ann'", "sign_document", "Signs a document.", {"document": "Ann"}, False),
        ("Share the file F-1 as 'Ann'", "share_file", "Shares a file.", {"file_id": "F-1", "user": "Ann"}, False),
        ("Save the file F-1 as 'b.txt'", "save_file", "Saves a file.", {"file_id": "F-1", "new_name": "b.txt"}, True),
        ("Set the topic as 'Ann'", "set_topic", "Sets a topic.", {"topic_text": "Ann"}, True),
    ],
)
def test_as_leads_to_a_new_name_or_to_what_is_set_and_to_nobody(
    query: str, name: str, document: str, given: dict[str, str], *, expected: bool
) -> None:
    offered = (tool(name, document, **dict.fromkeys(given, TEXT)),)
    assert is_proven(query, action=call(name, **given), offered=offered) is expected


@pytest.mark.parametrize(("leading", "expected"), [("at", True), ("for", True), ("in", False)])
def test_in_some_hours_is_no_time_of_day(leading: str, *, expected: bool) -> None:
    offered = (tool("set_alarm", "Sets an alarm.", time=TEXT),)
    assert (
        is_proven(f"Set an alarm {leading} 07:30", action=call("set_alarm", time="07:30"), offered=offered) is expected
    )


@pytest.mark.parametrize(("query", "expected"), [("Clock in guest 12", False), ("Clock out guest 12", True)])
def test_a_figure_behind_it_makes_no_other_deed_of_it(query: str, expected: bool) -> None:
    offered = (tool("clock_out", "Clocks a guest out.", guest={"type": "integer"}),)
    assert is_proven(query, action=call("clock_out", guest=12), offered=offered) is expected


def test_whoever_agrees_to_turn_it_on_does_not_turn_it_off() -> None:
    offered = (tool("turn_off", "Turns a device off.", device_id=TEXT),)
    for particle, expected in (("off", True), ("on", False)):
        history = agent(f"Shall I turn {particle} the device D123456?"), user("Yes, please.")
        action = call("turn_off", device_id="D123456")
        assert is_proven("Hello", *history, action=action, offered=offered) is expected


DELETE = tool("delete_file", "Deletes a file.", file_id=TEXT)


@pytest.mark.parametrize("words", ["the file", "file", "the file called", "file number"])
def test_what_stands_behind_its_noun_is_meant(words: str) -> None:
    assert is_proven(f"Delete {words} F123456", action=call("delete_file", file_id="F123456"), offered=(DELETE,))


@pytest.mark.parametrize("preposition", ["in", "with", "of", "for", "on", "at", "by", "from", "into", "to", "as"])
@pytest.mark.parametrize("words", ["the file {}", "it {} the file", "{} the file"])
def test_what_a_file_is_in_is_not_the_file(words: str, preposition: str) -> None:
    query = f"Delete {words.format(preposition)} F123456"
    assert not is_proven(query, action=call("delete_file", file_id="F123456"), offered=(DELETE,))


SHARES: tuple[tuple[str, str, bool], ...] = (
    ("to", "Shares a file to a user.", True),
    ("with", "Shares a file with a user.", True),
    ("to", "", True),
    ("of", "Shares a file with a user.", False),
    ("as", "Shares a file with a user.", False),
    ("in", "", False),
)


@pytest.mark.parametrize(("preposition", "document", "expected"), SHARES)
def test_whose_file_it_is_is_not_who_gets_it(preposition: str, document: str, *, expected: bool) -> None:
    offered: tuple[ToolDoc, ...] = (tool("share_file", document, file=TEXT, user=TEXT),)
    action = call("share_file", file="F123456", user="U123456")
    query = f"Share the file F123456 {preposition} user U123456"
    assert is_proven(query, action=action, offered=offered) is expected


@pytest.mark.parametrize("words", ["with it", "on it", "from them", "for me"])
def test_what_nobody_reads_is_led_to_by_nothing(words: str) -> None:
    offered = (tool("set_timer", "Sets a timer.", minutes={"type": "integer"}),)
    action = call("set_timer", minutes=20)
    assert is_proven("Set a timer for 20 minutes", action=action, offered=offered)
    assert not is_proven(f"Set a timer {words} for 20 minutes", action=action, offered=offered)


@pytest.mark.parametrize(
    ("request_", "name", "number"),
    [
        ("Mute the channel in 10 minutes", "minutes", 10),
        ("Mute the channel at 7", "people", 7),
        ("Mute the channel for 5", "channel_id", 5),
        ("Mute the channel with 5", "channel_id", 5),
        ("Mute the channel for $20", "quantity", 20),
    ],
)
def test_before_a_number_a_preposition_says_what_it_says_anywhere(request_: str, name: str, number: int) -> None:
    offered = (tool("mute_channel", "Mutes a channel.", **{name: {"type": "integer"}}),)
    assert not is_proven(request_, action=call("mute_channel", **{name: number}), offered=offered)


@pytest.mark.parametrize(
    ("request_", "document", "name", "value"),
    [
        ("Cancel the order of customer C123456", "Cancels an order of a customer.", "order_id", "C123456"),
        ("Cancel the order of the customer number C123456", "Cancels an order of a customer.", "order_id", "C123456"),
        ("Cancel the order from account A123456", "Cancels an order from an account for a person.", "for", "A123456"),
        ("Cancel the order R123456", "Cancels an order of a customer.", "customer", "R123456"),
    ],
)
def test_a_noun_before_a_value_says_whose_it_is(request_: str, document: str, name: str, value: str) -> None:
    offered: tuple[ToolDoc, ...] = (tool("cancel_order", document, **{name: TEXT}),)
    assert not is_proven(request_, action=call("cancel_order", **{name: value}), offered=offered)
    own = (tool("cancel_order", document, order_id=TEXT),)
    assert is_proven("Cancel the order R123456", action=call("cancel_order", order_id="R123456"), offered=own)


@pytest.mark.parametrize(
    ("said", "expected"), [("the shares ACM, quantity 20", True), ("the shares ACM for 20", False)]
)
def test_what_something_is_sold_for_is_no_quantity_of_it(said: str, *, expected: bool) -> None:
    offered = (tool("sell_shares", "Sells shares of a company.", symbol=TEXT, quantity=COUNT),)
    assert is_proven(f"Sell {said}", action=call("sell_shares", symbol="ACM", quantity=20), offered=offered) is expected
