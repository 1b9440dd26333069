"""Critical actions: the calls a workspace wants looked at, by tool and, if need be, by the value of an argument.

InferAct paper, section 3: a detector that runs at critical actions only leaves all others alone.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from reviews.provenance.core.context import JsonValue, ProposedAction, leaves
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.text.fold import fold

Operator: TypeAlias = Literal["present", "equals", "contains", "above", "below"]


@dataclass(frozen=True)
class CriticalAction:
    """One kind of call that is critical."""

    tool: str
    """The tool's name; `*` stands for any characters, and nothing else for anything but itself."""
    pointer: str = ""
    """JSON Pointer of the argument that decides, or of what holds it; empty: the tool alone does."""
    operator: Operator = "present"
    value: str = ""
    """What the argument is held against, as text. Case, accents and invisible characters make no difference."""

    def covers(self, action: ProposedAction) -> bool:
        """Whether the call is of this kind. A value that cannot be compared is: who is unsure looks.

        So is a call that leaves out an amount that matters: what its tool takes instead, nobody knows.
        """
        if not fnmatchcase(action.tool, _OTHER_WILDCARDS.sub(r"[\g<0>]", self.tool)):
            return False
        if not self.pointer:
            return True
        values = list(_values(dict(action.arguments), self.pointer))
        if not values:
            return self.operator in _OF_AMOUNTS
        return any(_COMPARISONS[self.operator](value, self.value) for value in values)


def is_critical(action: ProposedAction, kinds: Iterable[CriticalAction]) -> bool:
    """Whether the call is of any of these kinds."""
    return any(kind.covers(action) for kind in kinds)


def _values(arguments: JsonValue, pointer: str) -> Iterable[JsonValue]:
    """The leaves at and below the pointer; none where it leads nowhere."""
    for key in keys_of(pointer):
        if isinstance(arguments, list) and _INDEX.fullmatch(key) and int(key) < len(arguments):
            arguments = arguments[int(key)]
        elif isinstance(arguments, dict) and key in arguments:
            arguments = arguments[key]
        else:
            return ()
    return (value for _, value in leaves(arguments))


def _number(value: JsonValue) -> int | float | None:
    """A whole number as it is, however large; None for what is no number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        number = float(value) if isinstance(value, str | float) else math.nan
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _above(value: JsonValue, limit: str) -> bool:
    told, least = _number(value), _number(limit)
    return told is None or least is None or told > least


def _below(value: JsonValue, limit: str) -> bool:
    told, most = _number(value), _number(limit)
    return told is None or most is None or told < most


def _same(value: JsonValue, other: str) -> bool:
    told, wanted = _number(value), _number(other)
    return told == wanted if told is not None and wanted is not None else _spelled(value) == _spelled(other)


def _holds(value: JsonValue, part: str) -> bool:
    return _spelled(part) in _spelled(value)


def _spelled(value: JsonValue) -> str:
    """The value as a person compares it: no spelling of the same word leads past."""
    # Python writes whole numbers up to a length only.
    plain = Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value
    text = value if isinstance(value, str) else json.dumps(plain, default=str)
    return " ".join(fold(text).split())


_OTHER_WILDCARDS: Final = re.compile(r"[\[?]")
_INDEX: Final = re.compile(r"[0-9]{1,9}")
_OF_AMOUNTS: Final = frozenset[Operator]({"above", "below"})
_COMPARISONS: Final[Mapping[Operator, Callable[[JsonValue, str], bool]]] = MappingProxyType(
    {"present": lambda *_: True, "equals": _same, "contains": _holds, "above": _above, "below": _below}
)
