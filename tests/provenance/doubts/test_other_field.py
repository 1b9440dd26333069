"""A value that is another parameter's wherever it stands is asked about, and no judge's yes stands for it."""

import pytest

from reviews.provenance.argument_grounding import Grounder
from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.context import Case, Context
from reviews.provenance.core.findings import Relation
from reviews.provenance.doubts import other_field
from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.detectors.scripted import ScriptedJudge, call_support, check, found, quoting

REFUND = tool("refund_order", "Refunds an order.", order_id=TEXT, payment_id=TEXT)
ORDER = {"order_id": "#K4082615", "payments": [{"payment_id": "card_4768213", "amount": 30}]}
RIGHT = {"order_id": "#K4082615", "payment_id": "card_4768213"}
SWAPPED = {"order_id": "card_4768213", "payment_id": "#K4082615"}
QUERY = "Can I have my money back for the kettle?"


def asked(*orders: object, query: str = QUERY) -> Context:
    return context(query, *(result("get_order", order) for order in orders or (ORDER,)), offered=(REFUND,))


def trace(known: Context, **arguments: str) -> Grounded:
    return Grounder(known).trace_call(call("refund_order", **arguments)).leaves[0]


def test_a_value_that_is_another_parameters_field_is_asked_about() -> None:
    leaf = trace(asked(), **SWAPPED)
    assert leaf.rule == other_field.RULE
    assert leaf.note == "“card_4768213” is a payment_id; order_id beside it is “#K4082615”. Is it meant?"
    assert leaf.nearest is not None
    assert leaf.nearest.quote == "#K4082615"


def test_so_is_the_value_that_was_exchanged_for_it() -> None:
    _, payment = Grounder(asked()).trace_call(call("refund_order", **SWAPPED)).leaves
    assert payment.rule == other_field.RULE
    assert payment.nearest is not None
    assert payment.nearest.quote == "card_4768213"


def test_the_right_field_is_not() -> None:
    assert trace(asked(), **RIGHT).rule != other_field.RULE


@pytest.mark.parametrize(
    ("order", "value"),
    [
        # It is called so as well, or by no other parameter's name.
        ({**ORDER, "payments": [{"payment_id": "card_4768213"}, {"order_id": "card_4768213"}]}, "card_4768213"),
        ({**ORDER, "customer": "ann_8213"}, "ann_8213"),
        # Nothing tells how an order is written, or it is written alike.
        ({"payments": [{"payment_id": "card_4768213"}]}, "card_4768213"),
        ({"order_id": "order_4082615", "payments": [{"payment_id": "card_4768213"}]}, "card_4768213"),
        ({"order_id": "K-4082615", "payment_id": "K-4768213"}, "K-4768213"),
    ],
)
def test_a_field_that_may_be_meant_raises_nothing(order: object, value: str) -> None:
    assert trace(asked(order), order_id=value, payment_id="#K4082615").rule != other_field.RULE


def test_a_value_that_a_neutral_name_has_too_is_asked_about() -> None:
    known = asked({**ORDER, "methods": {"card_4768213": {"id": "card_4768213"}}})
    assert trace(known, **SWAPPED).rule == other_field.RULE


@pytest.mark.parametrize(
    ("city", "unit", "is_raised"),
    [("Fort Worth", "Suite 394", True), ("Fort Worth", "Annex", False), ("Winston-Salem", "Annex", False)],
)
def test_words_are_told_apart_by_their_figures(city: str, unit: str, is_raised: bool) -> None:
    move = tool("move_customer", "Moves a customer.", city=TEXT, unit=TEXT)
    known = context("Move me there.", result("get_address", {"city": city, "unit": unit}), offered=(move,))
    leaves = Grounder(known).trace_call(call("move_customer", city=unit, unit=city)).leaves
    assert [leaf.rule == other_field.RULE for leaf in leaves] == [is_raised] * 2


def test_what_goes_back_to_its_sender_raises_nothing() -> None:
    mail = {"from": "ann.lee@post.test", "to": "bo@shop.test"}
    reply = tool("reply_mail", "Replies to a mail.", **{"to": TEXT, "from": TEXT})
    known = context("Answer Ann's mail.", result("get_mail", mail), offered=(reply,))
    leaves = Grounder(known).trace_call(call("reply_mail", **{"to": mail["from"], "from": mail["to"]})).leaves
    assert not any(leaf.rule == other_field.RULE for leaf in leaves)


def test_what_stands_in_many_records_raises_nothing() -> None:
    many = [ORDER | {"payments": [{"payment_id": "card_4768213", "amount": number}]} for number in range(12)]
    assert trace(asked(many), **SWAPPED).rule != other_field.RULE


async def test_no_judges_yes_stands_for_the_field() -> None:
    judge = ScriptedJudge()
    await check("aligned", Case(asked(), call("refund_order", **RIGHT)), judge, unknown="review")
    verdict = await check("undetermined", Case(asked(), call("refund_order", **SWAPPED)), judge, unknown="review")
    assert found(verdict, Relation.DERIVED_FROM, "/order_id").holds is None


async def test_the_users_own_words_do() -> None:
    known = asked(query="Refund the kettle; the order is called card_4768213 and was paid by #K4082615.")
    quoted = call_support(quoting(1, ("query", "card_4768213")), quoting(2, ("query", "#K4082615")))
    judge = ScriptedJudge(call_support=quoted)
    await check("aligned", Case(known, call("refund_order", **SWAPPED)), judge, unknown="review")
