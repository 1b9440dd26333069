"""One argument left out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reviews.evaluation.benchmarks.compare_calls import value_form
from reviews.provenance.core.context import Case, JsonValue

# A default that only the description tells.
_DEFAULT: Final = re.compile(r"\bdefault(?:s|ing)?(?: value)?(?: is| to|:|=)?\s*[“\"'`]?([\w.-]+)", re.I)
# Left out they mean the same; 0 equals False here, and counts as empty, too.
_EMPTY: Final[tuple[JsonValue, ...]] = (None, "", False, [], {})


def drop_argument(case: Case) -> Iterator[Mapping[str, JsonValue]]:
    """The arguments without one of them, for each that its absence does not mean anyway."""
    arguments = case.action.arguments
    document = case.context.tool(case.action.tool)
    declared = document.properties if document else {}
    for dropped, value in arguments.items():
        if value not in _EMPTY and not _is_default(value, declared.get(dropped) or {}):
            yield {parameter: argument for parameter, argument in arguments.items() if parameter != dropped}


def _is_default(value: JsonValue, schema: Mapping[str, Any]) -> bool:
    described = _DEFAULT.search(str(schema.get("description", "")))
    defaults = [schema["default"]] if "default" in schema else [described[1].rstrip(".")] if described else []
    return any(value_form(value) == value_form(default) for default in defaults)
