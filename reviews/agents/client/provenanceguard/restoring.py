"""What was approved is JSON. A function that was given typed values gets those, and of what was edited the like."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from .payloads import to_json
from .protection import Permit


def with_given_values(permit: Permit, call: Any) -> Permit:
    """The permission whose function gets the values of a call that was given as a pair of tool and arguments.

    Every other call is JSON already, and so are arguments for another tool than the one that was called.
    """
    if not isinstance(call, tuple) or call[0] != permit.call.tool:
        return permit
    original, function = call[1], permit.function

    def run(**approved: Any) -> Any:
        return function(**restore_members(original, approved))

    return replace(permit, function=run)


def restore_members(original: Mapping[str, Any], approved: Mapping[str, Any]) -> dict[str, Any]:
    """Each approved value as it was given; what nobody gave stays JSON. Raises as `restore` does."""
    return {name: restore(original[name], value) if name in original else value for name, value in approved.items()}


def restore(original: Any, approved: Any) -> Any:
    """The value itself where it was approved as it is, and of an edited one the like of it.

    Raises TypeError or ValueError for what is no such value: a text in place of a member of an enumeration would run,
    and as something else than was approved.
    """
    # Of what it is now: it may have changed since it was proposed, and then it is not what was approved.
    if is_same_json(to_json(original), approved):
        return original
    if isinstance(original, Enum):
        return _member_of(type(original), approved)
    if original is None or isinstance(original, (bool, int, float, str)):
        return approved
    if isinstance(original, (date, time, UUID, Decimal)):
        return _read_leaf(original, approved)
    return _restore_whole(original, approved)


def is_same_json(first: Any, second: Any) -> bool:
    """Whether both are the same JSON. 1 is 1.0, as it is on its way through a database; true is not 1."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(is_same_json(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_same_json, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def _member_of(kind: type[Enum], approved: Any) -> Enum:
    member = next((member for member in kind if is_same_json(to_json(member), approved)), None)
    if member is None:
        raise ValueError(f"{approved!r} was approved, which is no {kind.__name__}")
    return member


def _restore_whole(original: Any, approved: Any) -> Any:
    """What holds other values."""
    if isinstance(original, Mapping):
        return restore_members(original, _only(dict, approved))
    if hasattr(original, "model_validate"):
        return _restore_model(original, approved)
    if dataclasses.is_dataclass(original):
        return _restore_record(original, _only(dict, approved))
    return _restore_items(original, _only(list, approved))


def _restore_model(original: Any, approved: Any) -> Any:
    """A pydantic model. Raises ValueError where it leaves out or changes what was approved: that would not have run."""
    model = original.model_validate(approved)
    if not is_same_json(to_json(model), approved):
        raise ValueError(f"{approved!r} was approved, which is no {type(original).__name__} as it is")
    return model


def _restore_record(original: Any, approved: dict[str, Any]) -> Any:
    """A dataclass. Raises TypeError for other fields than it has: what was approved has to be all of it."""
    fields = {field.name for field in dataclasses.fields(original)}
    if approved.keys() != fields:
        raise TypeError(f"other fields were approved than a {type(original).__name__} has")
    restored = {name: restore(getattr(original, name), value) for name, value in approved.items()}
    changed = {name: value for name, value in restored.items() if value is not getattr(original, name)}
    return replace(original, **changed)


def _restore_items(original: Collection[Any], approved: list[Any]) -> Any:
    """A list, a tuple or a set; each item as the one in its place, and what is behind them as the last."""
    originals = list(original)
    items = [
        restore(originals[min(place, len(originals) - 1)], item) if originals else item
        for place, item in enumerate(approved)
    ]
    if isinstance(original, tuple) and hasattr(original, "_make"):
        return original._make(items)
    return type(original)(items) if isinstance(original, (tuple, set, frozenset)) else items


def _read_leaf(original: Any, approved: Any) -> Any:
    """A time, an identifier or an exact number, from its text."""
    if isinstance(original, Decimal):
        return Decimal(str(approved))
    text = _only(str, approved)
    # Python 3.10 does not know the Z.
    return UUID(text) if isinstance(original, UUID) else type(original).fromisoformat(text.replace("Z", "+00:00"))


def _only(kind: type, approved: Any) -> Any:
    if not isinstance(approved, kind):
        raise TypeError(f"{approved!r} was approved, which is no {kind.__name__}")
    return approved
