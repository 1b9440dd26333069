"""Fields of a tool that hold a schema nobody applies: they are refused, with the field that was meant.

A tool whose schema stood only where it is not read would let any arguments pass.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH, Node, name_set
from reviews.provenance.formats.suggestions import nearest_field
from reviews.provenance.formats.tool_schemas import SCHEMA_NAMES, TYPES, is_schema

# Objects and lists of a tool that hold none of its arguments: what it returns, and what is said about it.
_BESIDE: Final = name_set("""
    _meta additional_properties allowed_callers annotations cache_control callbacks custom_metadata env_vars examples
    execution extras icons input_examples inputExamples metadata meta options outputSchema output_json_schema
    output_schema providerMetadata providerOptions provider_options response responseJsonSchema response_json_schema
    result_schema return_parameter return_schema returns tags
""")
# Of those, what describes what the tool returns: by these names certainly, by the others where a schema stands beside.
_OUTPUT: Final = name_set("""
    outputSchema output_json_schema output_schema responseJsonSchema response_json_schema result_schema return_schema
""")
_RETURNED: Final = name_set("response return_parameter returns")
# Levels of such a field that are looked through: a server's own object, a list, a wrapper, the schema.
_MAX_BESIDE_LEVELS: Final = 4


def refuse_unread(tool: Node, *read_names: str, hosted: bool) -> None:
    """Note every other field of a tool that could hold the schema of its arguments, with the one that was meant.

    `hosted`: the tool is its provider's own, whose settings may be objects.
    """
    for name, value in tool.value.items() if isinstance(tool.value, dict) else ():
        if name in (*SCHEMA_NAMES, *read_names) or name in _BESIDE or not _may_hold(value):
            continue
        if hosted and not (isinstance(value, dict) and isinstance(value.get("properties"), dict)):
            continue
        meant = nearest_field(name, SCHEMA_NAMES) or SCHEMA_NAMES[0]
        quoted = shorten_text(name, MAX_NAME_LENGTH)
        tool.member(name).note_problem(f"A schema in `{quoted}` would not be applied: did you mean `{meant}`?")


def refuse_beside(*places: Node) -> None:
    """Note a schema in a field beside the arguments of a tool of which none was read: it was meant as theirs.

    What a tool returns is described alike, and told apart by its name.
    """
    is_given = any(place.members(*SCHEMA_NAMES) for place in places)
    names = sorted(_BESIDE - _OUTPUT - (_RETURNED if is_given else frozenset()))
    for field in (field for place in places for field in place.members(*names)):
        path = _path_to_schema(field.value)
        if path is not None:
            meant = next((near for name in path if (near := nearest_field(name, SCHEMA_NAMES))), SCHEMA_NAMES[0])
            replace(field, pointer=field.pointer + pointer_to(*path)).note_problem(
                f"A schema in here would not be applied: did you mean `{meant}` of the tool itself?"
            )


def _path_to_schema(value: JsonValue, level: int = 1) -> tuple[str, ...] | None:
    """The names and positions that lead to the first schema of an object with properties; None where there is none."""
    if _describes_properties(value):
        return ()
    members: Iterable[tuple[str, JsonValue]] = ()
    if isinstance(value, dict):
        members = ((name, member) for name, member in value.items() if name not in _OUTPUT | _RETURNED)
    elif isinstance(value, list):
        members = ((str(position), member) for position, member in enumerate(value))
    for name, member in members if level < _MAX_BESIDE_LEVELS else ():
        path = _path_to_schema(member, level + 1)
        if path is not None:
            return (name, *path)
    return None


def _describes_properties(value: JsonValue) -> bool:
    """Whether this is certainly the schema of an object: each of its properties is one of a type that there is."""
    if not isinstance(value, dict) or str(value.get("type", "object")).lower() not in ("object", "dict"):
        return False
    properties = value.get("properties")
    if not isinstance(properties, dict) or not properties:
        return False
    return all(isinstance(member, dict) and _has_known_type(member) for member in properties.values())


def _has_known_type(schema: Mapping[str, JsonValue]) -> bool:
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type", "any")]
    return is_schema(schema) and all(isinstance(kind, str) and {kind, kind.upper()} & TYPES.keys() for kind in kinds)


def refuse_second(tool: Node) -> None:
    """Note a schema that stands beside the document it should stand in."""
    names = [name for name in SCHEMA_NAMES if _may_hold(tool.member(name).value)]
    tool.refuse(*names, problem="The tool's document stands in a field of its own; its schema belongs in there.")


def _may_hold(value: JsonValue) -> bool:
    """Whether a value could be a schema, or a list of parameters."""
    match value:
        case dict():
            return bool(value)
        case list():
            return any(isinstance(item, dict) for item in value)
        case str() if value.lstrip().startswith("{"):
            try:
                json.loads(value)
            except (ValueError, RecursionError):
                return False
            return True
    return False
