"""What a call is proven by, and one innocent change each that it is not: the same words, another thing meant."""

import json
from typing import Any

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tools import COUNT, FLAG, NUMBER, TEXT, TEXTS, one_of, tool

SEND = tool("send_money", "Sends money to a person.", recipient=TEXT, amount=NUMBER)
DELETE = tool("delete_file", "Deletes a file.", path=TEXT)
PAID = call("send_money", recipient="Ann", amount=30)
DELETED = call("delete_file", path="/tmp/a.txt")


def is_proven(
    query: str, *history: Step | Message, action: ProposedAction, offered: tuple[ToolDoc, ...], prompt: str = ""
) -> bool:
    asked = context(query, *history, offered=offered)
    if prompt:
        asked = type(asked)(
            query, offered, history, (NamedText(SourceKind.SYSTEM_PROMPT, "system", prompt),), asked.now
        )
    return Grounder(asked).trace_call(action).is_proven


def optional(document: ToolDoc, **defaults: Any) -> ToolDoc:
    """The tool with more parameters, each with this default."""
    kinds = {bool: "boolean", str: "string"}
    more = {name: {"type": kinds[type(value)], "default": value} for name, value in defaults.items()}
    parameters = {**document.parameters, "properties": {**document.properties, **more}}
    return ToolDoc(document.name, document.description, parameters)


@pytest.mark.parametrize(
    ("query", "name", "document", "asked_for"),
    [
        ("Delete the user U123456.", "delete_user", "Deletes a user.", True),
        ("Delete the user U123456.", "delete_user_avatar", "Deletes the avatar of a user.", False),
        ("Delete the user U123456.", "delete_all_user_files", "", False),
        ("Delete the branch U123456.", "force_delete_branch", "", False),
        ("Send the invoice U123456.", "send_invoice_reminder", "Sends a reminder of an invoice.", False),
        ("Copy the job U123456.", "stop_copy_job", "", False),
        ("Share the link U123456.", "remove_share_link", "", False),
        ("Unblock card U123456.", "block_card", "Blocks a card. Unblock is possible within 30 days.", False),
        ("Archive user U123456.", "delete_user", "Deletes a user. Archive users who may come back.", False),
        ("Delete the reporter U123456.", "delete_report", "Deletes a report.", False),
        ("Delete designers U123456.", "delete_design", "Deletes a design.", False),
        ("Delete the booking U123456.", "delete_booking", "Deletes a booking.", True),
        ("Delete the book U123456.", "delete_booking", "Deletes a booking.", False),
        ("Delete the recording U123456.", "delete_record", "Deletes a record.", False),
    ],
)
def test_a_tool_is_asked_for_by_its_verb_and_by_all_of_its_nouns_or_none(
    query: str, name: str, document: str, asked_for: bool
) -> None:
    offered = (tool(name, document, item_id=TEXT),)
    assert is_proven(query, action=call(name, item_id="U123456"), offered=offered) is asked_for


@pytest.mark.parametrize(
    ("query", "given", "expected"),
    [
        ("Create an event 'Monday'", {"title": "Monday"}, True),
        ("Create an event 'Monday' on Monday", {"title": "Monday"}, False),
        ("Create an event 'Dinner' for 2 guests", {"title": "Dinner", "guests": 2}, True),
        ("Create an event 'Dinner' for 2 guests at table 2", {"title": "Dinner", "guests": 2}, False),
        ("Create an event 'Dinner' for 2 guests at table 2", {"title": "Dinner", "guests": 2, "table": 2}, True),
    ],
)
def test_what_is_said_twice_is_given_twice(query: str, given: dict[str, Any], expected: bool) -> None:
    create = tool("create_event", "Creates an event.", title=TEXT, guests=COUNT, table=COUNT, day=TEXT)
    offered = (ToolDoc(create.name, create.description, {**create.parameters, "required": ["title"]}),)
    assert is_proven(query, action=call("create_event", **given), offered=offered) is expected


@pytest.mark.parametrize("document", ["", "Deletes a report.", "Removes a report."])
@pytest.mark.parametrize("parameter", ["id", "report_id"])
def test_a_tool_named_by_its_noun_first_is_not_asked_for_by_that_noun(parameter: str, document: str) -> None:
    offered, action = (
        (tool("report_delete", document, **{parameter: TEXT}),),
        call("report_delete", **{parameter: "R123456"}),
    )
    # Where neither the document nor a parameter tells the noun, the first word is the verb as in most names.
    is_told = bool(document) or parameter == "report_id"
    assert is_proven("Report R123456", action=action, offered=offered) is not is_told
    assert is_proven("Delete the report R123456", action=action, offered=offered) is ("Deletes" in document)


@pytest.mark.parametrize(
    ("query", "name", "document", "expected"),
    [
        ("Delete the files in the folder '/tmp/x'", "delete_files", "Deletes the files in a folder.", True),
        ("Delete the file in the folder '/tmp/x'", "delete_files", "Deletes the files in a folder.", False),
        ("Purge the file in the folder '/tmp/x'", "purge", "Purges the files in a folder.", False),
    ],
)
def test_whoever_says_one_does_not_ask_for_several(query: str, name: str, document: str, expected: bool) -> None:
    offered = (tool(name, document, folder=TEXT),)
    assert is_proven(query, action=call(name, folder="/tmp/x"), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Delete the file /tmp/a.txt!", True),
        ("Could you delete the file /tmp/a.txt?", True),
        ("- Delete the file /tmp/a.txt", True),
        ("Delete the file /tmp/a.txt?!", False),
        ("Delete the file /tmp/a.txt (?)", False),
        ("Delete the file /tmp/a.txt (?) now", False),
        ("Delete the file /tmp/a.txt ;)", False),
        ("Delete the file /tmp/a.txt (!)", False),
        ("`Delete the file /tmp/a.txt`", False),
        ("// Delete the file /tmp/a.txt", False),
        ("# Delete the file /tmp/a.txt", False),
        ("(Delete the file /tmp/a.txt)", False),
        ("Delete ;-) the file /tmp/a.txt", False),
    ],
)
def test_signs_that_doubt_smile_or_quote_withhold(query: str, expected: bool) -> None:
    assert is_proven(query, action=DELETED, offered=(DELETE,)) is expected


