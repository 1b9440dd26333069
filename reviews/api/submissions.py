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
from reviews.provenance.context import SourceKind

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


class Tool(Foreign):
    """A tool document, in our own shape or as MCP lists it."""

    name: Name
    description: str | None = None
    parameters: Object | None = Field(None, description="JSON Schema of the arguments.")
    inputSchema: Object | None = Field(None, description="The same, as MCP names it.")  # noqa: N815 - MCP's name
    annotations: Object | None = Field(None, description="MCP annotations; believed where the workspace says so.")
    environment_changing: StrictBool | None = Field(None, description="False: read-only, the call passes.")


class HistoryStep(Part):
    """A finished call, oldest first."""

    tool: Name
    arguments: Object = {}
    outcome: JsonValue = Field(None, description="What the tool returned: text, or any JSON.")
    subtask: str | None = None


class HistoryMessage(Part):
    """A later turn of the conversation."""

    role: Literal["user", "assistant"]
    content: str


def _kind_of_item(item: object) -> str:
    said = "role" in item if isinstance(item, dict) else isinstance(item, HistoryMessage)
    return "message" if said else "call"


HistoryItem = Annotated[
    Annotated[HistoryStep, Tag("call")] | Annotated[HistoryMessage, Tag("message")], Discriminator(_kind_of_item)
]


class NamedSource(Part):
    """A further text the verdict may rest on."""

    kind: SourceKind
    name: Name
    text: str


class Call(Part):
    """The proposed call."""

    tool: Name
    arguments: Object
    subtask: str | None = Field(None, description="What the agent says the call is for.")
    tool_call_id: str | None = Field(None, max_length=200)


class Envelope(Part):
    """What both shapes share."""

    trace_id: Name | None = Field(None, description="Your name for the conversation; one is made when missing.")
    sources: list[NamedSource] = []
    now: AwareDatetime | None = Field(None, description="The conversation's clock, for words like 'tomorrow'.")
    risk: Risk = Risk.MEDIUM
    expires_in: Annotated[StrictInt, Field(ge=1, le=LONGEST_EXPIRY_SECONDS)] | None = Field(
        None, description="Seconds; the guard profile's when missing."
    )
    callback_url: Annotated[AnyHttpUrl, UrlConstraints(max_length=2000)] | None = None
    retry_of: UUID | None = Field(None, description="The action this one replaces after a rejection.")
    metadata: Object = {}


class NativeSubmission(Envelope):
    """A proposed call with its request, tools and history."""

    query: str = Field(description="The user's request, verbatim.")
    tools: Annotated[list[Tool], _bounded("max_tools")]
    history: Annotated[list[HistoryItem], _bounded("max_history")] | None = Field(
        None, description="Everything that happened before; the trace's stored history when missing."
    )
    action: Call


class OpenAIFunctionCall(Foreign):
    """A function call; its arguments are JSON in a string."""

    name: Name
    arguments: str


class OpenAIToolCall(Foreign):
    """A tool call of an assistant's turn."""

    id: Annotated[str, Field(max_length=200)] = ""
    type: Literal["function"] = "function"
    function: OpenAIFunctionCall


class OpenAIContentPart(Foreign):
    """A part of a message's content; only text is read."""

    type: str
    text: str | None = None


class OpenAIMessage(Foreign):
    """A message of a chat completion."""

    role: Literal["developer", "system", "user", "assistant", "tool"]
    content: str | list[OpenAIContentPart] | None = None
    tool_calls: list[OpenAIToolCall] | None = None
    tool_call_id: str | None = None


class OpenAIFunction(Foreign):
    """A function's document."""

    name: Name
    description: str | None = None
    parameters: Object | None = None


class OpenAITool(Foreign):
    """A tool of a chat completion."""

    type: Literal["function"] = "function"
    function: OpenAIFunction


class OpenAISubmission(Envelope):
    """A proposed call as an OpenAI client holds it."""

    messages: Annotated[list[OpenAIMessage], Field(min_length=1), _bounded("max_history")]
    tools: Annotated[list[OpenAITool], _bounded("max_tools")]
    tool_call: OpenAIToolCall
    subtask: str | None = Field(None, description="What the agent says the call is for.")


class Submission(RootModel[NativeSubmission | OpenAISubmission]):
    """Our own shape, or `messages`, `tools` and `tool_call` as an OpenAI client holds them."""
