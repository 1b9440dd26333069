"""Of a day with its time of day only one is said: which one, and that the other has no source."""

import pytest

from reviews.provenance.doubts import other_value
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.argument_grounding.tools import COUNT, TEXT, tool
from tests.provenance.doubts.asking import doubt_of

RENT = (tool("rent_car", "Rents a car.", seats=COUNT, start=TEXT),)


@pytest.mark.parametrize("hour", ["09", "17"])
def test_figures_that_another_value_takes_up_say_no_time_of_day(hour: str) -> None:
    asked = context("Rent a car with 5 seats for tomorrow.", offered=RENT)
    doubt = doubt_of(other_value, asked, call("rent_car", seats=5, start=f"2026-03-05T{hour}:00"), "/start")
    assert doubt is not None
    told = f"The request says the day, “tomorrow” (5 Mar); {hour}:00 has no source. Is it meant?"
    assert doubt.note == told


def test_a_figure_that_no_other_value_takes_up_may_be_the_time_of_day() -> None:
    asked = context("Rent a car with 4 seats for tomorrow at 5.", offered=RENT)
    assert doubt_of(other_value, asked, call("rent_car", seats=4, start="2026-03-05T17:00"), "/start") is None
