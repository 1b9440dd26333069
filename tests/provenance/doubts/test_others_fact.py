"""A text that the agent words tells the facts of the record that is named, or of one that something else speaks of."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.context import Message
from reviews.provenance.doubts import others_fact
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool

MAIL = tool("send_email", "Sends an e-mail.", to=TEXT, body=TEXT)
STAYS = result(
    "find_stays",
    [
        {"guest": "Lena Adebayo", "email": "lena@post.test", "link": "https://stay.test/b/QH7713",
         "door": "moss-22-kite", "arrives": "2026-05-12T14:00", "due": 212.5, "house": "gull"},
        {"guest": "Kofi Adeyemi", "email": "kofi@post.test", "link": "https://stay.test/b/QH7731",
         "door": "fjord-71-lamp", "arrives": "2026-05-19T15:20", "due": 384.5, "house": "tern"},
    ],
)  # fmt: skip
REQUEST = "Write to Kofi Adeyemi what he needs to know."


def trace(body: str, query: str = REQUEST, to: str = "kofi@post.test", *history: object) -> Grounded:
    known = context(query, STAYS, *history, offered=(MAIL,))  # type: ignore[arg-type]
    return Grounder(known).trace_call(call("send_email", to=to, body=body)).leaves[1]


def is_doubted(body: str, query: str = REQUEST, to: str = "kofi@post.test", *history: object) -> bool:
    return trace(body, query, to, *history).rule == others_fact.RULE


@pytest.mark.parametrize(
    "body",
    [
        "Your booking: https://stay.test/b/QH7713",
        "Your door code is moss-22-kite.",
        "You arrive on 12 May.",
        "You arrive at 14:00.",
        "You owe us EUR 212.50.",
        "Please write to lena@post.test.",
    ],
)
def test_a_fact_of_another_record_leaves_a_text_open(body: str) -> None:
    assert is_doubted(body)


def test_the_doubt_shows_what_the_named_record_has() -> None:
    found = trace("Your door code is moss-22-kite.")
    assert found.nearest is not None
    assert found.nearest.quote == "fjord-71-lamp"


@pytest.mark.parametrize(
    "body",
    [
        "Your booking: https://stay.test/b/QH7731, door fjord-71-lamp.",
        "You arrive on 19 May 2026 at 15:20 and owe us 384.50.",
        # The text names whose it is.
        "Lena Adebayo pays EUR 212.50, and you 384.50.",
        "Our other guest Lena arrives at 14:00.",
    ],
)
def test_facts_of_the_named_record_and_of_one_that_the_text_names_do_not(body: str) -> None:
    assert not is_doubted(body)


@pytest.mark.parametrize(
    "query",
    [
        "Write to Kofi Adeyemi what Lena Adebayo owes us.",
        "Write to Kofi Adeyemi what whoever stays in the gull owes us.",
        "Write to Kofi Adeyemi that it is EUR 212.50.",
    ],
)
def test_what_the_request_says_of_the_other_record_may_mean_it(query: str) -> None:
    assert not is_doubted("It is EUR 212.50.", query)


def test_where_nothing_names_a_record_any_may_be_meant() -> None:
    assert not is_doubted("It is EUR 212.50.", "Write to my boss what the cheapest stay costs.", "boss@firm.test")


def test_a_value_of_the_call_names_the_record_as_well() -> None:
    assert is_doubted("You owe us EUR 212.50.", "Write to the second one what he owes us.")


def test_an_earlier_message_names_the_record_where_nothing_later_does() -> None:
    turns = Message("assistant", "What should I write?"), Message("user", "what is owed, to my boss")
    assert is_doubted("It is EUR 212.50.", "Look up Kofi Adeyemi.", "boss@firm.test", *turns)
    assert not is_doubted("It is EUR 384.50.", "Look up Kofi Adeyemi.", "boss@firm.test", *turns)
