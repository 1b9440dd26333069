"""A value as a pydantic model, with each problem pointed at."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reviews.errors import FieldProblem, InvalidError
from reviews.intake.wire.bounded_json_body import MAX_PROBLEMS
from reviews.provenance.core.pointers import pointer_to

Model = TypeVar("Model", bound=BaseModel)


def validate_model(model: type[Model], value: object) -> Model:
    """The value as this model. Raises `InvalidError` pointing at each field that does not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        # The offending input stays out of the answer: it may be large, and the caller has it.
        details = error.errors(include_url=False, include_context=False, include_input=False)[:MAX_PROBLEMS]
        problems = [
            # Pydantic's prefix to what our own validators say.
            FieldProblem(_locate_error(value, detail), detail["msg"].removeprefix("Value error, "))
            for detail in details
        ]
        raise InvalidError(*problems) from None


def _locate_error(value: Any, error: ErrorDetails) -> str:
    """Pointer to the field. Pydantic's own path also names the alternatives of a union, which no body contains."""
    keys: list[str | int] = []
    *parents, last = error["loc"] or ("",)
    for key in parents:
        if _leads_into(value, key):
            keys.append(key)
            value = value[key]
    # A missing field leads nowhere and is named all the same.
    if _leads_into(value, last) or (error["type"] == "missing" and error["loc"]):
        keys.append(last)
    return pointer_to(*keys)


def _leads_into(value: object, key: str | int) -> bool:
    """Whether the key is one of the value's own."""
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)
