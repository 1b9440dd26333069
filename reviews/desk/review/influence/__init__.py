"""A drawing of what led to a call: boxes in columns and the lines between them, as SVG coordinates. No markup here."""

from reviews.desk.review.influence.boxes import Box, Column, Line
from reviews.desk.review.influence.layout import WIDTH, Drawing, Heading, Place, PlacedBox, PlacedLine, draw

__all__ = ["WIDTH", "Box", "Column", "Drawing", "Heading", "Line", "Place", "PlacedBox", "PlacedLine", "draw"]