@pytest.mark.parametrize(
    ("query", "given", "expected"),
    [
        ("Send $30 to Ann", {}, True),
        ("Send €30 to Ann", {}, False),
        ("Send €30 to Ann", {"currency": "USD"}, False),
        ("Send £30 to Ann", {"currency": "USD"}, False),
    ],
)
def test_a_default_is_none_where_the_message_says_another_currency(
    query: str, given: dict[str, str], expected: bool
) -> None:
    offered = (optional(SEND, currency="USD"),)
    assert is_proven(query, action=call("send_money", **PAID.arguments, **given), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "expected"), [("Delete the file /tmp/a.txt", True), ("Delete the file /tmp/a.txt as a dry run", False)]
)
def test_a_default_is_none_where_the_message_has_a_word_of_its_parameter(query: str, expected: bool) -> None:
    action = call("delete_file", path="/tmp/a.txt", dry_run=False)
    assert is_proven(query, action=action, offered=(optional(DELETE, dry_run=False),)) is expected


def test_another_option_that_is_said_is_no_default_that_is_left_out() -> None:
    cabins = one_of("economy", "business") | {"default": "economy"}
    book = tool("book_flight", "Books a flight.", flight=TEXT, cabin=cabins)
    book = ToolDoc(book.name, book.description, {**book.parameters, "required": ["flight"]})
    assert not is_proven("Book flight LH1234 business", action=call("book_flight", flight="LH1234"), offered=(book,))


@pytest.mark.parametrize("content", ["", None])
def test_what_is_left_empty_is_not_what_is_asked_for(content: str | None) -> None:
    offered = (tool("update_note", "Updates a note.", note_id=TEXT, content=TEXT), DELETE)
    assert not is_proven("Update the note N123456", action=call("update_note", note_id="N123456", content=content),
                         offered=offered)  # fmt: skip
    assert not is_proven("Delete the file /tmp/a.txt", action=call("delete_file", path="/tmp/a.txt", note=content),
                         offered=offered)  # fmt: skip


ITEM = {"type": "object", "properties": {"name": TEXT, "quantity": COUNT}}
ORDER = (tool("order_items", "Orders items.", items={"type": "array", "items": ITEM}),)


@pytest.mark.parametrize(
    ("query", "items", "are_proven"),
    [
        ("Order 2 'Pizza' and 3 'Cola'", [("Pizza", 2), ("Cola", 3)], True),
        ("Order 2 'Pizza' and 3 'Cola'", [("Pizza", 3), ("Cola", 2)], False),
        ("Order 2 items 'Pizza'", [("Pizza", 2), ("Pizza", 2)], False),
        ("Order 2 Pizza and 3 'Cola'", [("Pizza", 3), ("Cola", 2)], False),
    ],
)
def test_values_of_entries_are_proven_where_all_of_them_are_said_one_entry_behind_the_other(
    query: str, items: list[tuple[str, int]], *, are_proven: bool
) -> None:
    entries = [{"name": name, "quantity": quantity} for name, quantity in items]
    traced = Grounder(context(query, offered=ORDER)).trace_call(call("order_items", items=entries))
    assert {leaf.holds for leaf in traced.leaves} == {True if are_proven else None}
    asks = f"Nothing proves that “{items[0][1]}” belongs beside “{items[0][0]}”. Does it?"
    assert are_proven or traced.leaves[1].note == asks


@pytest.mark.parametrize(("stops", "expected"), [(["Berlin", "Rome"], True), (["Rome", "Berlin"], False)])
def test_a_list_that_is_said_the_other_way_round_stays_unknown(stops: list[str], expected: bool) -> None:
    offered = (tool("set_route", "Sets the route.", stops=TEXTS),)
    assert (
        is_proven("Set the route to 'Berlin', 'Rome'", action=call("set_route", stops=stops), offered=offered)
        is expected
    )


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Step("make_payment", {"payee": "Ann", "amount": 30}, "ok"), False),
        (Step("message_user", {"text": "Send it?"}, "No, keep it."), False),
        (Step("get_user_reply", {}, '{"answer": "No, keep it.", "at": "10:00"}'), False),
        (Step("check_policy", {}, '{"allowed": false}'), False),
        (Step("list_people", {}, '[{"name": "Ann", "age": 40}]'), True),
    ],
)
def test_what_came_of_another_call_since_the_request_withholds(step: Step, expected: bool) -> None:
    assert is_proven("Send $30 to Ann", step, action=PAID, offered=(SEND,)) is expected


REPORTS = result(
    "list_reports", [{"user_id": "U-1001", "reported_by": "Ann Lee"}, {"user_id": "U-1002", "reported_by": "Bo Yu"}]
)
PEOPLE = result(
    "list_users", [{"user_id": "U-1001", "full_name": "Ann Lee"}, {"user_id": "U-1002", "full_name": "Bo Yu"}]
)


