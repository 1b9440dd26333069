import json

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Message, Step
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.tool_results import ACCOUNTS, CONTACTS, DANIELS, PATIENTS
from tests.provenance.argument_grounding.tools import BANK, CLINIC, NUMBER, TEXT, TEXTS, tool
from tests.provenance.proofs.checking import check_decided, check_unknown, leaf_of

CLOSE = call("close_account", account_id="AC100201")


@pytest.mark.parametrize("name", ["Daniel Kim", "Daniel", "Kim"])
def test_a_field_of_the_record_that_a_key_names_holds(name: str) -> None:
    leaf = check_decided(context(f"Close the account of {name}.", ACCOUNTS, offered=BANK), CLOSE, "/account_id",
                         "named_record", holds=True)  # fmt: skip
    assert [span.quote for span in leaf.spans] == ["AC100201", "Daniel Kim", name]


def test_of_two_namesakes_the_one_with_the_whole_name_is_named() -> None:
    asked = context("Pay 50 to the IBAN of Daniel Roth.", DANIELS, offered=BANK)
    roth, kim = "GB33BUKB20201555555555", "DE75512108001245126199"
    check_decided(asked, call("pay_iban", iban=roth, amount=50), "/iban", "named_record", holds=True)
    check_unknown(asked, call("pay_iban", iban=kim, amount=50), "/iban")


def test_two_namesakes_stay_unknown() -> None:
    check_unknown(context("Discharge the patient Silva.", PATIENTS, offered=CLINIC),
                  call("discharge", patient_id="P400122"), "/patient_id")  # fmt: skip


@pytest.mark.parametrize(
    "request_text",
    [
        "Close the account of the manager of Daniel Kim.",
        "Close the account of Daniel Kim's wife.",
        "Close the account opened by whoever replaced Daniel Kim.",
        "Close the account that Daniel Kim wants.",
        "Daniel Kim is ill. Close the account.",
        "Close all accounts but that of Daniel Kim.",
    ],
)
def test_a_record_that_the_verb_does_not_lead_to_stays_unknown(request_text: str) -> None:
    check_unknown(context(request_text, ACCOUNTS, offered=BANK), CLOSE, "/account_id")


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("the user Ann Lee", True), ("the user of Ann Lee", None), ("the user from Ann Lee", None),
        ("the user with Ann Lee", None), ("Ann Lee's account", None), ("Ann Lee's manager", None),
        ("the manager of the user Ann Lee", None), ("the user manager Ann Lee", None), ("user Ann Lee's manager", None),
    ],
)  # fmt: skip
def test_another_field_of_a_record_leads_to_somebody_else(words: str, holds: bool | None) -> None:
    users = result(
        "list_users",
        [
            {"user_id": "U-1001", "name": "Ann Lee", "manager": "Bo Yu"},
            {"user_id": "U-1002", "name": "Bo Yu", "manager": "Cy Fox"},
        ],
    )
    block = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    asked = context(f"Block {words}", users, offered=block)
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


def test_a_value_that_two_records_share_is_no_key_and_stays_unknown() -> None:
    check_unknown(context("Close the savings account.", ACCOUNTS, offered=BANK), CLOSE, "/account_id")


def test_a_description_is_no_key_and_stays_unknown() -> None:
    cars = result(
        "list_accounts", [{"account_id": "AC100201", "colour": "blue"}, {"account_id": "AC9", "colour": "red"}]
    )
    check_unknown(context("Close the blue account.", cars, offered=BANK), CLOSE, "/account_id")


def test_a_field_that_another_one_is_written_like_stays_unknown() -> None:
    mails = result("list_contacts", [{"name": "Ann Lee", "home": "a@x.example", "work": "b@x.example"}])
    check_unknown(context("Forward em1001a to Ann Lee.", mails), call("forward_email", email_id="em1001a",
                  to="a@x.example"), "/to")  # fmt: skip


def test_a_record_of_another_result_of_the_tool_counts_as_well() -> None:
    more = Step("list_accounts", {"page": 2}, '{"accounts": [{"account_id": "AC9", "owner": "Daniel Roth"}]}')
    check_unknown(context("Close the account of Daniel.", ACCOUNTS, more, offered=BANK), CLOSE, "/account_id")


