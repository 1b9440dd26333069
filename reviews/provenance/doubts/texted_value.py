"""A value is written as text where the tool's schema wants a number, a truth value or a list.

Clients that write every value as text send "2" for 2, and most tools read it (Pydantic does unless told otherwise), so
that it is no proof against a call.
"""

import ast
import json
from collections.abc import Collection, Mapping
from typing import Final

from reviews.provenance.core.context import JsonValue, leaves
from reviews.provenance.core.pointers import replace_values

RULE: Final = "doubts.texted_value"
# Characters of a text that is read as a value: no number is as long, and a list of that length is seldom typed as text.
MAX_READ: Final = 4_096


def read_texts(arguments: Mapping[str, JsonValue], pointers: Collection[str]) -> dict[str, JsonValue]:
    """The arguments with the texts at these pointers read as the values they write, where they write any."""
    texts = ((pointer, value) for pointer, value in leaves(dict(arguments)) if isinstance(value, str))
    values = {pointer: _read_text(text) for pointer, text in texts if pointer in pointers and len(text) <= MAX_READ}
    return replace_values(arguments, values)


def _read_text(text: str) -> JsonValue:
    """The value that a text writes in JSON or as Python prints it; the text itself where it writes none."""
    # Deeply nested text ends in any of these, by the reader's own bounds.
    failures = (ValueError, SyntaxError, RecursionError, MemoryError)
    try:
        value: JsonValue = json.loads(text)
    except failures:
        try:
            value = ast.literal_eval(text.strip())
        except failures:
            return text
    return value if isinstance(value, int | float | list | dict | None) else text
