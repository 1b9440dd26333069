import json
from typing import Any

import pytest

from reviews.provenance.core.context import Context, Step
from tests.provenance.argument_grounding.made import call, context, result, user
from tests.provenance.argument_grounding.tools import MAIL, TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown, leaf_of

DELETE = call("delete_email", email_id="EM100300")


def email(number: int, sent: str, sender: str = "ivo.brandt@example.org", subject: str = "Minutes") -> dict[str, str]:
    return {"email_id": f"EM100{number}", "sender": sender, "subject": subject, "sent": sent}


LATEST_FIRST = [
    email(300, "2026-03-02 09:00:00"),
    email(200, "2026-02-11 17:30:00", subject="Budget"),
    email(100, "2026-01-05 08:15:00"),
]


def mailbox(query: str, rows: Any = LATEST_FIRST, /, *more: Step, **looked_up: Any) -> Context:
    return context(query, result("search_emails", rows, **(looked_up or {"query": "Ivo"})), *more, offered=MAIL)


@pytest.mark.parametrize(
    "request_text",
    [
        "Delete the last email from Ivo.",
        "Delete Ivo's latest email",
        "Delete the most recent email from Ivo",
        "Please delete the newest email by ivo. Thanks!",
    ],
)
def test_the_latest_of_the_described_records_holds(request_text: str) -> None:
    asked = mailbox(request_text)
    leaf = check_decided(asked, DELETE, "/email_id", "selected_record", holds=True)
    assert leaf.spans[0].quote == "EM100300"
    check_unknown(asked, call("delete_email", email_id="EM100200"), "/email_id")


def test_a_quoted_field_and_a_name_describe_together() -> None:
    rows = [email(400, "2026-03-03", "al@example.org", "Budget"), *LATEST_FIRST]
    asked = mailbox("Delete Ivo's last email about 'Budget'.", rows, query="budget")
    check_decided(asked, call("delete_email", email_id="EM100200"), "/email_id", "selected_record", holds=True)
    check_unknown(asked, call("delete_email", email_id="EM100400"), "/email_id")


def test_the_earliest_is_taken_of_a_result_that_begins_with_it() -> None:
    asked = mailbox("Delete the first email from Ivo", LATEST_FIRST[::-1])
    check_decided(asked, call("delete_email", email_id="EM100100"), "/email_id", "selected_record", holds=True)


def test_what_follows_is_another_value_that_was_looked_up() -> None:
    people = [result("find_person", f"{name}@example.org", name=name.title()) for name in ("ann", "bo")]
    asked = mailbox("Forward the last email from Ivo to Ann and Bo.", LATEST_FIRST, *people)
    for to in ("ann@example.org", "bo@example.org"):
        action = call("forward_email", email_id="EM100300", to=to)
        check_decided(asked, action, "/email_id", "selected_record", holds=True)
        check_decided(asked, action, "/to", "named_record", holds=True)


def test_a_name_that_the_call_leaves_out_stays_unknown() -> None:
    asked = mailbox(
        "Forward the last email from Ivo to Ann.", LATEST_FIRST, result("find_person", "a@x.example", name="Ann")
    )
    check_unknown(asked, call("forward_email", email_id="EM100300"), "/email_id")


def test_who_describes_the_record_is_no_name_of_another_value_and_stays_unknown() -> None:
    people = [result("find_person", f"{name}@example.org", name=name.title()) for name in ("ivo", "ann")]
    asked = mailbox("Forward the last email from Ivo to Ann.", LATEST_FIRST, *people)
    check_unknown(asked, call("forward_email", email_id="EM100300", to="ivo@example.org"), "/to")


@pytest.mark.parametrize(
    "request_text",
    [
        "Delete the last email.",
        "Delete the most important email from Ivo.",
        "Delete the recent email from Ivo.",
        "Delete the last but one email from Ivo.",
        "Delete the last 2 emails from Ivo.",
        "Delete the last email to Ivo.",
        "Delete the last email from Ivo that you answered.",
        "Delete the last long email from Ivo.",
        "Delete the last attachment from Ivo.",
        "Delete the last email from Ivo's brother.",
        "Delete the last email from Ann.",
        "Delete the last email from Ivo if it is old.",
        "Is it the last email from Ivo?",
    ],
)
def test_a_description_with_more_than_what_code_finds_stays_unknown(request_text: str) -> None:
    check_unknown(mailbox(request_text), DELETE, "/email_id")


@pytest.mark.parametrize(
    "looked_up", [{"query": "minutes"}, {"query": "Ivo", "before": "2026-03-03"}, {"query": "Ivo", "limit": 3}]
)
def test_a_look_up_of_something_narrower_stays_unknown(looked_up: dict[str, Any]) -> None:
    check_unknown(mailbox("Delete the last email from Ivo.", **looked_up), DELETE, "/email_id")


