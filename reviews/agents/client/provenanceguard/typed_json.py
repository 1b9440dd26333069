"""JSON as typed values, by their annotations. Checked by hand: this package needs httpx and nothing else."""

from __future__ import annotations

import types
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def read_object(kind: type[T], answer: Any) -> T:
    """The dataclass from an object of the answer. Fields that it does not know are left.

    Raises KeyError for a field that is missing, and TypeError for one of another type.
    """
    if not isinstance(answer, dict):
        raise TypeError(f"an object was expected, not {type(answer).__name__}")
    values = {}
    for name, annotation, required in _fields_of(cast("Hashable", kind)):
        if name in answer or required:
            values[name] = read_value(annotation, answer[name])
    return kind(**values)


def read_value(annotation: Any, value: Any) -> Any:
    """A value of this annotation. Raises KeyError and TypeError."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return value
    if origin in (Union, types.UnionType):
        (kind,) = [kind for kind in arguments if kind is not type(None)]
        return None if value is None else read_value(kind, value)
    if origin is tuple and isinstance(value, list):
        return tuple(read_value(arguments[0], item) for item in value)
    if origin is Mapping and isinstance(value, dict):
        return {name: read_value(arguments[1], item) for name, item in value.items()}
    if is_dataclass(annotation) and isinstance(annotation, type):
        return read_object(annotation, value)
    return _read_plain(annotation, value)


def _read_plain(annotation: Any, value: Any) -> Any:
    """A text, a number, a switch or a time. A truthy text must not read as true, nor true as a number."""
    if annotation is datetime and isinstance(value, str):
        try:
            # Python 3.10 does not know the Z.
            return datetime.fromisoformat(value.replace("Z", "+00:00"))
        except ValueError:
            raise TypeError("a time was expected") from None
    if annotation is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not annotation:
        raise TypeError(f"{getattr(annotation, '__name__', annotation)} was expected, not {type(value).__name__}")
    return value


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Name, annotation, and whether the field must be there."""
    hints = get_type_hints(kind)
    return tuple(
        (field.name, hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    )
