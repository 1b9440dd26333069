"""A value as a pydantic model, with each problem pointed at."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reviews.errors import FieldProblem, InvalidError
from reviews.intake.wire.bounded_json_body import MAX_PROBLEMS
from reviews.intake.wire.plain_words import KIND, explain_error
from reviews.provenance.core.pointers import pointer_to

Model = TypeVar("Model", bound=BaseModel)


def validate_model(model: type[Model], value: object, *, shape: type[BaseModel] | None = None) -> Model:
    """The value as this model. Raises `InvalidError` pointing at each field that does not fit.

    `shape` is a model with further fields, which somebody else reads: those that an unknown one may stand for.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        # The offending input stays out of the answer: it may be large, and the caller has it.
        details = error.errors(include_url=False, include_input=False)[:MAX_PROBLEMS]
        messages: dict[str, list[str]] = {}
        for detail in details:
            messages.setdefault(_locate_error(value, detail), []).append(explain_error(detail, shape or model))
        problems = [FieldProblem(pointer, _join_alternatives(reasons)) for pointer, reasons in messages.items()]
        raise InvalidError(*problems) from None


def _join_alternatives(messages: Sequence[str]) -> str:
    """What each alternative of a union says of one value; a value of the right kind is told what else is wrong."""
    fitting = [message for message in messages if not message.startswith(KIND)]
    if fitting:
        return fitting[0]
    kinds = dict.fromkeys(message.removeprefix(KIND).removesuffix(".") for message in messages)
    return f"{KIND}{' or '.join(kinds)}."


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
