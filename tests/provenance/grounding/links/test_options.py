"""Options that the user's words contradict."""

import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_against, grounded

CHART = {"type": "string", "description": 'Type of plot. Can be "bar", "line", "scatter" or "histogram"'}
PRIORITY = {"type": "string", "enum": ["low", "medium", "high"]}


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("plot the distribution of visits", "distribution"),
        ("please plot it as a line chart", "line"),
        ("make a plot: a Histogram plot of visits", "Histogram"),
    ],
)
def test_another_option_beside_the_parameters_own_word(text: str, quote: str) -> None:
    check_against("bar", quote, in_text=text, name="plot_type", schema=CHART)


@pytest.mark.parametrize(
    "text",
    [
        "plot it as a bar or line chart",
        "plot the distribution as bars",
        "plot the visits",
        "plot a line, or a histogram plot",
        "plot it, not as a line plot",
        "plot it instead of line",
        "plot the page called 'the line plot story'",
    ],
)
def test_options_that_are_not_contradicted(text: str) -> None:
    check_against("bar", None, in_text=text, name="plot_type", schema=CHART)


def test_a_plain_mention_away_from_the_parameters_word_is_no_choice() -> None:
    check_against("medium", None, in_text="open a ticket: high load on db-3", name="priority", schema=PRIORITY)


def test_a_level_that_the_request_names() -> None:
    check_against("low", "high", in_text="open a ticket with high priority", name="priority", schema=PRIORITY)


def test_a_sea_of_options_is_left_alone() -> None:
    schema = {"type": "string", "enum": [f"plan{n}" for n in range(200)]}
    check_against("plan1", None, in_text="the plot plan2", name="plot", schema=schema)


CURRENCY = {"type": "string", "enum": ["EUR", "GBP", "JPY"]}


@pytest.mark.parametrize(
    ("text", "quote"), [("pay the ferry £30", "£"), ("transfiere £900 a Ida", "£"), ("pay 30€ for the ferry", "€")]
)
def test_the_sign_of_a_currency_speaks_against_another_wherever_it_stands(text: str, quote: str) -> None:
    taken = "JPY" if quote == "€" else "EUR"
    check_against(taken, quote, in_text=text, name="currency", schema=CURRENCY)


@pytest.mark.parametrize("text", ["pay the ferry 30", "pay the ferry $30", "pay the ferry £30 or €35"])
def test_no_sign_the_sign_of_none_and_both_signs_speak_against_nothing(text: str) -> None:
    check_against("EUR", None, in_text=text, name="currency", schema=CURRENCY)


def test_the_sign_of_the_option_taken_speaks_for_it() -> None:
    found = grounded("GBP", in_text="pay the ferry £30", name="currency", schema=CURRENCY)
    assert found.how is Grounding.NORMALIZE


BLOOD = {"type": "string", "enum": ["A+", "A-", "0+"]}


@pytest.mark.parametrize(("value", "how"), [("A+", Grounding.NORMALIZE), ("A-", Grounding.UNGROUNDED)])
def test_options_that_differ_in_a_sign_are_chosen_by_its_name(value: str, how: Grounding) -> None:
    assert grounded(value, in_text="order two units of a positive", name="group", schema=BLOOD).how is how
