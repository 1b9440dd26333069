"""Whether an operation over quoted words gives a value."""

from collections.abc import Sequence

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.expressions import (
    evaluate_operation,
    is_concatenation,
    is_moment,
    is_result,
    move_moment,
    operand_of,
)
from reviews.provenance.terms.terms import Operation
from reviews.provenance.values.moments import zone_of
from reviews.provenance.values.numbers import numbers_in


def why_not_result(operation: Operation, quotes: Sequence[str], leaf: Leaf) -> str:
    """Why the operation over these words does not give the value; empty where it does."""
    match operation:
        case "concatenate":
            given = "" if is_concatenation(leaf.text, quotes) else shorten_text("".join(quotes), 60)
        case "time_after" | "time_before":
            moment = move_moment(operation, quotes)
            # Another offset is another time.
            if moment is None or zone_of(quotes[0]) != zone_of(leaf.text):
                return _takes_others(operation)
            written = " ".join(part.isoformat() for part in moment if part)
            given = "" if is_moment(leaf.value, moment) else written
        case _:
            return _why_not_computed(operation, quotes, leaf)
    return _gives(operation, given, leaf) if given else ""


def _why_not_computed(operation: Operation, quotes: Sequence[str], leaf: Leaf) -> str:
    operands = []
    for quote in quotes:
        values = {number.value for number in numbers_in(quote.lower())}
        operand = operand_of(quote.strip(), tuple(values) if len(values) == 1 else ())
        if operand is None:
            return f"“{shorten_text(quote, 60)}” is no number or day."
        operands.append(operand)
    computed = evaluate_operation(operation, operands)
    if computed is None:
        return _takes_others(operation)
    return "" if is_result(leaf.value, computed) else _gives(operation, str(computed), leaf)


def _takes_others(operation: Operation) -> str:
    return f"“{operation}” does not take these inputs."


def _gives(operation: Operation, result: str, leaf: Leaf) -> str:
    return f"“{operation}” gives {result}, not “{shorten_text(leaf.text, 60)}”."
