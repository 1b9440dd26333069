"""JSON as a person reads it, and as text that evidence points into."""

import json
from functools import lru_cache
from typing import Any, Final

# Characters that are written with indentation, which takes the library twenty times as long: nobody reads more.
MAX_INDENTED: Final = 250_000
# Characters of what is kept once it is written. Nearly all schemas of tools are shorter, and each call of an agent
# comes with the same ones.
_MAX_KEPT: Final = 8_000


def write_readably(value: Any) -> str:
    """The value as JSON, indented as far as anybody reads. Its keys are sorted: storage keeps no order of them."""
    plain = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(plain) > MAX_INDENTED:
        return plain
    return _indent_and_keep(plain) if len(plain) <= _MAX_KEPT else _indent(plain)


def _indent(plain: str) -> str:
    return json.dumps(json.loads(plain), indent=1, ensure_ascii=False)


# Some ten agents' tools: a few megabytes.
_indent_and_keep = lru_cache(maxsize=512)(_indent)
