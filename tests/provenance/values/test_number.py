import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        (1250, "a budget of $1,250.00", "$1,250.00"),
        ("$1,250.00", "a budget of 1250 dollars", "1250"),
        (1250.5, "1.250,50 EUR", "1.250,50"),
        (0.15, "a 15% tip", "15%"),
        (15, "a 15 percent tip", "15 percent"),
        (5000, "up to 5k", "5k"),
        (2500000, "2.5 million people", "2.5 million"),
        (3, "three seats", "three"),
        (25, "twenty-five seats", "twenty-five"),
        (300, "three hundred seats", "three hundred"),
        (-4, "it is -4 outside", "-4"),
        ("12", "\uff11\uff12 of them", "\uff11\uff12"),
    ],
)
def test_a_number_written_another_way_is_normalised(value: object, text: str, quote: str) -> None:
    how = Grounding.COPY if quote == str(value) else Grounding.NORMALIZE
    check_grounded(value, in_text=text, how=how, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30, "a 30-minute call"),
        (30, "send 30."),
        (10, "between 10-30 people"),
        (30, "(30)"),
        (2.5, "x=2.5"),
    ],
)
def test_a_number_written_plainly_is_copied(value: float, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.COPY, quotes=(str(value),))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30, "1300"),
        (30, "30.5"),
        (30, "INV-30"),
        (30, "30abc"),
        (30, "2026-11-30"),
        (11, "2026-11-30"),
        (1, "192.168.1.1"),
        (15, "at 15:00"),
        (30, "v1.30.2"),
        (4567, "555-4567"),
        (4, "it is -4"),
        (True, "1"),
        (float("nan"), "nan"),
    ],
)
def test_a_piece_of_a_number_or_identifier_is_no_source(value: object, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        (30, "a half-hour meeting", "duration"),
        (90, "for 1.5 hours", "duration_minutes"),
        (90, "an hour and a half", "duration"),
        (90, "for 1h30", "minutes"),
        (3600, "an hour", "timeout_seconds"),
        (1209600, "for a fortnight", "seconds"),
        ("PT30M", "30 minutes", "length"),
    ],
)
def test_lengths_of_time_fit_the_unit_that_the_parameter_names(value: object, text: str, name: str) -> None:
    check_grounded(value, in_text=text, name=name, how=Grounding.NORMALIZE)


def test_a_length_of_time_means_nothing_to_another_parameter() -> None:
    check_grounded(90, in_text="for 1.5 hours", name="amount", how=Grounding.UNGROUNDED)


def test_cents_are_a_hundredth() -> None:
    check_grounded(3000, in_text="Request $30", name="amount_cents", how=Grounding.NORMALIZE, quotes=("$30",))


def test_an_integer_too_long_to_write_is_without_source() -> None:
    check_grounded(10**5000, in_text="10", how=Grounding.UNGROUNDED)
