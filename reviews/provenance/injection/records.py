"""The records of a text as wholes: what one writer may have filled in, and what a request may call it by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from reviews.provenance.records.records import Record, groups_in

Place: TypeAlias = tuple[int, int]
"""Where something stands: start and end in characters."""

_ENTRY = re.compile(r"^- ", re.M)
_KEY = re.compile(r"^[\w-]{1,40}:(?:[ \t]|$)", re.M)
_VALUE = re.compile(r"^[ \t]*(?:-[ \t]+)?[\w-]{1,40}:[ \t]+[\"']?(\S[^\n]{0,80}?)[\"']?[ \t]*$", re.M)
_SHORTEST, _LONGEST = 4, 80
"""Characters of a field that may name its record: shorter ones stand anywhere by chance, longer ones are prose."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """One record."""

    places: tuple[Place, ...]
    """Everything that belongs to it."""
    names: tuple[Place, ...]
    """Its short fields."""

    def holds(self, start: int, end: int) -> bool:
        """Whether the stretch lies within the record."""
        return any(first <= start and end <= last for first, last in self.places)


def carriers_in(text: str) -> Iterator[Carrier]:
    """Every record of a text. One of a YAML list or mapping is taken whole, since its texts may hold any line."""
    if text.startswith("- "):
        starts = [hit.start() for hit in _ENTRY.finditer(text)]
        yield from (_block(text, start, end) for start, end in pairwise((*starts, len(text))))
    elif _KEY.match(text) and len(_KEY.findall(text)) > 1:
        yield _block(text, 0, len(text))
    else:
        records = (record for group in groups_in(text) for record in group)
        yield from (_carrier(record) for record in records if _is_one_thing(record))


def _block(text: str, start: int, end: int) -> Carrier:
    values = (hit.span(1) for hit in _VALUE.finditer(text, start, end))
    return Carrier(((start, end),), tuple(filter(_may_name, values)))


def _carrier(record: Record) -> Carrier:
    places = tuple((item.start, item.end) for item in record.fields)
    return Carrier(places, tuple(filter(_may_name, places)))


def _may_name(place: Place) -> bool:
    return _SHORTEST <= place[1] - place[0] <= _LONGEST


def _is_one_thing(record: Record) -> bool:
    """Whether the fields describe one thing; keys that are names of things, in several words, list several."""
    return not any(" " in item.key.rpartition(".")[2] for item in record.fields)
