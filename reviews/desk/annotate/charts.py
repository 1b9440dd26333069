"""Measures of agreement as bars with whiskers, in the coordinates of a small drawing."""

from dataclasses import dataclass
from typing import Final

from reviews.annotation.agreement import Agreement, Coefficient

# Units of the drawing. 0 is a quarter from the left: agreement below chance happens, but seldom below -1/3.
WIDTH: Final = 200.0
ZERO: Final = 50.0


@dataclass(frozen=True)
class Bar:
    """One measure, with its number and its place."""

    name: str
    coefficient: Coefficient
    x: float
    width: float
    low: float | None
    high: float | None


def bars_of(agreement: Agreement) -> list[Bar]:
    """The measures that are defined, raw agreement first."""
    measures = [
        ("Raw", agreement.raw),
        ("Cohen's kappa", agreement.cohen),
        ("Fleiss' kappa", agreement.fleiss),
        ("Krippendorff's alpha", agreement.krippendorff),
        ("Gwet's AC1", agreement.gwet),
    ]
    return [
        _coefficient_bar(name, coefficient)
        for name, coefficient in measures
        if coefficient is not None and coefficient.value is not None
    ]


def _coefficient_bar(name: str, coefficient: Coefficient) -> Bar:
    end, interval = _place_on_axis(coefficient.value or 0.0), coefficient.interval
    return Bar(
        name=name,
        coefficient=coefficient,
        x=min(ZERO, end),
        width=abs(end - ZERO),
        low=_place_on_axis(interval[0]) if interval else None,
        high=_place_on_axis(interval[1]) if interval else None,
    )


def _place_on_axis(value: float) -> float:
    """From the left edge; what lies further left than the drawing is drawn at its edge."""
    return round(max(0.0, ZERO + value * (WIDTH - ZERO)), 1)
