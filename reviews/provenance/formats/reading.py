"""Reading JSON from a stranger: every wrong field is named, none raises on the way."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reviews.provenance.context import Case, JsonValue

MOST_PROBLEMS = 50
"""How many problems one error lists."""


class FormatError(ValueError):
    """The submission is not of the form it claims to be."""

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        self.problems = problems
        """JSON Pointer and message of each wrong field, at least one."""
        self.pointer, self.message = problems[0]
        super().__init__(f"{self.pointer or '/'}: {self.message}")


@dataclass(frozen=True)
class Parsed:
    """A submission in the engine's terms."""

    case: Case
    tool_call_id: str = ""
    history_given: bool = True
    """False: the submission says nothing about what happened before."""


@dataclass(frozen=True)
class Node:
    """A place in the submission; wrong ones are noted and read as empty."""

    value: JsonValue
    pointer: str = ""
    given: bool = True
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Shared by all nodes of one submission."""

    def member(self, name: str) -> "Node":
        """A field of an object; one that is null counts as left out."""
        value = self.value.get(name) if isinstance(self.value, dict) else None
        escaped = name.replace("~", "~0").replace("/", "~1")
        return Node(value, f"{self.pointer}/{escaped}", value is not None, self.problems)

    def text(self, *, required: bool = False, default: str = "") -> str:
        """A string; a required one is not blank."""
        if self.given and not isinstance(self.value, str):
            self.wrong("Must be text.")
        elif self.given and not (required and not self.value.strip()):
            return str(self.value)
        elif required:
            self.wrong("This field is required." if not self.given else "May not be blank.")
        return default

    def object(self, *, required: bool = False) -> dict[str, Any]:
        """An object."""
        if isinstance(self.value, dict):
            return self.value
        if self.given or required:
            self.wrong("Must be an object." if self.given else "This field is required.")
        return {}

    def items(self, *, required: bool = False) -> Iterator["Node"]:
        """The elements of a list."""
        if self.given and not isinstance(self.value, list):
            self.wrong("Must be a list.")
        elif required and not self.given:
            self.wrong("This field is required.")
        elements = self.value if isinstance(self.value, list) else []
        return (Node(item, f"{self.pointer}/{n}", problems=self.problems) for n, item in enumerate(elements))

    def flag(self, *, default: bool) -> bool:
        """A boolean."""
        if self.given and not isinstance(self.value, bool):
            self.wrong("Must be true or false.")
        return self.value if isinstance(self.value, bool) else default

    def wrong(self, message: str) -> None:
        """Note a problem with this field."""
        if len(self.problems) < MOST_PROBLEMS and (self.pointer, message) not in self.problems:
            self.problems.append((self.pointer, message))

    def check(self) -> None:
        """Raises `FormatError` when anything was wrong anywhere in the submission."""
        if self.problems:
            raise FormatError(tuple(self.problems))


def root(body: Mapping[str, JsonValue]) -> Node:
    """The submission as a whole. Raises `FormatError` for anything but an object."""
    node = Node(body)
    node.object(required=True)
    node.check()
    return node
