"""Reading JSON from a stranger: every wrong field is named, none raises on the way."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.formats.continuation import EarlierPast
from reviews.provenance.formats.suggestions import nearest_field, unknown_field

MAX_PROBLEMS = 50
"""How many problems one error lists: a person mends the first few, and a conversation may repeat one in every turn."""
MAX_NAME_LENGTH = 200
"""Characters of a tool's name, or of a call's id: what a database column and one line of a page hold."""


def name_set(names: str) -> frozenset[str]:
    """Names of fields, which stand in a text between spaces."""
    return frozenset(names.split())


class FormatError(ValueError):
    """The submission is not of the form it claims to be."""

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        self.problems = problems
        """JSON Pointer and message of each wrong field, at least one."""
        self.pointer, self.message = problems[0]
        super().__init__(f"{self.pointer or '/'}: {self.message}")


@dataclass
class Notes:
    """What one submission goes on from, and what comes to light while it is read; shared by all its nodes."""

    earlier: EarlierPast | None = None
    problems: list[tuple[str, str]] = field(default_factory=list)
    objects: list[tuple[str, JsonValue]] = field(default_factory=list)
    disbelieved: bool = False


@dataclass(frozen=True)
class Node:
    """A place in the submission; wrong ones are noted and read as empty."""

    value: JsonValue
    pointer: str = ""
    present: bool = True
    notes: Notes = field(default_factory=Notes)

    def member(self, name: str) -> "Node":
        """A field of an object; one that is null counts as left out."""
        value = self.value.get(name) if isinstance(self.value, dict) else None
        return Node(value, self.pointer + pointer_to(name), value is not None, self.notes)

    def members(self, *names: str) -> list["Node"]:
        """Those of these fields that are not left out."""
        value = self.value if isinstance(self.value, dict) else {}
        return [self.member(name) for name in names if value.get(name) is not None]

    def first(self, *names: str) -> "Node":
        """The first of these fields that is given; the last one where none is, so that a problem has a place."""
        return (self.members(*names) or [self.member(names[-1])])[0]

    def first_or_self(self, *names: str) -> "Node":
        """The first of these fields that is given; where none is, what holds them."""
        return next(iter(self.members(*names)), self)

    def only(self, *names: str, problem: str) -> "Node":
        """The one of these fields that is given, the first where none is. Each further one is noted as a problem."""
        chosen, *further = self.members(*names) or [self.member(names[0])]
        for second in further:
            second.note_problem(problem)
        return chosen

    def refuse(self, *names: str, problem: str) -> None:
        """Note each of these fields that is given as a problem."""
        for member in self.members(*names):
            member.note_problem(problem)

    def expect(self, *names: str) -> None:
        """Note another value than one of these; none at all is right."""
        if self.present and self.value not in names:
            *earlier, last = (f"“{name}”" for name in names)
            options = f"{', '.join(earlier)} or {last}" if earlier else last
            self.note_problem(f"Must be {options}.")

    def require_present(self) -> "Node":
        """This same field, noted as wrong when it is left out."""
        if not self.present:
            self.note_problem("This field is required.")
        return self

    def refuse_other_fields(self, *names: str) -> None:
        """Note every other field of an object, with the one that was probably meant.

        What is not known must not be ignored where a call is described: it may hold the very arguments that run.
        """
        for name, value in self.value.items() if isinstance(self.value, dict) else ():
            # Packages write null for every field that is not set, and nothing can stand in one.
            if name not in names and value is not None:
                suggestion = nearest_field(name, names)
                hint = f": did you mean `{suggestion}`?" if suggestion else "."
                self.member(name).note_problem(f"{unknown_field(name)}{hint}")

    def _holds(self, kind: type, wording: str, *, required: bool = False) -> bool:
        """Whether a value of this kind stands here; another one is noted as wrong."""
        if self.present and not isinstance(self.value, kind):
            self.note_problem(f"Must be {wording}.")
        elif required:
            self.require_present()
        return isinstance(self.value, kind)

    def text(self, *, required: bool = False) -> str:
        """A string; a required one is not blank."""
        if not self._holds(str, "text", required=required):
            return ""
        if required and not self.value.strip():
            self.note_problem("May not be blank.")
            return ""
        return str(self.value)

    def name(self, *, required: bool = True) -> str:
        """A string that names something: not blank, and of bounded length."""
        text = self.text(required=required)
        if len(text) > MAX_NAME_LENGTH:
            self.note_problem(f"At most {MAX_NAME_LENGTH} characters are accepted.")
        return text

    def object(self, *, required: bool = False) -> dict[str, Any]:
        """An object."""
        return self.value if self._holds(dict, "an object", required=required) else {}

    def record_object(self, value: dict[str, Any] | None = None) -> dict[str, Any]:
        """A tool's schema or a call's arguments, recorded among the submission's objects.

        The object that stands here, unless a `value` was read out of what stands here.
        """
        recorded_value = self.object() if value is None else value
        self.notes.objects.append((self.pointer, recorded_value))
        return recorded_value

    def items(self, *, required: bool = False) -> Iterator["Node"]:
        """The elements of a list."""
        elements = self.value if self._holds(list, "a list", required=required) else []
        return (Node(item, f"{self.pointer}/{n}", notes=self.notes) for n, item in enumerate(elements))

    def flag(self, *, default: bool = False) -> bool:
        """A boolean."""
        return self.value if self._holds(bool, "true or false") else default

    def error(self, message: str) -> FormatError:
        """What to raise about this field where nothing behind it can be read."""
        return FormatError(((self.pointer, message),))

    def note_problem(self, message: str) -> None:
        """Note a problem with this field. Raises `FormatError` for the last one that is listed."""
        problems = self.notes.problems
        # Some fields are read twice, by whoever detects the format and by its reader.
        if (self.pointer, message) not in problems:
            problems.append((self.pointer, message))
        # What follows would be read for nothing, and a body may hold a hundred thousand empty objects.
        if len(problems) >= MAX_PROBLEMS:
            self.check()

    def check(self) -> None:
        """Raises `FormatError` when anything was wrong anywhere in the submission."""
        if self.notes.problems:
            raise FormatError(tuple(self.notes.problems))


def root(body: Mapping[str, JsonValue], earlier: EarlierPast | None = None) -> Node:
    """The submission as a whole, and what it continues. Raises `FormatError` for anything but an object."""
    node = Node(body, notes=Notes(earlier))
    node.object(required=True)
    node.check()
    return node
