from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Context, Message, ProposedAction
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.pairs import PAIRS
from tests.provenance.argument_grounding.tool_results import ACCOUNTS, LISTED
from tests.provenance.argument_grounding.tools import BANK, CLOUD, FILES, HOME, NUMBER, TEXT, one_of, tool

DELETE = call("delete_file", path="report.pdf")
REQUEST = "Delete the file report.pdf."
# Asked for in one message, so that its sentences are all that is said. Found when the first test wants them: every
# process of a parallel run reads this file.
asked_calls = st.deferred(
    lambda: st.sampled_from(
        [
            (pair.context, pair.right)
            for pair in PAIRS
            if pair.right
            and not any(isinstance(item, Message) for item in pair.context.history)
            and Grounder(pair.context).trace_call(pair.right).is_proven
        ]
    )
)
# Words that no made conversation has.
strange = st.lists(st.sampled_from("zorb quix flam drint vosk plume grish".split()), min_size=1, max_size=7).map(
    " ".join
)


def is_proven(asked: Context, action: ProposedAction) -> bool:
    return Grounder(asked).trace_call(action).is_proven


def is_deletion_proven(request_text: str) -> bool:
    return is_proven(context(request_text, LISTED, offered=FILES), DELETE)


@given(asked_calls, st.sampled_from(["Hi!", "Good morning.", "Hallo."]), st.sampled_from(["Thanks!", "Merci."]))
def test_a_message_that_also_greets_and_thanks_asks_for_the_call(
    case: tuple[Context, ProposedAction], before: str, behind: str
) -> None:
    asked, action = case
    assert is_proven(replace(asked, query=f"{before} {asked.query.rstrip('.')}. {behind}"), action)


@given(asked_calls, strange, st.booleans(), st.sampled_from([".", "!", ":", "?", "\n"]))
def test_a_sentence_that_nothing_reads_leaves_the_call_unknown(
    case: tuple[Context, ProposedAction], said: str, is_before: bool, mark: str
) -> None:
    asked, action = case
    query = f"{said}{mark} {asked.query}" if is_before else f"{asked.query} {said}{mark}"
    assert not is_proven(replace(asked, query=query), action)


@given(asked_calls, strange, st.data())
def test_a_word_that_nothing_reads_leaves_the_call_unknown_wherever_it_stands(
    case: tuple[Context, ProposedAction], said: str, data: st.DataObject
) -> None:
    asked, action = case
    gaps = [at for at, sign in enumerate(asked.query) if sign == " "]
    at = data.draw(st.sampled_from(gaps))
    assert not is_proven(replace(asked, query=f"{asked.query[:at]} {said}{asked.query[at:]}"), action)


@pytest.mark.parametrize(
    "request_text",
    [
        REQUEST, "Could you delete the file report.pdf? Thank you.", "- Delete the file `report.pdf`.",
        "I'd like you to delete the file (report.pdf).", "Delete the file report.pdf. Thank you for your help!",
    ],
)  # fmt: skip
def test_a_message_of_the_calls_own_words_asks_for_it(request_text: str) -> None:
    assert is_deletion_proven(request_text)


@pytest.mark.parametrize(
    "more",
    [
        "I changed my mind.", "Get Bo's approval too.", "Ask me first.", "You are the kindest assistant of all.",
        "Ann has to see it.", "Undo.", "Thank you for your help with the archive.", "Thank you for not doing that.",
    ],
)  # fmt: skip
def test_a_request_with_more_behind_it_stays_unknown(more: str) -> None:
    assert not is_deletion_proven(f"{REQUEST} {more}")


@pytest.mark.parametrize(
    "before",
    [
        "Plan only.", "Explain this.", "Translate the following sentence.\n", "What would happen if I said this?",
        "Bo wrote:\n", "Don't do anything yet.", "Subject: cleaning\n\n", "How would you put this politely?",
    ],
)  # fmt: skip
def test_a_request_with_something_before_it_stays_unknown(before: str) -> None:
    assert not is_deletion_proven(f"{before} {REQUEST}")


@pytest.mark.parametrize("sign", ["❌", "🙃", "~~", "->", "^", "/s", "|", "<", "{}", "…not"])
def test_a_sign_that_may_say_anything_stays_unknown(sign: str) -> None:
    assert not is_deletion_proven(f"Delete the file report.pdf {sign}")


@pytest.mark.parametrize("request_text", ["> Delete the file report.pdf", "```\nDelete the file report.pdf\n```"])
def test_a_request_that_is_marked_as_another_text_stays_unknown(request_text: str) -> None:
    assert not is_deletion_proven(request_text)


@pytest.mark.parametrize("tail", ["from the README", "permissions", "in folder archive", "is what Bo asked for"])
def test_words_behind_a_value_that_the_call_has_no_part_for_stay_unknown(tail: str) -> None:
    assert not is_deletion_proven(f"Delete the file report.pdf {tail}.")


