"""Whether a call looks something up or changes something, where its data set may not say so.

The engine reads tools by its own rules. What the evaluation counts as a look-up must not move with them, so it is
decided here, and only from what a tool's metadata, name and document say.
"""

import re
from itertools import chain
from typing import Final

from reviews.provenance.core.context import ToolDoc

# The first word of either list in a tool's name, else at the beginning of a sentence of its document, decides.
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
    types = [_type_of(schema) for schema in tool.properties.values()]
    # “Add two numbers” changes nothing, though “add” does elsewhere.
    calculates = types and _NUMERIC.issuperset(types) and _ARITHMETIC.search(tool.description)
    if not tool.environment_changing or calculates:
        return True
    words = chain(_WORD.findall(tool.name), _SENTENCE_START.findall(tool.description))
    decisive = (word.lower() in _READING for word in words if word.lower() in _READING | _CHANGING)
    return next(decisive, False)


def _type_of(schema: object) -> object:
    """The type of a parameter, or of a list's elements."""
    if not isinstance(schema, dict):
        return None
    return _type_of(schema.get("items")) if schema.get("type") == "array" else schema.get("type")
