"""Places for boxes and lines: columns from left to right, and in each the boxes below one another.

A line that passes a column goes through a lane of its own there, so that it never seems to touch a box it has nothing
to do with.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from reviews.desk.review.influence.boxes import FULL_BAR, Box, Column, Line

WIDTH: Final = 680
"""Of the whole drawing, in units that are about a pixel in the panel it is made for."""
_WIDTHS: Final[Mapping[Column, int]] = MappingProxyType(
    {Column.SOURCES: 172, Column.CALLS: 166, Column.ARGUMENTS: 152, Column.CALL: 108}
)
_LANE: Final = 6
_BETWEEN: Final = 10
"""One box and the next below it."""
_WIDEST_GAP: Final = 80
"""Between columns: what is left over makes the boxes wider."""
_BULGE: Final = 22
"""How far a line between two boxes of one column swings out."""
_HEAD: Final = 6
"""Length of an arrow's head."""


@dataclass(frozen=True)
class Place:
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """Where lines leave it."""
        return self.x + self.width

    @property
    def inner_width(self) -> int:
        """Of a rectangle whose edge of two units lies within this one."""
        return self.width - 2

    @property
    def inner_height(self) -> int:
        """As `inner_width`."""
        return self.height - 2

    @property
    def middle(self) -> int:
        """Where lines meet it."""
        return self.y + self.height // 2


@dataclass(frozen=True)
class PlacedBox:
    """A box and where it is."""

    box: Box
    place: Place


@dataclass(frozen=True)
class PlacedLine:
    """A line, the path it takes and the path of its head."""

    line: Line
    path: str
    head: str


@dataclass(frozen=True)
class Heading:
    """A column that has boxes, and where it begins."""

    column: Column
    x: int

    @property
    def words(self) -> str:
        """What it says."""
        return self.column.words


@dataclass(frozen=True)
class Drawing:
    """What to draw: the lines first, then the boxes, which come in reading order."""

    boxes: tuple[PlacedBox, ...] = ()
    lines: tuple[PlacedLine, ...] = ()
    headings: tuple[Heading, ...] = ()
    height: int = 0
    width: int = WIDTH
    full_bar: int = FULL_BAR


@dataclass(frozen=True)
class _Slot:
    """A box's height in a column, or a lane's."""

    id: str
    height: int
    rank: float
    """Where in its column it wants to be: 0 at the top, 1 at the bottom."""


def draw(boxes: Sequence[Box], lines: Sequence[Line]) -> Drawing:
    """The drawing; a line whose ends are not both among the boxes is left out. Pure, and the same every time."""
    columns = {column: [box for box in boxes if box.column is column] for column in Column}
    used = [column for column in Column if columns[column]]
    at = {box.id: box for box in boxes}
    known = [line for line in lines if line.source in at and line.target in at]
    slots = {column: _boxed(columns[column]) for column in used}
    for lane, column in _lanes(known, at, used):
        slots[column] += [_Slot(lane, _LANE, _rank(lane, slots[at[lane].column]))]
    height = max((_height(each) for each in slots.values()), default=0)
    places = _places(slots, height)
    return Drawing(
        boxes=tuple(PlacedBox(box, places[column][box.id]) for column in used for box in columns[column]),
        lines=tuple(_drawn(line, at, places) for line in known),
        headings=tuple(Heading(column, x) for column, (x, _) in _sides(used).items()),
        height=height,
    )


def _boxed(boxes: Sequence[Box]) -> list[_Slot]:
    return [_Slot(box.id, box.height, (number + 0.5) / len(boxes)) for number, box in enumerate(boxes)]


def _lanes(lines: Sequence[Line], at: Mapping[str, Box], used: Sequence[Column]) -> list[tuple[str, Column]]:
    """One lane for all lines from one box through one column; it goes by the name of the box."""
    passed = (
        (line.source, column)
        for line in lines
        for column in used
        if at[line.source].column < column < at[line.target].column
    )
    return list(dict.fromkeys(passed))


def _rank(box: str, slots: Sequence[_Slot]) -> float:
    return next(slot.rank for slot in slots if slot.id == box)


def _height(slots: Sequence[_Slot]) -> int:
    return sum(slot.height for slot in slots) + _BETWEEN * (len(slots) - 1)


def _places(slots: Mapping[Column, Sequence[_Slot]], height: int) -> Mapping[Column, Mapping[str, Place]]:
    sides = _sides(list(slots))
    return {column: dict(_stacked(each, *sides[column], height)) for column, each in slots.items()}


def _stacked(slots: Sequence[_Slot], x: int, width: int, height: int) -> Iterator[tuple[str, Place]]:
    y = (height - _height(slots)) // 2
    for slot in sorted(slots, key=lambda slot: slot.rank):
        yield slot.id, Place(x, y, width, slot.height)
        y += slot.height + _BETWEEN


def _sides(used: Sequence[Column]) -> Mapping[Column, tuple[int, int]]:
    """Where each column begins, and its width: together they fill the drawing."""
    widths = [_WIDTHS[column] for column in used]
    gap = min(_WIDEST_GAP, (WIDTH - sum(widths)) // max(1, len(used) - 1))
    stretch = (WIDTH - gap * (len(used) - 1)) / max(1, sum(widths))
    sides, x = {}, 0
    for column, width in zip(used, widths, strict=True):
        sides[column] = x, int(width * stretch)
        x += int(width * stretch) + gap
    return sides


def _drawn(line: Line, at: Mapping[str, Box], places: Mapping[Column, Mapping[str, Place]]) -> PlacedLine:
    first, last = at[line.source].column, at[line.target].column
    start, end = places[first][line.source], places[last][line.target]
    head = f"M{end.x - _HEAD} {end.middle - 4}L{end.x} {end.middle}L{end.x - _HEAD} {end.middle + 4}Z"
    if first == last:
        return PlacedLine(line, _swung(start, end), head)
    lanes = [places[column][line.source] for column in sorted(places) if first < column < last]
    return PlacedLine(line, _path([start, *lanes, end]), head)


def _swung(start: Place, end: Place) -> str:
    out = start.x - _BULGE
    return f"M{start.x} {start.middle}C{out} {start.middle} {out} {end.middle} {end.x - _HEAD} {end.middle}"


def _path(stops: Sequence[Place]) -> str:
    path = f"M{stops[0].right} {stops[0].middle}"
    for here, there in pairwise(stops):
        half, x = (here.right + there.x) // 2, there.x - _HEAD * (there is stops[-1])
        path += f"C{half} {here.middle} {half} {there.middle} {x} {there.middle}"
        path += "" if there is stops[-1] else f"H{there.right}"
    return path
