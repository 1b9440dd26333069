"""The parts submissions are made of: names and bounds, tool documents, messages in the shapes others define."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, StrictBool, Tag

from reviews.provenance.formats.reading import LONGEST_NAME

# Bounds of the engine's readers, which check them; here they are written into the document.
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
CallId = Annotated[str, Field(max_length=LONGEST_NAME)]
Object: TypeAlias = dict[str, JsonValue]


class Part(BaseModel):
    """A part of a submission. A name nobody knows is a mistake the agent's developer should hear of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Foreign(BaseModel):
    """A part in a shape that others define and extend: what we do not know is ignored."""

    # Providers add fields at any time, and an agent passes on what it got.
    model_config = ConfigDict(extra="ignore", frozen=True)


class Function(Foreign):
    """A tool's document, as an OpenAI chat client wraps it."""

    name: Name
    description: str | None = None
    parameters: Object | None = Field(None, description="JSON Schema of the arguments.")


class WrappedTool(Foreign):
    """A tool as an OpenAI chat client holds it."""

    type: Literal["function", "custom"] = "function"
    function: Function | None = None
    custom: Function | None = Field(None, description="A tool that takes one free text, `input`.")
    environment_changing: StrictBool | None = Field(None, description="False: read-only, the call passes.")


class Tool(Foreign):
    """A tool in our own shape, as OpenAI's Responses, Anthropic or MCP hold it. It has one of the three schemas."""

    name: Name | None = Field(None, description="May be missing where `type` names one of the provider's own tools.")
    type: Name | None = None
    title: str | None = None
    description: str | None = None
    parameters: Object | None = Field(None, description="JSON Schema of the arguments.")
    input_schema: Object | None = Field(None, description="The parameters, as Anthropic names them.")
    inputSchema: Object | None = Field(None, description="The parameters, as MCP names them.")  # noqa: N815 - MCP's name
    outputSchema: Object | None = Field(None, description="Of what the tool returns.")  # noqa: N815 - MCP's name
    annotations: Object | None = Field(None, description="MCP annotations; believed where the workspace says so.")
    environment_changing: StrictBool | None = Field(
        None, description="False: read-only, the call passes. On an MCP tool it is the server's word, like annotations."
    )


# Unions are told apart by a function instead of tried in turn, so that a body fits one alternative at most. The
# functions see JSON when a body is validated and models when one is written.
def _kind_of_tool(tool: object) -> str:
    if isinstance(tool, dict):
        return "wrapped" if tool.get("function") or tool.get("custom") else "plain"
    return "wrapped" if isinstance(tool, WrappedTool) else "plain"


def _any_of(schema: dict[str, Any]) -> None:
    # The tag is not in the document: a tool may be of both kinds as far as it tells.
    schema["anyOf"] = schema.pop("oneOf")


AnyTool = Annotated[
    Annotated[Tool, Tag("plain")] | Annotated[WrappedTool, Tag("wrapped")],
    Discriminator(_kind_of_tool),
    Field(json_schema_extra=_any_of),
]


class ToolsListed(Foreign):
    """The result of an MCP server's `tools/list`."""

    tools: list[AnyTool]


def _kind_of_tools(tools: object) -> str:
    listed = isinstance(tools, dict) and "tools" in tools
    return "listed" if listed or isinstance(tools, ToolsListed) else "list"


Tools = Annotated[
    Annotated[list[AnyTool], Tag("list")] | Annotated[ToolsListed, Tag("listed")],
    Discriminator(_kind_of_tools),
]


class HistoryStep(Part):
    """A finished call, oldest first."""

    tool: Name
    arguments: Object | None = None
    outcome: JsonValue = Field(None, description="What the tool returned: text, or any JSON.")
    subtask: str | None = None


class HistoryMessage(Part):
    """A later turn of the conversation."""

    role: Literal["user", "assistant"]
    text: str


def _kind_of_item(item: object) -> str:
    is_message = "role" in item if isinstance(item, dict) else isinstance(item, HistoryMessage)
    return "message" if is_message else "call"


HistoryItem = Annotated[
    Annotated[HistoryStep, Tag("call")] | Annotated[HistoryMessage, Tag("message")], Discriminator(_kind_of_item)
]


class NamedSource(Part):
    """A further text the verdict may rest on."""

    kind: Literal["system_prompt", "retrieved", "memory", "skill", "agent_message"]
    name: Name
    text: str


class Call(Part):
    """The proposed call."""

    tool: Name
    arguments: Object = {}
    subtask: str | None = Field(None, description="What the agent says the call is for.")
    tool_call_id: CallId | None = None


class FunctionCall(Foreign):
    """A function call; its arguments are JSON in a string, or an object."""

    name: Name
    arguments: str | Object | None = None


class CustomCall(Foreign):
    """A custom tool's call."""

    name: Name
    input: str


class ToolCall(Foreign):
    """A tool call of an assistant's turn."""

    id: CallId | None = None
    type: Literal["function", "custom"] = "function"
    function: FunctionCall | None = None
    custom: CustomCall | None = None


class ChatMessage(Foreign):
    """A message of a chat completion."""

    role: Literal["developer", "system", "user", "assistant", "tool"]
    content: JsonValue = Field(None, description="Text, or a list of parts; what is no text leaves a placeholder.")
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class FunctionCallItem(Foreign):
    """An output item of the Responses API that asks for a call."""

    type: str | None = Field(None, description="`function_call`, `custom_tool_call` or `mcp_approval_request`.")
    call_id: CallId | None = None
    namespace: str | None = None
    name: Name
    arguments: str | Object | None = None
    input: str | None = Field(None, description="Of a custom tool's call.")


class AnthropicMessage(Foreign):
    """A message of the Messages API."""

    role: Literal["user", "assistant", "system"]
    content: str | list[Object] = Field(description="Text, or blocks; what is no text leaves a placeholder.")


class ToolUse(Foreign):
    """A `tool_use` block."""

    type: Literal["tool_use"] = "tool_use"
    id: CallId | None = None
    name: Name
    input: Object = {}


class McpCall(Foreign):
    """The parameters of a `tools/call` request, or the whole JSON-RPC request."""

    name: Name | None = None
    arguments: Object | None = None
    jsonrpc: Literal["2.0"] | None = None
    id: str | int | None = None
    method: Literal["tools/call"] | None = None
    params: Object | None = None


class McpStep(Part):
    """A finished call, oldest first."""

    call: McpCall
    result: Object | None = Field(None, description="The result of `tools/call`, or the whole JSON-RPC response.")
    subtask: str | None = None


McpItem = Annotated[
    Annotated[McpStep, Tag("call")] | Annotated[HistoryMessage, Tag("message")], Discriminator(_kind_of_item)
]
