"""Conditions of an order on a call's arguments. In doubt one does not hold: what is not proven to fit goes to a person.

The conditions of critical actions (`provenance.detectors.critical_actions`) are read the other way in doubt, because
those call a person.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from reviews.errors import ConflictError

OPERATORS: Final[Mapping[str, str]] = {"at_most": "is at most", "at_least": "is at least", "one_of": "is one of"}
# More could not be read at a glance where the order is listed.
MAX_CONDITIONS: Final = 5
MAX_VALUE_LENGTH: Final = 2_000
"""Characters of what an argument is compared with: some dozens of known recipients."""
MAX_POINTER_LENGTH: Final = 500
"""Characters of an argument's pointer: longer than any that a page lists."""


@dataclass(frozen=True)
class OrderCondition:
    """One thing that an argument must fulfil."""

    pointer: str
    """Of the argument, as `queue.groups.flatten_arguments` has it."""
    operator: str
    value: str
    """A number, or for `one_of` the values that are meant, one a line, to the character."""

    def stored(self) -> dict[str, str]:
        """As the order keeps it."""
        return asdict(self)

    def holds_for(self, values: Mapping[str, Any]) -> bool:
        """Whether the argument is there and fulfils it."""
        value = values.get(self.pointer)
        if self.operator == "one_of":
            return isinstance(value, str | int) and not isinstance(value, bool) and str(value) in self.alternatives
        # A number in quotes may be read in another way by its tool.
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        number, limit = Decimal(str(value)), Decimal(self.value)
        return number <= limit if self.operator == "at_most" else number >= limit

    @property
    def alternatives(self) -> list[str]:
        """The values that `one_of` allows."""
        return [line for line in (line.strip() for line in self.value.splitlines()) if line]

    @property
    def words(self) -> str:
        """In one line."""
        value = ", ".join(self.alternatives) if self.operator == "one_of" else self.value
        return f"{self.pointer} {OPERATORS[self.operator]} {value}"


def all_hold(conditions: Sequence[OrderCondition], values: Mapping[str, Any]) -> bool:
    """Whether the arguments fulfil every condition, and none is below zero where only an upper limit is set.

    Whoever lets 100 pass hardly means -1,000; one who does says from where on.
    """
    limits = [
        condition for condition in conditions if condition.operator == "at_most" and Decimal(condition.value) >= 0
    ]
    from_zero = [replace(condition, operator="at_least", value="0") for condition in limits]
    with_start = {condition.pointer for condition in conditions if condition.operator == "at_least"}
    implied = [condition for condition in from_zero if condition.pointer not in with_start]
    return all(condition.holds_for(values) for condition in (*conditions, *implied))


def check_conditions(conditions: Sequence[OrderCondition]) -> None:
    """Raises `ConflictError` for the first that could not be compared."""
    if len(conditions) > MAX_CONDITIONS:
        raise ConflictError(f"An order has at most {MAX_CONDITIONS} conditions.")
    for condition in conditions:
        if condition.operator not in OPERATORS or not condition.pointer:
            raise ConflictError("A condition names an argument and a comparison.")
        if "\x00" in condition.pointer + condition.value or len(condition.pointer) > MAX_POINTER_LENGTH:
            raise ConflictError("No argument has such a name, or no value such a character.")
        if len(condition.value) > MAX_VALUE_LENGTH:
            raise ConflictError(f"What {condition.pointer} is compared with has at most {MAX_VALUE_LENGTH} characters.")
        if condition.operator == "one_of" and not condition.alternatives:
            raise ConflictError(f"Name the values that {condition.pointer} may have, one a line.")
        if condition.operator != "one_of" and not _is_finite_number(condition.value):
            raise ConflictError(f"{condition.pointer} is compared with a number.")


def _is_finite_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
