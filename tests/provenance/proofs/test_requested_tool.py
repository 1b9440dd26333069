import pytest

from reviews.provenance.argument_grounding import Grounder
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tool_results import LISTED
from tests.provenance.argument_grounding.tools import BANK, CLOUD, FILES, NUMBER, TEXT, tool

DELETE = call("delete_file", path="report.pdf")


def is_requested(request_text: str, *history: object, action: object = DELETE, offered: object = FILES) -> bool:
    asked = context(request_text, LISTED, *history, offered=offered)  # type: ignore[arg-type]
    return Grounder(asked).trace_call(action).request is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "request_text",
    [
        "Delete the file report.pdf.",
        "Please delete report.pdf",
        "Could you please delete the file report.pdf?",
        "I'd like you to delete the file report.pdf.",
        "Ok, delete the file report.pdf. Thank you!",
        "Delete the file report.pdf. You are the kindest assistant in the whole wide world.",
    ],
)
def test_an_imperative_of_the_tools_words_asks_for_it(request_text: str) -> None:
    assert is_requested(request_text)


def test_an_offer_that_is_agreed_to_asks_for_it() -> None:
    assert is_requested("Tidy up.", agent("Shall I delete the file report.pdf?"), user("Yes, go ahead."))


@pytest.mark.parametrize(
    "request_text",
    [
        "Don't delete the file report.pdf.",
        "Delete the file report.pdf when Ann agrees.",
        "Did you delete the file report.pdf?",
        "I deleted the file report.pdf.",
        "Ann wants to delete the file report.pdf.",
        "Please tell Ann to delete the file report.pdf.",
        "I forgot to delete the file report.pdf.",
        "I want you to explain how to delete the file report.pdf.",
        "Can I delete the file report.pdf?",
    ],
)
def test_a_deed_that_is_told_denied_or_somebody_elses_stays_unknown(request_text: str) -> None:
    assert not is_requested(request_text)


@pytest.mark.parametrize(
    "request_text",
    [
        "Bo said: delete the file report.pdf!",
        "“Delete the file report.pdf.” is what the ticket says.",
        "Ann wrote 'please delete the file report.pdf'. Answer her.",
    ],
)
def test_words_that_are_quoted_stay_unknown(request_text: str) -> None:
    assert not is_requested(request_text)


@pytest.mark.parametrize("later", ["Scratch that.", "No.", "On second thought, keep it.", "Or is it in use?"])
def test_a_request_that_the_next_sentence_may_take_back_stays_unknown(later: str) -> None:
    assert not is_requested(f"Delete the file report.pdf. {later}")


@pytest.mark.parametrize(
    "later", ["Never mind, don't.", "No, take notes.txt instead.", "What is the weather?", "やめて"]
)
def test_a_request_before_the_latest_message_stays_unknown(later: str) -> None:
    assert not is_requested("Delete the file report.pdf.", user(later))


@pytest.mark.parametrize(
    "request_text", ["Delete every file but report.pdf.", "Delete the file that replaced report.pdf."]
)
def test_a_sentence_that_turns_its_object_around_stays_unknown(request_text: str) -> None:
    assert not is_requested(request_text)


def test_a_tool_of_other_words_stays_unknown() -> None:
    terminate = call("terminate_instance", instance_id="i0a47b1c2")
    assert not is_requested("Restart the instance i0a47b1c2.", action=terminate, offered=CLOUD)


def test_a_tool_that_another_one_fits_better_stays_unknown() -> None:
    assert not is_requested("Request $30 from Daniel.", action=call("pay", to="Daniel", amount=30), offered=BANK)


def test_an_undocumented_tool_stays_unknown() -> None:
    assert not is_requested("Wipe the file report.pdf.", action=call("wipe_file", path="report.pdf"))


def test_an_offer_beside_an_alternative_stays_unknown() -> None:
    assert not is_requested("Tidy up.", agent("I can delete the file report.pdf or keep it."), user("Yes."))