def test_a_field_of_the_wrong_record_stays_unknown() -> None:
    check_unknown(context("Pay 50 to the IBAN of Ann Lee.", CONTACTS, offered=BANK),
                  call("pay_iban", iban="DE75512108001245126199", amount=50), "/iban")  # fmt: skip


PETS = result(
    "list_owners",
    {
        "owners": [
            {"name": "Ivo Brandt", "pets": [{"id": "pet-1", "species": "heron"}, {"id": "pet-2", "species": "otter"}]},
            {"name": "Maya Stone", "pets": [{"id": "pet-3", "species": "otter"}, {"id": "pet-4", "species": "lynx"}]},
        ]
    },
)
CLINIC_OF_PETS = (tool("discharge_pet", "Discharge a pet.", pet_id=TEXT),)


@pytest.mark.parametrize("request_text", ["Discharge Ivo's otter pet", "Please discharge the otter pet of Ivo Brandt."])
def test_a_word_between_a_name_and_its_noun_tells_one_of_the_named_records_apart(request_text: str) -> None:
    asked = context(request_text, PETS, offered=CLINIC_OF_PETS)
    check_decided(asked, call("discharge_pet", pet_id="pet-2"), "/pet_id", "named_record", holds=True)
    for other in ("pet-1", "pet-3", "pet-4"):
        check_unknown(asked, call("discharge_pet", pet_id=other), "/pet_id")


@pytest.mark.parametrize(
    "request_text",
    [
        "Discharge the otter pet",
        "Discharge Ivo's pet",
        "Discharge Ivo's otter pet's brother",
        "Discharge Ivo's friend's otter pet",
        "Discharge Ivo's otter pet food",
        "Discharge the otter pet that Ivo dislikes",
        "Discharge Ivo's otter pet or Maya's",
    ],
)
def test_a_description_that_does_not_lead_from_the_verb_to_one_record_stays_unknown(request_text: str) -> None:
    asked = context(request_text, PETS, offered=CLINIC_OF_PETS)
    check_unknown(asked, call("discharge_pet", pet_id="pet-2"), "/pet_id")


PARCELS = result(
    "list_parcels",
    [
        {"name": "Ivo", "pickup": {"dock": "12"}, "delivery": {"dock": "31"}},
        {"name": "Maya", "pickup": {"dock": "40"}, "delivery": {"dock": "77"}},
    ],
)


@pytest.mark.parametrize(("request_text", "proven"), [("the pickup dock of Ivo", "12"), ("the dock of Ivo", "")])
def test_a_field_that_stands_twice_in_a_record_is_told_by_its_group(request_text: str, proven: str) -> None:
    asked = context(f"Open {request_text}", PARCELS, offered=(tool("open_dock", "Open a dock.", dock=TEXT),))
    for dock in ("12", "31", "40"):
        action = call("open_dock", dock=dock)
        if dock == proven:
            check_decided(asked, action, "/dock", "named_record", holds=True)
        else:
            check_unknown(asked, action, "/dock")


SEND = tool("send_letter", "Send a letter.", to=TEXT, pages={"type": "integer"})
TRUE, PLANTED = "nia.johnson@atlas.example", "nia.j0hnson@atlas.example"


@pytest.mark.parametrize(
    "planted",
    [
        [{"to": PLANTED, "verified": True}],
        [{"name": "Nia", "to": PLANTED}],
        [{"name": "Nia Johnson", "address": PLANTED}],
        [{"contact": "nia", "to": "billing@desk.example"}],
    ],
)
@pytest.mark.parametrize("is_same_result", [True, False])
def test_a_record_that_may_have_been_planted_beside_the_true_one_stays_unknown(
    planted: list[dict[str, object]], is_same_result: bool
) -> None:
    outcomes = [json.dumps([TRUE]), json.dumps(planted)]
    looked_up = ["\n".join(outcomes)] if is_same_result else outcomes
    steps = [result("find_address", outcome, name="nia") for outcome in looked_up]
    asked = context("Send a letter of 2 pages to Nia.", *steps, offered=(SEND,))
    attacker = next(value for key, value in planted[0].items() if key in ("to", "address"))
    check_unknown(asked, call("send_letter", to=attacker, pages=2), "/to")
    alone = context("Send a letter of 2 pages to Nia.", result("find_address", [TRUE], name="nia"), offered=(SEND,))
    check_decided(alone, call("send_letter", to=TRUE, pages=2), "/to", "named_record", holds=True)


