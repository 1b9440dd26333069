"""Critical actions: the calls a workspace wants looked at, by tool and, if need be, by the value of an argument.

InferAct paper, section 3: a detector that runs at critical actions only leaves all others alone.
"""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias, assert_never

from reviews.provenance.core.context import JsonValue, ProposedAction, leaves
from reviews.provenance.core.pointers import keys_of, pointer_to
from reviews.provenance.text.fold import fold

# Those that `fnmatch` has besides the asterisk.
_OTHER_WILDCARDS: Final = re.compile(r"[\[?]")
Operator: TypeAlias = Literal["present", "equals", "contains", "above", "below"]


@dataclass(frozen=True)
class CriticalAction:
    """One kind of call that is critical."""

    tool: str
    """The tool's name; `*` stands for any characters, and nothing else for anything but itself."""
    pointer: str = ""
    """JSON Pointer of the argument that decides, or of an object or list around it; empty: the tool alone does."""
    operator: Operator = "present"
    value: str = ""
    """What the argument is compared with, as text. Case, accents and invisible characters make no difference."""
    terminal: bool = False
    """Whether such a call ends the task, as a purchase or a final answer does: no later step can make it good."""

    def covers(self, action: ProposedAction) -> bool:
        """Whether the call is of this kind. A value that cannot be compared is: in doubt a person looks.

        So is a call that leaves out an amount that matters: which default its tool has, is not known.
        """
        # Only the asterisk is a wildcard: the others stand for themselves, in brackets.
        if not fnmatchcase(action.tool, _OTHER_WILDCARDS.sub(r"[\g<0>]", self.tool)):
            return False
        if not self.pointer:
            return True
        # Written as `leaves` writes it: a profile may escape more than it has to.
        pointer = pointer_to(*keys_of(self.pointer))
        values = [
            value for at, value in leaves(dict(action.arguments)) if at == pointer or at.startswith(f"{pointer}/")
        ]
        if not values:
            return self.operator in ("above", "below")
        return any(_does_match(self.operator, value, self.value) for value in values)


def is_critical(action: ProposedAction, kinds: Iterable[CriticalAction]) -> bool:
    """Whether the call is of any of these kinds."""
    return any(kind.covers(action) for kind in kinds)


def is_terminal(action: ProposedAction, kinds: Iterable[CriticalAction]) -> bool:
    """Whether the call is of a kind that ends the task."""
    return any(kind.terminal and kind.covers(action) for kind in kinds)


def _does_match(operator: Operator, value: JsonValue, reference: str) -> bool:
    number, limit = _as_number(value), _as_number(reference)
    match operator:
        case "present":
            return True
        case "above":
            return number is None or limit is None or number > limit
        case "below":
            return number is None or limit is None or number < limit
        case "equals" if number is not None and limit is not None:
            return number == limit
        case "equals":
            return _normalized_text(value) == _normalized_text(reference)
        case "contains":
            return _normalized_text(reference) in _normalized_text(value)
        case _ as unreachable:
            assert_never(unreachable)


def _as_number(value: JsonValue) -> int | float | None:
    """A whole number as it is, however large; None for what is no number."""
    # A float would round a large one, and rounding could lift it above a limit or below.
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        number = float(value) if isinstance(value, str | float) else math.nan
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _normalized_text(value: JsonValue) -> str:
    # Python refuses to write whole numbers of more than 4,300 digits; Decimal does not.
    plain = Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value
    text = value if isinstance(value, str) else json.dumps(plain, default=str)
    return " ".join(fold(text).split())
