"""Calls and tool documents are hashed over canonical JSON, which carries integers exactly only up to 2^53 - 1."""

from collections.abc import Iterator
from typing import Final

from reviews.errors import FieldProblem
from reviews.provenance.core.context import JsonValue, leaves

LARGEST: Final = 2**53 - 1


def inexact(value: JsonValue, at: str) -> Iterator[FieldProblem]:
    """Every number below the pointer `at` that would not survive: a float that large reads back as an integer."""
    for where, leaf in leaves(value):
        if isinstance(leaf, int | float) and abs(leaf) > LARGEST:
            yield FieldProblem(at + where, "The number is too large to be exact; send it as a string.")
