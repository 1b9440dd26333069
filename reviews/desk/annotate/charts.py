"""Measures of agreement as bars with whiskers, in the coordinates of a small drawing."""

import math
from dataclasses import dataclass
from typing import Final

from reviews.annotation.campaign_agreement import Agreement, Coefficient
from reviews.evaluation.measures.interrater_agreement import ConfusionTable

# Units of the drawing, which shows a coefficient's whole range: from -1 at the left edge to 1 at the right.
WIDTH: Final = 200.0
ZERO: Final = 100.0
# Shades of a cell, the darkest for the most frequent pair of answers; as many as a style sheet tells apart.
SHADES: Final = 5


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
    return round(ZERO + value * (WIDTH - ZERO), 1)


@dataclass(frozen=True)
class ShadedRow:
    """One row of a confusion matrix."""

    category: str
    cells: list[tuple[int, int, bool]]
    """Count, shade from 0 to `SHADES`, and whether both answers are the same."""


def shade_matrix(table: ConfusionTable) -> list[ShadedRow]:
    """The matrix with a shade for each cell, by its share of the largest."""
    largest = max((count for row in table.counts for count in row), default=0)
    return [
        ShadedRow(
            str(table.categories[at]).replace("_", " "),
            [(count, math.ceil(SHADES * count / largest), column == at) for column, count in enumerate(row)],
        )
        for at, row in enumerate(table.counts)
    ]
