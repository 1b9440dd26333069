"""What there is to draw, before it has a place."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

FULL_BAR: Final = 26
"""Length of the bar of full trust, in the drawing's units."""


_HEIGHT: Final = 46
_FOOT: Final = 19
_LINE: Final = 14
_BELOW: Final = 23


class Column(IntEnum):
    """From what was first to what it led to."""

    SOURCES = 0
    CALLS = 1
    ARGUMENTS = 2
    CALL = 3

    @property
    def words(self) -> str:
        """What stands above it."""
        return ("Sources", "Calls before", "Arguments", "The call")[self]


@dataclass(frozen=True)
class Box:
    """One node, as it is drawn and as it is read out."""

    id: str
    column: Column
    title: tuple[str, ...]
    """One or two lines."""
    detail: str
    """What it is, or for an argument how its value was traced."""
    name: str = ""
    """All of it in one sentence, for whoever listens or hovers."""
    href: str = ""
    """Where on the page its text stands; empty for what stands for many."""
    ref: str = ""
    """Ties it to the marks of its text."""
    icon: str = ""
    """Its writer's sign in the icon set; empty for a part of the call."""
    tone: str = ""
    """For an argument: the colour of that."""
    trust: float | None = None
    """0 to 1."""
    anomalous: int = 0
    """Anomalous stretches of its text."""

    @property
    def height(self) -> int:
        """Of the box."""
        return _HEIGHT + _LINE * (len(self.title) - 1)

    @property
    def lines(self) -> tuple[tuple[int, str], ...]:
        """The lines of the title, each with the height of its foot."""
        return tuple((_FOOT + _LINE * number, line) for number, line in enumerate(self.title))

    @property
    def below(self) -> int:
        """Where what stands below the title begins."""
        return self.height - _BELOW

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
