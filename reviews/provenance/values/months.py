"""Months of a year: 12/25 and 12/2025 on a card, 2026-03, March 2026, March by the clock."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Final, NamedTuple

from reviews.provenance.text.boundaries import Place
from reviews.provenance.values.locales import any_word_of, date_links, month_names

_FIGURES: Final = re.compile(
    r"(?<![\w.,:/-])(?:(?P<y>(?:19|20)[0-9]{2})[-/](?P<m>0[1-9]|1[0-2])|(?P<m2>0?[1-9]|1[0-2])[-/](?P<y2>20[0-9]{2}|[0-9]{2}))"
    r"(?![\w/-]|[.,:][0-9])"
)
_CENTURY: Final = 100
_MONTHS: Final = 12


class Month(NamedTuple):
    """A month, where it stands and whether its year is told by two figures or none."""

    place: Place
    year: int | None
    month: int

    def may_be(self, meant: "Month", today: date | None) -> bool:
        """Whether it may mean that month; one without a year means the nearest before or behind today."""
        if self.month != meant.month or meant.year is None:
            return False
        if self.year is None:
            return (
                today is not None and abs(_count(meant.year, meant.month) - _count(today.year, today.month)) < _MONTHS
            )
        return meant.year in (self.year, self.year + 2000) if self.year < _CENTURY else meant.year == self.year


def month_of(value: str) -> Month | None:
    """The month that a whole value is in figures, with a year of four."""
    hit = _FIGURES.fullmatch(value.strip())
    month = _month_at(hit) if hit else None
    return month if month and month.year is not None and month.year >= _CENTURY else None


def months_in(text: str) -> Iterator[Month]:
    """Every month of a folded text: in figures with its year, or by its name."""
    yield from map(_month_at, _FIGURES.finditer(text))
    for hit in _named().finditer(text):
        yield Month(hit.span(), int(hit["year"]) if hit["year"] else None, month_names()[hit["month"]])


def is_next_to(month: Month, today: date) -> bool:
    """Whether it is this month, the last or the next one."""
    return month.year is not None and abs(_count(month.year, month.month) - _count(today.year, today.month)) <= 1


def _count(year: int, month: int) -> int:
    return _MONTHS * year + month


def _month_at(hit: re.Match[str]) -> Month:
    return Month(hit.span(), int(hit["y"] or hit["y2"]), int(hit["m"] or hit["m2"]))


@cache
def _named() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?P<month>{any_word_of(month_names())})(?!\w)"
        rf"(?:\.?,?[ -]{{1,2}}(?:(?:{any_word_of(date_links())}) )?(?P<year>(?:19|20)[0-9]{{2}})(?!\w))?"
    )
