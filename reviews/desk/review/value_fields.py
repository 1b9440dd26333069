"""The values of a call as fields of a form, by what the tool's schema says of each."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reviews.desk.desk_form import VALUE_PREFIX
from reviews.desk.review.call_json import UnreadableError, parse_arguments
from reviews.desk.review.case import vocabulary
from reviews.provenance.core.context import JsonValue, ToolDoc, leaves
from reviews.provenance.core.pointers import replace_values
from reviews.provenance.terms.argument_leaf import leaf_at, types_of

# More fields than these are quicker to find in the JSON.
MAX_FIELDS: Final = 40
# Characters of a text that fit into one line of the form.
MAX_LINE: Final = 60
# Rows of a text's field.
_MAX_ROWS: Final = 6
_NUMBERS: Final = frozenset({"integer", "number"})


@dataclass(frozen=True)
class ValueField:
    """One value of the call that can be typed over."""

    pointer: str
    path: str
    kind: str
    """`text`, `lines`, `number` or `choice`."""
    value: JsonValue
    typed: str
    """What the field holds."""
    is_json: bool = False
    """What is typed is a number, true or false, and no text."""
    options: Sequence[str] = ()
    hint: str = ""
    error: str = ""

    @property
    def name(self) -> str:
        """Of the field in the form."""
        return f"{VALUE_PREFIX}{self.pointer}"

    @property
    def label(self) -> str:
        """The path, or the end of a long one."""
        return vocabulary.shorten_path(self.path)

    @property
    def rows(self) -> int:
        """Height of a field of several lines."""
        return min(_MAX_ROWS, 2 + self.typed.count("\n") + len(self.typed) // (2 * MAX_LINE))


def build_fields(arguments: Mapping[str, JsonValue], tool: ToolDoc | None) -> list[ValueField]:
    """A field for each value; none where there are too many, or one that no field can hold."""
    values = [(pointer, value) for pointer, value in leaves(dict(arguments)) if pointer]
    if len(values) > MAX_FIELDS or any(_fits_no_field(value) for _, value in values):
        return []
    return [
        _build_field(pointer, vocabulary.name_path(pointer, dict(arguments)), value, tool)
        for pointer, value in values
        if isinstance(value, str | int | float | bool | None)
    ]


def _fits_no_field(value: JsonValue) -> bool:
    """Whether a field would change the value unasked: of a lone carriage return a browser makes another line break."""
    if isinstance(value, str):
        return "\r" in value.replace("\r\n", "")
    return isinstance(value, list | dict) and bool(value)


def read_fields(fields: Sequence[ValueField], data: Mapping[str, str]) -> list[ValueField]:
    """The fields with what was typed into them, and what is wrong with it."""
    return [_read_typed(field, data[field.name]) if field.name in data else field for field in fields]


def apply_fields(base: str, fields: Sequence[ValueField]) -> dict[str, JsonValue]:
    """The arguments of the JSON text with the fields' values in place. Raises `UnreadableError`."""
    wrong = next((field for field in fields if field.error), None)
    if wrong:
        raise UnreadableError(f"{wrong.path}: {wrong.error}")
    # Once more as a whole: what was typed may hold what no text may hold.
    return parse_arguments(json.dumps(spell_fields(base, fields), ensure_ascii=False))


def spell_fields(base: str, fields: Sequence[ValueField]) -> dict[str, JsonValue]:
    """The same with whatever was typed, be it wrong: a value that no number is spelled as text.

    Raises `UnreadableError` where the JSON text itself cannot be read.
    """
    typed = {field.pointer: field.typed if field.error else field.value for field in fields}
    return replace_values(parse_arguments(base), typed)


def _build_field(pointer: str, path: str, value: JsonValue, tool: ToolDoc | None) -> ValueField:
    leaf = leaf_at(value, pointer, tool)
    typed = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    members = (leaf.schema or {}).get("enum")
    options = [member for member in members if isinstance(member, str)] if isinstance(members, list) else []
    # Of a null only the schema tells what may stand in its place.
    accepted = types_of(leaf.schema) if value is None else frozenset()
    is_flag = isinstance(value, bool) or accepted == {"boolean"}
    is_number = not is_flag and (isinstance(value, int | float) or (bool(accepted) and accepted <= _NUMBERS))
    if is_flag:
        kind, options = "choice", ["true", "false"] if value is not None else ["", "true", "false"]
    elif isinstance(value, str) and typed in options:
        kind = "choice"
    elif is_number:
        kind = "number"
    else:
        kind = "lines" if "\n" in typed or len(typed) > MAX_LINE else "text"
    hint = leaf.description.split(". ")[0][:120]
    return ValueField(pointer, path, kind, value, typed, is_flag or is_number, options, hint)


def _read_typed(field: ValueField, typed: str) -> ValueField:
    """The field with this in it; a value that was not touched stays as it was, to the character."""
    # A browser sends every line break as two characters.
    plain = typed.replace("\r\n", "\n")
    if plain == field.typed.replace("\r\n", "\n"):
        return field
    if field.kind == "choice" and plain not in field.options:
        return replace(field, typed=plain, error="Choose one of those that are offered.")
    if not field.is_json:
        return replace(field, typed=plain, value=plain)
    try:
        value = json.loads(plain)
    except ValueError:
        value = None
    if not isinstance(value, int | float) or isinstance(value, bool) is not (field.kind == "choice"):
        return replace(field, typed=plain, error="This is no number.")
    return replace(field, typed=plain, value=value)
