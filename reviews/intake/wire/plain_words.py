"""What pydantic found wrong, in the words of the readers: what is to be sent instead, without the names of classes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType, NoneType
from typing import Any, Final, TypeAlias, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from reviews.intake.wire.schemas.claims import POINTER
from reviews.provenance.formats.suggestions import nearest_field, unknown_field

Models: TypeAlias = tuple[type[BaseModel], ...]
Place: TypeAlias = Sequence[str | int]

KIND: Final = "Must be "
"""Begins what is said of a value of the wrong kind. A union has one such sentence for each of its kinds."""
_PLAIN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "missing": "This field is required.",
        "string_too_long": "At most {max_length} characters are accepted.",
        "string_too_short": "At least {min_length} characters are needed.",
        "too_long": "At most {max_length} entries are accepted; these are {actual_length}.",
        "too_short": "At least {min_length} entries are needed; these are {actual_length}.",
        "greater_than": "Must be more than {gt}.",
        "greater_than_equal": "Must be at least {ge}.",
        "less_than": "Must be less than {lt}.",
        "less_than_equal": "Must be at most {le}.",
        "string_pattern_mismatch": "Is not of the form that the documentation names for this field.",
        "none_required": "Must be left out.",
    }
)
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "string": "text",
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "list": "a list",
        "tuple": "a list",
        "dict": "an object",
        "uuid": "a UUID, as answers have it in `id`",
        "datetime": "a date and time that exist, with an offset, such as 2026-01-31T09:30:00Z",
        "timezone": "a date and time that exist, with an offset, such as 2026-01-31T09:30:00Z",
        "date": "a date that exists, such as 2026-01-31",
    }
)
_PATTERNS: Final[Mapping[str, str]] = MappingProxyType(
    {r"\S": "May not be blank.", POINTER: "Must be a JSON Pointer: empty, or beginning with “/”."}
)
"""What those patterns ask for that stand at more than one field."""
_CLAIMS: Final = "provenance"
"""What it holds has the names of calls, and is meant last."""


def explain_error(error: ErrorDetails, model: type[BaseModel]) -> str:
    """What is to be done about one of pydantic's errors in a value that was read as this model."""
    place = error["loc"]
    match error["type"]:
        case "value_error":
            # Pydantic's prefix to what our own validators say.
            return error["msg"].removeprefix("Value error, ")
        case "extra_forbidden":
            return _explain_unknown_field(str(place[-1]), _models_at(model, place[:-1]))
        case "model_type" | "model_attributes_type" | "union_tag_not_found":
            return f"{KIND}{_describe_objects(_models_at(model, place))}."
    return _explain_value(error, error.get("ctx", {}))


def _explain_value(error: ErrorDetails, bounds: Mapping[str, Any]) -> str:
    """What a single value has to be."""
    kind, beginning = error["type"], error["type"].partition("_")[0]
    if kind in ("literal_error", "enum"):
        return KIND + re.sub(r"'([^']*)'", r"“\1”", str(bounds["expected"])) + "."
    if kind in ("string_too_short", "too_short") and bounds.get("min_length") == 1:
        return "May not be empty."
    if kind == "too_long" and bounds.get("actual_length") is None:
        # Members of an object are counted no further than the bound.
        bounds = {**bounds, "actual_length": "more"}
    if kind in _PLAIN:
        return _PATTERNS.get(bounds.get("pattern", ""), _PLAIN[kind].format_map(bounds))
    return f"{KIND}{_KINDS[beginning]}." if beginning in _KINDS else f"{error['msg'].replace('Input should', 'Must')}."


def _explain_unknown_field(name: str, models: Models) -> str:
    """That nobody knows the field, with the one that was probably meant or the place where it belongs."""
    field_names = [field for model in models for field in _names_of(model) if field != name]
    unknown = unknown_field(name)
    inside = next(_places_of(models, lambda fields: name if name in fields else None, in_lists=False), None)
    if inside is not None:
        return f"{unknown}; it belongs into {inside[0]}."
    if (near := nearest_field(name, field_names)) is not None:
        return f"{unknown}: did you mean `{near}`?"
    inside = next(_places_of(models, lambda fields: nearest_field(name, fields), in_lists=False), None)
    if inside is not None:
        return f"{unknown}: did you mean `{inside[1]}`, which belongs into {inside[0]}?"
    inside = next(_places_of(models, lambda fields: name if name in fields else None, in_lists=True), None)
    return f"{unknown}." if inside is None else f"{unknown}; it belongs into {inside[0]}."


def _places_of(
    models: Models, choose: Callable[[Sequence[str]], str | None], *, in_lists: bool
) -> Iterator[tuple[str, str]]:
    """Which fields of these models hold objects with a field that is chosen, in words; and which that is."""
    for model in models:
        for name, field in sorted(model.model_fields.items(), key=lambda item: item[0] == _CLAIMS):
            if _holds_list(field.annotation) is in_lists:
                place = f"each entry of `/{name}`" if in_lists else f"`/{name}`"
                chosen = (choose(_names_of(inner)) for inner in _models_in(field.annotation))
                yield from ((place, meant) for meant in chosen if meant is not None)


def _models_at(model: type[BaseModel], place: Place) -> Models:
    """What may stand at this place of a model; the tags of unions among its keys lead nowhere."""
    models: Models = (model,)
    for key in place:
        fields = (member.model_fields[key] for member in models if isinstance(key, str) and key in member.model_fields)
        models = tuple(inner for field in fields for inner in _models_in(field.annotation)) or models
    return models


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation names, also those of its lists and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _holds_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_holds_list(argument) for argument in get_args(annotation))


def _names_of(model: type[BaseModel]) -> list[str]:
    """The fields that may be sent. Those that may only be null are there to be refused by name."""
    fields = model.model_fields.items()
    return [field.alias or name for name, field in fields if field.annotation not in (None, NoneType)]


def _describe_objects(models: Models) -> str:
    """An object in words, by the fields that it must have; of several kinds each by its own."""
    needed, optional = list[str](), list[str]()
    for model in models:
        required = {field.alias or name for name, field in model.model_fields.items() if field.is_required()}
        needed.append(" and ".join(f"`{name}`" for name in _names_of(model) if name in required))
        optional += [f"`{name}`" for name in _names_of(model) if name not in required]
    described = ", or with ".join(names for names in needed if names)
    beside = f", which may also have {' and '.join(optional)}" if optional and len(models) == 1 else ""
    return f"an object with {described}{beside}" if described else "an object"
