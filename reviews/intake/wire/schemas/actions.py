"""What agents submit: the envelope, which pydantic validates, and each whole shape, for the OpenAPI document."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field, RootModel, StrictInt

from reviews.intake.wire.schemas.claims import Provenance
from reviews.intake.wire.schemas.history import AnthropicPast, ChatPast, McpPast, NativePast, Past, ResponsesPast
from reviews.intake.wire.schemas.parts import Call, FunctionCallItem, McpCall, Name, Object, ProposedToolCall, ToolUse
from reviews.models import Risk
from reviews.provenance.formats import Format

# Longest time an action may wait for a person. After a month no conversation is still where it was.
MAX_EXPIRY_SECONDS: Final = 30 * 24 * 3600

# One call in every shape, so that a reader of the document sees only what differs.
_SCHEMA: Final[Mapping[str, Any]] = MappingProxyType({"type": "object", "properties": {"to": {"type": "string"}}})
_QUERY: Final = "Tell Daniel at daniel@example.org that lunch is on me."
_ARGUMENTS: Final[Mapping[str, Any]] = MappingProxyType({"to": "daniel@example.org"})


CONTINUES: Final = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9]{1,6}$"


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


def _refuse_callback(address: object) -> None:
    if address is not None:
        raise ValueError("Nothing would be sent there; an administrator sets up webhooks of the workspace.")


class Envelope(Past):
    """What all shapes of a proposed call share."""

    CONTINUED_BY: ClassVar[tuple[str, ...]] = ("continues",)

    # Null, not a default: what was left out is told from what was chosen.
    risk: Risk | None = Field(None, description="How bad a wrong call would be; `medium` when missing.")
    expires_in: Annotated[StrictInt, Field(ge=1, le=MAX_EXPIRY_SECONDS)] | None = Field(
        None, description="Seconds; the guard profile's when missing."
    )
    # Refused by name and not as a field nobody knows: an agent that counts on being called would wait for ever.
    callback_url: Annotated[None, BeforeValidator(_refuse_callback)] = Field(
        None, description="Refused when given: webhooks belong to the workspace. Poll, or wait, for the decision."
    )
    kind: Literal["call", "stuck"] | None = Field(
        None,
        description="`stuck`: the agent gets no further, and the call is only what it tried last. It goes straight to a"
        " person, unchecked; `call` when missing.",
    )
    retry_of: UUID | None = Field(
        None,
        description="The action this one replaces after a rejection. What the reviewer said of it counts like the"
        " user's words. A try more than the workspace allows is refused, whichever earlier try each of them replaces."
        " What ran of earlier tries belongs to the history, also where it failed.",
    )
    metadata: Object | None = None
    continues: Annotated[str, Field(pattern=CONTINUES)] | None = Field(
        None,
        description="The `Continue-From` of an earlier answer: `messages`, `input` or `history` hold only what came"
        " after it, and the server joins them. What is not known any more is refused: send all then.",
    )
    provenance: Provenance | None = Field(
        None,
        description="Where the agent says that it took values from, by JSON Pointer into the arguments. Each claim is "
        "verified to the character. It proves where a value stands, not that it is meant.",
        examples=[{"/to": {"step": 0, "path": "/0/email"}, "/amount": {"quote": "$30"}}],
    )


class ResponsesEnvelope(Envelope):
    """What goes on by the ids of the Responses API, beside what all shapes share."""

    CONTINUED_BY = ("continues", "previous_response_id")

    response_id: Name | None = Field(
        None,
        description="The id of the response that proposes the call; its whole output stands in `input`. A later"
        " submission may go on from its end by `previous_response_id`. It is the `trace_id` where none is given.",
    )
    previous_response_id: Name | None = Field(  # type: ignore[assignment]  # elsewhere it is refused
        None,
        description="The `response_id` of an earlier submission: `input` holds only what came behind that response,"
        " the results of its calls among it. One that is not known, not any more or of another agent is refused.",
    )


class NativeSubmission(NativePast, Envelope):
    """A proposed call with its request, tools and history."""

    model_config = _example(
        query=_QUERY,
        tools=[{"name": "send_email", "description": "Sends an e-mail.", "parameters": dict(_SCHEMA)}],
        action={"tool": "send_email", "arguments": dict(_ARGUMENTS)},
    )

    action: Call


class Conversation(Envelope):
    """A proposed call with the conversation it stands in."""

    subtask: str | None = Field(
        None, description="What the call is for; what the agent says together with the call when missing."
    )


class ChatSubmission(ChatPast, Conversation):
    """A proposed call as an agent on OpenAI's chat API holds it."""

    model_config = _example(
        messages=[{"role": "user", "content": _QUERY}],
        tools=[{"type": "function", "function": {"name": "send_email", "parameters": dict(_SCHEMA)}}],
        tool_call={"id": "call_1", "type": "function", "function": {"name": "send_email", "arguments": '{"to": "…"}'}},
    )

    tool_call: ProposedToolCall


class ResponsesSubmission(ResponsesPast, Conversation, ResponsesEnvelope):
    """A proposed call as an agent on OpenAI's Responses API holds it."""

    model_config = _example(
        input=[{"role": "user", "content": _QUERY}],
        tools=[{"type": "function", "name": "send_email", "parameters": dict(_SCHEMA)}],
        function_call={"type": "function_call", "call_id": "call_1", "name": "send_email", "arguments": '{"to": "…"}'},
    )

    function_call: FunctionCallItem


class AnthropicSubmission(AnthropicPast, Conversation):
    """A proposed call as an agent on Anthropic's Messages API holds it."""

    model_config = _example(
        messages=[{"role": "user", "content": _QUERY}],
        tools=[{"name": "send_email", "description": "Sends an e-mail.", "input_schema": dict(_SCHEMA)}],
        tool_use={"type": "tool_use", "id": "toolu_1", "name": "send_email", "input": dict(_ARGUMENTS)},
    )

    tool_use: ToolUse


class McpSubmission(McpPast, Conversation):
    """A proposed call as an agent on MCP servers holds it."""

    model_config = _example(
        query=_QUERY,
        tools={"tools": [{"name": "send_email", "title": "Send e-mail", "inputSchema": dict(_SCHEMA)}]},
        call={"name": "send_email", "arguments": dict(_ARGUMENTS)},
    )

    call: McpCall


ENVELOPES: Final[Mapping[Format, type[Envelope]]] = MappingProxyType({Format.RESPONSES: ResponsesEnvelope})
"""What stands around the conversation in a shape that has more there than the others."""
SHAPES: Final[Mapping[Format, type[Envelope]]] = MappingProxyType(
    {
        Format.NATIVE: NativeSubmission,
        Format.CHAT: ChatSubmission,
        Format.RESPONSES: ResponsesSubmission,
        Format.ANTHROPIC: AnthropicSubmission,
        Format.MCP: McpSubmission,
    }
)


# A union for the document only: a body is read as the one shape that its field of the call names, so that a wrong field
# is not reported once for each shape.
class Submission(
    RootModel[NativeSubmission | ChatSubmission | ResponsesSubmission | AnthropicSubmission | McpSubmission]
):
    """Our own shape, or what an agent holds already; the field of the proposed call tells which.

    `action` is ours, `tool_call` OpenAI's chat, `function_call` OpenAI's Responses, `tool_use` Anthropic's Messages,
    `call` MCP.
    """
