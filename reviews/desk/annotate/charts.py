"""Measures of agreement as bars with whiskers, in the coordinates of a small drawing."""

from dataclasses import dataclass
from typing import Final

from reviews.labels.agreement import Agreement, Coefficient

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
    return [_bar(name, each) for name, each in measures if each is not None and each.value is not None]


def _bar(name: str, coefficient: Coefficient) -> Bar:
    end, interval = _place(coefficient.value or 0.0), coefficient.interval
    return Bar(
        name=name,
        coefficient=coefficient,
        x=min(ZERO, end),
        width=abs(end - ZERO),
        low=_place(interval[0]) if interval else None,
        high=_place(interval[1]) if interval else None,
    )


def _place(value: float) -> float:
    """From the left edge; what lies further left than the drawing is drawn at its edge."""
    return round(max(0.0, ZERO + value * (WIDTH - ZERO)), 1)
