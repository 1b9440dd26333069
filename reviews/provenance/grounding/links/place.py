"""Codes of airports that a text says by the name of their city."""

import re

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.values.place import is_told_by, place_names

# A code of three letters may be a currency, a country or a word as well: the parameter must be about a journey.
_TRAVEL = re.compile(
    r"airport|iata|flight|fly|travel|origin|destination|depart|arriv|\b(?:from|to|city|location)\b", re.I
)


def located(leaf: Leaf, text: Indexed) -> Found | None:
    """An airport's code where the source names its city, or the airport itself, and means no other by it."""
    if not isinstance(leaf.value, str) or not _TRAVEL.search(leaf.hint):
        return None
    for name in place_names(leaf.text):
        if is_told_by(leaf.text, name) and (at := next(occurrences(text.folded.text, name), None)) is not None:
            return found_at(Grounding.NORMALIZE, text.span(at, at + len(name)))
    return None