@pytest.mark.parametrize(("listed", "expected"), [(PEOPLE, True), (REPORTS, False)])
def test_who_stands_in_another_role_names_no_record(listed: Step, expected: bool) -> None:
    offered = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    assert (
        is_proven("Block the user Ann Lee", listed, action=call("block_user", user_id="U-1001"), offered=offered)
        is expected
    )


@pytest.mark.parametrize(
    ("said", "listed", "expected"),
    [
        ("Ann", [{"user_id": "U-1001", "name": "Ann Lee"}], True),
        ("Ann", {"users": [{"user_id": "U-1001", "name": "Ann Lee"}]}, True),
        ("Ann", {"users": [{"user_id": "U-1001", "name": "Ann Lee"}], "next": "abc"}, False),
        ("Ann Lee", {"users": [{"user_id": "U-1001", "name": "Ann Lee"}], "next": "abc"}, True),
    ],
)
def test_a_part_of_a_name_names_nothing_in_a_list_that_may_go_on(said: str, listed: Any, expected: bool) -> None:
    offered, action = (tool("block_user", "Blocks a user.", user_id=TEXT),), call("block_user", user_id="U-1001")
    assert is_proven(f"Block the user {said}", result("list_users", listed), action=action, offered=offered) is expected


ROWS = [{"user_id": "U-1001", "name": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu"}]
BLOCK = (tool("block_user", "Blocks a user.", user_id=TEXT),)
BLOCKED = call("block_user", user_id="U-1001")


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (result("list_users", ROWS), True),
        (result("list_users", "user_id,name\nU-1001,Ann Lee\nU-1002,Bo Yu"), True),
        (result("search_users", ROWS[:1], query="Ann"), True),
        (result("list_users", ROWS, limit=2), False),
        (result("list_users", ROWS, team="sales"), False),
        (result("list_users", "user_id,name\nU-1001,Ann Lee\nU-1002,Bo Yu\n... 41 more rows"), False),
        (result("list_users", "user_id,name\nU-1001,Ann Lee\nU-1002,Bo Yu\n[truncated]"), False),
        (result("list_users", "Showing 1-2 of 40\n" + json.dumps(ROWS)), False),
        (result("list_users", "- user_id: U-1001\n  name: Ann Lee\n- user_id: U-1002\n  name: Bo Yu\n..."), False),
    ],
)
def test_a_part_of_a_name_names_nothing_where_a_list_is_narrowed_or_goes_on(listed: Step, expected: bool) -> None:
    assert is_proven("Block the user Ann", listed, action=BLOCKED, offered=BLOCK) is expected


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (result("list_users", ROWS), True),
        (
            result("list_users", [{"user_id": "U-1001", "name": "Bo Yu"}, {"user_id": "U-1002", "name": "Cy Fox"}]),
            False,
        ),
        (result("list_users", [{"user_id": "U-1002", "name": "Bo Yu"}]), False),
        (Step("rename_user", {"user_id": "U-1001", "new_name": "Bo Yu"}, "ok"), False),
        # Nobody knows what another tool did.
        (Step("note_user", {"user_id": "U-1001", "note": "Called."}, "ok"), False),
        (Step("merge_users", {"into": "U-1001"}, "ok"), False),
        (Step("search_notes", {"text": "Ann"}, "none"), True),
    ],
)
def test_a_record_that_has_changed_since_is_not_what_its_name_was(since: Step, expected: bool) -> None:
    history = result("list_users", ROWS), since, agent("Done."), user("Block the user Ann Lee")
    assert is_proven("Hello!", *history, action=BLOCKED, offered=BLOCK) is expected


@pytest.mark.parametrize(
    "since",
    [
        {"name": "Ann Lee", "email": "ann@new.example"},
        {"contact_id": "C1", "new_email": "ann@new.example"},
        {"contact_id": "C1", "field": "email", "value": "ann@new.example"},
        {"operations": "/C1/email"},
    ],
)
def test_a_field_that_may_have_been_set_since_is_not_what_it_was(since: dict[str, str]) -> None:
    people = [
        {"contact_id": "C1", "name": "Ann Lee", "email": "ann@old.example"},
        {"contact_id": "C2", "name": "Bo Yu"},
    ]
    offered = (tool("invite_person", "Invites a person.", email=TEXT),)
    history = result("list_contacts", people), Step("update_contact", since, "ok"), agent("Done.")
    action = call("invite_person", email="ann@old.example")
    assert not is_proven("Hello!", *history, user("Invite Ann Lee"), action=action, offered=offered)


@pytest.mark.parametrize("said", ["Ann's account is closed.", "Which Ann do you mean?", "Done, I have blocked her."])
def test_what_the_agent_said_since_may_change_all(said: str) -> None:
    assert is_proven("Block the user U-1001", action=BLOCKED, offered=BLOCK)
    assert not is_proven("Block the user U-1001", agent(said), action=BLOCKED, offered=BLOCK)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'll block the user U-1001 now.", True),
        ("Okay. I will block U-1001.", True),
        ("I will not block the user U-1001.", False),
        ("I'll block the user U-1002.", False),
        ("I'll block the user U-1001 if she agrees.", False),
        ("I will pretend to block the user U-1001.", False),
        ("Shall I block the user U-1001?", False),
    ],
)
def test_an_agent_that_tells_of_this_very_call_says_nothing_new(said: str, expected: bool) -> None:
    assert is_proven("Block the user U-1001", agent(said), action=BLOCKED, offered=BLOCK) is expected


