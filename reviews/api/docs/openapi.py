"""How the OpenAPI document is written from the pydantic models. Importing this registers the extensions."""

from typing import Any, Final

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, OpenApiParameter
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema

from reviews.intake.wire.schemas.actions import CONTINUES
from reviews.intake.wire.schemas.claims import POINTER
from reviews.intake.wire.schemas.history import TOOLS_DIGEST
from reviews.intake.wire.schemas.parts import WORDS

# Half a surrogate pair is refused as well, but no pattern can say so: to most of its readers it is no character.
STORABLE: Final = r"^[^\u0000]*$"
"""The pattern of texts that can be stored."""
# By the pattern of a text that may be sent; one more would have to be written here, and is missed when it is not.
_STORABLE_TOO: Final = {
    "": STORABLE,
    r"\S": r"^[^\u0000]*[^\s\u0000][^\u0000]*$",
    WORDS: r"^$|^[^\u0000]*[^\s\u0000][^\u0000]*$",
    POINTER: r"^(/[^\u0000]*)?$",
    CONTINUES: CONTINUES,
    TOOLS_DIGEST: TOOLS_DIGEST,
}
_JSON: Final = "JsonValue"


class AgentKeyScheme(OpenApiAuthenticationExtension):
    """The bearer scheme of agent keys."""

    target_class = "reviews.api.authentication.AgentKeyAuthentication"
    name = "agentKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """The security scheme object."""
        return {"type": "http", "scheme": "bearer", "description": "An agent key of the workspace."}


class PlainJsonSchema(GenerateJsonSchema):
    """Models as generators of clients take them."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """What may be left out, with what stands for it then. That nothing does needs no word: a generator that finds
        one takes the field for one that is always there.
        """
        described = super().default_schema(schema)
        return {key: value for key, value in described.items() if key != "default" or value is not None}


class StorableJsonSchema(PlainJsonSchema):
    """What may be sent: no text with a NUL, which the database cannot keep."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """A text, by its pattern."""
        text = super().str_schema(schema)
        return {**text, "pattern": _STORABLE_TOO[text.get("pattern", "")]}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """An object, whose names are texts too."""
        names = super().dict_schema(schema)
        # What is said of every name is said of names and not of properties.
        values = names.pop("patternProperties", {}).get(STORABLE)
        return {**names, "propertyNames": {"pattern": STORABLE}, **({"additionalProperties": values} if values else {})}


class DirectedPydantic(PydanticExtension):
    """Pydantic models as the reader meets them: what a request may leave out is not required of it."""

    # Above the library's own extension, which has 0 and knows one direction only.
    priority = 1

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The model's schema, its parts as components."""
        mode: JsonSchemaMode = "validation" if direction == "request" else "serialization"
        schema: dict[str, Any] = self.target.model_json_schema(
            ref_template="#/components/schemas/{model}",
            mode=mode,
            schema_generator=StorableJsonSchema if direction == "request" else PlainJsonSchema,
        )
        for name, part in schema.pop("$defs", {}).items():
            # A part that several models share is registered by whichever comes first.
            component = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=part)
            auto_schema.registry.register_on_missing(component)
        return schema


def query_parameters(model: type[BaseModel]) -> list[OpenApiParameter]:
    """The fields of a model as query parameters, for `extend_schema`."""
    schema = model.model_json_schema(schema_generator=StorableJsonSchema)
    parts, required = schema.get("$defs", {}), schema.get("required", ())
    return [
        OpenApiParameter(
            name,
            _schema_when_given(field, parts),
            required=name in required,
            description=field.get("description", ""),
        )
        for name, field in schema["properties"].items()
    ]


def _schema_when_given(field: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """A field's schema where it is given: a query has no null, and its parts stand in place."""
    (kind,) = [kind for kind in field.get("anyOf", [field]) if kind.get("type") != "null"]
    schema = parts[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
    # A pattern of the field's own stands beside its alternatives.
    schema = schema | {key: field[key] for key in ("pattern", "enum") if key in field}
    # Both stand beside the schema, where a parameter has fields of its own for them.
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def require_bodies(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:
    """Say of each body that it may not be left out, unless each of its fields may be. A hook of the library."""
    parts = result["components"]["schemas"]
    for operation in (operation for methods in result["paths"].values() for operation in methods.values()):
        body = operation.get("requestBody", {"content": {}})
        schemas = [content["schema"] for content in body["content"].values()]
        sent = [parts.get(schema.get("$ref", "").rpartition("/")[2], {}) for schema in schemas]
        # A file, or one of several shapes, has no fields of its own.
        if any(part.get("required") or not part.get("properties") for part in sent):
            body["required"] = True
    return result


def inline_any_json(result: dict[str, Any], generator: object, request: object, public: bool) -> dict[str, Any]:
    """Say in place that a value may be any JSON. A hook of the library.

    Pydantic refers to a schema of its own for that, which says nothing, and which generators of clients cannot name.
    """
    result["components"]["schemas"].pop(_JSON, None)
    waiting: list[Any] = [result]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if part.get("$ref") == f"#/components/schemas/{_JSON}":
                del part["$ref"]
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return result