@pytest.mark.parametrize("what", ["the duplicate of", "everything beside", "the lines of", "whatever links to"])
def test_words_that_lead_to_another_thing_than_the_value_stay_unknown(what: str) -> None:
    assert not is_deletion_proven(f"Delete {what} the file report.pdf.")


MOVING = (tool("open_gate", "Open a gate.", gate=TEXT), tool("follow_user", "Follow a user.", user=TEXT))


@pytest.mark.parametrize(
    ("request_text", "action"),
    [
        ("Open the gate to gate G2.", call("open_gate", gate="G2")),
        ("Open the gate of the gate G2.", call("open_gate", gate="G2")),
        ("Follow the user ann follows.", call("follow_user", user="ann")),
    ],
)
def test_a_noun_or_verb_that_stands_there_again_is_another_thing_and_stays_unknown(
    request_text: str, action: ProposedAction
) -> None:
    assert not is_proven(context(request_text, offered=MOVING), action)


def test_two_values_with_one_noun_each_are_both_asked_for() -> None:
    transfer = call("transfer", from_account="88", to_account="77", amount=500)
    assert is_proven(context("Transfer 500 from account 88 to account 77.", offered=BANK), transfer)


@pytest.mark.parametrize(("request_text", "expected"), [("of the heating", True), ("of the cooling", False)])
def test_a_noun_is_read_behind_the_preposition_that_the_document_has_before_it(
    request_text: str, expected: bool
) -> None:
    asked = context(f"Set the mode {request_text} to eco.", offered=HOME)
    assert is_proven(asked, call("set_mode", mode="eco")) is expected


def test_what_a_later_sentence_of_the_document_mentions_is_not_read() -> None:
    offered = (tool("cancel_trip", "Cancel a trip. Nobody can do so in the morning.", trip=TEXT),)
    assert not is_proven(context("Cancel trip T1 in the morning.", offered=offered), call("cancel_trip", trip="T1"))


@pytest.mark.parametrize(("currency", "expected"), [("dollars", True), ("EUR", True), ("percent", False)])
def test_a_currency_is_read_behind_its_number(currency: str, expected: bool) -> None:
    asked = context(f"Pay Daniel 30 {currency}.", offered=(tool("pay", "Pay a person.", to=TEXT, amount=NUMBER),))
    assert is_proven(asked, call("pay", to="Daniel", amount=30)) is expected


def test_a_currency_that_a_parameter_is_left_out_for_stays_unknown() -> None:
    pay = tool("pay", "Pay a person.", to=TEXT, amount=NUMBER, currency=one_of("EUR", "USD"))
    assert not is_proven(context("Pay Daniel 30 dollars.", offered=(pay,)), call("pay", to="Daniel", amount=30))


def test_the_name_of_a_record_and_its_fields_are_read() -> None:
    asked = context("Close the account with the owner Daniel Kim.", ACCOUNTS, offered=BANK)
    assert is_proven(asked, call("close_account", account_id="AC100201"))


NOTES = (tool("add_note", "Add a note to a customer.", customer=TEXT, note=TEXT),)


@pytest.mark.parametrize(
    ("note", "expected"), [("pays late", True), ("pays late, never bill", False), ("pays", False), ("insolvent", False)]
)
def test_a_text_that_the_agent_words_is_proven_only_as_it_is_said(note: str, expected: bool) -> None:
    asked = context("Add the note 'pays late' to customer Lux.", offered=NOTES)
    assert is_proven(asked, call("add_note", customer="Lux", note=note)) is expected


def test_a_text_that_nobody_said_stays_unknown() -> None:
    assert not is_proven(context("Add a note to customer Lux.", offered=NOTES),
                         call("add_note", customer="Lux", note="insolvent"))  # fmt: skip


def test_a_text_that_only_says_another_value_stays_unknown() -> None:
    offered = (replace(NOTES[0], parameters={**NOTES[0].parameters, "required": ["customer"]}),)
    asked = context("Add a note to customer Lux.", offered=offered)
    assert not is_proven(asked, call("add_note", customer="Lux", note="Lux"))


def test_what_else_is_said_is_shown_to_whoever_looks() -> None:
    traced = Grounder(context(f"{REQUEST} I changed my mind.", LISTED, offered=FILES)).trace_call(DELETE)
    assert traced.request is not None
    assert traced.unread is not None
    assert traced.unread.quote == "I changed my mind."


def test_a_request_in_words_that_only_the_record_of_a_look_up_has_stays_unknown() -> None:
    listed = result("list_servers", [{"server": "web-47", "decommissioned": "yes"}])
    asked = context("Restart the server web-47 decommissioned.", listed, offered=CLOUD)
    assert not is_proven(asked, call("restart_server", server="web-47"))


JOURNAL = (tool("create_note", "Create a note.", title=TEXT, content=TEXT),)