ANN = '[{"contact_id": "C1", "name": "Ann Lee", "account": "DE123456"}, {"contact_id": "C2", "name": "Bo Yu"}]'


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("Transfer $30 to the account of Ann Lee", True),
        ("Transfer $30 from the account of Ann Lee", False),
        ("Transfer $30 to the account by Ann Lee", False),
        ("Transfer $30 to the account of Ann Lee ... later", False),
    ],
)
def test_what_leads_to_a_record_says_what_part_it_has(asked: str, expected: bool) -> None:
    money = {"type": "number"}
    offered = (tool("transfer_money", "Transfers money to an account.", account=TEXT, amount=money),)
    action = call("transfer_money", account="DE123456", amount=30)
    assert is_proven(asked, result("list_contacts", ANN), action=action, offered=offered) is expected


def test_a_result_that_is_an_error_names_nothing() -> None:
    failed = result("list_users", "Error: stale cache\n" + json.dumps(ROWS))
    assert not is_proven("Block the user Ann Lee", failed, action=BLOCKED, offered=BLOCK)


@pytest.mark.parametrize(
    ("other", "expected"), [("Bo Yu", True), ("Lee, Ann", False), ("Ann M. Lee", False), ("ANN  LEE", False)]
)
def test_two_records_that_may_be_called_so_are_a_question(other: str, expected: bool) -> None:
    listed = result("list_users", [ROWS[0], {"user_id": "U-1002", "name": other}])
    assert is_proven("Block the user Ann Lee", listed, action=BLOCKED, offered=BLOCK) is expected


def test_a_search_that_finds_what_is_only_like_the_words_names_nothing() -> None:
    offered, action = (tool("block_user", "Blocks a user.", user_id=TEXT),), call("block_user", user_id="U-1001")
    found = Step("search_users", {"query": "Ann Lee"}, '[{"user_id": "U-1001", "name": "Anna Bell"}]')
    assert not is_proven("Block the user Ann Lee", found, action=action, offered=offered)


@pytest.mark.parametrize(("field", "expected"), [("phone", True), ("emergency_contact_phone", False)])
def test_a_field_with_another_qualifier_is_another_value(field: str, expected: bool) -> None:
    staff = result(
        "list_staff", [{"name": "Ann Lee", field: "+491701234567"}, {"name": "Bo Yu", field: "+491709999999"}]
    )
    offered = (tool("call_phone", "Calls a person.", phone_number=TEXT),)
    action = call("call_phone", phone_number="+491701234567")
    assert is_proven("Call Ann Lee", staff, action=action, offered=offered) is expected


