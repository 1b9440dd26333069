import json
import random

import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded, grounded

SALES = json.dumps(
    [
        {"id": 7, "shop": "North", "day": "2026-03-02", "total": 120.5},
        {"id": 8, "shop": "South", "day": "2026-03-03", "total": 95},
        {"id": 9, "shop": "North", "day": "2026-03-04", "total": 84.5},
    ]
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (300, "Report the total of all sales"),
        (100, "Report the average total"),
        (3, "Report the number of sales"),
        (205, "Report the sum of the sales of North"),
        ("300.00", "Report the sum of the sales"),
    ],
)
def test_a_figure_over_a_column(value: object, text: str) -> None:
    check_grounded(value, in_text=text, outputs=(SALES,), how=Grounding.DERIVE)


def test_the_working_is_spelled_out_with_the_numbers_it_used() -> None:
    found = check_grounded(
        300,
        in_text="Report the total of the sales",
        outputs=(SALES,),
        how=Grounding.DERIVE,
        quotes=("120.5", "95", "84.5"),
    )
    assert found.note == "The sum of “total” over 3 records of history 1 is 300."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (75, "Pay 50 plus 25 for the taxi"),
        (30, "I paid 50 and owe 80, pay the difference"),
        (60, "Order 4 boxes for each of the 15 teams"),
        (12.5, "Split 50 between 4 of us"),
        (15, "Tip 20% of 75"),
        (90, "Pay 75 and 20% on top"),
        (90, "Double the 45 seats"),
    ],
)
def test_two_numbers_of_the_request(value: object, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.DERIVE)


def test_a_number_of_the_request_and_one_of_the_record_it_names() -> None:
    check_grounded(
        70, in_text="Pay South the rest, I already gave 25", outputs=(SALES,), how=Grounding.DERIVE, quotes=("95", "25")
    )


def test_a_change_in_percent() -> None:
    days = json.dumps([{"day": "2026-03-01", "visits": 40}, {"day": "2026-03-02", "visits": 50}])
    check_grounded(25, in_text="By what percent did visits grow?", outputs=(days,), how=Grounding.DERIVE)


@pytest.mark.parametrize(
    ("value", "text"),
    [(300, "File the sales report"), (24, "Show the ids and the total"), (75, "Rooms 50 and 25 are taken")],
)
def test_an_operation_nobody_asks_for_grounds_nothing(value: object, text: str) -> None:
    check_grounded(value, in_text=text, outputs=(SALES,), how=Grounding.UNGROUNDED)


def test_chance_grounds_almost_no_invented_number() -> None:
    dice = random.Random(7)
    rows = json.dumps([{"name": f"item {n}", "price": dice.randint(10, 5000)} for n in range(20)])
    text = "Pay the total for 3 chairs at 249 and for item 7"
    invented = [dice.randint(1, 10_000) for _ in range(1000)]
    hit = [n for n in invented if grounded(n, in_text=text, outputs=(rows,)).how is Grounding.DERIVE]
    assert len(hit) <= 10


@pytest.mark.parametrize("text", ["Pay 5 split by 0 each", "Pay 0% of 9 and change, total 1e9", "sum " * 5000])
def test_odd_requests_come_to_an_end(text: str) -> None:
    assert grounded(31337, in_text=text, outputs=(SALES,)).how is Grounding.UNGROUNDED