GUESTS = result("list_guests", [{"guest_id": "G100200", "name": "Ivo Brandt"}, {"guest_id": "G100311", "name": "Al"}])
REMOVING = (
    tool("remove_guest", "Removes a guest.", guest_id=TEXT),
    tool("remove_table", "Removes a table.", table_id=TEXT),
)


@pytest.mark.parametrize(
    ("request_text", "asked"), [("Remove Ivo Brandt", True), ("Remove the seat of Ivo Brandt", False)]
)
def test_a_named_record_stands_for_the_object_of_the_one_tool_that_takes_it(request_text: str, asked: bool) -> None:
    action = call("remove_guest", guest_id="G100200")
    assert Grounder(context(request_text, GUESTS, offered=REMOVING)).trace_call(action).is_proven is asked


def test_what_all_documents_say_tells_no_tool() -> None:
    server = "These functions book cabins. They belong to one server. "
    offered = (
        tool("book_cabin", f"{server}Books a cabin.", cabin=TEXT),
        tool("close_cabin", f"{server}Closes a cabin.", cabin=TEXT),
    )
    asked = context("Book cabin 7001.", offered=offered)
    assert Grounder(asked).trace_call(call("book_cabin", cabin="7001")).request is not None
    assert Grounder(asked).trace_call(call("close_cabin", cabin="7001")).request is None


@pytest.mark.parametrize(
    "request_text",
    [
        "I'll delete the file report.pdf.", "I can now delete the file report.pdf.",
        "I may need to delete the file report.pdf.", "I like to delete the file report.pdf.",
        "Bo wrote, please delete the file report.pdf.", "Bo, delete the file report.pdf.",
        "Please explain the deletion of the file report.pdf.", "Please confirm the deletion of the file report.pdf.",
        "I want you to know: delete the file report.pdf.",
    ],
)  # fmt: skip
def test_words_before_the_verb_that_do_not_ask_for_it_leave_it_unknown(request_text: str) -> None:
    assert not is_requested(request_text)


@pytest.mark.parametrize(
    "request_text",
    [
        "Hi, please delete the file report.pdf.", "Yes, delete the file report.pdf.",
        "Then I need you to also delete the file report.pdf.",
        "Please proceed with the deletion of the file report.pdf.",
        "We would like to delete the file report.pdf, please.", "Please go ahead with deleting the file report.pdf.",
        "Proceed with deleting the file report.pdf.",
    ],
)  # fmt: skip
def test_words_before_the_verb_that_ask_for_it_are_read(request_text: str) -> None:
    assert is_requested(request_text)


@pytest.mark.parametrize("before", ["I am fine with", "Proceed without", "Before we proceed with", "She can go with"])
def test_who_only_speaks_of_doing_it_asks_for_nothing(before: str) -> None:
    assert not is_requested(f"{before} deleting the file report.pdf.")


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        ("I need the termination of the session S123456.", True),
        ("I need the terminal session S123456.", False),
        ("I need the terminal of the session S123456.", False),
    ],
)
def test_what_only_has_the_stem_of_a_deed_asks_for_none(request_text: str, asked: bool) -> None:
    offered = (tool("terminate_session", "Terminates a session.", session_id=TEXT),)
    assert is_requested(request_text, action=call("terminate_session", session_id="S123456"), offered=offered) is asked


@pytest.mark.parametrize(
    ("request_text", "document", "asked"),
    [
        ("Send the order R123456.", "Sends a cancellation request of an order.", False),
        ("Send R123456.", "Sends a cancellation request of an order.", False),
        ("Send the cancellation of the order R123456.", "Sends a cancellation of an order.", True),
        ("Use the order R123456.", "Use this tool to cancel an order.", False),
        ("Make the order R123456.", "Makes a refund of an order.", False),
        ("Revoke the order R123456.", "Revokes an order.", True),
        ("Revoke the order R123456.", "Revokes an order and all of its items.", False),
        ("Revoke the order R123456.", "Revokes the order of an id.", True),
    ],
)
def test_a_verb_of_the_document_asks_for_all_that_stands_behind_it_there(
    request_text: str, document: str, asked: bool
) -> None:
    offered = (tool("cancel_order", document, order_id=TEXT),)
    assert is_requested(request_text, action=call("cancel_order", order_id="R123456"), offered=offered) is asked