@pytest.mark.parametrize(
    ("document", "parameter", "expected"),
    [
        ("Sends money to a person.", NUMBER, True),
        ("Sends money to a person. Amounts are in cents.", NUMBER, False),
        ("Sends a person an amount of money in cents.", NUMBER, False),
        ("Sends money in US cents to a person.", NUMBER, False),
        ("Sends money in euros to a person.", NUMBER, False),
        ("Sends money in US dollars to a person.", NUMBER, True),
        ("Sends dollars or euros to a person.", NUMBER, True),
        ("Sends money to a person.", NUMBER | {"description": "Amount (cents)"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Zero-based index"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Kilograms"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Mass [kg]"}, False),
        ("Sends money to a person.", NUMBER | {"description": "The amount of money to send, in dollars."}, True),
        ("Sends money to a person.", NUMBER | {"description": "How much to send in the smallest unit"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Amount, cents"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Thousands of dollars"}, False),
        ("Sends money to a person.", NUMBER | {"description": "Share from 0 to 1"}, False),
        ("Sends money to a person. The first one is number 0.", NUMBER, True),
        ("Sends money to a person. Persons count from 0.", NUMBER, False),
    ],
)
def test_a_number_in_a_unit_that_nobody_says_stays_unknown(
    document: str, parameter: dict[str, Any], expected: bool
) -> None:
    offered = (tool("send_money", document, recipient=TEXT, amount=parameter),)
    assert is_proven("Send $30 to Ann", action=PAID, offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "document", "expected"),
    [
        ("Pay Ann 30", "Pays a person an amount.", True),
        ("Pay Ann 30", "Pays a person an amount in cents.", False),
        ("Pay Ann an amount of 30", "Pays a person an amount in the app.", True),
    ],
)
def test_a_figure_without_a_word_of_its_own_is_counted_in_what_the_document_says(
    query: str, document: str, expected: bool
) -> None:
    offered = (tool("pay", document, to=TEXT, amount=NUMBER),)
    assert is_proven(query, action=call("pay", to="Ann", amount=30), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "name", "parameter", "expected"),
    [
        ("Set the timeout to 5", "set_timeout", "timeout", True),
        ("Set the timeout to 5 minutes", "set_timeout", "timeout", False),
        ("Set the timeout to - 5", "set_timeout", "timeout", False),
        ("Raise the wage to 5", "raise_wage", "amount", False),
    ],
)
def test_a_figure_is_no_other_number_than_what_is_said(query: str, name: str, parameter: str, expected: bool) -> None:
    action, offered = call(name, **{parameter: 5}), (tool(name, "", **{parameter: COUNT}),)
    assert is_proven(query, action=action, offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "parameter", "expected"),
    [
        ("Set the timeout to 5", "timeout", True),
        ("Set the timeout to 5", "timeout_ms", False),
        ("Set the timeout to 5 ms", "timeout_ms", True),
        ("Set the weight to 5", "weight_kg", False),
        ("Set the row to 5", "row_index", False),
        ("Set the row index to 5", "row_index", True),
        ("Set the row to 5", "row_number", True),
    ],
)
def test_a_unit_in_a_parameters_name_has_to_be_said(query: str, parameter: str, expected: bool) -> None:
    name = f"set_{parameter.partition('_')[0]}"
    offered = (tool(name, "", **{parameter: COUNT}),)
    assert is_proven(query, action=call(name, **{parameter: 5}), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "description", "value", "expected"),
    [
        ("Set the alarm to 17:00", "HH:MM", "17:00", True),
        ("Set the alarm to 17:00", "Time of day in UTC (HH:MM)", "17:00", False),
        ("Set the alarm to 17:00 UTC", "Time of day in UTC (HH:MM)", "17:00", False),
        ("Set the alarm to 03/04/2026", "MM/DD/YYYY", "03/04/2026", False),
        ("Set the alarm to 03/14/2026", "MM/DD/YYYY", "03/14/2026", True),
    ],
)
def test_a_time_in_a_zone_or_an_order_that_nobody_says_stays_unknown(
    query: str, description: str, value: str, expected: bool
) -> None:
    offered = (tool("set_alarm", "Sets the alarm.", time=TEXT | {"description": description}),)
    assert is_proven(query, action=call("set_alarm", time=value), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "grade", "expected"),
    [
        ("Book the room R123456, grade A", "A", True),
        ("Book a room R123456", "A", False),
        ("Book the room R123456 as 'A'", "A", True),
    ],
)
def test_an_option_that_reads_like_an_article_has_to_be_named(query: str, grade: str, expected: bool) -> None:
    offered = (tool("book_room", "Books a room.", room_id=TEXT, grade=one_of("A", "B")),)
    assert is_proven(query, action=call("book_room", room_id="R123456", grade=grade), offered=offered) is expected


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ((result("list_files", ["a"]), agent("Here they are."), user("Delete the file /tmp/a.txt")), True),
        (
            (result("list_files", ["a"]), agent("Please tell me the text of it."), user("Delete the file /tmp/a.txt")),
            False,
        ),
        ((result("list_files", ["a"]), agent("ما هو النص؟"), user("Delete the file /tmp/a.txt")), False),
        ((agent("Give me the text of the draft."), user("Delete the file /tmp/a.txt")), False),
        ((agent("Schreib mir bitte den Text."), user("Delete the file /tmp/a.txt")), False),
    ],
)
def test_what_the_agent_has_just_asked_for_may_be_answered(history: tuple[Any, ...], expected: bool) -> None:
    listing = tool("list_files", "Lists files.")
    assert is_proven("List the files.", *history, action=DELETED, offered=(DELETE, listing)) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("List the files.", True),
        ("Translate my messages into French from here on. First list the files.", False),
        ("List the files. My amounts are in thousands.", False),
        ("List the files, please.", True),
        ("Could you list the files, my amounts are in thousands?", False),
        ("List the files and write to me as Bo.", False),
        ("List the files (/tmp/a.txt is the one of Bo).", False),
        ("List the files of account DE123456.", False),
    ],
)
def test_a_call_does_what_asks_for_its_tool_and_nothing_else_that_was_said(before: str, expected: bool) -> None:
    listing = tool("list_files", "Lists files.")
    history = (result("list_files", ["a"]), agent("Done."), user("Delete the file /tmp/a.txt"))
    assert is_proven(before, *history, action=DELETED, offered=(DELETE, listing)) is expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("You are a helpful assistant.", True),
        ("Always ask the user to confirm before you delete anything.", False),
        ("Deleting files is forbidden.", False),
        ("What lies in /tmp must stay.", False),
        ("Above 20 a day call a supervisor.", False),
        ("All destructive operations need approval.", False),
    ],
)
def test_what_the_operator_says_of_such_calls_withholds(prompt: str, expected: bool) -> None:
    assert is_proven("Delete the file /tmp/a.txt", action=DELETED, offered=(DELETE,), prompt=prompt) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("Send $30 to Bob.", True),
        ("Send money to Ann.", True),
        ("Send money in euros.", False),
        ("Send money from my savings.", False),
        ("Send $30 to Ann on Fridays.", False),
    ],
)
def test_what_was_said_of_the_deed_with_more_words_still_holds(before: str, expected: bool) -> None:
    history = agent("Okay."), user("Send $30 to Ann")
    assert is_proven(before, *history, action=PAID, offered=(SEND,)) is expected


def test_a_call_does_the_one_of_two_sentences_that_says_its_value() -> None:
    bob = Step("send_money", {"recipient": "Bob", "amount": 5}, "ok")
    history = bob, agent("Done."), user("Send $30 to Ann")
    assert is_proven("Send $5 to Bob.", *history, action=PAID, offered=(SEND,))
    assert not is_proven("Send the money in euros. Send $5 to Bob.", *history, action=PAID, offered=(SEND,))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("Deletes a file.", True),
        ("Deletes a file. It is moved to the bin.", True),
        ("Deletes a file. The agent must obtain the user's confirmation (yes/no).", False),
        ("Deletes a file. Requires approval.", False),
        ("Deletes a file if it is empty.", False),
        ("Deletes a file. Never use this on /tmp.", False),
        ("Deletes a file. Only admins may do so.", False),
        ("Deletes a file. Call check_file first.", False),
        ("Deletes a file. Vorher ist eine Bestätigung einzuholen.", False),
    ],
)
def test_a_tool_whose_document_limits_it_is_not_proven(document: str, expected: bool) -> None:
    delete = tool("delete_file", document, path=TEXT)
    offered = (delete, tool("check_file", "Checks a file.", path=TEXT))
    assert is_proven("Delete the file /tmp/a.txt", action=DELETED, offered=offered) is expected


