"""Two arguments that fit better the other way round."""

import pytest

from reviews.provenance.core.context import Step
from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.test_singled_out import holds, traced

JOURNEY = "Book a train in first class from Oslo to Keflavik"


@pytest.mark.parametrize(
    ("request_", "right"),
    [
        (JOURNEY, {"travel_from": "OSL", "travel_to": "KEF"}),
        ("Fly me from Riverham to Oslo", {"origin": "RVM", "destination": "OSL"}),
        ("Fly me from Oslo Airport (OSL) to Keflavik (KEF)", {"origin": "OSL", "destination": "KEF"}),
        ("Copy 'plan.txt' to 'plan_2031.txt'", {"source": "plan.txt", "destination": "plan_2031.txt"}),
        ("21 tons by day and 17 by night, please", {"day_tons": "21", "night_tons": "17"}),
        ("Merge herd 551 into herd 538", {"keep": "538", "close": "551"}),
        (JOURNEY, {"travel_to": "KEF", "travel_class": "first"}),
        (
            "The card number is 1432-7890-6543-9876, expiration date 12/2025",
            {"card_number": "1432-7890-6543-9876", "expiration_date": "12/2025"},
        ),
    ],
)
def test_each_value_stays_with_the_part_the_request_gives_it(request_: str, right: dict[str, str]) -> None:
    (one, first), (other, second) = right.items()
    found = traced(request_, {one: second, other: first})
    assert {leaf.how for leaf in found.values()} == {Grounding.COMPETING}
    assert not any(leaf.how is Grounding.COMPETING for leaf in traced(request_, right).values())


def test_a_city_names_its_airport() -> None:
    found = traced(JOURNEY, {"travel_from": "OSL", "travel_to": "KEF"})
    assert all(holds(leaf) for leaf in found.values())
    assert found["travel_from"].spans[0].quote == "Oslo"


def test_what_stands_in_the_request_is_short_for_nothing() -> None:
    found = traced("Fly from OSL to KEF, as Oscar Lund said", {"origin": "OSL", "destination": "KEF"})
    assert all(holds(leaf) for leaf in found.values())


def test_a_code_that_no_city_tells_stays_open() -> None:
    found = traced("Fly me from New York to Oslo", {"origin": "LGA", "destination": "OSL"})
    assert found["origin"].open
    assert not found["origin"].against


def test_a_key_is_the_users_without_its_sign() -> None:
    crate = Step("get_crate", {"crate_id": "#C5061"}, '{"crate_id": "#C5061", "movements": [{"bay_id": "bay-9042"}]}')
    assert holds(traced("Move crate C5061 back to its bay", {"crate": "#C5061", "bay": "bay-9042"}, crate)["bay"])
