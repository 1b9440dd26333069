"""A value without any source: unknown where it may follow from what rules cannot read, refuted by another one."""

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW, grounded
from tests.provenance.grounding.test_singled_out import holds
from tests.provenance.grounding.test_told_apart import ACT, ground, listed

PRICE = listed("price", {"rope": "hemp", "per_metre": 7})


def check_unknown(found: Grounded, *, unknown: bool) -> None:
    """Without any source, and either open or refuted."""
    assert found.how is Grounding.UNGROUNDED, found
    assert found.open is unknown, found


@pytest.mark.parametrize(
    ("request_", "name", "value"),
    [
        ("Order enough rope for the mast", "metres", 37),
        ("Wind the clock before the concert", "at", "18:40"),
        ("Tune the organ before the concert", "day", "2026-04-17"),
    ],
)
def test_a_number_or_time_is_unknown_where_the_user_says_no_other(request_: str, name: str, value: JsonValue) -> None:
    check_unknown(grounded(value, in_text=request_, name=name), unknown=True)


@pytest.mark.parametrize(
    ("request_", "name", "value"),
    [
        ("Order 52 metres of rope for the mast", "metres", 37),
        ("Order fifty metres of rope for the mast", "metres", 37),
        ("Wind the clock at 17:20", "at", "18:40"),
        ("Tune the organ on April 9", "day", "2026-04-17"),
        ("Order enough rope", "day", "2726-04-17"),
    ],
)
def test_a_number_or_time_is_refuted_by_another_that_no_argument_takes_up(
    request_: str, name: str, value: JsonValue
) -> None:
    check_unknown(grounded(value, in_text=request_, name=name), unknown=False)


def test_what_another_argument_takes_up_refutes_nothing() -> None:
    query = "Order 52 metres of rope for the mast"
    check_unknown(grounded(37, in_text=query, name="kilograms", siblings={"metres": 52}), unknown=True)
    query = "Close the bridge on April 9"
    found = grounded("2026-04-17", in_text=query, name="opens", siblings={"closes": "2026-04-09"})
    check_unknown(found, unknown=True)


SALES = listed(
    "sales",
    {"buyer": "Ada", "of": "rope", "price": 12},
    {"buyer": "Bo", "of": "sails", "price": 20},
    {"buyer": "Ada", "of": "tar", "price": 9},
)


def test_a_sum_over_more_than_is_asked_for_is_refuted() -> None:
    check_unknown(ground(ACT, {"total": 41}, "Refund the total of Ada's purchases", SALES)[0], unknown=False)
    assert holds(ground(ACT, {"total": 21}, "Refund the total of Ada's purchases", SALES)[0])


def test_another_length_than_the_one_that_is_said_is_refuted() -> None:
    query = "Reserveer de smidse voor anderhalf uur"
    check_unknown(grounded(150, in_text=query, name="minutes"), unknown=False)
    check_unknown(grounded(45, in_text="Book the forge in two weeks", name="minutes"), unknown=True)


def test_one_number_split_by_another_is_unknown() -> None:
    query = "Dividi i 360 € tra i tre fabbri"
    check_unknown(grounded(120, in_text=query, name="quota"), unknown=True)
    check_unknown(grounded(125, in_text=query, name="quota"), unknown=False)


def test_what_the_answer_says_instead_of_the_offer_refutes_it() -> None:
    history = (Message("assistant", "Three looms run now. Shall I start 6?"), Message("user", "Better make it 8"))
    check_unknown(ground(ACT, {"looms": 6}, "Start more looms", *history)[0], unknown=False)


@pytest.mark.parametrize(("value", "unknown"), [(84, True), (19, True), (5, True), (85, False), (168, False)])
def test_one_step_from_what_the_user_and_the_data_say_is_no_proof(value: int, unknown: bool) -> None:
    check_unknown(ground(ACT, {"cost": value}, "Order twelve metres of rope", PRICE)[0], unknown=unknown)


def test_an_amount_of_money_is_no_operand() -> None:
    check_unknown(ground(ACT, {"cost": 84}, "Order rope for $12", PRICE)[0], unknown=False)


@pytest.mark.parametrize(("value", "unknown"), [(1250, True), (125, False), (12500, False)])
def test_cents_are_a_hundredth(value: int, unknown: bool) -> None:
    check_unknown(grounded(value, in_text="Tip the organist $12.50", name="amount"), unknown=unknown)


def test_a_number_without_the_sign_of_money_has_no_cents() -> None:
    check_unknown(grounded(5200, in_text="Order 52 metres of rope", name="metres"), unknown=False)


def test_the_ninth_is_of_whatever_month_is_meant() -> None:
    query = "Tune the organ between the 9th and the concert"
    given = {"from_day": "2026-05-09", "to_day": "2026-05-21"}
    check_unknown(ground(ACT, given, query)[1], unknown=True)
    other = {"from_day": "2026-05-08", "to_day": "2026-05-21"}
    check_unknown(ground(ACT, other, query)[1], unknown=False)


OFFER = Message("assistant", "I can have the loft swept by Sweep & Sons or by Flue Friends.")
ANSWER = Message("user", "The first, please.")


def offered(value: str, *history: Step | Message) -> Grounded:
    """What is traced of a firm for a request that names none."""
    context = Context("Have the loft swept", (ACT,), history, now=NOW)
    return ground_arguments(Case(context, ProposedAction("act", {"firm": value})))[0]


@pytest.mark.parametrize("value", ["Sweep & Sons", "Flue Friends"])
def test_what_the_agent_offered_last_may_be_what_the_answer_chooses(value: str) -> None:
    check_unknown(offered(value, OFFER, ANSWER), unknown=True)


@pytest.mark.parametrize(
    ("value", "history"),
    [
        ("Chimney Chums", (OFFER, ANSWER)),
        # Nobody has answered yet.
        ("Flue Friends", (OFFER,)),
        # Another question has been answered since.
        ("Flue Friends", (OFFER, ANSWER, Message("assistant", "On which day?"), Message("user", "Any day."))),
    ],
)
def test_what_the_agent_did_not_offer_last_is_refuted(value: str, history: tuple[Message, ...]) -> None:
    check_unknown(offered(value, *history), unknown=False)


ROAST = {"type": "string", "enum": ["light", "medium", "dark"]}


def test_an_option_that_nobody_asked_for_is_the_agents_choice() -> None:
    check_unknown(grounded("medium", in_text="Grind the beans", name="roast", schema=ROAST), unknown=True)


def test_an_option_that_is_none_is_refuted() -> None:
    check_unknown(grounded("burnt", in_text="Grind the beans", name="roast", schema=ROAST), unknown=False)


def test_another_option_that_the_user_asks_for_is_proof() -> None:
    found = grounded("medium", in_text="Grind the beans with a dark roast", name="roast", schema=ROAST)
    assert [span.quote for span in found.against] == ["dark"]


def test_a_name_that_nobody_says_is_refuted() -> None:
    check_unknown(grounded("Ida Holm", in_text="Sweep the chimney", name="sweeper"), unknown=False)


def test_looking_around_refutes_nothing() -> None:
    find = ToolDoc(
        "search_sweepers", "Searches for sweepers.", {"properties": {"name": {}}}, environment_changing=False
    )
    context = Context("Sweep the chimney", (find,), (), now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("search_sweepers", {"name": "Ida Holm"})))
    check_unknown(found, unknown=True)
