"""Find the place in a JSON text that is nested too deep for a recursive decoder to reach."""

import json
import re

from reviews.provenance.core.pointers import pointer_to

# Strings are matched whole: what looks like a bracket inside one is none. Possessively (`*+`): what could be given back
# would be remembered character by character.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)


def first_deeper_than(limit: int, text: str) -> str:
    """JSON Pointer of the first container below `limit` others, in a text that is well-formed up to there."""
    # One key per open container: the index that a list is at, or an object's latest name.
    keys: list[str | int] = []
    latest = '""'
    for match in _TOKEN.finditer(text):
        part = match.group()
        if part[0] == '"':
            latest = part
        elif part in "[{":
            if keys and isinstance(keys[-1], str):
                keys[-1] = json.loads(latest)
            if len(keys) == limit:
                return pointer_to(*keys)
            keys.append(0 if part == "[" else "")
        elif part == ",":
            if isinstance(keys[-1], int):
                keys[-1] += 1
        else:
            keys.pop()
    return ""