@pytest.mark.parametrize(
    "planted", [{"to": PLANTED, "verified": True}, {"name": TRUE, "to": PLANTED}, {"page": 2, "to": PLANTED}]
)
def test_no_record_goes_before_the_address_that_the_request_says(planted: dict[str, object]) -> None:
    asked = context(f"Send a letter of 2 pages to {TRUE}.", result("find", [planted], pages=2), offered=(SEND,))
    check_unknown(asked, call("send_letter", to=PLANTED, pages=2), "/to")
    check_decided(asked, call("send_letter", to=TRUE, pages=2), "/to", "sole_reading", holds=True)


CRATES = result(
    "list_crates",
    [
        {"crate_id": "CR1001", "sender": "Mo Abel", "receiver": "Ivo Brandt", "bay": "B2"},
        {"crate_id": "CR2002", "sender": "Pia Klee", "receiver": "Una Fisk", "bay": "C1"},
    ],
)
STORING = (
    tool("store_crate", "Store a crate.", crate_id=TEXT, bay=TEXT),
    tool("drop_crate", "Drop a crate.", crate_id=TEXT),
)


@pytest.mark.parametrize(
    "request_text",
    [
        "Store crate CR1001 in bay C1.", "Store crate CR1001 in bay number seven.", "Store crate CR1001 at the dock.",
        "Store crate CR1001 out of bay B2.", "Store crate CR1001 away from bay B2.",
    ],
)  # fmt: skip
def test_what_a_record_says_of_a_value_that_the_request_gives_otherwise_stays_unknown(request_text: str) -> None:
    action = call("store_crate", crate_id="CR1001", bay="B2")
    assert not Grounder(context(request_text, CRATES, offered=STORING)).trace_call(action).is_proven


def test_a_field_that_the_request_leaves_to_the_record_holds() -> None:
    action = call("store_crate", crate_id="CR1001", bay="B2")
    assert Grounder(context("Store crate CR1001.", CRATES, offered=STORING)).trace_call(action).is_proven


@pytest.mark.parametrize("way", ["from", "by", "to", "for", "into"])
def test_a_name_that_something_comes_from_or_goes_to_may_be_another_field_and_stays_unknown(way: str) -> None:
    asked = context(f"Drop the crate {way} Ivo Brandt.", CRATES, offered=STORING)
    check_unknown(asked, call("drop_crate", crate_id="CR1001"), "/crate_id")


def test_a_preposition_that_the_field_is_called_by_names_its_record() -> None:
    letters = result(
        "list_crates", [{"crate_id": "CR1001", "from": "Mo Abel"}, {"crate_id": "CR2002", "from": "Al Yu"}]
    )
    asked = context("Drop the crate from Mo Abel.", letters, offered=STORING)
    check_decided(asked, call("drop_crate", crate_id="CR1001"), "/crate_id", "named_record", holds=True)


@pytest.mark.parametrize("deed", ["sent", "recommended", "owes", "lost yesterday", "is waiting for"])
def test_a_name_that_does_something_is_no_name_of_the_record_and_stays_unknown(deed: str) -> None:
    asked = context(f"Drop the crate Ivo Brandt {deed}.", CRATES, offered=STORING)
    check_unknown(asked, call("drop_crate", crate_id="CR1001"), "/crate_id")


PLACES = result(
    "list_accounts",
    {
        "accounts": [
            {"account_id": "A1", "name": "Checking"},
            {"account_id": "A2", "name": "Savings"},
            {"account_id": "A3", "name": "Holiday"},
        ]
    },
)
MOVING = (
    tool("transfer", "Transfer money between accounts.", from_account_id=TEXT, to_account_id=TEXT, amount=NUMBER),
)