def test_whoever_agrees_to_the_deed_has_confirmed_it() -> None:
    delete = tool("delete_file", "Deletes a file. The user has to confirm this.", path=TEXT)
    history = agent("Shall I delete the file /tmp/a.txt?"), user("Yes.")
    assert is_proven("Hello", *history, action=DELETED, offered=(delete,))
    assert not is_proven("Delete the file /tmp/a.txt", action=DELETED, offered=(delete,))


@pytest.mark.parametrize(
    ("offer", "expected"), [("Shall I delete the file /tmp/a.txt?", True), ("I can delete the file /tmp/a.txt.", False)]
)
def test_only_a_question_can_be_agreed_to(offer: str, expected: bool) -> None:
    assert is_proven("Hello", agent(offer), user("Okay."), action=DELETED, offered=(DELETE,)) is expected


@pytest.mark.parametrize(
    ("query", "title", "expected"),
    [
        ("Delete the movie Apocalypse Now", "Apocalypse", False),
        ("Delete the movie Apocalypse now", "Apocalypse", True),
        ("Delete the movie To Sort", "Sort", False),
    ],
)
def test_a_word_with_a_capital_beside_a_name_belongs_to_it(query: str, title: str, expected: bool) -> None:
    offered = (tool("delete_movie", "Deletes a movie.", title=TEXT),)
    assert is_proven(query, action=call("delete_movie", title=title), offered=offered) is expected


def test_my_last_order_may_be_anybodys_in_a_list_of_all() -> None:
    rows = [{"order_id": "O-903", "created": "2026-03-02"}, {"order_id": "O-902", "created": "2026-03-01"}]
    offered = (tool("cancel_order", "Cancels an order.", order_id=TEXT), tool("list_orders", "Lists orders."))
    for whose, expected in (("the", True), ("my", False)):
        action = call("cancel_order", order_id="O-903")
        assert (
            is_proven(f"Cancel {whose} last order", result("list_orders", rows), action=action, offered=offered)
            is expected
        )


PARCEL = (tool("redirect_parcel", "Redirects a parcel.", parcel_number=TEXT),)


@pytest.mark.parametrize(
    ("query", "number", "holds"),
    [
        ("Please redirect my parcel.", "8842AB3B", False),
        ("Please redirect the parcel.\n[image_url: https://x.example/a.png]", "8842AB3B", None),
        ("Bitte null eins sieben sechs, neun neun acht umleiten.", "0176998877", None),
        ("Redirect parcel ABC12XY8.", "ABC12XY7", False),
        ("Redirect parcel ABC12XY8. Sorry, the last digit is seven.", "ABC12XY7", None),
    ],
)
def test_an_identifier_is_refuted_only_where_all_is_read(query: str, number: str, holds: bool | None) -> None:
    (leaf,) = Grounder(context(query, offered=PARCEL)).trace_call(call("redirect_parcel", parcel_number=number)).leaves
    assert leaf.holds is holds


def test_a_booking_that_is_moved_goes_from_a_later_day_to_an_earlier_one() -> None:
    offered = (tool("move_booking", "Moves a booking.", booking=TEXT, from_date=TEXT, to_date=TEXT),)
    action = call("move_booking", booking="B123456", from_date="2026-05-10", to_date="2026-05-03")
    traced = Grounder(context("Move booking B123456 to 2026-05-03", offered=offered)).trace_call(action)
    assert all(leaf.holds is not False for leaf in traced.leaves)


def test_a_switch_is_proven_by_no_word_of_its_own() -> None:
    lamp = tool("set_light", "Sets a light.", light=TEXT, on=FLAG | {"default": False})
    assert not is_proven(
        "Set light L123456 to on", action=call("set_light", light="L123456", on=False), offered=(lamp,)
    )


@pytest.mark.parametrize(
    "earlier",
    [
        {"recipient": "ann", "amount": "$30"},
        {"recipient": "mailto:ann@pay.example", "amount": 30},
        {"recipient": "Ann Lee <ann@pay.example>", "amount": 30},
        {"recipient": "+447700900123", "amount": "thirty"},
    ],
)
def test_a_message_proves_one_call_however_the_earlier_one_is_spelled(earlier: dict[str, Any]) -> None:
    paid = result("send_money", {"status": "sent"}, **earlier)
    assert is_proven("Send $30 to Ann", action=PAID, offered=(SEND,))
    assert not is_proven("Send $30 to Ann", paid, action=PAID, offered=(SEND,))
    # What is written alike is told apart, and a new message asks anew.
    assert is_proven(
        "Send $30 to Ann", result("send_money", "", recipient="Ann", amount=3), action=PAID, offered=(SEND,)
    )
    assert is_proven("Send $30 to Ann", paid, user("Send $30 to Ann"), action=PAID, offered=(SEND,))