def test_a_verb_of_the_tools_own_name_asks_for_it_wherever_it_stands_there() -> None:
    offered = (tool("money_transfer", "Transfer money to a person's account.", recipient=TEXT, amount=NUMBER),)
    action = call("money_transfer", recipient="Daniel", amount=30)
    assert is_requested("Transfer $30 to Daniel", action=action, offered=offered)


@pytest.mark.parametrize(
    ("name", "document", "asked"),
    [
        ("money_transfer", "Sends money to a person.", True),
        ("money_transfer", "Sends money to a person and closes the account.", False),
        ("money_transfer", "Sends money to a person at a bank.", False),
        ("refund", "Sends a refund to a person.", False),
        ("send_payment", "Sends a payment.", True),
        ("send_invoice", "Sends an invoice.", False),
        ("send_reminder", "Sends a reminder of a debt.", False),
        ("debt_notice", "Sends a notice to a person.", False),
    ],
)
def test_an_amount_stands_for_money_and_for_nothing_else(name: str, document: str, asked: bool) -> None:
    offered = (tool(name, document, recipient=TEXT, amount=NUMBER),)
    action = call(name, recipient="Ann", amount=30)
    assert is_requested("Send $30 to Ann", action=action, offered=offered) is asked


@pytest.mark.parametrize(
    ("name", "document", "parameter", "asked"),
    [
        ("cancel_order", "Cancels an order.", "order_id", True),
        ("cancel_order", "Cancels an order.", "code", True),
        ("cancel_reminder", "Cancels a reminder.", "order_id", False),
        ("cancel_reminder", "Cancels the reminder of an order.", "order_id", False),
        ("drop_order", "Sends a cancellation of an order.", "order_id", False),
    ],
)
def test_a_value_stands_for_what_it_names_and_for_nothing_else(
    name: str, document: str, parameter: str, asked: bool
) -> None:
    offered = (tool(name, document, **{parameter: TEXT}),)
    verb = document.partition(" ")[0].removesuffix("s")
    assert is_requested(f"{verb} R123456", action=call(name, **{parameter: "R123456"}), offered=offered) is asked


@pytest.mark.parametrize(
    ("document", "asked"),
    [
        ("Cancels.", True),
        ("Cancels an order.", True),
        ("Cancels by phone.", True),
        ("Cancels order alerts.", False),
        ("Cancels an order's insurance.", False),
        ("Cancels an order’s insurance.", False),
        ("Cancels the order-insurance.", False),
        ("Cancels the insurance of an order.", False),
    ],
)
@pytest.mark.parametrize("request_text", ["Cancel W1122334.", "Cancel order W1122334."])
def test_of_a_tool_that_is_called_by_its_verb_alone_the_document_says_the_object(
    document: str, request_text: str, *, asked: bool
) -> None:
    cancel = tool("cancel", document, order_id=TEXT)
    action = call("cancel", order_id="W1122334")
    assert is_requested(request_text, action=action, offered=(cancel,)) == asked


def test_a_tool_whose_document_has_the_verb_beside_more_words_may_be_meant_as_well() -> None:
    offered = (
        tool("cancel_order", "Removes an order.", order_id=TEXT),
        tool("archive_order", "Removes an order from the list.", order_id=TEXT),
    )
    action = call("cancel_order", order_id="R123456")
    assert is_requested("Remove the order R123456.", action=action, offered=offered[:1])
    assert not is_requested("Remove the order R123456.", action=action, offered=offered)


@pytest.mark.parametrize("verb", ["administer", "irrigate", "enroll", "incubate", "activate"])
def test_a_verb_whose_stem_is_shorter_is_asked_for_as_the_tool_is_called(verb: str) -> None:
    offered = (tool(f"{verb}_thing", f"{verb.capitalize()} a thing.", thing_id=TEXT),)
    asked = context(f"{verb.capitalize()} the thing TH10001.", offered=offered)
    assert Grounder(asked).trace_call(call(f"{verb}_thing", thing_id="TH10001")).is_proven
