"""The parts submissions are made of: names and bounds, tool documents, messages in the shapes others define."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    StrictBool,
    Tag,
    WithJsonSchema,
)

from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH

# Bounds of the engine's readers, which check them; here they are written into the document.
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
# The readers take a text of white space only for one that is missing, and none at all for what was not said.
WORDS: Final = r"^$|\S"
Words = Annotated[str, Field(pattern=WORDS)]
CallId = Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
Object: TypeAlias = dict[str, JsonValue]

# RFC 3339 with the years of MOMENTS. Pydantic alone would also take a number of seconds, or a date without a time.
_MOMENT: Final = (
    r"^(19[7-9][0-9]|2[01][0-9]{2}|2200)-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)
# What a clock may say. At the calendar's edge a time cannot be written in another time zone, let alone be added to.
_MOMENTS: Final = (datetime(1970, 1, 1, tzinfo=UTC), datetime(2201, 1, 1, tzinfo=UTC))


def _rfc3339(value: object) -> object:
    """Raises ValueError for what is no RFC 3339 time of these years; nothing else is checked."""
    if value is not None and not (isinstance(value, str) and re.fullmatch(_MOMENT, value, re.ASCII)):
        raise ValueError("Must be an RFC 3339 time of the years 1970 to 2200, such as 2026-01-31T09:30:00Z.")
    return value


def _within_the_calendar(moment: datetime) -> datetime:
    # By the offset a time of the first or the last year may lie in another one.
    if not _MOMENTS[0] <= moment < _MOMENTS[1]:
        raise ValueError("Must lie within the years 1970 to 2200.")
    # As it is stored: PostgreSQL refuses offsets that RFC 3339 allows, such as -17:32.
    return moment.astimezone(UTC)


Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_rfc3339),
    AfterValidator(_within_the_calendar),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": _MOMENT}),
]


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
    """A tool in our own shape, as OpenAI's Responses, Anthropic or MCP hold it. It has one schema of its arguments.

    MCP's `inputSchema` and the names that other frameworks give the schema are read too; any other object that could
    be one is refused.
    """

    name: Name | None = Field(None, description="May be missing where `type` names one of the provider's own tools.")
    type: Name | None = None
    title: str | None = None
    description: str | None = None
    parameters: Object | None = Field(None, description="JSON Schema of the arguments.")
    input_schema: Object | None = Field(None, description="The parameters, as Anthropic names them.")
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
    from_: Literal["user", "tool"] | None = Field(
        None,
        alias="from",
        description="`tool`: a text agent hands a result back; it is the tool's word, not the user's.",
    )
    tool: Name | None = Field(None, description="The tool that a text is `from`.")


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


_ARGUMENTS_LEFT_OUT: Final = "Only for a tool whose schema has no properties may they be left out."


class Call(Part):
    """The proposed call."""

    tool: Name
    arguments: Object | None = Field(None, description=_ARGUMENTS_LEFT_OUT)
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


class ProposedFunction(Part):
    """The function that shall be called."""

    name: Name
    arguments: str | Object | None = Field(None, description=f"JSON in a string, or an object. {_ARGUMENTS_LEFT_OUT}")
    parsed_arguments: Object | None = Field(None, description="The same arguments, as some clients keep them.")


class ProposedCustom(Part):
    """The custom tool that shall be called."""

    name: Name
    input: str


class ProposedToolCall(Foreign):
    """A tool call in OpenAI's envelope, or without it as AutoGen and LangChain hold theirs.

    The names that the AI SDK (`toolName`, `toolCallId`, `input`), Bedrock, Gemini, Pydantic AI, Inspect and the Agent
    Framework give to tool, arguments and id are read too; a field that is none of these is refused.
    """

    id: CallId | None = None
    type: Literal["function", "custom", "tool_call", "tool-call", "function_call"] | None = None
    index: JsonValue = None
    function: ProposedFunction | None = None
    custom: ProposedCustom | None = None
    name: Name | None = Field(None, description="Without an envelope.")
    arguments: str | Object | None = Field(None, description="Without an envelope.")
    args: str | Object | None = Field(None, description="LangChain's name of the arguments.")
    extras: JsonValue = None


class ToolCall(Foreign):
    """A tool call of an assistant's turn."""

    id: CallId | None = None
    type: Literal["function", "custom"] = "function"
    function: FunctionCall | None = None
    custom: CustomCall | None = None


class ChatMessage(Foreign):
    """A message of a chat completion."""

    role: Literal[
        "developer", "system", "user", "assistant", "tool", "tool-call", "tool-response", "human", "ai", "model"
    ]
    content: JsonValue = Field(
        None,
        description="Text, or a list of parts; what is no text leaves a placeholder. The names that other frameworks "
        "give it (`parts`, `contents`, `blocks`) are read too; words that stand anywhere else are refused.",
    )
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


# What is not listed is refused by the reader; here it may stand, because some clients write `async` as `async_`, and of
# two names that differ in style only a generator of clients makes one.
class FunctionCallItem(Foreign):
    """An output item of the Responses API that asks for a call."""

    type: Literal["function_call", "custom_tool_call", "mcp_approval_request"] | None = None
    id: CallId | None = None
    call_id: CallId | None = None
    namespace: str | None = None
    name: Name
    arguments: str | Object | None = Field(None, description=f"JSON in a string, or an object. {_ARGUMENTS_LEFT_OUT}")
    args: str | Object | None = Field(None, description="Gemini's name of the arguments.")
    input: str | None = Field(None, description="Of a custom tool's call.")
    parsed_arguments: Object | None = Field(None, description="The same arguments, as some clients keep them.")
    status: JsonValue = None
    caller: JsonValue = None
    created_by: JsonValue = None
    server_label: JsonValue = None
    asynchronous: JsonValue = Field(None, alias="async")


class AnthropicMessage(Foreign):
    """A message of the Messages API."""

    role: Literal["user", "assistant", "system"]
    content: str | list[Object] | None = Field(
        None, description="Text, or blocks; what is no text leaves a placeholder."
    )


class ToolUse(Part):
    """A `tool_use` block."""

    type: Literal["tool_use"] | None = None
    id: CallId | None = None
    name: Name
    input: Object | None = Field(None, description=_ARGUMENTS_LEFT_OUT)
    caller: JsonValue = None
    cache_control: JsonValue = None
    toolset_name: None = None


class McpParams(Part):
    """The parameters of a `tools/call` request. `inputResponses` are refused: nobody would review them."""

    name: Name | None = None
    arguments: Object | None = Field(None, description=_ARGUMENTS_LEFT_OUT)
    # Published under the protocol's names alone; its Python package writes the others.
    metadata: JsonValue = Field(None, validation_alias=AliasChoices("_meta", "meta"))
    task: JsonValue = None
    request_state: JsonValue = Field(None, validation_alias=AliasChoices("requestState", "request_state"))
    input_responses: None = Field(None, validation_alias=AliasChoices("inputResponses", "input_responses"))


class McpCall(McpParams):
    """The parameters of a `tools/call` request, or the whole JSON-RPC request."""

    jsonrpc: Literal["2.0"] | None = None
    id: CallId | int | None = None
    method: Literal["tools/call"] | None = None
    params: McpParams | None = None


class McpStep(Part):
    """A finished call, oldest first."""

    call: McpCall
    result: Object | None = Field(None, description="The result of `tools/call`, or the whole JSON-RPC response.")
    subtask: str | None = None


McpItem = Annotated[
    Annotated[McpStep, Tag("call")] | Annotated[HistoryMessage, Tag("message")], Discriminator(_kind_of_item)
]
