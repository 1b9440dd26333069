"""The same tool as each framework's own object writes it: `pay(to, amount)`, of which both are required.

Those whose packages are installed beside the tests are made by them; the others are what the real objects wrote, by the
version that is named.
"""

import dataclasses
import json
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

MOST: Final = 100
"""The largest amount that the schema allows."""
PROPERTIES: Final[dict[str, Any]] = {"to": {"type": "string"}, "amount": {"type": "integer", "maximum": MOST}}
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": PROPERTIES, "required": ["to", "amount"]}
DOCUMENT: Final[dict[str, Any]] = {"name": "pay", "description": "Pays a person."}


class Pay(BaseModel):
    """Pays a person."""

    model_config = ConfigDict(title="pay")

    to: str
    amount: int = Field(le=MOST)


def pay(to: str, amount: int) -> str:
    """Pays a person."""
    return f"{to} has {amount}"


BY_PACKAGES: Final = frozenset(
    {
        *("openai chat", "openai responses", "openai assistants", "anthropic", "mcp", "mcp, by name", "pydantic-ai"),
        *("langchain", "langchain, args", "langchain, converted", "autogen"),
    }
)
"""The names of `by_packages`, for parameters: the packages take seconds to import, in every process that collects."""


def names() -> list[str]:
    """Of all that is written."""
    return sorted({*BY_PACKAGES, *by_google(), *by_others(), *by_hand()})


@cache
def written() -> dict[str, Any]:
    """The tool by framework and way of writing it."""
    return {**by_packages(), **by_google(), **by_others(), **by_hand()}


def by_packages() -> dict[str, Any]:
    made = _made_by_packages()
    assert made.keys() == BY_PACKAGES
    return made


def _made_by_packages() -> dict[str, Any]:
    import mcp.types  # noqa: PLC0415 - see `BY_PACKAGES`
    from anthropic.types import ToolParam  # noqa: PLC0415
    from autogen_core.tools import FunctionTool  # noqa: PLC0415
    from langchain_core.tools import tool  # noqa: PLC0415
    from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415
    from openai.types.beta import FunctionTool as AssistantsTool  # noqa: PLC0415
    from openai.types.chat import ChatCompletionFunctionTool  # noqa: PLC0415
    from openai.types.responses import FunctionTool as ResponsesTool  # noqa: PLC0415
    from pydantic_ai import Tool  # noqa: PLC0415

    function = {**DOCUMENT, "parameters": SCHEMA}
    wrapped = {"type": "function", "function": function}
    langchain = tool("pay", args_schema=Pay)(pay)
    return {
        "openai chat": ChatCompletionFunctionTool.model_validate(
            {"type": "function", "function": function}
        ).model_dump(),
        "openai responses": ResponsesTool(**function, type="function", strict=True).model_dump(),
        "openai assistants": AssistantsTool.model_validate(wrapped).model_dump(),
        "anthropic": dict(ToolParam(name="pay", description="Pays a person.", input_schema=SCHEMA)),
        "mcp": mcp.types.Tool(**DOCUMENT, inputSchema=SCHEMA).model_dump(by_alias=True),
        "mcp, by name": mcp.types.Tool(**DOCUMENT, inputSchema=SCHEMA).model_dump(),
        "pydantic-ai": described(dataclasses.asdict(Tool(pay, name="pay").tool_def), "parameters_json_schema"),
        "langchain": json.loads(langchain.model_dump_json(exclude={"func", "coroutine"})),
        "langchain, args": {**DOCUMENT, "args": langchain.args},
        "langchain, converted": convert_to_openai_tool(langchain),
        "autogen": described(dict(FunctionTool(pay, "Pays a person.", name="pay").schema), "parameters"),
    }


def described(document: dict[str, Any], field: str) -> dict[str, Any]:
    """The document with the bound that a plain signature cannot say."""
    schema = json.loads(json.dumps(document[field]))
    schema["properties"]["amount"]["maximum"] = MOST
    return {**document, field: schema}


# google-genai 3.4, by attribute and by alias, with what is not set and without; google-adk 2.13 holds the same.
UNSET: Final = dict.fromkeys(
    "additional_properties defs ref any_of default description enum example format items max_items max_length nullable "
    "max_properties min_items min_length min_properties minimum pattern property_ordering title".split()
)


