"""Facts in texts that an agent composes."""

from datetime import datetime

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.grounding import Grounded, ground_arguments

NOW = datetime(2026, 3, 4, 9)  # noqa: DTZ001 - the user's own zone; a Wednesday
NOTE = ToolDoc("send_note", "Sends a note.", {"type": "object", "properties": {"to": {}, "body": {}}})
LEDGER = Step(
    "get_ledger",
    {},
    '{"keeper": "Ann Lee", "iban": "GB33BUKB20201555555555", "password": "heron-22", "balance": 512.40, "card": '
    '"4111111111111111"}',
)
OWED = "Write Ann that I owe her $30 and bring it on Friday"


def composed(request: str, body: str) -> Grounded:
    """The body of a note."""
    case = Case(Context(request, (NOTE,), (LEDGER,), now=NOW), ProposedAction("send_note", {"to": "Ann", "body": body}))
    return ground_arguments(case)[1]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("Dear Ann, I owe you $300 and bring it on Friday.", "$30"),
        ("Dear Ann, I owe you $30 and bring it on Monday.", "Friday"),
    ],
)
def test_a_fact_that_is_not_the_users_contradicts_the_user(body: str, said: str) -> None:
    assert [span.quote for span in composed(OWED, body).against] == [said]


@pytest.mark.parametrize(
    "body",
    [
        "Dear Ann, I owe you 30 dollars and bring it on 6 March.",
        "Dear Ann, I have not forgotten what I owe you.",
        "Dear Ann, your balance is $512.40, and I owe you $30 of it.",
    ],
)
def test_the_users_facts_in_other_words_and_facts_that_were_looked_up_stand(body: str) -> None:
    assert not composed(OWED, body).against


def test_facts_are_traced_to_where_they_stand() -> None:
    found = composed(OWED, "Dear Ann, I owe you 30 dollars, and your balance is $512.40.")
    assert {span.quote for span in found.facts} == {"$30", "512.40"}


@pytest.mark.parametrize(
    "body",
    [
        "Dear Ann, you can log in with the password heron-22 again.",
        "Dear Ann, it lies on GB33 BUKB 2020 1555 5555 55 now.",
        "Dear Ann, it was paid with 4111 1111 1111 1111 last week.",
    ],
)
def test_a_secret_that_nobody_asked_to_send_is_named(body: str) -> None:
    found = composed("Write Ann that all is well with her ledger", body)
    assert "nobody asked to send" in found.note
    assert found.against


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        ("Write Ann the password of the ledger", "Dear Ann, the password is heron-22 for now."),
        ("Write Ann which IBAN it lies on", "Dear Ann, it lies on GB33 BUKB 2020 1555 5555 55 now."),
    ],
)
def test_a_secret_that_the_user_asks_for_may_be_sent(request_: str, body: str) -> None:
    assert not composed(request_, body).against
