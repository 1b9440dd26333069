import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("15:30", "at half past three", "half past three"),
        ("16:45", "quarter to five", "quarter to five"),
        ("16:50", "ten to five", "ten to five"),
        ("15:00", "at three", "at three"),
        ("15:00", "three o'clock", "three o'clock"),
        ("15:00", "3 in the afternoon", "3 in the afternoon"),
        ("15:30", "à 15h30", "15h30"),
        ("15:00", "um 15 Uhr", "15 Uhr"),
        ("10:00", "10-11am", "10"),
        ("11:00", "10-11am", "11am"),
        ("11:00", "10:00-11:00", "11:00"),
        ("23:59", "end of day", "end of day"),
        ("2026-03-06T15:00:00", "20260306T150000", "20260306T150000"),
    ],
)
def test_a_time_of_day_in_other_words(value: str, text: str, quote: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE, quotes=(quote,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("03:00", "3 in the afternoon"),
        ("16:00", "half past three"),
        ("05:30", "2026-03-06T10:00:00-05:30"),
        ("15:00", "3am"),
    ],
)
def test_another_time_of_day_is_without_source(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-04-03", "03/04/2026"),
        ("2026-03-04", "03/04/2026"),
        ("03/04/2026", "April 3, 2026"),
        ("03/04/2026", "March 4, 2026"),
        ("2026-04-03", "03/04/2026, not 23/04/2026"),
        ("2026-04-03", "03.04.2026"),
    ],
)
def test_a_day_in_figures_has_both_readings_unless_the_text_shows_its_order(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-04-03", "03/04/2026, not 04/23/2026"),
        ("2026-04-03", "04.03.2026"),
    ],
)
def test_a_text_that_shows_its_order_has_one_reading(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize("text", ["21 novembre 2026", "21. November 2026", "21 de noviembre de 2026", "21-Nov-2026"])
def test_a_day_in_another_language(text: str) -> None:
    check_grounded("2026-11-21", in_text=text, how=Grounding.NORMALIZE, quotes=(text,))
