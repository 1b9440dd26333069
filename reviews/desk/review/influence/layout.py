"""The layout: columns from left to right, in each the boxes below one another, and curves between the boxes.

A line that passes a column goes through a lane of its own there, so that it never seems to touch a box it has nothing
to do with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from reviews.desk.review.influence.boxes import FULL_BAR, Box, Column, Line

# Of the whole drawing, in units that are about a pixel in the panel it is made for.
WIDTH: Final = 680
# Least widths: together with three gaps they fit, and each is as wide as the titles of its column need.
_WIDTHS: Final[Mapping[Column, int]] = MappingProxyType(
    {Column.SOURCES: 172, Column.CALLS: 166, Column.ARGUMENTS: 152, Column.CALL: 108}
)
# Height of a lane: room for the one line in it.
_LANE: Final = 6
# Between one box and the next below it.
_SPACING: Final = 10
# Between columns. With few columns lines need no more room than this to curve; the rest makes the boxes wider.
_WIDEST_GAP: Final = 80
# How far a line between two boxes of one column swings out: into the gap, but not up to the column before.
_BULGE: Final = 22
# Length of an arrow's head and half of its height.
_HEAD: Final = 6
_HALF_HEAD: Final = 4


@dataclass(frozen=True)
class Rectangle:
    """The place of a box or a lane, from the top left corner of the drawing."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The edge at which lines leave it."""
        return self.x + self.width

    @property
    def middle(self) -> int:
        """The height at which lines meet it."""
        return self.y + self.height // 2


@dataclass(frozen=True)
class PlacedBox:
    """A box and where it is."""

    box: Box
    place: Rectangle


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
    """A stretch of a column, for a box or for a lane."""

    id: str
    height: int
    rank: float
    """Where in its column it is best: 0 at the top, 1 at the bottom."""


def draw(boxes: Sequence[Box], lines: Sequence[Line]) -> Drawing:
    """The drawing; a line whose ends are not both among the boxes is left out. Equal input gives an equal drawing."""
    columns = {column: [box for box in boxes if box.column is column] for column in Column}
    used = [column for column in Column if columns[column]]
    by_id = {box.id: box for box in boxes}
    drawable = [line for line in lines if line.source in by_id and line.target in by_id]
    slots = _slots({column: columns[column] for column in used}, by_id, drawable)
    sides = _sides(used)
    heights = {
        column: sum(slot.height for slot in stack) + _SPACING * (len(stack) - 1) for column, stack in slots.items()
    }
    # The tallest column decides; the others are centred beside it.
    height = max(heights.values(), default=0)
    places: dict[Column, dict[str, Rectangle]] = {}
    for column, stack in slots.items():
        (x, width), y = sides[column], (height - heights[column]) // 2
        places[column] = {}
        for slot in sorted(stack, key=lambda slot: slot.rank):
            places[column][slot.id] = Rectangle(x, y, width, slot.height)
            y += slot.height + _SPACING
    return Drawing(
        boxes=tuple(PlacedBox(box, places[column][box.id]) for column in used for box in columns[column]),
        lines=tuple(_placed_line(line, by_id, places) for line in drawable),
        headings=tuple(Heading(column, x) for column, (x, _) in sides.items()),
        height=height,
    )


def _slots(
    columns: Mapping[Column, Sequence[Box]], by_id: Mapping[str, Box], lines: Sequence[Line]
) -> dict[Column, list[_Slot]]:
    """The slots of each column: its boxes, then a lane for each box from which lines pass through the column."""
    slots = {
        # Ranks are the middles of equal shares, so that columns with few and with many boxes compare.
        column: [_Slot(box.id, box.height, (number + 0.5) / len(boxes)) for number, box in enumerate(boxes)]
        for column, boxes in columns.items()
    }
    # One lane for all lines of a box, under the name of the box: they run together until they part.
    lanes = dict.fromkeys(
        (line.source, column)
        for line in lines
        for column in columns
        if by_id[line.source].column < column < by_id[line.target].column
    )
    for source, column in lanes:
        # At the rank of its box the lane goes straight on, which keeps crossings rare.
        rank = next(slot.rank for slot in slots[by_id[source].column] if slot.id == source)
        slots[column].append(_Slot(source, _LANE, rank))
    return slots


def _sides(used: Sequence[Column]) -> Mapping[Column, tuple[int, int]]:
    """Where each column begins, and its width: together they fill the drawing."""
    widths = [_WIDTHS[column] for column in used]
    # At least 1 in both divisions: a single column has no gap, and an empty drawing no column.
    gap = min(_WIDEST_GAP, (WIDTH - sum(widths)) // max(1, len(used) - 1))
    stretch = (WIDTH - gap * (len(used) - 1)) / max(1, sum(widths))
    sides, x = {}, 0
    for column, width in zip(used, widths, strict=True):
        sides[column] = x, int(width * stretch)
        x += int(width * stretch) + gap
    return sides


def _placed_line(line: Line, by_id: Mapping[str, Box], places: Mapping[Column, Mapping[str, Rectangle]]) -> PlacedLine:
    """The line as Bézier curves, which leave and meet boxes and lanes horizontally."""
    first, last = by_id[line.source].column, by_id[line.target].column
    start, end = places[first][line.source], places[last][line.target]
    tip = end.x - _HEAD
    head = f"M{tip} {end.middle - _HALF_HEAD}L{end.x} {end.middle}L{tip} {end.middle + _HALF_HEAD}Z"
    if first == last:
        # Between two boxes of one column: from left edge to left edge, through the gap before it.
        out = start.x - _BULGE
        path = f"M{start.x} {start.middle}C{out} {start.middle} {out} {end.middle} {tip} {end.middle}"
        return PlacedLine(line, path, head)
    lanes = [places[column][line.source] for column in sorted(places) if first < column < last]
    path = f"M{start.right} {start.middle}"
    for here, there in pairwise([start, *lanes, end]):
        half, x = (here.right + there.x) // 2, tip if there is end else there.x
        path += f"C{half} {here.middle} {half} {there.middle} {x} {there.middle}"
        # Straight through a lane; the last curve ends where the head begins.
        path += "" if there is end else f"H{there.right}"
    return PlacedLine(line, path, head)
