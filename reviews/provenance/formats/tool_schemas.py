"""The schema of a tool's arguments under every name that frameworks give it, in each dialect they write it in.

What is read comes out as plain JSON Schema. What could hold a schema and is not read is wrong: a tool whose schema was
dropped on the way would let any arguments pass.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.json_nodes import Node, name_set

# Whoever writes the name comes behind it. The first is also meant where nothing nearer is.
SCHEMA_NAMES: Final = (
    "parameters",  # OpenAI, ours
    "inputSchema",  # MCP, Bedrock, Strands, AI SDK
    "input_schema",  # Anthropic
    "args_schema",  # LangChain, CrewAI
    "params_json_schema",  # OpenAI Agents
    "parameters_json_schema",  # Pydantic AI, Google
    "parametersJsonSchema",  # Google
    "input_model",  # Agent Framework
    "inputs",  # smolagents
    "args",  # LangChain
    "parameter_definitions",  # Cohere
    "parameterDefinitions",
    "arguments",
    "fn_schema",
    "function_schema",
    "input_json_schema",
    "jsonSchema",
    "json_schema",
    "parameter",
    "params",
    "schema",
    "tool_schema",
)
"""Names under which the schema of a tool's arguments may stand."""
# Objects in which frameworks wrap the schema itself: Bedrock, AI SDK, a function's whole document.
_WRAPPERS: Final = ("json", "jsonSchema", "json_schema", "schema", "parameters")
# Keywords that make an object a schema, by what their value is. A parameter may go by the name of any of them, but its
# value is a schema of its own then.
_COUNTS: Final = "maxItems maxLength maxProperties minItems minLength minProperties".split()
_KEYWORDS: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys("$ref $schema $id ref format pattern".split(), (str,)),
    **dict.fromkeys("allOf anyOf oneOf any_of enum required".split(), (list,)),
    **dict.fromkeys("maximum minimum exclusiveMaximum exclusiveMinimum multipleOf".split(), (int, float)),
    **dict.fromkeys((*_COUNTS, "min_properties", "max_properties"), (int, str)),
    **dict.fromkeys(("additionalProperties", "additional_properties"), (bool, dict)),
    **dict.fromkeys("$defs definitions defs patternProperties properties".split(), (dict,)),
    "type": (str, list),
}
# Of which an object may consist that says nothing of any parameter.
_REMARKS: Final = frozenset({"$comment", "description", "title"})
# What else may hold schemas at the top of one.
_HOLDERS: Final = name_set("""
    $defs additionalProperties additional_properties definitions defs dependentSchemas dependencies else if items not
    patternProperties properties propertyNames then unevaluatedProperties
""")
# Google's package writes the names of keywords in its own way.
_RENAMED: Final[Mapping[str, str]] = {
    "defs": "$defs",
    "ref": "$ref",
    **{re.sub("[A-Z]", r"_\g<0>", name).lower(): name for name in (*_COUNTS, "additionalProperties", "anyOf")},
}
# Google's in capitals, and Python's, which Cohere takes. None: anything goes.
TYPES: Final[Mapping[str, str | None]] = (
    {name.upper(): name for name in "array boolean integer null number object string".split()}
    | {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
    | dict.fromkeys(("TYPE_UNSPECIFIED", "any", "Any"))
)
"""Other names of JSON Schema's types, and theirs."""
# Whose value is data and no schema, and of those the ones whose null is data.
_DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})
_NULLABLE: Final = frozenset({"const", "default"})
_MAPS: Final = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
# Levels that are put into plain words. A schema that goes deeper is not applied at all.
_DEEPEST: Final = 64