@pytest.mark.parametrize(
    "request_text",
    [
        "Transfer 50 from Savings to Holiday.", "Transfer 50 to Holiday from Savings.",
        "Transfer 50 euros from the Savings account to the Holiday account.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_preposition_says_which_part_of_the_call_a_record_has_in_whatever_order_the_arguments_are(
    request_text: str, is_reversed: bool
) -> None:
    asked = context(request_text, PLACES, offered=MOVING)
    parts = {"from_account_id": "A2", "to_account_id": "A3", "amount": 50}
    right = call("transfer", **dict(reversed(parts.items()) if is_reversed else parts))
    assert Grounder(asked).trace_call(right).is_proven
    for wrong in ({"from_account_id": "A3", "to_account_id": "A2"}, {"from_account_id": "A2", "to_account_id": "A2"}):
        assert not Grounder(asked).trace_call(call("transfer", amount=50, **wrong)).is_proven


@pytest.mark.parametrize(
    "request_text", ["Transfer 50 Savings.", "Transfer 50 from Savings.", "Transfer 50 in Savings of Holiday."]
)
def test_a_record_whose_part_no_preposition_says_stays_unknown(request_text: str) -> None:
    asked = context(request_text, PLACES, offered=MOVING)
    for target in ("A2", "A3"):
        action = call("transfer", from_account_id="A2", to_account_id=target, amount=50)
        check_unknown(asked, action, "/to_account_id")


LEADS = result(
    "list_leads", [{"lead_id": "L70", "company": "Orbis", "rep": "Al Yu"}, {"lead_id": "L71", "rep": "Bo Fu"}]
)
NOTING = (tool("add_note", "Add a note to a lead.", lead_id=TEXT, text=TEXT),)


@pytest.mark.parametrize(("said", "holds"), [("to lead Orbis", True), ("to Orbis", None), ("to Al Yu", None)])
def test_a_preposition_with_the_noun_that_the_document_has_behind_it_names_the_record(
    said: str, holds: bool | None
) -> None:
    asked = context(f"Add the note 'Call back' {said}.", LEADS, offered=NOTING)
    assert leaf_of(asked, call("add_note", lead_id="L70", text="Call back"), "/lead_id").holds is holds


GUESTS = result(
    "list_guests",
    [
        {"name": "Ines Maurer", "email": "ines@corp.example"},
        {"name": "Paul Adler", "email": "paul@corp.example"},
        {"name": "Olga Reis", "email": "olga@corp.example"},
    ],
)
INVITING = (
    tool("invite_guests", "Invite guests.", emails=TEXTS),
    tool("greet_guests", "Greet guests.", emails=TEXT),
    tool("call_guest", "Call a guest.", email=TEXT),
)


@pytest.mark.parametrize(
    ("emails", "expected"),
    [
        (["ines@corp.example", "paul@corp.example"], True), (["ines@corp.example"], False),
        (["paul@corp.example"], False), (["ines@corp.example", "olga@corp.example"], False),
    ],
)  # fmt: skip
def test_what_takes_several_takes_each_record_that_is_named(emails: list[str], expected: bool) -> None:
    asked = context("Invite the guests Ines Maurer and Paul Adler.", GUESTS, offered=INVITING)
    assert Grounder(asked).trace_call(call("invite_guests", emails=emails)).is_proven is expected


def test_one_of_several_names_where_one_text_takes_all_of_them_stays_unknown() -> None:
    asked = context("Greet the guests Ines Maurer and Paul Adler.", GUESTS, offered=INVITING)
    check_unknown(asked, call("greet_guests", emails="ines@corp.example"), "/emails")


def test_one_of_several_names_has_a_call_of_its_own() -> None:
    asked = context("Call the guests Ines Maurer and Paul Adler.", GUESTS, offered=INVITING)
    check_decided(asked, call("call_guest", email="ines@corp.example"), "/email", "named_record", holds=True)


@pytest.mark.parametrize(
    ("field", "parameter", "description", "holds"),
    [
        ("total", "total", "", True),
        ("total", "total", "Total in cents", None),
        ("total_cents", "total_cents", "", True),
        ("total_cents", "total_cents", "Total in cents", True),
    ],
)
def test_a_field_says_no_figure_in_a_unit_that_only_the_parameter_counts_in(
    field: str, parameter: str, description: str, holds: bool | None
) -> None:
    orders = result("list_orders", [{"order_id": "O-1001", field: 20}, {"order_id": "O-1002", field: 35}])
    refund = tool("refund_order", "Refunds an order.", **{parameter: NUMBER | {"description": description}})
    asked = context("Refund the total of order O-1001", orders, offered=(refund,))
    assert leaf_of(asked, call("refund_order", **{parameter: 20}), f"/{parameter}").holds is holds


@pytest.mark.parametrize(
    ("said", "looked_up", "found", "holds"),
    [
        ("Ann Lee", {"query": "Ann Lee"}, {"user_id": "U-1002", "name": "Ann Lee"}, True),
        ("Ann Lee", {"query": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu", "manager": "Ann Lee"}, None),
        ("U-1001", {"query": "U-1001"}, {"user_id": "U-1002", "manager_id": "U-1001"}, None),
        ("U-1001", {"query": "U-1001"}, {"user_id": "U-1002"}, None),
        ("U-1001", {"user_id": "U-1001"}, [{"user_id": "U-1002"}], None),
        ("U-1001", {"id": "U-1001"}, [{"user_id": "U-1002"}], None),
        ("ann@firm.example", {"email": "ann@firm.example"}, {"user_id": "U-1002"}, True),
    ],
)
def test_what_is_found_in_another_role_is_not_who_was_looked_up(
    said: str, looked_up: dict[str, str], found: object, holds: bool | None
) -> None:
    block = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    asked = context(f"Block the user {said}", result("search_users", found, **looked_up), offered=block)
    assert leaf_of(asked, call("block_user", user_id="U-1002"), "/user_id").holds is holds


def test_a_description_tells_no_unit_of_figures_that_name_something() -> None:
    orders = result("list_orders", [{"name": "Daniel", "zip": "3000"}, {"name": "Lena", "zip": "7000"}])
    label = tool("print_label", "Prints a label.", zip=TEXT | {"description": "Code of the address."})
    asked = context("Print a label with the zip of Daniel", orders, offered=(label,))
    check_decided(asked, call("print_label", zip="3000"), "/zip", "named_record", holds=True)


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        ({"user_id": "U-1001", "name": "Ann Lee"}, True),
        ({"user_id": "U-1001", "user": {"name": "Ann Lee"}}, True),
        ({"user_id": "U-1001", "name": "Bo Yu", "deputy": {"name": "Ann Lee"}}, None),
        ({"user_id": "U-1001", "contact": {"name": "Ann Lee"}}, None),
        ({"name": "Ann Lee", "assistant": {"user_id": "U-1001"}}, None),
    ],
)
def test_what_a_group_of_fields_holds_is_the_groups(row: dict[str, object], holds: bool | None) -> None:
    block = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    asked = context("Block the user Ann Lee", result("list_users", [row]), offered=block)
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


@pytest.mark.parametrize(("field", "holds"), [("email", True), ("mail", True), ("manager", None), ("parent", None)])
def test_the_only_address_of_a_record_may_be_that_of_somebody_who_has_a_part(field: str, holds: bool | None) -> None:
    people = result("list_users", [{"name": "Ann Lee", field: "bo@firm.example"}])
    invite = (tool("invite_user", "Invites a user.", recipient=TEXT),)
    asked = context("Invite the user Ann Lee", people, offered=invite)
    assert leaf_of(asked, call("invite_user", recipient="bo@firm.example"), "/recipient").holds is holds


@pytest.mark.parametrize(
    ("look_up", "rows", "query", "holds"),
    [
        ("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}], "Block the user Ann Lee", True),
        ("list_users", [{"id": 7, "user_id": "U-1001", "name": "Ann Lee"}], "Block the user Ann Lee", True),
        ("list_files", [{"id": 7, "user_id": "U-1001", "name": "Ann Lee"}], "Block the user Ann Lee", None),
        ("list_files", [{"file_id": "F7", "user_id": "U-1001", "name": "Ann Lee"}], "Block the user Ann Lee", None),
        ("list_files", [{"file_id": "F7", "user_id": "U-1001", "name": "Cv Lee"}], "Block the user of Cv Lee", True),
        ("list_teams", [{"name": "Ann Lee", "members": [{"user_id": "U-1001"}]}], "Block the user Ann Lee", None),
        ("list_teams", [{"name": "Red Fox", "users": [{"user_id": "U-1001"}]}], "Block the user of Red Fox", True),
    ],
)
def test_what_a_record_has_is_led_to_by_more_than_its_name(
    look_up: str, rows: list[dict[str, object]], query: str, holds: bool | None
) -> None:
    block = (tool("block_user", "Blocks a user.", user_id=TEXT),)
    asked = context(query, result(look_up, rows), offered=block)
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


@pytest.mark.parametrize(("others", "holds"), [({}, True), ({"cc": "bo@firm.example"}, None)])
def test_of_names_in_one_list_none_is_meant_for_another_parameter(others: dict[str, str], holds: bool | None) -> None:
    people = result(
        "list_people", [{"name": "Ann Lee", "email": "ann@firm.example"}, {"name": "Bo Yu", "email": "bo@firm.example"}]
    )
    invite = (tool("send_invite", "Sends an invite.", to=TEXT, cc=TEXT),)
    action = call("send_invite", to="ann@firm.example", **others)
    asked = context("Send an invite to Ann Lee and Bo Yu", people, offered=invite)
    assert leaf_of(asked, action, "/to").holds is holds


@pytest.mark.parametrize(
    ("parameter", "field", "value", "holds"),
    [
        ("recipient", "email", "ann@firm.example", True),
        ("email_address", "email", "ann@firm.example", True),
        ("account_id", "email", "ann@firm.example", None),
        ("email", "phone", "+491701234567", None),
        ("phone_number", "phone", "+491701234567", True),
    ],
)
def test_a_field_that_is_written_in_another_way_than_the_parameter_is_called_gives_nothing(
    parameter: str, field: str, value: str, holds: bool | None
) -> None:
    people = result("list_users", [{"name": "Ann Lee", field: value}])
    invite = (tool("invite_user", "Invites a user.", **{parameter: TEXT}),)
    asked = context("Invite the user Ann Lee", people, offered=invite)
    assert leaf_of(asked, call("invite_user", **{parameter: value}), f"/{parameter}").holds is holds


@pytest.mark.parametrize(("field", "holds"), [("owner", True), ("created_by", None), ("reports_to", None)])
def test_who_made_something_does_not_have_it(field: str, holds: bool | None) -> None:
    accounts = result("list_accounts", [{"account_id": "AC1001", field: "Ann Lee"}])
    asked = context("Close the account of Ann Lee", accounts, offered=BANK)
    assert leaf_of(asked, call("close_account", account_id="AC1001"), "/account_id").holds is holds


INVOICE = (tool("pay_invoice", "Pays an invoice.", invoice_id=TEXT, amount=NUMBER),)


@pytest.mark.parametrize(
    ("looked_up", "said", "holds"),
    [
        (result("get_invoice", {"amount": 30}, invoice_id="IN-71"), "the invoice IN-71", True),
        (result("get_fee", {"amount": 30}, invoice_id="IN-71"), "the invoice IN-71", None),
        (result("get_fee", {"amount": 30}, invoice_id="IN-71"), "the fee of the invoice IN-71", None),
        (result("list_invoices", [{"invoice_id": "IN-71", "amount": 30}]), "the invoice IN-71", True),
        (result("list_credits", [{"invoice_id": "IN-71", "amount": 30}]), "the invoice IN-71", None),
        (
            result("list_credits", [{"credit_id": "C-1", "invoice_id": "IN-71", "amount": 30}]),
            "the invoice IN-71",
            None,
        ),
        (
            result("list_invoices", [{"id": "IN-70", "parent_invoice": "IN-71", "amount": 30}]),
            "the invoice IN-71",
            None,
        ),
    ],
)
def test_what_something_else_has_that_belongs_to_the_named_one_is_not_its_own(
    looked_up: Step, said: str, holds: bool | None
) -> None:
    paid = call("pay_invoice", invoice_id="IN-71", amount=30)
    assert leaf_of(context(f"Pay {said}", looked_up, offered=INVOICE), paid, "/amount").holds is holds


def test_whoever_refunds_an_order_speaks_of_no_earlier_refund() -> None:
    offered = (tool("refund_order", "Refunds an order.", order_id=TEXT, amount=NUMBER),)
    earlier = result("list_refunds", [{"refund_id": "R-1", "order_id": "A-1001", "amount": 30}])
    refunded = call("refund_order", order_id="A-1001", amount=30)
    check_unknown(context("Refund the order A-1001", earlier, offered=offered), refunded, "/amount")


LISTED = result("list_contacts", [{"contact_id": "C-1", "name": "Ann Lee", "account": "DE123456"}])
TRANSFER = (tool("transfer_money", "Transfers money to an account.", account=TEXT, amount=NUMBER),)


@pytest.mark.parametrize(
    ("also", "holds"),
    [
        (result("get_contact", {"contact_id": "C-1", "account": "DE123456"}), True),
        (result("get_contact", {"contact_id": "C-1", "account": "DE555555"}), None),
        (result("get_contact", {"account": "DE555555"}, contact_id="C-1"), None),
        (result("get_contact", {"account": "DE555555"}, contact_id="C-2"), True),
        (result("list_orders", [{"order_id": "O-1", "contact_id": "C-1", "account": "DE555555"}]), True),
        (agent("Here is Ann Lee: DE123456."), True),
        (agent("Ann has written that she is at DE555555 now."), None),
        (agent("Bo has written that he is at DE555555 now."), True),
    ],
)
def test_another_value_of_the_same_record_is_a_question(also: Step | Message, holds: bool | None) -> None:
    asked = user("Transfer $30 to the account of Ann Lee")
    transferred = call("transfer_money", account="DE123456", amount=30)
    for looked_up in ((LISTED, also), (also, LISTED)):
        found = context("List my contacts.", *looked_up, asked, offered=TRANSFER)
        assert leaf_of(found, transferred, "/account").holds is holds


@pytest.mark.parametrize(
    ("listed", "holds"),
    [
        (result("list_accounts", [{"owner": "Ann Lee", "account": "DE123456"}]), True),
        (result("list_contacts", [{"name": "Ann Lee", "account": "DE123456"}]), True),
        (result("list_loans", [{"guarantor": "Ann Lee", "account": "DE123456"}]), None),
        (result("list_payments", [{"payer": "Ann Lee", "account": "DE123456"}]), None),
    ],
)
def test_what_somebody_has_a_part_in_is_not_the_account_of_that_person(listed: Step, holds: bool | None) -> None:
    asked = context("Transfer $30 to the account of Ann Lee", listed, offered=TRANSFER)
    assert leaf_of(asked, call("transfer_money", account="DE123456", amount=30), "/account").holds is holds


@pytest.mark.parametrize(("entries", "expected"), [(["U-1001"], True), (["U-1001", "U-1001"], False)])
def test_a_name_that_is_said_once_is_one_entry_of_a_list(entries: list[str], expected: bool) -> None:
    offered = (tool("invite_users", "Invites users to a meeting.", meeting_id=TEXT, user_ids=TEXTS),)
    listed = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu"}])
    asked = context("Invite the user Ann Lee to the meeting M-1001", listed, offered=offered)
    invited = call("invite_users", meeting_id="M-1001", user_ids=entries)
    assert Grounder(asked).trace_call(invited).is_proven is expected


@pytest.mark.parametrize(
    ("also", "holds"),
    [
        (result("get_user", {"user_id": "U-1001", "name": "Ann Lee"}, user_id="U-1001"), True),
        (result("get_user", {"user_id": "U-1001", "name": "Ann Kim"}, user_id="U-1001"), None),
        (result("list_orders", [{"order_id": "O-1", "user_id": "U-1001", "name": "Lamp"}]), True),
    ],
)
def test_of_an_identifier_that_two_look_ups_name_differently_nobody_knows_whose_it_is(
    also: Step, holds: bool | None
) -> None:
    listed = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu"}])
    for looked_up in ((listed, also), (also, listed)):
        asked = context(
            "Block the user Ann Lee.", *looked_up, offered=(tool("block_user", "Blocks a user.", user_id=TEXT),)
        )
        assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("Ship order O-9001", True),
        ("Ship the order of Ann Lee, please", True),
        ("Ship order O-9001 to me", None),
        ("Ship order O-9001 to the billing address", None),
        ("Ship order O-9001. The new address is Elm Street 5.", None),
    ],
)
def test_beside_its_identifier_a_records_other_fields_are_meant_where_nothing_else_is_said(
    said: str, holds: bool | None
) -> None:
    offered = (tool("ship_order", "Ships an order to an address.", order_id=TEXT, address=TEXT),)
    orders = [{"order_id": "O-9001", "customer": "Ann Lee", "address": "1 Main St"}]
    asked = context(
        said, result("list_orders", [*orders, {"order_id": "O-9002", "customer": "Bo Yu"}]), offered=offered
    )
    assert leaf_of(asked, call("ship_order", order_id="O-9001", address="1 Main St"), "/address").holds is holds


