"""The records of a text as wholes: what one writer may have filled in, and what a request may call it by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from reviews.provenance.data.document import Document

Extent: TypeAlias = tuple[int, int]

_ENTRY = re.compile(r"^- ", re.M)
# A key at the start of a line: a text with several of them is one YAML mapping.
_KEY = re.compile(r"^[\w-]{1,40}:(?:[ \t]|$)", re.M)
# A field with its value on one line; values beyond 80 characters name nothing.
_VALUE = re.compile(r"^[ \t]*(?:-[ \t]+)?[\w-]{1,40}:[ \t]+[\"']?(\S[^\n]{0,80}?)[\"']?[ \t]*$", re.M)
# Characters of a field that may name its record: shorter ones stand anywhere by chance, longer ones are prose.
_MIN_NAME_LENGTH, _MAX_NAME_LENGTH = 4, 80


@dataclass(frozen=True, slots=True)
class Carrier:
    """One record, which may carry an order in one of its fields."""

    extents: tuple[Extent, ...]
    """Everything that belongs to it."""
    values: tuple[Extent, ...]

    @property
    def names(self) -> Iterator[Extent]:
        """The values a request may call it by: short ones."""
        return ((start, end) for start, end in self.values if _MIN_NAME_LENGTH <= end - start <= _MAX_NAME_LENGTH)

    def holds(self, start: int, end: int) -> bool:
        """Whether the stretch lies within the record."""
        return any(first <= start and end <= last for first, last in self.extents)


def carriers_in(text: str) -> Iterator[Carrier]:
    """Every record of a text. One of a YAML list or mapping is taken whole, since its texts may hold any line."""
    blocks: list[Extent] = []
    if text.startswith("- "):
        blocks += pairwise((*(hit.start() for hit in _ENTRY.finditer(text)), len(text)))
    elif _KEY.match(text) and len(_KEY.findall(text)) > 1:
        blocks += [(0, len(text))]
    for block in blocks:
        yield Carrier((block,), tuple(hit.span(1) for hit in _VALUE.finditer(text, *block)))
    if blocks:
        return
    document = Document(text)
    if len(document.starts) == 1 and not document.pattern_of(0):
        # A bare value or a sentence is no record.
        return
    for record in range(len(document.parents)):
        scalars = document.fields_of(record)
        # Keys in several words are names of things: such an object lists many things, and is no record of one.
        if scalars and not any(" " in key for scalar in scalars for key in document.field_of(scalar)[-1:]):
            extents = tuple((document.starts[scalar], document.ends[scalar]) for scalar in scalars)
            yield Carrier(extents, extents)
