"""A call in its context as one JSON object: how an imported item of a dataset keeps what is to be judged."""

from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from reviews.provenance.core.context import Case

_CASES: Final = TypeAdapter(Case)


def case_to_json(case: Case) -> dict[str, Any]:
    """The case, as values that JSON knows."""
    written: dict[str, Any] = _CASES.dump_python(case, mode="json")
    return written


def case_from_json(stored: Any) -> Case:
    """The inverse of `case_to_json`. Raises `ValueError` for anything else."""
    try:
        return _CASES.validate_python(stored)
    except ValidationError as error:
        raise ValueError(str(error)) from error