@pytest.mark.parametrize(
    ("said", "same", "others"),
    [
        ("$30", ["30", "$30"], ["€30", "30 EUR", "30 kg", "30%", "-30", "30k", "030"]),
        ("30", ["30"], ["$30", "30%", "30 USD", "30.4"]),
        ("30 euros", ["30 EUR", "€30"], ["$30", "30 pounds"]),
        ("90 minutes", ["90 minutes", "PT90M", "1.5 hours"], ["1:30", "90", "90 hours"]),
        ("report-1.pdf", ["report-1.pdf"], ["Report-1.pdf", "./report-1.pdf", "report-1.pdf/", "report-\uff11.pdf"]),
        ("/srv/data", ["/srv/data"], ["/srv/data/", "/srv/data/..", "//srv/data", "/SRV/data", "/srv/data\n"]),
        (
            "ann@firm.example",
            ["ann@firm.example", "ann@FIRM.example"],
            ["ann+x@firm.example", "mailto:ann@firm.example"],
        ),
        ("https://a.example/b", ["https://a.example/b"], ["http://a.example/b", "https://a.example/B"]),
        ("2.10", ["2.10"], ["2.1", "2.10.0", "v2.10"]),
        ("7 pm", ["19:00", "7pm"], ["07:00", "19:30"]),
        ("8:00 in the evening", [], ["08:00"]),
        ("14:00", ["14:00", "14:00:00"], ["14:00Z", "14:00+02:00", "14:00 PST", "Friday 14:00", "before 14:00"]),
        ("14:00 PST", ["14:00 PST"], ["14:00 EST", "14:00Z"]),
        ("3 October 2026", ["2026-10-03", "Sat, 3 Oct 2026"], ["before 2026-10-03", "Monday 2026-10-03"]),
    ],
)
def test_a_value_is_said_by_its_own_words_and_no_other_is(said: str, same: list[str], others: list[str]) -> None:
    offered = (tool("set_limit", "Sets a limit.", limit=TEXT),)
    proven = {
        value: is_proven(f"Set the limit {said}", action=call("set_limit", limit=value), offered=offered)
        for value in (*same, *others)
    }
    assert proven == {value: value in same for value in (*same, *others)}


@pytest.mark.parametrize(
    ("look_up", "expected"),
    [
        (result("search_songs", [{"title": "again"}, {"title": "hello"}], query="a"), True),
        (result("search_songs", {"title": "again", "hits": 0}, title="again"), False),
        (result("check_song", {"asked": "again", "known": False}, title="again"), False),
    ],
)
def test_a_look_up_that_repeats_what_it_was_made_with_shows_no_name(look_up: Step, expected: bool) -> None:
    offered = (tool("play_song", "Plays a song.", title=TEXT),)
    action = call("play_song", title="again")
    assert is_proven("Play the song again.", look_up, action=action, offered=offered) is expected


def test_an_identifier_that_the_agent_looked_up_itself_is_nobodys() -> None:
    found = {"name": "Ann Lee", "user_id": "U-1001"}
    offered = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    for arguments, expected in (({"name": "Ann Lee"}, True), ({"name": "Ann Lee", "user_id": "U-1001"}, False)):
        look_up = result("find_user", found, **arguments)
        assert is_proven("Block the user Ann Lee", look_up, action=BLOCKED, offered=offered) is expected


@pytest.mark.parametrize(("written", "given"), [("Müller", "Muller"), ("José", "Jose"), ("Ann Lee", "ann_lee")])
def test_a_name_that_is_written_with_other_letters_is_another_one(written: str, given: str) -> None:
    offered = (tool("invite_person", "Invites a person.", person=TEXT),)
    for person, expected in ((written, True), (given, False)):
        action = call("invite_person", person=person)
        assert is_proven(f"Invite the person {written}", action=action, offered=offered) is expected


def test_a_record_that_somebody_quotes_in_a_text_names_nothing() -> None:
    row = json.dumps({"user_id": "U-1001", "name": "Ann Lee"})
    assert is_proven("Block the user Ann Lee", result("read_user", row), action=BLOCKED, offered=BLOCK)
    quoted = result("read_user", f"Hello! {row}")
    assert not is_proven("Block the user Ann Lee", quoted, action=BLOCKED, offered=BLOCK)


@pytest.mark.parametrize(
    ("issue", "linked", "expected"), [("IS-1001", "IS-2002", False), ("IS-2002", "IS-1001", False)]
)
@pytest.mark.parametrize("query", ["Link IS-1001 to IS-2002", "Link the issue IS-1001 to the issue IS-2002"])
def test_the_verb_that_asks_is_no_parameters_name(query: str, issue: str, linked: str, expected: bool) -> None:
    offered = (tool("link_issues", "Links an issue to another one.", issue=TEXT, linked_issue=TEXT),)
    action = call("link_issues", issue=issue, linked_issue=linked)
    assert is_proven(query, action=action, offered=offered) is expected


@pytest.mark.parametrize(
    ("parameter", "expected"), [("new_folder", True), ("moved_from", False), ("from_folder", False)]
)
def test_what_a_thing_is_moved_to_is_not_where_it_comes_from(parameter: str, expected: bool) -> None:
    offered = (tool("move_file", "Moves a file.", file=TEXT, **{parameter: TEXT}),)
    action = call("move_file", **{"file": "a.txt", parameter: "/y"})
    assert is_proven("Move the file a.txt to /y", action=action, offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Set the price 30, discount 20", True),
        ("Set the price 30 to 20", False),
        ("Set price 30 20", False),
    ],
)
def test_a_figure_right_behind_another_one_is_no_other_parameters(query: str, expected: bool) -> None:
    offered = (tool("set_price", "Sets the price.", price=NUMBER, discount=NUMBER),)
    assert is_proven(query, action=call("set_price", price=30, discount=20), offered=offered) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [("30", True), ("$30", True), ("30 %", False), ("(30)%", False), ("30'", False), ('30"', False), ("/ 30", False)],
)
def test_a_sign_beside_a_figure_makes_another_number_of_it(said: str, expected: bool) -> None:
    offered = (tool("set_tax", "Sets the tax of an article.", article=TEXT, tax=NUMBER),)
    action = call("set_tax", article="A-1001", tax=30)
    assert is_proven(f"Set the tax of article A-1001 to {said}", action=action, offered=offered) is expected


