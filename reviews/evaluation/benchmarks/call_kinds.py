"""Whether a call looks something up or changes something, where its data set may not say so.

The engine reads tools by its own rules. What the evaluation counts as a look-up must not move with them, so it is told
here, and only from what a tool's metadata, name and document say.
"""

import re
from collections.abc import Iterator
from typing import Final

from reviews.provenance.core.context import ToolDoc

_READING: Final = frozenset(
    "calculate check compare compute convert count describe diff display estimate fetch find get grep list look"
    " query read retrieve return returns search show sort summarize tail think validate verify view".split()
)
_CHANGING: Final = frozenset(
    "accept add append approve archive assign authenticate block book buy cancel change clear close contact copy create"
    " deactivate delete disable edit enable exchange execute fill forward initiate invite lock log login logout mark"
    " modify move order pay place post press purchase put register reject remove rename reply request reschedule"
    " reserve reset resolve schedule send set share start stop submit transfer turn unlock unassign"
    " update upload withdraw write".split()
)
_WORD: Final = re.compile(r"[A-Za-z][a-z]*")
# A document often begins with what the tool belongs to: each sentence's first word is tried in turn.
_SENTENCE_START: Final = re.compile(r"(?:^|[.:!?]\s+|\n\s*)([A-Za-z]+)")
_ARITHMETIC: Final = re.compile(r"\bnumbers?\b", re.I)
_NUMERIC: Final = frozenset({"number", "integer", "float"})


def only_reads(tool: ToolDoc) -> bool:
    """Whether the tool only looks something up. One that says nothing about itself changes something."""
    if not tool.environment_changing or _calculates(tool):
        return True
    for verb in _verbs(tool):
        if verb in _CHANGING:
            return False
        if verb in _READING:
            return True
    return False


def _verbs(tool: ToolDoc) -> Iterator[str]:
    """The words that may say what the tool does: those of its name, then the first of each sentence."""
    yield from (word.lower() for word in _WORD.findall(tool.name))
    yield from (word.lower() for word in _SENTENCE_START.findall(tool.description))


def _calculates(tool: ToolDoc) -> bool:
    """“Add two numbers” changes nothing, though “add” does elsewhere."""
    types = [_type_of(schema) for schema in tool.properties.values()]
    return bool(types) and _NUMERIC.issuperset(types) and _ARITHMETIC.search(tool.description) is not None


def _type_of(schema: object) -> object:
    if not isinstance(schema, dict):
        return None
    return _type_of(schema.get("items")) if schema.get("type") == "array" else schema.get("type")
