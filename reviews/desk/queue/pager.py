"""Where in a listing a page stands.

By number and not by a cursor: items come and go while a page is open, and it says at every look where it is now.
"""

from dataclasses import dataclass, replace

from reviews.desk.queue.filters import MAX_COUNTED, PAGE_SIZE, Filters


@dataclass(frozen=True)
class Pager:
    """A page of the queue among the others."""

    filters: Filters
    """With the number of the page that is shown."""
    counted: int
    """Items of the listing; one more than `MAX_COUNTED` stands for more than those."""

    @classmethod
    def of(cls, filters: Filters, counted: int) -> "Pager":
        """The page that the filters ask for, or the last one: what stood behind it was decided meanwhile."""
        pages = max(1, -(-min(counted, MAX_COUNTED) // PAGE_SIZE))
        return cls(replace(filters, page=min(filters.page, pages)), counted)

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-min(self.counted, MAX_COUNTED) // PAGE_SIZE))

    @property
    def start(self) -> int:
        """How many items stand before this page."""
        return (self.filters.page - 1) * PAGE_SIZE

    @property
    def first(self) -> int:
        """The place of its first item, from 1."""
        return self.start + 1

    @property
    def last(self) -> int:
        """The place of its last item."""
        return min(self.start + PAGE_SIZE, self.counted)

    @property
    def total(self) -> str:
        """How many items there are, as written: `1,240`, or `10,000+`."""
        return f"{self.counted:,}" if self.counted <= MAX_COUNTED else f"{MAX_COUNTED:,}+"

    @property
    def previous_href(self) -> str:
        """The address of the page before; empty on the first."""
        return replace(self.filters, page=self.filters.page - 1).href() if self.filters.page > 1 else ""

    @property
    def next_href(self) -> str:
        """The address of the page behind; empty on the last."""
        return replace(self.filters, page=self.filters.page + 1).href() if self.filters.page < self.pages else ""

    @property
    def first_href(self) -> str:
        """The address of the first page."""
        return self.filters.first_page().href()
