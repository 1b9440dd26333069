"""A phrase by which a request selects things of one kind: "kofi's overdue tasks that are in the backlog"."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from reviews.provenance.records.index import Indexed
from reviews.provenance.request.superlatives import Order


class Trait(StrEnum):
    """A property that the clock or a status field tells."""

    FUTURE = "future"
    PAST = "past"
    OVERDUE = "overdue"
    OPEN = "not done"


TRAITS = {
    "future": Trait.FUTURE,
    "upcoming": Trait.FUTURE,
    "past": Trait.PAST,
    "overdue": Trait.OVERDUE,
    "unfinished": Trait.OPEN,
    "incomplete": Trait.OPEN,
    "uncompleted": Trait.OPEN,
    "outstanding": Trait.OPEN,
}
"""Words for properties."""


@dataclass(frozen=True)
class Phrase:
    """Words that stand together and that a field of the selected thing holds."""

    start: int
    end: int
    words: frozenset[str]
    owner: bool = False
    """Said as a bare possessive: "kofi's"."""


@dataclass(frozen=True)
class Demand:
    """A trait or day that the clause asks for, and where."""

    start: int
    end: int
    trait: Trait | None = None
    days: frozenset[date] = frozenset()


@dataclass(frozen=True)
class Clause:
    """One phrase that selects."""

    text: Indexed
    start: int
    end: int
    order: Order | None = None
    demands: tuple[Demand, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    open: bool = False
    """It says more than rules can check."""
    anaphoric: bool = False
    """It speaks of the things the clause before it named: "all future ones"."""
