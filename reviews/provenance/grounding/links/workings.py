"""Numbers that were worked out, found by their result."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, DecimalException

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.results import Found

# Decimal places to which a result is rounded at most: more are noise of a division.
_PLACES = 12


@dataclass(frozen=True)
class Working:
    """A number worked out, and how."""

    result: Decimal
    spans: tuple[Span, ...]
    note: str
    """The sentence for a person; it ends with the number that was wanted, unless it is whole already."""
    whole: bool = False
    exact: bool = False
    """Whether only the very result counts, and not what it rounds to."""


class Workings:
    """Workings by their result, in an order: of several with the number wanted the first counts."""

    def __init__(self, workings: Iterable[Working], budget: Budget) -> None:
        self._all: list[Working] = []
        self._broken = False
        try:
            for working in workings:
                budget.spend()
                self._all.append(working)
        except DecimalException:  # a division by zero: nothing behind it is worked out
            self._broken = True
        self._budget = budget
        self._exact: dict[Decimal, int] = {}
        for n, working in enumerate(self._all):
            self._exact.setdefault(working.result, n)
        self._rounded: dict[int, tuple[dict[Decimal, int], int]] = {}

    def find(self, wanted: Decimal) -> Found | None:
        """The first that gives the number. Raises `DecimalException` where none did before the working broke off."""
        exponent = wanted.as_tuple().exponent
        places = -exponent if isinstance(exponent, int) and exponent < 0 else 0
        exact, end = self._exact.get(wanted, len(self._all)), len(self._all)
        rounded = end
        if places:
            # To the places the number was given with, if it was given with any.
            by_result, end = self._to_places(min(places, _PLACES))
            rounded = by_result.get(wanted, len(self._all))
        first = min(exact, rounded)
        if first == len(self._all) or first > end:
            if self._broken or end < len(self._all):
                raise DecimalException
            return None
        working = self._all[first]
        return Found(
            Grounding.DERIVE, working.spans, working.note if working.whole else f"{working.note} {written(wanted)}."
        )

    def _to_places(self, places: int) -> tuple[dict[Decimal, int], int]:
        """The first working of each rounded result, and how many could be rounded."""
        if places not in self._rounded:
            found: dict[Decimal, int] = {}
            end = len(self._all)
            for n, working in enumerate(self._all):
                self._budget.spend()
                try:
                    found.setdefault(round(working.result, places), n) if not working.exact else None
                except DecimalException:  # more figures than are computed with
                    end = n
                    break
            self._rounded[places] = found, end
        return self._rounded[places]


def written(number: Decimal) -> str:
    """A number for a person to read, in bounded space."""
    return f"{number:f}"[:24]
