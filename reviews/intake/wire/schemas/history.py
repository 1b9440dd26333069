"""What happened before, in each shape agents hold it: what every submission has in common."""

from typing import Annotated, ClassVar, Final

from pydantic import BeforeValidator, Field

from reviews.intake.wire.schemas.parts import (
    AnthropicMessage,
    ChatMessage,
    HistoryItem,
    McpItem,
    Moment,
    Name,
    NamedSource,
    Object,
    Part,
    Tools,
    Words,
)

# Of the shapes with a history of their own; the others hold it in the conversation, which cannot be left out.
_TOOLS = "Required, unless `tools_digest` stands for them; `[]` for an agent without tools."
_QUERY = "The user's request, verbatim; empty where no user made one. Required, unless the conversation is continued."
_LEFT_OUT = "Everything that happened before; the trace's stored history when missing."


TOOLS_DIGEST: Final = r"^[0-9a-f]{64}(\.believed|\.disbelieved)?$"


def _no_reference(value: object) -> None:
    if value is not None:
        raise ValueError(
            "What this refers to is kept by your model's provider and cannot be seen from here: send all of the"
            " conversation, or with a call only what is new, with `continues`."
        )


class Past(Part):
    """What all shapes share."""

    CONTINUED_BY: ClassVar[tuple[str, ...]] = ()
    """Fields that may name a past, behind which only what is new is sent."""

    trace_id: Name | None = Field(None, description="Your name for the conversation; one is made when missing.")
    now: Moment | None = Field(None, description="The conversation's clock, for words like 'tomorrow'.")
    tools_digest: Annotated[str, Field(pattern=TOOLS_DIGEST)] | None = Field(
        None,
        description="In place of `tools`: the `Tools-Digest` of an earlier answer. One that is not known is refused.",
    )
    # Refused by name: what they stand for is kept by the provider, and nothing of it can be seen from here.
    previous_response_id: Annotated[None, BeforeValidator(_no_reference)] = Field(
        None, description="Refused when given: send the conversation, or go on with `continues`."
    )
    conversation: Annotated[None, BeforeValidator(_no_reference)] = Field(
        None, description="Refused when given: what it stands for is kept by the model's provider."
    )


class NativePast(Past):
    """Request, tools and history in our own shape."""

    query: Words | None = Field(None, description=_QUERY)
    tools: Tools | None = Field(None, description=_TOOLS)
    history: list[HistoryItem] | None = Field(None, description=_LEFT_OUT)
    sources: list[NamedSource] | None = None


class ChatPast(Past):
    """The conversation as an agent on OpenAI's chat API holds it."""

    tools: Tools | None = Field(None, description=_TOOLS)
    systemInstruction: str | Object | None = Field(None, description="Gemini's system prompt.")  # noqa: N815 - its name
    messages: Annotated[list[ChatMessage], Field(min_length=1)]


class ResponsesPast(Past):
    """The conversation as an agent on OpenAI's Responses API holds it."""

    tools: Tools | None = Field(None, description=_TOOLS)
    instructions: str | None = None
    input: str | Annotated[list[Object], Field(min_length=1)] = Field(
        description="The request's `input` with every output item so far. Reasoning items are no evidence."
    )


class AnthropicPast(Past):
    """The conversation as an agent on Anthropic's Messages API holds it."""

    tools: Tools | None = Field(None, description=_TOOLS)
    system: str | list[Object] | None = None
    messages: Annotated[list[AnthropicMessage], Field(min_length=1)]


class McpPast(Past):
    """Request, tools and history as an agent on MCP servers holds them."""

    query: Words | None = Field(None, description=_QUERY)
    tools: Tools | None = Field(None, description=_TOOLS)
    history: list[McpItem] | None = Field(None, description=_LEFT_OUT)
    sources: list[NamedSource] | None = None