def read_schema(document: Node) -> dict[str, Any]:
    """The schema of the arguments; empty where the document has none. Two of them are wrong."""
    place = document.only(*SCHEMA_NAMES, problem="The tool has another schema; one of the two must go.")
    if not place.present:
        return {}
    place = _unwrap_schema(place)
    value = place.object()
    schema: dict[str, JsonValue] = {}
    if is_schema(value):
        schema = value
        # As keywords nobody knows, parameters that stand beside the keywords would be passed over.
        for name, member in value.items():
            if name not in _HOLDERS | _DATA and isinstance(member, dict) and member and is_schema(member):
                place.member(name).note_problem("A parameter stands under `properties`.")
    elif all(isinstance(member, dict) and is_schema(member) for member in value.values()):
        schema = _of_parameters(value)
    else:
        place.note_problem("Must be the JSON Schema of an object, whose parameters stand under `properties`.")
    return place.record_object(_plain_schema(schema))


def _unwrap_schema(place: Node) -> Node:
    """The schema itself, where an object holds it that says no more than a name and a description."""
    value = place.value
    for name in _WRAPPERS if isinstance(value, dict) and "properties" not in value else ():
        inner = value.get(name)
        # The only object among the members, and itself the schema of one.
        if [member for member in value.values() if isinstance(member, dict)] == [inner] and (
            not inner or isinstance(inner.get("properties"), dict) or str(inner.get("type")).lower() == "object"
        ):
            return place.member(name)
    return place


def is_schema(value: Mapping[str, JsonValue]) -> bool:
    """Whether an object has a keyword of JSON Schema, in whatever dialect, or says nothing but a remark."""
    if value.keys() <= _REMARKS:
        return all(isinstance(remark, str) for remark in value.values())
    return any(isinstance(value.get(name), kinds) for name, kinds in _KEYWORDS.items())


def _of_parameters(parameters: Mapping[str, dict[str, JsonValue]]) -> dict[str, JsonValue]:
    """The schema of parameters that are listed by name alone; each says itself whether it may be left out."""
    is_marked = any(isinstance(parameter.get("required"), bool) for parameter in parameters.values())
    required = [
        name
        for name, parameter in parameters.items()
        if not is_marked and "default" not in parameter and parameter.get("nullable") is not True
    ]
    return {"type": "object", "properties": dict(parameters), "required": required}


def _plain_schema(schema: JsonValue, depth: int = 0) -> Any:
    """A schema in the words of JSON Schema; what packages write for a keyword that is not set is left out."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
    plain: dict[str, JsonValue] = {}
    for keyword, value in schema.items():
        name = _RENAMED.get(keyword, keyword)
        if value is not None or name in _NULLABLE:
            plain[name] = _plain_value(name, value, depth + 1)
    if plain.get("type", ...) is None:
        del plain["type"]
    _lift_required(plain)
    if plain.pop("nullable", False) is True:
        _allow_null(plain)
    return plain


def _plain_value(name: str, value: JsonValue, depth: int) -> JsonValue:
    if name in _DATA:
        return value
    if name == "type":
        return TYPES.get(value, value) if isinstance(value, str) else value
    # Google's numbers are 64 bits wide, which its JSON writes as text.
    if name in _COUNTS and isinstance(value, str) and value.isdecimal() and len(value) <= len(str(2**63)):
        return int(value)
    if name in _MAPS and isinstance(value, dict):
        return {key: _plain_schema(member, depth) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain_schema(member, depth) for member in value]
    return _plain_schema(value, depth)


def _lift_required(schema: dict[str, JsonValue]) -> None:
    """Name the parameters that say themselves that they are required, as the first drafts of JSON Schema had it."""
    properties, listed = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    asking: list[str] = []
    for name, member in properties.items():
        if isinstance(member, dict) and isinstance(member.get("required"), bool):
            asking += [name] if member["required"] else []
            properties[name] = {key: value for key, value in member.items() if key != "required"}
    if asking and isinstance(listed, list | None):
        listed_names = {name for name in listed or () if isinstance(name, str)}
        schema["required"] = [*(listed or ()), *(name for name in asking if name not in listed_names)]


def _allow_null(schema: dict[str, JsonValue]) -> None:
    """Allow null besides, as OpenAPI 3.0 says it."""
    if isinstance(kind := schema.get("type"), str):
        schema["type"] = [kind, "null"]
    if isinstance(options := schema.get("enum"), list) and None not in options:
        schema["enum"] = [*options, None]
