"""What happened before, in each shape agents hold it: what every submission has in common."""

from typing import Annotated

from pydantic import Field

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
_LEFT_OUT = "Everything that happened before; the trace's stored history when missing."


class Past(Part):
    """What all shapes share."""

    trace_id: Name | None = Field(None, description="Your name for the conversation; one is made when missing.")
    now: Moment | None = Field(None, description="The conversation's clock, for words like 'tomorrow'.")


class NativePast(Past):
    """Request, tools and history in our own shape."""

    query: Words = Field(description="The user's request, verbatim.")
    tools: Tools
    history: list[HistoryItem] | None = Field(None, description=_LEFT_OUT)
    sources: list[NamedSource] | None = None


class ChatPast(Past):
    """The conversation as an agent on OpenAI's chat API holds it."""

    tools: Tools
    systemInstruction: str | Object | None = Field(None, description="Gemini's system prompt.")  # noqa: N815 - its name
    messages: Annotated[list[ChatMessage], Field(min_length=1)]


class ResponsesPast(Past):
    """The conversation as an agent on OpenAI's Responses API holds it."""

    tools: Tools
    instructions: str | None = None
    input: str | Annotated[list[Object], Field(min_length=1)] = Field(
        description="The request's `input` with every output item so far. Reasoning items are no evidence."
    )


class AnthropicPast(Past):
    """The conversation as an agent on Anthropic's Messages API holds it."""

    tools: Tools
    system: str | list[Object] | None = None
    messages: Annotated[list[AnthropicMessage], Field(min_length=1)]


class McpPast(Past):
    """Request, tools and history as an agent on MCP servers holds them."""

    query: Words = Field(description="The user's request, verbatim.")
    tools: Tools
    history: list[McpItem] | None = Field(None, description=_LEFT_OUT)
    sources: list[NamedSource] | None = None
