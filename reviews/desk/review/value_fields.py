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
from reviews.provenance.terms.argument_leaf import Leaf, Schema, alternatives_of, leaf_at, types_of

# More fields than these are quicker to find in the JSON.
MAX_FIELDS: Final = 40
# Characters of a text that fit into one line of the form.
MAX_LINE: Final = 60
# Rows of a text's field.
_MAX_ROWS: Final = 6
_NUMBERS: Final = frozenset({"integer", "number"})
_CONTAINERS: Final = frozenset({"array", "object"})
# As a schema names them.
_TYPES: Final[Mapping[type, str]] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object",
}  # fmt: skip


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
    types: frozenset[str] = frozenset()
    """What is typed is JSON of one of these types; a text where there is none."""
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
    values = [leaf_at(value, pointer, tool) for pointer, value in leaves(dict(arguments)) if pointer]
    if len(values) > MAX_FIELDS or any(_fits_no_field(leaf.value) for leaf in values):
        return []
    return [
        _build_field(leaf, vocabulary.name_path(leaf.pointer, dict(arguments)))
        for leaf in values
        if not _holds_parts(leaf)
    ]


def _fits_no_field(value: JsonValue) -> bool:
    """Whether a field would change the value unasked: of a lone carriage return a browser makes another line break."""
    if isinstance(value, str):
        return "\r" in value.replace("\r\n", "")
    return isinstance(value, list | dict) and bool(value)


def _holds_parts(leaf: Leaf) -> bool:
    """Whether the value is a list or an object, which is written as JSON, or the schema takes nothing else there."""
    accepted = _accepted_types(leaf)
    return isinstance(leaf.value, list | dict) or (leaf.value is None and bool(accepted) and accepted <= _CONTAINERS)


def _accepted_types(leaf: Leaf) -> frozenset[str]:
    """The types beside null that the schema takes at this place, by itself and by the options it lists."""
    schemas = list(alternatives_of(leaf.schema, leaf.tool))
    options = [option for schema in schemas for option in (*_options_of(schema), schema.get("const"))]
    return types_of(leaf.schema, leaf.tool) | {_TYPES[type(option)] for option in options if option is not None}


def _options_of(schema: Schema | None) -> list[JsonValue]:
    members = (schema or {}).get("enum")
    return members if isinstance(members, list) else []


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


def _build_field(leaf: Leaf, path: str) -> ValueField:
    value = leaf.value
    typed = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    options = [option for option in _options_of(leaf.schema) if isinstance(option, str)]
    types = _typed_types(leaf)
    if types == {"boolean"}:
        kind, options = "choice", ["true", "false"] if value is not None else ["", "true", "false"]
    elif isinstance(value, str) and typed in options:
        kind = "choice"
    elif types and types <= _NUMBERS:
        kind = "number"
    else:
        kind = "lines" if "\n" in typed or len(typed) > MAX_LINE else "text"
    hint = leaf.description.split(". ")[0][:120]
    return ValueField(leaf.pointer, path, kind, value, typed, types, options, hint)


def _typed_types(leaf: Leaf) -> frozenset[str]:
    """The types of what may be typed over the value; none where it is a text."""
    # Of a null only the schema tells what may stand in its place.
    accepted = _accepted_types(leaf) - _CONTAINERS if leaf.value is None else frozenset({_TYPES[type(leaf.value)]})
    if "string" in accepted:
        return frozenset()
    # Whether a number has to be whole is told by the check of the edited call.
    return accepted | _NUMBERS if accepted & _NUMBERS else accepted


def _read_typed(field: ValueField, typed: str) -> ValueField:
    """The field with this in it; a value that was not touched stays as it was, to the character."""
    # A browser sends every line break as two characters.
    plain = typed.replace("\r\n", "\n")
    if plain == field.typed.replace("\r\n", "\n"):
        return field
    if field.kind == "choice" and plain not in field.options:
        return replace(field, typed=plain, error="Choose one of those that are offered.")
    if not field.types:
        return replace(field, typed=plain, value=plain)
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        value = None
    if _TYPES.get(type(value)) not in field.types:
        return replace(field, typed=plain, error=f"This is no {' or '.join(sorted(field.types - {'integer'}))}.")
    return replace(field, typed=plain, value=value)
