"""Which part of the queue a page lists, read from its address and written into its links."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from reviews.models import Risk
from reviews.provenance.core.findings import Relation
from reviews.provenance.detectors import DETECTORS
from reviews.queue.selection import AGES, MINE, STOPPED_BY, UNCLAIMED, Selection

# A screen of rows and some. Every poll that brings something new renders all of them.
PAGE_SIZE: Final = 25
# Items up to which a listing is counted and leafed through: nobody works through more without a filter, and the
# database passes over all that stand before a page.
MAX_COUNTED: Final = 10_000
# Longer than any sensible name, or part of one: it bounds what the database has to match.
MAX_SEARCH_LENGTH: Final = 100
REVIEWED: Final = "reviewed"
FOR_AUDIT: Final = "audit"
# What the page of recent decisions can list, by who decided.
LISTINGS: Final = {
    REVIEWED: "Went to a person",
    "guard": "Established by the guard",
    "policy": "Passed by policy",
    FOR_AUDIT: "For audit",
}
HOLDERS: Final = {"": "All", MINE: "Mine", UNCLAIMED: "Unclaimed"}
# Name of a choice -> what it is called; each stands in the address under its own name.
RISKS: Final = {value: str(label) for value, label in Risk.choices}
WAITED: Final = {"10m": "10 minutes", "1h": "an hour", "4h": "4 hours", "1d": "a day"}
CHOICES: Final = {
    "type": frozenset(STOPPED_BY),
    "relation": frozenset(map(str, Relation)),
    "detector": frozenset(DETECTORS),
    "risk": frozenset(RISKS),
    "age": frozenset(AGES),
}


@dataclass(frozen=True)
class Chip:
    """A filter that one click applies."""

    label: str
    href: str
    chosen: bool


def listing_of(query: QueryDict) -> str:
    """Which of `LISTINGS` the address asks for."""
    return next((name for name in LISTINGS if name == query.get("show")), REVIEWED)


def recent_chips(chosen: str) -> list[Chip]:
    """One chip for each listing of recent decisions."""
    address = reverse("recent")
    return [
        Chip(label, address if name == REVIEWED else f"{address}?show={name}", chosen == name)
        for name, label in LISTINGS.items()
    ]


@dataclass(frozen=True)
class Filters:
    """Which waiting items are listed. The address carries it, so that it can be bookmarked, shared and come back to."""

    selection: Selection = field(default_factory=Selection)
    page: int = 1
    """Which page of the listing, from 1."""

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """The filters in the address. Values that are not understood are ignored, so that old links keep working."""
        page = query.get("page", "")
        # The length is checked first: Python refuses to convert thousands of digits, with an error.
        is_number = page.isdecimal() and len(page) <= len(str(MAX_COUNTED))
        chosen = {name: value if (value := query.get(name, "")) in allowed else "" for name, allowed in CHOICES.items()}
        holder = query.get("holder")
        return cls(
            Selection(
                holder=holder if holder in (MINE, UNCLAIMED) else _text(query, "held_by"),
                stopped_by=chosen.pop("type"),
                tool=_text(query, "tool"),
                agent=_text(query, "agent"),
                **chosen,
            ),
            page=max(int(page), 1) if is_number else 1,
        )

    @property
    def narrowed(self) -> bool:
        """Whether a filter hides items."""
        return self.selection.narrows

    @property
    def held_by(self) -> str:
        """The colleague whose items are listed; empty for nobody in particular."""
        return "" if self.selection.holder in HOLDERS else self.selection.holder

    @property
    def refined(self) -> bool:
        """Whether a filter is set that has no chip."""
        selection = self.selection
        return any(
            (selection.agent, selection.relation, selection.detector, selection.risk, selection.age, self.held_by)
        )

    @property
    def query(self) -> str:
        """The filters as the query of an address, without those that are at their default."""
        selection = self.selection
        query: dict[str, Any] = {
            "holder": selection.holder if selection.holder in HOLDERS else "",
            "held_by": self.held_by,
            "type": selection.stopped_by,
            "tool": selection.tool,
            "agent": selection.agent,
            "relation": selection.relation,
            "detector": selection.detector,
            "risk": selection.risk,
            "age": selection.age,
            "page": self.page if self.page > 1 else "",
        }
        return urlencode({name: value for name, value in query.items() if value})

    @property
    def within(self) -> str:
        """What keeps the filters behind any address of the desk: empty, or `?` and the query."""
        return f"?{self.query}" if self.query else ""

    def href(self) -> str:
        """The address of the queue under these filters."""
        return reverse("queue") + self.within

    def first_page(self) -> "Filters":
        """The same filters, at the start of the listing."""
        return replace(self, page=1)

    def changed(self, **choices: str) -> "Filters":
        """The filters with other choices, at the start of the listing."""
        return Filters(replace(self.selection, **choices))

    def holder_chips(self) -> list[Chip]:
        """One chip for each choice of holder."""
        return [
            Chip(label, self.changed(holder=name).href(), self.selection.holder == name)
            for name, label in HOLDERS.items()
        ]

    def type_chips(self) -> list[Chip]:
        """One chip for each reason to stop; the chosen one leads back to every reason."""
        chosen = self.selection.stopped_by
        return [
            Chip(name.capitalize(), self.changed(stopped_by="" if chosen == name else name).href(), chosen == name)
            for name in STOPPED_BY
        ]


@dataclass(frozen=True)
class Choice:
    """A list of values from which one can be chosen."""

    name: str
    """In the address."""
    label: str
    anything: str
    """What it is called when nothing is chosen."""
    options: Iterable[tuple[str, str]]
    """Values with their names."""
    chosen: str


def choices_of(filters: Filters, agents: Iterable[str], people: Iterable[str]) -> list[Choice]:
    """The filters that have no chips."""
    selection = filters.selection
    return [
        Choice("agent", "Agent", "Any agent", _named(agents, selection.agent), selection.agent),
        Choice("risk", "Risk", "Any risk", RISKS.items(), selection.risk),
        Choice(
            "age",
            "Waiting for",
            "Any time",
            [(key, f"{words} or more") for key, words in WAITED.items()],
            selection.age,
        ),
        Choice("relation", "Relation", "Any relation", _named(sorted(CHOICES["relation"])), selection.relation),
        Choice("detector", "Detector", "Any detector", _named(DETECTORS), selection.detector),
        Choice("held_by", "Held by", "Anybody", _named(people, filters.held_by), filters.held_by),
    ]


def _named(names: Iterable[str], chosen: str = "") -> list[tuple[str, str]]:
    """The names as options; what is chosen is among them also when it has gone."""
    return [(name, name) for name in dict.fromkeys([*names, *filter(None, [chosen])])]


def _text(query: QueryDict, name: str) -> str:
    # PostgreSQL refuses U+0000 in a text.
    return query.get(name, "").replace("\x00", "").strip()[:MAX_SEARCH_LENGTH]