def by_google() -> dict[str, Any]:
    typed = {
        "type": "OBJECT",
        "properties": {"to": {"type": "STRING"}, "amount": {"type": "INTEGER", "maximum": float(MOST)}},
        "required": ["to", "amount"],
    }
    unset = {
        **UNSET,
        **typed,
        "properties": {
            name: {**UNSET, "properties": None, "required": None, "maximum": None, **member}
            for name, member in typed["properties"].items()  # type: ignore[attr-defined]
        },
    }
    nothing = {"parameters": None, "parameters_json_schema": None, "response": None, "response_json_schema": None}
    return {
        "google": {**DOCUMENT, "parameters": typed},
        "google, with what is not set": {**DOCUMENT, **nothing, "parameters": unset},
        "google, JSON Schema": {**DOCUMENT, **nothing, "parameters_json_schema": SCHEMA},
        "google, by alias": {**DOCUMENT, "parametersJsonSchema": SCHEMA, "responseJsonSchema": {"type": "string"}},
        "google, declarations": {"functionDeclarations": [{**DOCUMENT, "parameters": typed}], "googleSearch": None},
        "google, declarations by name": {"function_declarations": [{**DOCUMENT, "parameters": unset}]},
    }


def by_others() -> dict[str, Any]:
    """What the objects of frameworks write whose packages need an environment of their own."""
    inputs = {"to": {"type": "string", "description": "who"}, "amount": {**PROPERTIES["amount"], "description": "$"}}
    definitions = {
        "to": {"type": "str", "required": True},
        "amount": {"type": "int", "maximum": MOST, "required": True},
        "note": {"type": "str", "required": False},
    }
    unset = dict.fromkeys(("format", "default", "enum", "items", "anyOf", "pattern", "examples"))
    params = {**SCHEMA, "properties": {name: {**unset, **member} for name, member in PROPERTIES.items()}}
    return {
        # openai-agents 0.24: the tool's own fields, and its converter.
        "openai agents": {**DOCUMENT, "params_json_schema": SCHEMA, "strict_json_schema": True, "is_enabled": True},
        # strands-agents 1.62: the tool's `tool_spec`, and what it sends to Bedrock.
        "strands": {**DOCUMENT, "inputSchema": {"json": SCHEMA}},
        "bedrock": {"toolSpec": {**DOCUMENT, "inputSchema": {"json": SCHEMA}}},
        # agent-framework-core 1.23: `to_dict` and `to_json_schema_spec`.
        "agent framework": {"type": "function_tool", **DOCUMENT, "invocation_count": 0, "input_model": SCHEMA},
        # inspect-ai 0.3.285: `ToolInfo`.
        "inspect": {**DOCUMENT, "parameters": params, "options": None},
        # semantic-kernel 1.45: what it sends.
        "semantic kernel": {"type": "function", "function": {**DOCUMENT, "parameters": SCHEMA}},
        # smolagents 1.26: the tool's fields, which list its inputs by name.
        "smolagents": {**DOCUMENT, "inputs": inputs, "output_type": "string", "output_schema": None},
        # crewai 1.15, agno 3.1, llama-index 0.14, litellm 1.106: `args_schema` as JSON Schema, `to_dict`, what is sent.
        "crewai": {**DOCUMENT, "args_schema": SCHEMA, "env_vars": [], "result_schema": None},
        "agno": {**DOCUMENT, "parameters": SCHEMA},
        "llama-index": {"type": "function", "function": {**DOCUMENT, "parameters": SCHEMA}},
        "litellm": {"type": "function", "function": {**DOCUMENT, "parameters": SCHEMA, "strict": None}},
        # cohere 5: the parameters by name, in Python's types.
        "cohere": {**DOCUMENT, "parameter_definitions": definitions},
        # ai 6: `jsonSchema()` as JSON, and what a provider is given.
        "ai sdk": {**DOCUMENT, "inputSchema": {"jsonSchema": SCHEMA}},
        "ai sdk, provider": {"type": "function", **DOCUMENT, "inputSchema": SCHEMA, "providerOptions": {"a": {}}},
    }


def by_hand() -> dict[str, Any]:
    """As developers write them by heart."""
    names = "parameter params schema json_schema jsonSchema function_schema tool_schema input_json_schema arguments"
    return {
        **{name: {**DOCUMENT, name: SCHEMA} for name in names.split()},
        "a whole document in `schema`": {**DOCUMENT, "schema": {**DOCUMENT, "parameters": SCHEMA, "strict": True}},
        "parameters by name": {**DOCUMENT, "parameters": PROPERTIES},
        "required by each": {
            **DOCUMENT,
            "parameters": {
                "type": "object",
                "properties": {name: {**member, "required": True} for name, member in PROPERTIES.items()},
            },
        },
    }
