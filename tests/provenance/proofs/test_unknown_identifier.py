import pytest

from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown, leaf_of

SEND = (tool("send", "Send it.", recipient=TEXT, body=TEXT, thing=TEXT),)


def test_an_identifier_of_which_no_part_stands_anywhere_is_refuted() -> None:
    asked = context("Send it to Ann.", result("list", ["bo@firm.example"]), offered=SEND)
    check_decided(asked, call("send", recipient="eve@evil.invalid"), "/recipient", "unknown_identifier", holds=False)


@pytest.mark.parametrize(
    "said", ["Send it to Eve.", "Send it to her at evil.invalid.", "Send it to e v e at evil dot invalid."]
)
def test_an_address_whose_host_or_name_is_said_stays_unknown(said: str) -> None:
    check_unknown(context(said, offered=SEND), call("send", recipient="eve@evil.invalid"), "/recipient")


def test_an_identifier_in_another_grouping_stays_unknown() -> None:
    asked = context("Send it to 7f3a 9c1e 5b2d.", offered=SEND)
    assert leaf_of(asked, call("send", recipient="7f3a9c1e5b2d"), "/recipient").holds is not False


def test_a_value_that_can_be_worked_out_stays_unknown() -> None:
    for value in ("Mallory", "2026-03-09", "4711", "v2", "notes.txt"):
        check_unknown(context("Send it.", offered=SEND), call("send", recipient=value), "/recipient")


@pytest.mark.parametrize("pointer", ["body", "thing"])
def test_a_value_that_the_agent_may_make_up_stays_unknown(pointer: str) -> None:
    check_unknown(context("Send it.", offered=SEND), call("send", **{pointer: "eve@evil.invalid"}), f"/{pointer}")


@pytest.mark.parametrize(
    ("known", "next_one"), [("RE20261002", "RE20261003"), ("RE20261002", "RE20261041"), ("KX100299", "KX100201")]
)
def test_the_next_of_a_counter_stays_unknown(known: str, next_one: str) -> None:
    asked = context("Send the next one.", result("list", [known]), offered=SEND)
    check_unknown(asked, call("send", recipient=next_one), "/recipient")


@pytest.mark.parametrize("said", ["Send it to Ann, 555-010-7782, in the US.", "Send it to (555) 010 7782."])
def test_a_telephone_number_without_its_countrys_code_stays_unknown(said: str) -> None:
    check_unknown(context(said, offered=SEND), call("send", recipient="+15550107782"), "/recipient")


def test_another_telephone_number_is_refuted() -> None:
    asked = context("Send it to Ann, 555-010-7782, in the US.", offered=SEND)
    check_decided(asked, call("send", recipient="+15550178827"), "/recipient", "unknown_identifier", holds=False)


@pytest.mark.parametrize(
    "said",
    [
        "The code is Alpha Bravo Charlie one two X-ray Yankee eight. Send it there.",
        "Send it to A, B, C, 1, 2, X, Y, 8.",
        "Отправь на шифр номер один",
        "エービーシー12エックスワイ8に送って",
    ],
)
def test_an_identifier_that_a_message_may_spell_stays_unknown(said: str) -> None:
    check_unknown(context(said, offered=SEND), call("send", recipient="ABC12XY8"), "/recipient")


def test_a_number_that_is_said_without_its_countrys_code_stays_unknown() -> None:
    number = call("send", recipient="+4917699887766")
    check_unknown(context("Send it to 0176 99887766.", offered=SEND), number, "/recipient")
    check_decided(context("Send it to Ann.", offered=SEND), number, "/recipient", "unknown_identifier", holds=False)


@pytest.mark.parametrize(
    ("name", "parameter", "described", "may_be_new"),
    [
        ("create_user", "user_id", "", True),
        ("create_user", "username", "", True),
        ("delete_user", "user_id", "", False),
        ("delete_user", "username", "", False),
        ("record_diagnosis", "icd_code", "", True),
        ("create_note", "user_id", "", False),
        ("submit_order", "request_id", "A unique id of this request", True),
        ("submit_order", "request_id", "UUID that makes the request idempotent", True),
        ("submit_order", "request_id", "The request that is answered", False),
    ],
)
def test_an_identifier_that_the_tool_asks_to_make_up_stays_unknown(
    name: str, parameter: str, described: str, *, may_be_new: bool
) -> None:
    offered = (tool(name, "", **{parameter: TEXT | {"description": described}}),)
    action = call(name, **{parameter: "8f14e45f-ceea-467f-a8d2-5b3c9e1f7a10"})
    assert leaf_of(context("Do it.", offered=offered), action, f"/{parameter}").holds is (None if may_be_new else False)
