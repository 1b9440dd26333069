"""How the OpenAPI document is written from the pydantic models. Importing this registers the extensions."""

from typing import Any

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, OpenApiParameter
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode


class AgentKeyScheme(OpenApiAuthenticationExtension):
    """The bearer scheme of agent keys."""

    target_class = "reviews.api.authentication.AgentKeyAuthentication"
    name = "agentKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """The security scheme object."""
        return {"type": "http", "scheme": "bearer", "description": "An agent key of the workspace."}


class DirectedPydantic(PydanticExtension):
    """Pydantic models as the reader meets them: what a request may leave out is not required of it."""

    # Above the library's own extension, which has 0 and knows one direction only.
    priority = 1

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The model's schema, its parts as components."""
        mode: JsonSchemaMode = "validation" if direction == "request" else "serialization"
        schema: dict[str, Any] = self.target.model_json_schema(ref_template="#/components/schemas/{model}", mode=mode)
        for name, part in schema.pop("$defs", {}).items():
            # A part that several models share is registered by whichever comes first.
            component = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=part)
            auto_schema.registry.register_on_missing(component)
        return schema


def query_parameters(model: type[BaseModel]) -> list[OpenApiParameter]:
    """The fields of a model as query parameters, for `extend_schema`."""
    schema = model.model_json_schema()
    parts = schema.get("$defs", {})
    return [
        OpenApiParameter(name, _schema_when_given(field, parts), description=field.get("description", ""))
        for name, field in schema["properties"].items()
    ]


def _schema_when_given(field: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """A field's schema where it is given: a query has no null, and its parts stand in place."""
    (kind,) = [kind for kind in field.get("anyOf", [field]) if kind.get("type") != "null"]
    schema = parts[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
    # Both stand beside the schema, where a parameter has fields of its own for them.
    return {key: value for key, value in schema.items() if key not in ("title", "description")}
