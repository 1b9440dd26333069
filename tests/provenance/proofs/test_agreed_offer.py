import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.core.context import Step
from tests.provenance.argument_grounding.made import agent, call, context, user
from tests.provenance.argument_grounding.tools import TEXT, tool

ORDERS = (
    tool("cancel_order", "Cancels an order.", order_id=TEXT),
    tool("return_order", "Returns an order.", order_id=TEXT),
)
CANCEL = call("cancel_order", order_id="W1122334")
OFFER = "Shall I cancel the order W1122334?"


def is_proven(offer: str, reply: str = "Yes, please.", request_text: str = "What about my lamp?") -> bool:
    return Grounder(context(request_text, agent(offer), user(reply), offered=ORDERS)).trace_call(CANCEL).is_proven


@pytest.mark.parametrize(
    "offer",
    [
        OFFER,
        "I will cancel order W1122334. Is that ok?",
        "I can cancel the order 'W1122334'. Shall I proceed?",
        "Would you like me to cancel order W1122334?",
    ],
)
def test_a_message_that_only_offers_the_call_proves_it(offer: str) -> None:
    assert is_proven(offer)


@pytest.mark.parametrize(
    "offer",
    [
        "I can cancel order W1122334 for a fee. But I recommend a return. Shall I return it?",
        "Order W1122334 can be returned. Shall I return it?",
        "I can cancel order W1122334. I will return order W1122334.",
        "I can cancel order W1122334 and return it.",
        "Your brother asked to cancel order W1122334. Shall I keep it?",
        "To get a refund we cancel order W1122334. Ok?",
        "I'd cancelled order W1122334.",
        "I will cancel order W1122334 🚫",
        "I will cancel order W1122334 tomorrow.",
    ],
)
def test_an_agreement_to_a_message_that_says_more_leaves_the_call_unknown(offer: str) -> None:
    assert not is_proven(offer)
    assert not is_proven(offer, request_text="Cancel order W1122334.")


@pytest.mark.parametrize(
    ("before", "expected"), [("Let me see.", True), ("Shall I keep the lamp?", False), ("Return it? Or not.", False)]
)
def test_of_two_questions_nobody_can_tell_which_one_is_answered(before: str, expected: bool) -> None:
    history = agent(before), Step("list_orders", {}, "[]"), agent(OFFER), user("Yes, please.")
    asked = context("What about my lamp?", *history, offered=ORDERS)
    assert Grounder(asked).trace_call(CANCEL).is_proven is expected


@given(st.text("abcdefghij ,.%<>~/", min_size=3, max_size=20))
def test_an_offer_with_any_other_word_leaves_the_call_unknown(added: str) -> None:
    words = [word for word in added.split() if word.strip(".,")]
    assume(any(word.strip(".,") not in ("a", "i", "id", "ad") for word in words))
    assert not is_proven(f"{OFFER} {added}")


@pytest.mark.parametrize(
    "offer", ["It looks like a scam. Should I abort?", "Should I keep it?", "Shall I?", "Done. Do you want a receipt?"]
)
def test_a_request_before_an_agreement_to_something_else_leaves_the_call_unknown(offer: str) -> None:
    assert not is_proven(offer, request_text="Cancel order W1122334.")


@pytest.mark.parametrize("reply", ["Stop!", "Cancel.", "Cancel it.", "Cancel that request.", "thanks"])
def test_a_reply_that_may_mean_the_opposite_leaves_the_call_unknown(reply: str) -> None:
    assert not is_proven("I will cancel order W1122334.", reply)
