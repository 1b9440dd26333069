"""The boxes and lines of the drawing, before the layout places them. Lengths are in the drawing's units."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

# Length of the bar of full trust: it leaves room beside it for the number and the count of anomalous spans.
FULL_BAR: Final = 26
# A box with one line of title, and what each further line adds: the height of a line of its type.
_HEIGHT: Final = 46
_LINE_HEIGHT: Final = 14
# From the top of a box to the baseline of its first line.
_FIRST_BASELINE: Final = 19
# From the bottom of a box up to where the detail, the bar and the counts begin.
_DETAIL_HEIGHT: Final = 23


class Column(IntEnum):
    """A column of the drawing, in the order of time: from what was first to what it led to."""

    SOURCES = 0
    CALLS = 1
    ARGUMENTS = 2
    CALL = 3

    @property
    def words(self) -> str:
        """The heading above it."""
        return ("Sources", "Calls before", "Arguments", "The call")[self]


@dataclass(frozen=True)
class Box:
    """One node of the graph, as it is drawn and as it is read out."""

    id: str
    column: Column
    title: tuple[str, ...]
    """One or two lines."""
    detail: str
    """What it is, or for an argument how its value was traced."""
    name: str = ""
    """All of it in one sentence, for screen readers and as a tooltip."""
    href: str = ""
    """Where on the page its text stands; empty for what stands for many."""
    ref: str = ""
    """Ties it to the marks of its text."""
    icon: str = ""
    """The icon of its writer; empty for a part of the call."""
    tone: str = ""
    """For an argument: its colour."""
    trust: float | None = None
    """0 to 1."""
    anomalous: int = 0
    """Anomalous stretches of its text."""

    @property
    def height(self) -> int:
        """Height of the box, which grows with its title."""
        return _HEIGHT + _LINE_HEIGHT * (len(self.title) - 1)

    @property
    def lines(self) -> tuple[tuple[int, str], ...]:
        """The lines of the title, each after the height of its baseline below the top."""
        return tuple((_FIRST_BASELINE + _LINE_HEIGHT * number, line) for number, line in enumerate(self.title))

    @property
    def below(self) -> int:
        """Where what stands below the title begins."""
        return self.height - _DETAIL_HEIGHT

    @property
    def bar(self) -> int:
        """Length of the bar that shows its trust."""
        return round(FULL_BAR * (self.trust or 0))


@dataclass(frozen=True)
class Line:
    """One node had a part in another."""

    source: str
    target: str
    tainted: bool = False
    """By anomalous text."""
    refs: tuple[str, ...] = ()
    """What lights it up: the node it comes from, and every argument it leads to."""