def test_a_look_up_until_today_leaves_out_nothing_of_the_past() -> None:
    asked = mailbox("Delete the last email from Ivo.", query="Ivo", until="2026-03-04")
    check_decided(asked, DELETE, "/email_id", "selected_record", holds=True)


@pytest.mark.parametrize(
    "rows",
    [
        LATEST_FIRST[::-1],
        [email(300, "2026-03-02"), email(200, "2026-03-02")],
        [email(300, "2027-03-02"), email(200, "2026-02-11")],
        [{**email(300, "2026-03-02"), "read": "2026-03-03"}, {**email(200, "2026-02-11"), "read": "2026-03-03"}],
        [email(300, "2026-03-02", "al@example.org", "Ivo"), email(200, "2026-02-11")],
    ],
    ids=["cut short", "tied", "past and to come", "two times", "a word of two fields"],
)
def test_a_result_that_leaves_another_record_possible_stays_unknown(rows: list[dict[str, str]]) -> None:
    check_unknown(mailbox("Delete the last email from Ivo.", rows), DELETE, "/email_id")


@pytest.mark.parametrize(
    ("request_text", "meant"),
    [
        ("Delete all emails from Ivo.", {"300", "200", "100"}),
        ("Delete all the emails about 'Minutes' from Ivo", {"300", "100"}),
        ("Delete all my emails about 'Minutes' from Ivo", set()),
        ("Delete all the emails from Ivo from the last 3 days.", {"300"}),
        ("Delete all of Ivo's emails from the last four weeks.", {"300", "200"}),
        ("Delete all the emails from Ivo last week.", set()),
        ("Delete all the emails from Ivo about the last 3 days.", set()),
        ("Delete all of Ivo's emails about the last four weeks.", set()),
        ("Delete all emails.", set()),
        ("Delete all emails from Ivo but one.", set()),
        ("Delete all long emails from Ivo.", set()),
        ("Delete all emails from Ivo or Ann.", set()),
        ("Delete all emails to Ivo.", set()),
        ("Delete all emails from Ivo to Ann.", set()),
        ("Don't delete all emails from Ivo.", set()),
    ],
)
def test_each_record_that_is_described_is_one_of_all_and_others_stay_unknown(
    request_text: str, meant: set[str]
) -> None:
    asked = mailbox(request_text, LATEST_FIRST, query="mail", limit=3)
    for number in ("300", "200", "100"):
        action = call("delete_email", email_id=f"EM100{number}")
        if number in meant:
            check_decided(asked, action, "/email_id", "selected_record", holds=True)
        else:
            check_unknown(asked, action, "/email_id")


def test_one_of_all_that_only_some_readings_describe_stays_unknown() -> None:
    rows = [email(300, "2026-03-02", "al@example.org", "Ivo"), email(200, "2026-02-11")]
    check_unknown(mailbox("Delete all emails from Ivo.", rows), DELETE, "/email_id")


def test_of_a_record_and_its_copy_under_another_id_neither_is_meant() -> None:
    asked = mailbox("Delete all emails from Ivo.", [email(300, "2026-03-02"), email(200, "2026-03-02")])
    for number in (300, 200):
        check_unknown(asked, call("delete_email", email_id=f"EM100{number}"), "/email_id")


ORDERS = [{"order_id": "O-9031", "made": "2026-03-02"}, {"order_id": "O-9021", "made": "2026-03-01"}]
LISTED = result("list_orders", ORDERS)
CANCELLING = (tool("cancel_order", "Cancels an order.", order_id=TEXT), tool("create_order", "Creates an order."))


@pytest.mark.parametrize(
    ("history", "holds"),
    [
        ((LISTED,), True),
        ((LISTED, LISTED), True),
        ((LISTED, result("get_user", {"name": "Ann"})), True),
        ((result("list_orders", "Error: stale\n" + json.dumps(ORDERS)),), None),
        ((result("list_returns", ORDERS),), None),
        ((result("list_cancelled_orders", ORDERS),), None),
        ((result("list_orders_of_ann", ORDERS),), None),
        ((result("list_orders", ORDERS, archived=True),), None),
        ((LISTED, result("list_archived_orders", [{"order_id": "O-9041", "made": "2026-03-03"}])), None),
        ((LISTED, Step("create_order", {"item": "lamp"}, "ok")), None),
    ],
)
def test_the_last_of_a_list_that_is_not_the_only_or_the_latest_stays_unknown(
    history: tuple[Step, ...], holds: bool | None
) -> None:
    asked = context("Hello", *history, user("Cancel the last order."), offered=CANCELLING)
    assert leaf_of(asked, call("cancel_order", order_id="O-9031"), "/order_id").holds is holds