ACCOUNTS = result(
    "list_users",
    [
        {"user_id": "U-1001", "name": "Ann Lee", "email": "ann@firm.example", "account": "AC1001"},
        {"user_id": "U-1002", "name": "Bo Yu", "email": "bo@firm.example", "account": "AC1002"},
    ],
)


@pytest.mark.parametrize(
    ("query", "user", "expected"),
    [
        ("Block Ann Lee", "ann@firm.example", True),
        ("Block the user Ann Lee", "ann@firm.example", True),
        ("Block Ann Lee's email", "ann@firm.example", False),
        ("Block Ann Lee's account", "AC1001", False),
        ("Block the user Ann Lee", "AC1001", False),
    ],
)
def test_who_speaks_of_something_that_somebody_has_speaks_of_nobody(query: str, user: str, expected: bool) -> None:
    offered = (tool("block_user", "Blocks a user.", user=TEXT),)
    assert is_proven(query, ACCOUNTS, action=call("block_user", user=user), offered=offered) is expected


@pytest.mark.parametrize(("query", "expected"), [("Block Ann Lee", True), ("Block the email Ann Lee", False)])
def test_who_names_another_thing_than_the_tools_asks_for_no_such_deed(query: str, expected: bool) -> None:
    offered = (tool("block_user", "Blocks a user.", email=TEXT),)
    action = call("block_user", email="ann@firm.example")
    assert is_proven(query, ACCOUNTS, action=action, offered=offered) is expected


LEADS = result(
    "list_leads",
    [
        {"lead_id": "L-1001", "name": "Orbis", "manager": "Ann Fox"},
        {"lead_id": "L-1002", "name": "Rosa Lee", "manager": "Bo Yu"},
    ],
)


@pytest.mark.parametrize(
    ("query", "lead", "expected"),
    [
        ("Archive the lead of manager Ann Fox", "L-1001", True),
        ("Archive the manager of the lead Ann Fox", "L-1001", False),
        ("Archive the lead Rosa Lee", "L-1002", True),
        ("Archive the lead to Rosa Lee", "L-1002", False),
    ],
)
def test_the_word_right_before_a_name_says_which_field_it_is(query: str, lead: str, expected: bool) -> None:
    offered = (tool("archive_lead", "Archives a lead.", lead_id=TEXT),)
    assert is_proven(query, LEADS, action=call("archive_lead", lead_id=lead), offered=offered) is expected


@pytest.mark.parametrize(
    ("query", "name", "document", "parameter", "expected"),
    [
        ("Delete U-10010", "delete_user", "Deletes a user.", "user_id", True),
        ("Delete U-10010", "delete_user_avatar", "Deletes the avatar of a user.", "user_id", False),
        ("Delete U-10010", "delete_avatar", "Deletes user avatars.", "user_id", False),
        ("Delete the user U-10010", "delete_avatar", "Deletes user avatars.", "user_id", False),
        ("Delete the user U-10010", "delete", "Deletes user avatars.", "user_id", False),
        ("Cancel order U-10010", "cancel_shipment", "Cancels an order shipment.", "order_id", False),
        ("Cancel order U-10010", "cancel", "Cancels an order.", "order_id", True),
        ("Delete the folder U-10010", "delete", "Deletes the files of a folder.", "folder", False),
    ],
)
def test_who_names_what_the_thing_belongs_to_asks_for_no_deed_on_the_thing(
    query: str, name: str, document: str, parameter: str, expected: bool
) -> None:
    offered = (tool(name, document, **{parameter: TEXT}),)
    assert is_proven(query, action=call(name, **{parameter: "U-10010"}), offered=offered) is expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"from": "Ann Lee", "to": "Bo Yu"}, True),
        ({"from": "Bo Yu", "to": "Ann Lee"}, False),
        ({"organizer": "Ann Lee"}, True),
        ({"organizer": "Bo Yu", "approved_by": "Ann Lee"}, False),
        ({"organizer": "Bo Yu", "cc": "Ann Lee"}, False),
    ],
)
def test_who_stands_in_another_field_than_the_one_that_is_meant_sent_nothing(
    fields: dict[str, str], expected: bool
) -> None:
    others = dict.fromkeys(fields, "Cy Fox")
    rows = [
        {"email_id": "EM-1001", **fields, "sent_at": "2026-03-02"},
        {"email_id": "EM-1002", **others, "sent_at": "2026-03-01"},
    ]
    offered = (tool("delete_email", "Deletes an email.", email_id=TEXT),)
    action = call("delete_email", email_id="EM-1001")
    for query in ("Delete all emails from Ann", "Delete the last email from Ann"):
        assert is_proven(query, result("list_emails", rows), action=action, offered=offered) is expected


@pytest.mark.parametrize(
    ("between", "expected"),
    [(" new name ", False), (" new ", False), (", new name ", True), (" to the new name ", True)],
)
def test_of_a_name_between_two_values_nobody_knows_whose_it_is(between: str, expected: bool) -> None:
    offered = (tool("rename_file", "Renames a file.", old_name=TEXT, new_name=TEXT),)
    query = f"Rename the file a.txt{between}b.txt"
    right, wrong = (
        call("rename_file", old_name=old, new_name=new) for old, new in (("a.txt", "b.txt"), ("b.txt", "a.txt"))
    )
    assert is_proven(query, action=right, offered=offered) is expected
    assert not is_proven(query, action=wrong, offered=offered)
