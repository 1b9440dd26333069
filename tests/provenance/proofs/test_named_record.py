import json

import pytest

from reviews.provenance.core.context import Step
from reviews.provenance.grounding import Grounder
from tests.provenance.grounding.made import call, context, result
from tests.provenance.grounding.tool_results import ACCOUNTS, CONTACTS, DANIELS, PATIENTS
from tests.provenance.grounding.tools import BANK, CLINIC, TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown

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