@pytest.mark.parametrize(
    "said", ["titled Milk with content Eggs", "with content Eggs and title Milk", "'Milk' with content 'Eggs'"]
)
def test_a_text_that_the_request_says_for_another_parameter_stays_unknown(said: str) -> None:
    asked = context(f"Create a note {said}.", offered=JOURNAL)
    assert is_proven(asked, call("create_note", title="Milk", content="Eggs"))
    assert not is_proven(asked, call("create_note", title="Eggs", content="Milk"))


@pytest.mark.parametrize("said", ["'Milk', 'Eggs'", "with 'Milk' and 'Eggs'", "'Milk': 'Eggs'"])
def test_of_two_texts_without_a_name_neither_is_proven(said: str) -> None:
    asked = context(f"Create a note {said}.", offered=JOURNAL)
    for title, content in (("Milk", "Eggs"), ("Eggs", "Milk")):
        assert not is_proven(asked, call("create_note", title=title, content=content))


@pytest.mark.parametrize(
    ("behind", "expected"),
    [("Note: pays late.", True), ("Not: pays late.", False), ("Stop: pays late.", False), ("Pays late, sorry.", False)],
)
def test_a_short_sentence_that_says_a_value_takes_nothing_back_unless_it_says_more(behind: str, expected: bool) -> None:
    asked = context(f"Add a note to customer Lux. {behind}", offered=NOTES)
    assert is_proven(asked, call("add_note", customer="Lux", note="pays late")) is expected


RESTARTING = (
    tool("restart", "Restarts the server.", delay_minutes=NUMBER),
    tool("drive.delete", "Deletes a file or a folder of the drive.", path=TEXT),
)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Restart the server, please.", True),
        ("Restart the server with a delay.", False),
        ("Restart the server web-3.", False),
        ("Restart the router.", False),
    ],
)
def test_a_call_without_arguments_is_proven_where_nothing_else_is_said(request_text: str, expected: bool) -> None:
    assert is_proven(context(request_text, offered=RESTARTING), call("restart")) is expected


@pytest.mark.parametrize(("noun", "expected"), [("file", True), ("folder", True), ("backup", False)])
def test_what_the_document_says_that_the_tool_works_on_is_read(noun: str, expected: bool) -> None:
    asked = context(f"Delete the {noun} notes.txt.", offered=RESTARTING)
    assert is_proven(asked, call("drive.delete", path="notes.txt")) is expected


@pytest.mark.parametrize(
    "query",
    [
        "Delete\u0336 the file report.pdf.",
        "Delete the file r\u0338eport.pdf.",
        "Delete\u20e0 the file report.pdf.",
        "Delete the file report.pdf.\U000e006e\U000e006f",
        "Delete the\u200b file report.pdf.",
    ],
)
def test_what_is_struck_out_or_does_not_show_leaves_the_call_unknown(query: str) -> None:
    assert is_deletion_proven(REQUEST)
    assert not is_deletion_proven(query)


@pytest.mark.parametrize("word", ["try", "bob", "top", "euros"])
def test_a_word_behind_a_name_is_no_currency(word: str) -> None:
    assert not is_deletion_proven(f"Delete the file report.pdf {word}.")


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("", True),
        (".", True),
        (" now", True),
        (" and", False),
        (" and the", False),
        (" called", False),
        (" called it", False),
        (" named", False),
        (" of", False),
        (" my", False),
        (",", False),
        (":", False),
        (" (", False),
        (" -", False),
    ],
)
def test_a_sentence_that_breaks_off_leaves_the_call_unknown(end: str, expected: bool) -> None:
    assert is_deletion_proven(f"Delete the file report.pdf{end}") is expected


def test_what_belongs_to_the_verb_may_end_its_sentence() -> None:
    offered = (tool("turn_on", "Turns a lamp on.", lamp=TEXT),)
    asked = context("Turn the lamp 'Den' on", offered=offered)
    assert is_proven(asked, call("turn_on", lamp="Den"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("files, a.txt", True),
        ("files and a.txt", False),
        ("the files and a.txt", False),
    ],
)
def test_what_the_tool_works_on_is_joined_to_no_value_by_and(said: str, expected: bool) -> None:
    offered = (tool("delete_files", "Deletes files.", paths={"type": "array", "items": TEXT}),)
    asked = context(f"Delete {said}", offered=offered)
    assert is_proven(asked, call("delete_files", paths=["a.txt"])) is expected


@pytest.mark.parametrize(("amount", "expected"), [("$30", True), ("30 €", True), ("$30 €", False), ("£$30", False)])
def test_a_sign_of_a_currency_that_is_no_amounts_leaves_the_call_unknown(amount: str, expected: bool) -> None:
    offered = (tool("send_money", "Sends money to a person.", recipient=TEXT, amount=NUMBER),)
    asked = context(f"Send {amount} to 'Ann'", offered=offered)
    assert is_proven(asked, call("send_money", recipient="Ann", amount=30)) is expected
