"""What of the queue is shown, as the address says it."""

from dataclasses import dataclass, replace
from typing import Final, Literal
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from reviews.models import MisalignmentType, VerdictLabel

PAGE_SIZE: Final = 50
MOST_SHOWN: Final = 300
"""Rows one page may grow to; behind them the listing goes on as a new page."""
LONGEST_SEARCH: Final = 100
STOPPED_BY: Final = (*MisalignmentType.values, VerdictLabel.UNDETERMINED.value)

Holder = Literal["all", "mine", "unclaimed"]
HOLDERS: Final[tuple[Holder, ...]] = ("all", "mine", "unclaimed")


@dataclass(frozen=True)
class Chip:
    """A filter that is one click away."""

    label: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class Filters:
    """What of the queue is shown. Lives in the address, so that it can be kept and shared."""

    holder: Holder = "all"
    stopped_by: str = ""
    """A misalignment type, or `undetermined`; empty for every one."""
    tool: str = ""
    """Part of a tool's name."""
    after: str = ""
    """Cursor the page starts behind."""
    shown: int = PAGE_SIZE

    @classmethod
    def of(cls, asked: QueryDict) -> "Filters":
        """The filters in the address; what is not understood is left out."""
        return cls(
            holder=next((name for name in HOLDERS if name == asked.get("holder")), "all"),
            stopped_by=next((name for name in STOPPED_BY if name == asked.get("type")), ""),
            tool=asked.get("tool", "").replace("\x00", "").strip()[:LONGEST_SEARCH],
            after=asked.get("after", ""),
            shown=_bounded(asked.get("shown", "")),
        )

    @property
    def narrowed(self) -> bool:
        """Whether anything is hidden by choice."""
        return bool(self.holder != "all" or self.stopped_by or self.tool)

    def href(self) -> str:
        """The address of the queue under these filters."""
        asked = {
            "holder": self.holder if self.holder != "all" else "",
            "type": self.stopped_by,
            "tool": self.tool,
            "after": self.after,
            "shown": self.shown if self.shown != PAGE_SIZE else "",
        }
        query = urlencode({name: value for name, value in asked.items() if value})
        return reverse("queue") + (f"?{query}" if query else "")

    def from_the_top(self) -> "Filters":
        """The same filters, at the start of the listing."""
        return replace(self, after="", shown=PAGE_SIZE)

    def more(self, next_cursor: str | None) -> str:
        """Where the next rows are: on this page while it may grow, else on the next; empty without any."""
        if next_cursor is None:
            return ""
        if self.shown < MOST_SHOWN:
            return replace(self, shown=self.shown + PAGE_SIZE).href()
        return replace(self, after=next_cursor, shown=PAGE_SIZE).href()

    def holder_chips(self) -> list[Chip]:
        """One chip for each choice of holder."""
        start = self.from_the_top()
        return [Chip(name.capitalize(), replace(start, holder=name).href(), self.holder == name) for name in HOLDERS]

    def type_chips(self) -> list[Chip]:
        """One chip for each reason to stop; the chosen one leads back to every reason."""
        return [self._type_chip(name) for name in STOPPED_BY]

    def _type_chip(self, name: str) -> Chip:
        chosen = self.stopped_by == name
        return Chip(name.capitalize(), replace(self.from_the_top(), stopped_by="" if chosen else name).href(), chosen)


def _bounded(shown: str) -> int:
    known = shown.isdecimal() and len(shown) <= len(str(MOST_SHOWN))
    return min(max(int(shown), PAGE_SIZE), MOST_SHOWN) if known else PAGE_SIZE
