"""What shows that a word of a free text is a name, and what leaves it open."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import NUMBER, TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown, leaf_of

RENAMING = (
    tool("rename_user", "Renames a user.", username=TEXT, new_name=TEXT),
    tool("play_song", "Plays a song.", title=TEXT),
    tool("set_price", "Sets a price.", price=NUMBER),
    tool("reduce_price", "Reduces a price.", amount={**NUMBER, "description": "How much to take off."}),
)


@pytest.mark.parametrize("values", [("bob", "bob77"), ("bob77", "bob"), ("Bob", "bob77")])
def test_a_name_with_figures_and_one_without_may_be_exchanged_and_stay_unknown(values: tuple[str, str]) -> None:
    username, new_name = values
    for action in (
        call("rename_user", username=username, new_name=new_name),
        call("rename_user", username=new_name, new_name=username),
    ):
        asked = context(f"Rename the user {username} to {new_name}.", offered=RENAMING)
        assert not all(leaf.holds for leaf in Grounder(asked).trace_call(action).leaves)


@pytest.mark.parametrize(
    ("request_text", "title", "holds"),
    [
        ("Play the song Hurricane.", "Hurricane", True),
        ("Play 'hurricane'.", "hurricane", True),
        ("Play the song again.", "again", None),
        ("Play the song louder.", "louder", None),
        ("Play The Song Again.", "Again", None),
        ("PLAY THE SONG AGAIN.", "AGAIN", None),
        ("Play a random song.", "random", None),
    ],
)
def test_a_word_that_may_say_when_or_how_is_no_name(request_text: str, title: str, holds: bool | None) -> None:
    asked = context(request_text, offered=RENAMING)
    assert Grounder(asked).trace_call(call("play_song", title=title)).is_proven is bool(holds)


def test_a_word_that_data_hold_as_a_field_is_a_name() -> None:
    listed = result("list_users", [{"username": "amy"}, {"username": "bo"}])
    offered = (tool("delete_user", "Deletes a user.", username=TEXT),)
    action = call("delete_user", username="amy")
    assert leaf_of(context("Delete the user amy.", listed, offered=offered), action, "/username").holds
    check_unknown(context("Delete the user amy.", offered=offered), action, "/username")


def test_what_something_is_reduced_to_is_not_by_how_much_and_stays_unknown() -> None:
    check_unknown(context("Reduce the price to 5.", offered=RENAMING), call("reduce_price", amount=5), "/amount")
    check_decided(
        context("Set the price to 5.", offered=RENAMING), call("set_price", price=5), "/price", "sole_reading",
        holds=True,
    )  # fmt: skip


@pytest.mark.parametrize("said", ["*.txt", "-amy77", "!amy77", "/etc.txt", ".env.txt"])
def test_a_sign_belongs_to_the_name_behind_it(said: str) -> None:
    offered = (tool("delete_file", "Deletes a file.", path=TEXT),)
    check_unknown(context(f"Delete the file {said}", offered=offered), call("delete_file", path=said[1:]), "/path")


@pytest.mark.parametrize(("title", "proven"), [("Data", True), ("data", False), ("Dàta", False)])
def test_what_is_quoted_is_said_to_the_letter(title: str, proven: bool) -> None:
    asked = context("Play the song 'Data'", offered=RENAMING)
    assert Grounder(asked).trace_call(call("play_song", title=title)).is_proven is proven


@pytest.mark.parametrize(("name", "proven"), [("O'Brien", True), ("Brien", False)])
@pytest.mark.parametrize("query", ["Delete the user O'Brien.", "Delete the user O'Brien, please"])
def test_an_apostrophe_within_a_name_opens_no_quotation(query: str, name: str, proven: bool) -> None:
    offered = (tool("delete_user", "Deletes a user.", username=TEXT),)
    listed = result("list_users", [{"user_id": "U-1001", "name": name}])
    assert Grounder(context(query, offered=offered)).trace_call(call("delete_user", username=name)).is_proven is proven
    offered = (tool("delete_user", "Deletes a user.", user_id=TEXT),)
    action = call("delete_user", user_id="U-1001")
    assert Grounder(context(query, listed, offered=offered)).trace_call(action).is_proven is proven


@pytest.mark.parametrize(
    ("request_text", "body", "proven"),
    [
        ("Reply to m41 with 'No, thank you'.", "No, thank you", True),
        ("Reply to m41 saying sorry.", "sorry", True),
        ("Reply to m41 with polite refusal.", "polite refusal", False),
        ("Reply to m41 with the release date.", "the release date", False),
        ("Reply to m41 saying sorry and decline.", "sorry and decline", False),
    ],
)
def test_a_description_of_a_text_is_no_text(request_text: str, body: str, proven: bool) -> None:
    offered = (tool("reply", "Replies to a message.", message_id=TEXT, body=TEXT),)
    asked = context(request_text, offered=offered)
    assert Grounder(asked).trace_call(call("reply", message_id="m41", body=body)).is_proven is proven


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("30", True),
        ("= 30", True),
        ("$30", True),
        ("~30", None),
        ("< $30", None),
        ("30 + 5%", None),
        ("30 1/2", None),
        ("30 ½", None),
        ("30 a week", None),
    ],
)
def test_a_sign_that_counts_or_a_fraction_beside_a_figure_makes_another_number_of_it(
    said: str, holds: bool | None
) -> None:
    asked = context(f"Set the price to {said}.", offered=RENAMING)
    assert leaf_of(asked, call("set_price", price=30), "/price").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [("at 9 am", True), ("at 9 am in room 5", True), ("at 9 am in Tokyo", None), ("at 9 am (Tokyo)", None)],
)
def test_a_time_beside_a_place_with_a_clock_of_its_own_stays_unknown(said: str, holds: bool | None) -> None:
    asked = context(f"Set the alarm {said}.", offered=(tool("set_alarm", "Sets an alarm.", time=TEXT),))
    assert leaf_of(asked, call("set_alarm", time="09:00"), "/time").holds is holds


@pytest.mark.parametrize(("said", "holds"), [("$30", True), ("$30 in euros", None), ("30 EUR/USD", None)])
def test_an_amount_beside_another_currency_stays_unknown(said: str, holds: bool | None) -> None:
    asked = context(f"Set the price to {said}.", offered=RENAMING)
    assert leaf_of(asked, call("set_price", price=30), "/price").holds is holds


SENDING = (
    tool("send_money", "Sends money to a person.", recipient=TEXT, amount=NUMBER),
    tool("set_limit", "Sets a limit.", limit=NUMBER),
    tool("open_link", "Opens a link.", url=TEXT),
    tool("delete_files", "Deletes files.", path=TEXT),
    tool("send_message", "Sends a message to a person.", to=TEXT, text=TEXT),
)


@pytest.mark.parametrize(("said", "holds"), [("Send Ann $30", True), ("Send $30, Ann", None), ("Send $30, Ann.", None)])
def test_a_name_behind_a_comma_may_be_whom_the_message_speaks_to(said: str, holds: bool | None) -> None:
    asked = context(said, offered=SENDING)
    assert leaf_of(asked, call("send_money", recipient="Ann", amount=30), "/recipient").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [("Set the limit to 10", True), ("Set the limit to approx. 10", None), ("Set the limit to max. 10", None)],
)
def test_a_word_before_a_full_stop_may_be_cut_short(said: str, holds: bool | None) -> None:
    assert leaf_of(context(said, offered=SENDING), call("set_limit", limit=10), "/limit").holds is holds


@pytest.mark.parametrize(
    ("said", "url", "holds"),
    [
        ("https://a.example", "https://a.example", True),
        ("https://a.example:8443", "https://a.example", None),
        ("https://a.example.", "https://a.example.", None),
        ("https://a.example,", "https://a.example,", None),
    ],
)
def test_a_port_belongs_to_a_link_and_the_end_of_a_sentence_does_not(said: str, url: str, holds: bool | None) -> None:
    assert leaf_of(context(f"Open the link {said}", offered=SENDING), call("open_link", url=url), "/url").holds is holds


@pytest.mark.parametrize(("leading", "holds"), [("", True), ("in ", None), ("from ", None), ("for ", None)])
def test_what_files_are_in_is_no_file_though_it_is_quoted(leading: str, holds: bool | None) -> None:
    asked = context(f"Delete the files {leading}'tmp'", offered=SENDING)
    assert leaf_of(asked, call("delete_files", path="tmp"), "/path").holds is holds


@pytest.mark.parametrize(("joint", "expected"), [("", True), ("saying", True), ("called", False), ("titled", False)])
def test_what_a_text_is_called_is_not_what_it_says(joint: str, expected: bool) -> None:
    asked = context(f"Send a message {joint} 'Hi' to 'Ann'", offered=SENDING)
    assert Grounder(asked).trace_call(call("send_message", to="Ann", text="Hi")).is_proven is expected
