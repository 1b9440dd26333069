"""A value as a pydantic model, with each problem pointed at."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reviews.errors import FieldProblem, InvalidError
from reviews.intake.wire.json_body import MOST_PROBLEMS
from reviews.intake.wire.pointers import Key, pointer

Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], value: object) -> Model:
    """The value as this model. Raises `InvalidError` pointing at each field that does not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise InvalidError(
            *(
                FieldProblem(_place(value, each), each["msg"].removeprefix("Value error, "))
                for each in found[:MOST_PROBLEMS]
            )
        ) from None


def _place(value: Any, error: ErrorDetails) -> str:
    """Pointer to the field. Pydantic's own path also names the alternatives of a union, which no body contains."""
    keys: list[Key] = []
    *parents, last = error["loc"] or ("",)
    for key in parents:
        if _leads(value, key):
            keys.append(key)
            value = value[key]
    if _leads(value, last) or (error["type"] == "missing" and error["loc"]):
        keys.append(last)
    return pointer(keys)


def _leads(value: object, key: Key) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)
