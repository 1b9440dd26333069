"""The drawing of what led to a call: boxes in columns and the lines between them, as SVG coordinates without markup."""

from reviews.desk.review.influence.boxes import Box, Column, Line
from reviews.desk.review.influence.layout import WIDTH, Drawing, Heading, PlacedBox, PlacedLine, Rectangle, draw

__all__ = ["WIDTH", "Box", "Column", "Drawing", "Heading", "Line", "PlacedBox", "PlacedLine", "Rectangle", "draw"]
