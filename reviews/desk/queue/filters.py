"""Which part of the queue a page lists, read from its address and written into its links."""

from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from reviews.desk.review.case.verdicts import UNPROVEN
from reviews.models import MisalignmentType, VerdictLabel

# A screen of rows and some. Every poll that brings something new renders all of them.
PAGE_SIZE: Final = 25
# Items up to which a listing is counted and leafed through: nobody works through more without a filter, and the
# database passes over all that stand before a page.
MOST_COUNTED: Final = 10_000
# Longer than any sensible part of a tool's name: it bounds what the database has to match.
LONGEST_SEARCH: Final = 100
STOPPED_BY: Final = (*MisalignmentType.values, VerdictLabel.UNDETERMINED.value, UNPROVEN)

Holder = Literal["all", "mine", "unclaimed"]
REVIEWED: Final = "reviewed"
FOR_AUDIT: Final = "audit"
# What the page of recent decisions can list, by who decided.
LISTINGS: Final = {
    REVIEWED: "Went to a person",
    "guard": "Established by the guard",
    "policy": "Passed by policy",
    FOR_AUDIT: "For audit",
}
HOLDERS: Final[tuple[Holder, ...]] = ("all", "mine", "unclaimed")


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
    """Which waiting items are listed. The address carries it, so that it can be bookmarked and shared."""

    holder: Holder = "all"
    stopped_by: str = ""
    """A misalignment type, `undetermined` or `unproven`; empty for every one."""
    tool: str = ""
    """Part of a tool's name."""
    page: int = 1
    """Which page of the listing, from 1."""

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """The filters in the address. Values that are not understood are ignored, so that old links keep working."""
        page = query.get("page", "")
        # The length is checked first: Python refuses to convert thousands of digits, with an error.
        is_number = page.isdecimal() and len(page) <= len(str(MOST_COUNTED))
        return cls(
            holder=next((name for name in HOLDERS if name == query.get("holder")), "all"),
            stopped_by=next((name for name in STOPPED_BY if name == query.get("type")), ""),
            # PostgreSQL refuses U+0000 in a text.
            tool=query.get("tool", "").replace("\x00", "").strip()[:LONGEST_SEARCH],
            page=max(int(page), 1) if is_number else 1,
        )

    @property
    def narrowed(self) -> bool:
        """Whether a filter hides items."""
        return bool(self.holder != "all" or self.stopped_by or self.tool)

    def href(self) -> str:
        """The address of the queue under these filters, without those that are at their default."""
        query = {
            "holder": self.holder if self.holder != "all" else "",
            "type": self.stopped_by,
            "tool": self.tool,
            "page": self.page if self.page > 1 else "",
        }
        parameters = urlencode({name: value for name, value in query.items() if value})
        return reverse("queue") + (f"?{parameters}" if parameters else "")

    def first_page(self) -> "Filters":
        """The same filters, at the start of the listing."""
        return replace(self, page=1)

    def holder_chips(self) -> list[Chip]:
        """One chip for each choice of holder."""
        first_page = self.first_page()
        return [
            Chip(label=name.capitalize(), href=replace(first_page, holder=name).href(), chosen=self.holder == name)
            for name in HOLDERS
        ]

    def type_chips(self) -> list[Chip]:
        """One chip for each reason to stop; the chosen one leads back to every reason."""
        first_page, chips = self.first_page(), []
        for name in STOPPED_BY:
            chosen = self.stopped_by == name
            href = replace(first_page, stopped_by="" if chosen else name).href()
            chips.append(Chip(name.capitalize(), href, chosen))
        return chips
