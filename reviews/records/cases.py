"""A call in its context as one JSON object: how an imported item of a dataset keeps what is to be judged."""

from typing import Any

from reviews.provenance.core.context import Case
from reviews.provenance.formats import stored_case


def case_to_json(case: Case) -> dict[str, Any]:
    """The case, as values that JSON knows."""
    return stored_case.write_case(case)


def case_from_json(stored: Any) -> Case:
    """The inverse of `case_to_json`. Raises `ValueError` for anything else."""
    try:
        return stored_case.read_case(stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"This is no stored case: {error!r}") from error
