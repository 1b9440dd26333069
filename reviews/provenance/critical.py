"""Critical actions: the calls a workspace wants looked at, by tool and, if need be, by the value of an argument.

InferAct paper, section 3: a detector that runs at critical actions only leaves all others alone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from reviews.provenance.context import JsonValue, ProposedAction, leaves

Operator: TypeAlias = Literal["present", "equals", "contains", "above", "below"]


@dataclass(frozen=True)
class CriticalAction:
    """One kind of call that is critical."""

    tool: str
    """The tool's name; `*` stands for any characters."""
    pointer: str = ""
    """JSON Pointer of the argument that decides; empty: the tool alone does."""
    operator: Operator = "present"
    value: str = ""
    """What the argument is held against, as text."""

    def covers(self, action: ProposedAction) -> bool:
        """Whether the call is of this kind. A value that cannot be compared is: who is unsure looks."""
        if not fnmatchcase(action.tool, self.tool):
            return False
        within = (value for at, value in leaves(dict(action.arguments)) if _leads_to(at, self.pointer))
        return not self.pointer or any(_COMPARISONS[self.operator](value, self.value) for value in within)


def is_critical(action: ProposedAction, kinds: Iterable[CriticalAction]) -> bool:
    """Whether the call is of any of these kinds."""
    return any(kind.covers(action) for kind in kinds)


def _leads_to(at: str, pointer: str) -> bool:
    return at == pointer or at.startswith(f"{pointer}/")


def _number(value: JsonValue) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _above(value: JsonValue, limit: str) -> bool:
    told, least = _number(value), _number(limit)
    return told is None or least is None or told > least


def _below(value: JsonValue, limit: str) -> bool:
    told, most = _number(value), _number(limit)
    return told is None or most is None or told < most


def _same(value: JsonValue, other: str) -> bool:
    return str(value).casefold() == other.casefold()


def _holds(value: JsonValue, part: str) -> bool:
    return part.casefold() in str(value).casefold()


_COMPARISONS: Final[Mapping[Operator, Callable[[JsonValue, str], bool]]] = MappingProxyType(
    {"present": lambda *_: True, "equals": _same, "contains": _holds, "above": _above, "below": _below}
)
