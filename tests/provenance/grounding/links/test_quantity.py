import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        ("PT30M", "half an hour", "length"),
        ("PT1H30M", "1h30", "duration"),
        ("P1D", "one day", "retention"),
        ("P6M", "six months", "period"),
        ("01:30:00", "90 minutes", "duration"),
        (45, "forty-five minutes", "duration_minutes"),
        (120, "2 hours", "duration_minutes"),
        (0.75, "three quarters of an hour", "duration_hours"),
        (150, "2½ hours", "duration_minutes"),
        (150, "two and a half hours", "minutes"),
        (75, "an hour and 15 minutes", "minutes"),
        (30, "a month", "days"),
        ("30 minutes", "half an hour", "duration"),
        (5400, "PT1H30M", "seconds"),
    ],
)
def test_a_length_of_time_written_another_way(value: object, text: str, name: str) -> None:
    check_grounded(value, in_text=text, name=name, how=Grounding.NORMALIZE)


def test_the_number_of_another_unit_of_time_is_no_source() -> None:
    check_grounded(2, in_text="for 2 hours", name="duration_minutes", how=Grounding.UNGROUNDED)
    schema = {"description": "Length of the event in minutes."}
    check_grounded(2, in_text="for 2 hours", name="duration", schema=schema, how=Grounding.UNGROUNDED)


def test_the_number_of_the_unit_asked_for_is_found_behind_another() -> None:
    text = "not 2 hours but 2 minutes"
    check_grounded(2, in_text=text, name="duration_minutes", how=Grounding.COPY, quotes=("2",))


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        (5000, "5 km", "distance_m"),
        ("5000 m", "5 km", "distance"),
        ("5km", "5 km", "distance"),
        (8.05, "5 miles", "distance_km"),
        (2000, "2 GB", "size_mb"),
        (2048, "2 GB", "size_mb"),
        (68, "20 °C", "temperature_fahrenheit"),
        (20, "68°F", "temp_celsius"),
        ("20°C", "68 °F", "temperature"),
        (1000, "one kilogram", "weight_grams"),
    ],
)
def test_a_quantity_in_another_unit(value: object, text: str, name: str) -> None:
    check_grounded(value, in_text=text, name=name, how=Grounding.NORMALIZE, quotes=(text,))


@pytest.mark.parametrize(
    ("value", "text", "name"),
    [
        (5, "5 miles", "distance_km"),
        (9, "5 miles", "distance_km"),
        (20, "20 °F", "temperature_celsius"),
        (2, "2 GB", "size_mb"),
    ],
)
def test_another_quantity_is_without_source(value: object, text: str, name: str) -> None:
    check_grounded(value, in_text=text, name=name, how=Grounding.UNGROUNDED)


def test_the_description_may_tell_the_unit() -> None:
    schema = {"description": "How far, in metres."}
    check_grounded(5000, in_text="5 km away", name="radius", schema=schema, how=Grounding.NORMALIZE)
