"""What agents submit: the two shapes as pydantic models, for validation and for the OpenAPI document."""

from typing import Annotated, Any, Final, Literal, TypeAlias
from uuid import UUID

from django.conf import settings
from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    RootModel,
    StrictBool,
    StrictInt,
    Tag,
    UrlConstraints,
)

from reviews.models import Risk

LONGEST_EXPIRY_SECONDS: Final = 30 * 24 * 3600
"""Longest time an action may wait for a person."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
Object: TypeAlias = dict[str, JsonValue]


def _bounded(setting: str) -> AfterValidator:
    """No more items than the configuration allows when the request comes."""

    def check(items: list[Any]) -> list[Any]:
        limit = getattr(settings.GUARD, setting)
        if len(items) > limit:
            raise ValueError(f"At most {limit} are accepted; these are {len(items)}.")
        return items

    return AfterValidator(check)


class Part(BaseModel):
    """A part of a submission. A name nobody knows is a mistake the agent's developer should hear of."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Foreign(BaseModel):
    """A part in a shape that others define and extend: what we do not know is ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Function(Foreign):
    """A tool's document, as an OpenAI client wraps it."""

    name: Name
    description: str | None = None
    parameters: Object | None = Field(None, description="JSON Schema of the arguments.")


class OpenAITool(Foreign):
    """A tool as an OpenAI client holds it."""

    type: Literal["function"] = "function"
    function: Function
    environment_changing: StrictBool | None = Field(None, description="False: read-only, the call passes.")


class Tool(Function):
    """A tool's document, in our own shape or as MCP lists it."""

    inputSchema: Object | None = Field(None, description="The parameters, as MCP names them.")  # noqa: N815 - MCP's name
    annotations: Object | None = Field(None, description="MCP annotations; believed where the workspace says so.")
    environment_changing: StrictBool | None = Field(None, description="False: read-only, the call passes.")


def _kind_of_tool(tool: object) -> str:
    wrapped = "function" in tool if isinstance(tool, dict) else isinstance(tool, OpenAITool)
    return "wrapped" if wrapped else "plain"


AnyTool = Annotated[Annotated[Tool, Tag("plain")] | Annotated[OpenAITool, Tag("wrapped")], Discriminator(_kind_of_tool)]
Tools = Annotated[list[AnyTool], _bounded("max_tools")]


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
    said = "role" in item if isinstance(item, dict) else isinstance(item, HistoryMessage)
    return "message" if said else "call"


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
    tool_call_id: str | None = Field(None, max_length=200)


class Envelope(Part):
    """What both shapes share."""

    trace_id: Name | None = Field(None, description="Your name for the conversation; one is made when missing.")
    now: AwareDatetime | None = Field(None, description="The conversation's clock, for words like 'tomorrow'.")
    risk: Risk | None = Field(None, description="How bad a wrong call would be; `medium` when missing.")
    expires_in: Annotated[StrictInt, Field(ge=1, le=LONGEST_EXPIRY_SECONDS)] | None = Field(
        None, description="Seconds; the guard profile's when missing."
    )
    callback_url: Annotated[AnyHttpUrl, UrlConstraints(max_length=2000)] | None = Field(
        None, description="Kept with the action. Nothing is sent to it yet: poll, or wait, for the decision."
    )
    retry_of: UUID | None = Field(None, description="The action this one replaces after a rejection.")
    metadata: Object | None = None


class NativeSubmission(Envelope):
    """A proposed call with its request, tools and history."""

    query: str = Field(description="The user's request, verbatim.")
    tools: Tools
    history: Annotated[list[HistoryItem], _bounded("max_history")] | None = Field(
        None, description="Everything that happened before; the trace's stored history when missing."
    )
    sources: list[NamedSource] | None = None
    action: Call


class FunctionCall(Foreign):
    """A function call; its arguments are JSON in a string, or an object."""

    name: Name
    arguments: str | Object | None = None


class ToolCall(Foreign):
    """A tool call of an assistant's turn."""

    id: Annotated[str, Field(max_length=200)] | None = None
    type: Literal["function"] = "function"
    function: FunctionCall


class ChatMessage(Foreign):
    """A message of a chat completion."""

    role: Literal["developer", "system", "user", "assistant", "tool"]
    content: JsonValue = Field(None, description="Text, or a list of parts of which the text is read.")
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


class OpenAISubmission(Envelope):
    """A proposed call as an OpenAI client holds it."""

    messages: Annotated[list[ChatMessage], Field(min_length=1), _bounded("max_history")]
    tools: Tools
    tool_call: ToolCall
    subtask: str | None = Field(None, description="What the agent says the call is for.")


class Submission(RootModel[NativeSubmission | OpenAISubmission]):
    """Our own shape, or `messages`, `tools` and `tool_call` as an OpenAI client holds them."""
