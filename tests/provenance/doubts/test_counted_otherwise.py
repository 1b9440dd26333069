"""A text that the agent words counts nothing otherwise than the user; what follows from what is known may be told."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.doubts import counted_otherwise
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool

MAIL = tool("send_email", "Sends an e-mail.", to=TEXT, body=TEXT)
ANN = result("find", [{"name": "Ann", "boxes": 12, "bay": 7}])


def is_doubted(body: str, query: str) -> bool:
    traced = Grounder(context(query, ANN, offered=(MAIL,))).trace_call(call("send_email", to="Ann", body=body))
    return traced.leaves[1].rule == counted_otherwise.RULE


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("Tell Ann that from the 3rd on she gets 5 % off.", "Hi Ann, from the 3rd on you get 15% off."),
        ("Tell Ann the next check is in six months.", "Hi Ann, your next check is in eleven months."),
        ("Tell Ann to bring 3 boxes.", "Hi Ann, please bring 8 boxes."),
        ("Tell Ann to come to gate 4.", "Hi Ann, please come to gate 9."),
        # Neither a gate nor a room makes another number.
        ("Tell Ann to bring 2 bags to gate 3.", "Hi Ann, please bring 2 bags to gate 5."),
        ("Tell Ann to wait 12 hours in room 14.", "Hi Ann, please wait 2 hours in room 14."),
        ("Annに参加者は6名だとメールしてください。", "参加者は9名です。"),
    ],
)
def test_another_number_beside_the_same_word_leaves_a_text_open(query: str, body: str) -> None:
    assert is_doubted(body, query)


@pytest.mark.parametrize(
    "body",
    [
        "Hi Ann, your next check is in 6 months.",
        # Told beside what the user says, known from a result, and what comes to it.
        "Hi Ann, please bring 3 boxes, and no 80 boxes.",
        "Hi Ann, please bring 12 boxes.",
        "Hi Ann, that makes 15 boxes.",
        # Another thing, of which the user says no number.
        "Hi Ann, please bring 80 bags.",
    ],
)
def test_what_is_said_known_computed_or_counts_another_thing_does_not(body: str) -> None:
    assert not is_doubted(body, "Tell Ann that the next check is in six months, and to bring 3 boxes.")


def test_a_thing_that_the_user_counts_in_two_ways_is_left_to_whoever_reads() -> None:
    assert not is_doubted("Hi Ann, we need 40 boxes.", "Tell Ann: not 3 boxes, and not 90 boxes. The usual four tens.")