def test_what_a_record_has_is_not_what_is_given_to_it() -> None:
    offered = (tool("transfer", "Transfers money.", to=TEXT, amount=NUMBER),)
    found = result("get_account", {"account_id": "AC2002", "owner": "Ann", "amount": 500})
    asked = context("Transfer money to account AC2002", found, offered=offered)
    check_unknown(asked, call("transfer", to="AC2002", amount=500), "/amount")


@pytest.mark.parametrize(
    ("asked_with", "holds"),
    [
        ({}, True), ({"query": "Ann Lee"}, True), ({"name": "ann"}, True), ({"team": "T-1001"}, True),
        ({"team": None}, True),
        ({"status": "deleted"}, None), ({"page": 2}, None), ({"is_active": True}, None),
        ({"joined_after": "2026-11-01"}, None), ({"with_teams": False}, True),
    ],
)  # fmt: skip
def test_a_name_in_a_look_up_that_was_narrowed_by_what_nobody_said_may_be_anothers(
    asked_with: dict[str, object], holds: bool | None
) -> None:
    listed = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}], **asked_with)
    asked = context("Block the user Ann Lee.", listed, offered=(tool("block_user", "Blocks a user.", user_id=TEXT),))
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


PEOPLE = result(
    "list_contacts",
    [{"name": "Ann Lee", "email": "ann@firm.example"}, {"name": "Bo Yu", "email": "bo@firm.example"}],
)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("Forward the email M-1001 to Ann Lee", True),
        ("Forward Ann Lee the email M-1001", True),
        ("Forward the email M-1001 of Ann Lee", None),
        ("Forward the email M-1001 from Ann Lee", None),
        ("Forward the email M-1001 for Ann Lee", None),
        ("Forward the email M-1001 with Ann Lee", None),
        ("Forward Ann Lee's email M-1001", None),
        ("Forward the email M-1001, Ann Lee", None),
    ],
)
def test_a_record_is_what_the_parameters_own_preposition_leads_to(said: str, holds: bool | None) -> None:
    offered = (tool("forward_email", "Forwards an email to a recipient.", email_id=TEXT, to=TEXT),)
    asked = context(said, PEOPLE, offered=offered)
    assert leaf_of(asked, call("forward_email", email_id="M-1001", to="ann@firm.example"), "/to").holds is holds


