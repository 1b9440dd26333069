"""Which part of the queue a page lists, read from its address and written into its links."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from reviews.desk.addresses import Chip, Choice, name_options, read_text
from reviews.models import Risk, VerdictLabel
from reviews.provenance.core.findings import Relation
from reviews.provenance.detectors import DETECTORS
from reviews.queue.filtering import AGES, FOR_ME, MINE, STOPPED_BY, UNCLAIMED, UNPROVEN, Selection

# A screen of rows and some. Every poll that brings something new renders all of them.
PAGE_SIZE: Final = 25
# Items up to which a listing is counted and leafed through: nobody works through more without a filter, and the
# database passes over all that stand before a page.
MAX_COUNTED: Final = 10_000
HOLDERS: Final = {"": "All", MINE: "Mine", FOR_ME: "For me", UNCLAIMED: "Unclaimed"}
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
class Filters:
    """The filters of the queue. The address carries them: a choice can be bookmarked, shared and come back to."""

    selection: Selection = field(default_factory=Selection)
    page: int = 1
    """Which page of the listing, from 1."""

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """The filters in the address. Values that are not understood are ignored, so that old links keep working."""
        page = query.get("page", "")
        # The length is checked first: Python refuses to convert thousands of digits, with an error.
        is_number = page.isdecimal() and len(page) <= len(str(MAX_COUNTED))
        chosen = {name: query.get(name, "") if query.get(name) in allowed else "" for name, allowed in CHOICES.items()}
        holder, stopped_by = query.get("holder"), chosen.pop("type")
        # What was called so is part of the other now; links and saved views keep their name.
        if query.get("type") == VerdictLabel.UNDETERMINED:
            stopped_by = UNPROVEN
        return cls(
            Selection(
                holder=holder if holder in (MINE, UNCLAIMED, FOR_ME) else read_text(query, "held_by"),
                stopped_by=stopped_by,
                text=read_text(query, "text"),
                tool=read_text(query, "tool"),
                agent=read_text(query, "agent"),
                assignee=read_text(query, "assignee"),
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
            (
                selection.agent,
                selection.relation,
                selection.detector,
                selection.risk,
                selection.age,
                selection.assignee,
                self.held_by,
            )
        )

    @property
    def query(self) -> str:
        """The filters as the query of an address, without those that are at their default."""
        selection = self.selection
        query: dict[str, Any] = {
            "holder": selection.holder if selection.holder in HOLDERS else "",
            "held_by": self.held_by,
            "type": selection.stopped_by,
            "text": selection.text,
            "tool": selection.tool,
            "agent": selection.agent,
            "assignee": selection.assignee,
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

    def tool_chip(self) -> Chip | None:
        """The tool that is looked at, whose click shows every tool again."""
        tool = self.selection.tool
        return Chip(f"Tool: {tool}", self.changed(tool="").href(), chosen=True) if tool else None

    def holder_chips(self) -> list[Chip]:
        """One chip for each choice of holder."""
        return [
            Chip(label, self.changed(holder=name).href(), self.selection.holder == name)
            for name, label in HOLDERS.items()
        ]

    def type_chips(self, present: Collection[str] = STOPPED_BY) -> list[Chip]:
        """One chip for each reason to stop that is `present`; the chosen one leads back to every reason."""
        chosen = self.selection.stopped_by
        return [
            Chip(name.capitalize(), self.changed(stopped_by="" if chosen == name else name).href(), chosen == name)
            for name in STOPPED_BY
            if name in present or name == chosen
        ]


def choices_of(filters: Filters, agents: Iterable[str], people: Sequence[str]) -> list[Choice]:
    """The filters that have no chips."""
    selection = filters.selection
    return [
        Choice("agent", "Agent", "Any agent", name_options(agents, selection.agent), selection.agent),
        Choice("risk", "Risk", "Any risk", RISKS.items(), selection.risk),
        Choice(
            "age",
            "Waiting for",
            "Any time",
            [(key, f"{words} or more") for key, words in WAITED.items()],
            selection.age,
        ),
        Choice("relation", "Relation", "Any relation", name_options(sorted(CHOICES["relation"])), selection.relation),
        Choice("detector", "Detector", "Any detector", name_options(DETECTORS), selection.detector),
        Choice("assignee", "Meant for", "Anybody", name_options(people, selection.assignee), selection.assignee),
        Choice("held_by", "Held by", "Anybody", name_options(people, filters.held_by), filters.held_by),
    ]
