"""JSON as a person reads it, and as text that evidence points into."""

import json
from typing import Any, Final

# Characters that are written with indentation, which takes the library twenty times as long: nobody reads more.
MAX_INDENTED: Final = 250_000


def write_readably(value: Any) -> str:
    """The value as JSON, indented as far as anybody reads. Its keys are sorted: storage keeps no order of them."""
    plain = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return plain if len(plain) > MAX_INDENTED else json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
