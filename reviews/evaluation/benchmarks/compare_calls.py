"""A call against the calls that would have been right."""

import re
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from reviews.provenance.core.context import JsonValue, ProposedAction, ToolDoc, leaves

# Signs between letters and digits are a matter of spelling: “#W-12”, “w12”.
_NOT_ALPHANUMERIC: Final = re.compile(r"[\W_]+")
_EMPTY: Final[tuple[Hashable, ...]] = (None, "", (), frozenset())


def differing_leaves(
    arguments: Mapping[str, JsonValue], right: Iterable[Mapping[str, JsonValue]]
) -> frozenset[str] | None:
    """JSON Pointers of the leaves in which the arguments differ from the nearest right ones: the fewest, of equals
    the first. None when nothing is right. Letter case does not count, and neither does what only the right call has.
    """
    proposed = _comparable_leaves(arguments)
    candidates = (_unequal_leaves(proposed, _comparable_leaves(call)) for call in right)
    return min(candidates, key=len, default=None)


def nearest_call(call: ProposedAction, truth: Iterable[ProposedAction]) -> ProposedAction | None:
    """The right call that differs from this one in the fewest leaves: of the same tool, else the first of any."""
    calls = list(truth)
    proposed = _comparable_leaves(call.arguments)
    of_tool = [right for right in calls if right.tool == call.tool]
    # A call of a tool that is never right has no nearest one, but some other call was right instead.
    closest = min(
        of_tool, key=lambda right: len(_unequal_leaves(proposed, _comparable_leaves(right.arguments))), default=None
    )
    return closest or next(iter(calls), None)


def call_form(tool: ToolDoc | None, call: ProposedAction) -> Hashable:
    """What two calls share when they mean the same: spelling, the order of a list of plain values, arguments left
    empty and defaults written out do not count.
    """
    declared = tool.properties if tool else {}
    defaults = {name: schema["default"] for name, schema in declared.items() if "default" in schema}
    # An argument that is given goes before its default.
    forms = {name: value_form(value) for name, value in {**defaults, **call.arguments}.items()}
    return call.tool, frozenset((name, form) for name, form in forms.items() if form not in _EMPTY)


def value_form(value: JsonValue) -> Hashable:
    """What two spellings of one value share: “#W 12” and “w12”, “2.50” and 2.5."""
    match value:
        case bool() | None:
            return value
        case dict():
            return frozenset((name, value_form(item)) for name, item in value.items())
        case list():
            forms = tuple(map(value_form, value))
            # Records stand in an order that may matter (the legs of a flight), plain values are a set.
            return forms if any(isinstance(item, dict | list) for item in value) else frozenset(forms)
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return _form_of_text(str(value))
    # “nan” and “infinity” are words here, and a NaN would not even equal itself.
    return number.normalize() if number.is_finite() else _form_of_text(str(value))


def _form_of_text(text: str) -> str:
    with suppress(ValueError):
        # The sign of an offset is no matter of spelling.
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).isoformat() if moment.tzinfo else _NOT_ALPHANUMERIC.sub("", text).casefold()
    # A text of signs alone has nothing else to be told apart by.
    return _NOT_ALPHANUMERIC.sub("", text).casefold() or text


def _comparable_leaves(arguments: Mapping[str, JsonValue]) -> dict[str, str]:
    return {pointer: str(value).casefold() for pointer, value in leaves(dict(arguments))}


def _unequal_leaves(proposed: Mapping[str, str], right: Mapping[str, str]) -> frozenset[str]:
    return frozenset(pointer for pointer, value in proposed.items() if right.get(pointer) != value)