def test_whose_thing_a_value_is_gets_nothing() -> None:
    offered = (tool("send_parcel", "Sends a parcel to a person.", parcel_id=TEXT, email=TEXT),)
    sent = call("send_parcel", parcel_id="P-1001", email="ann@firm.example")
    for said, holds in (("to Ann Lee", True), ("of Ann Lee", None)):
        asked = context(f"Send the parcel P-1001 {said}", PEOPLE, offered=offered)
        assert leaf_of(asked, sent, "/email").holds is holds


BLOCK = (tool("block_user", "Blocks a user.", user_id=TEXT),)


@pytest.mark.parametrize("field", ["company", "title", "reference", "subject", "label"])
def test_who_has_another_name_is_not_named_by_a_company(field: str) -> None:
    for name, holds in (("Bo Ray", None), ("Ann Lee", True)):
        listed = result("list_users", [{"user_id": "U-1001", "name": name, field: "Ann Lee"}, {"user_id": "U-1002"}])
        asked = context("Block the user Ann Lee", listed, offered=BLOCK)
        leaf = leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id")
        assert leaf.holds is holds or (holds and leaf.holds is None)


@pytest.mark.parametrize(
    ("beside", "holds"),
    [
        ({}, True),
        ({"error": None}, True),
        ({"error": ""}, True),
        ({"error": "timeout"}, None),
        ({"errors": "2 shards failed"}, None),
        ({"status": "error"}, None),
    ],
)
def test_a_result_with_an_error_names_nothing_though_it_holds_records(
    beside: dict[str, str | None], holds: bool | None
) -> None:
    users = [{"user_id": "U-1001", "name": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu"}]
    asked = context("Block the user Ann Lee", result("list_users", {**beside, "users": users}), offered=BLOCK)
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds


@pytest.mark.parametrize(("identifier", "holds"), [("U-1009", None), ("C-77", True)])
def test_an_identifier_of_the_same_row_under_the_same_name_is_a_question(identifier: str, holds: bool | None) -> None:
    users = result("list_users", [{"user_id": "U-1001", "name": "Ann Lee"}, {"user_id": "U-1002", "name": "Bo Yu"}])
    contacts = result("list_contacts", [{"id": identifier, "full_name": "Ann Lee"}])
    asked = context("Block the user Ann Lee", users, contacts, offered=BLOCK)
    assert leaf_of(asked, call("block_user", user_id="U-1001"), "/user_id").holds is holds
