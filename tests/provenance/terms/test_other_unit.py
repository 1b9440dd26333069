"""A figure counts what stands behind it: another unit than the parameter's is no value of it, whoever quotes it."""

import pytest

from reviews.provenance.core.context import Context, JsonValue, Span
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.terms import Reading, Stated
from reviews.provenance.terms.verify import Verified, verify_term


def is_said(words: str, name: str, value: JsonValue) -> bool:
    span, leaf, evidence = Span("query", 0, len(words), words), Leaf(value, f"/{name}"), Evidence(Context(words))
    return any(isinstance(verify_term(term, leaf, evidence), Verified) for term in (Stated(span), Reading(span)))


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("2 hours", "minutes", 2),
        ("2h", "timeout_minutes", 2),
        ("zwei Stunden", "minutes", 2),
        ("2 часа", "minutes", 2),
        ("2시간", "minutes", 2),
        ("2時間", "minutes", 2),
        ("2 weeks", "days", 2),
        ("2 gün", "hours", 2),
        ("500 g", "weight_kg", 500),
        ("500 грамм", "kg", 500),
        ("2 Tonnen", "kg", "2"),
        ("5 miles", "distance_km", 5),
        ("12.4 kg", "weight_tonnes", 0),
        ("1 mile", "distance_km", 2),
    ],
)
def test_a_figure_of_another_unit_of_the_kind_is_not_said(words: str, name: str, value: JsonValue) -> None:
    assert not is_said(words, name, value)


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("2 hours", "minutes", 120),
        ("2 hours", "hours", 2),
        ("2 часа", "hours", 2),
        ("2 hours", "duration", 2),
        ("at least 2 hours", "min", 2),
        ("2 hours a day for 2 days", "days", 2),
        ("2 bags", "weight_kg", 2),
        ("2 hours", "copies", 2),
        ("500 g", "weight_kg", 0.5),
        ("8400 kg", "weight_tonnes", 8.4),
        ("5 km", "distance_km", 5),
        ("12 minutes", "seconds", 720),
        ("150lbs", "weight", 150),
        ("150 lbs", "weight_kg", 68),
        ("12.4 kg", "weight_tonnes", 0.012),
    ],
)
def test_its_own_unit_another_kind_and_what_it_comes_to_are(words: str, name: str, value: JsonValue) -> None:
    assert is_said(words, name, value)
