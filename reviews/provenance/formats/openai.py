"""What an agent on the OpenAI chat API holds: `messages`, `tools`, and the `tool_call` it wants to make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from reviews.provenance.core.context import Case, JsonValue
from reviews.provenance.formats.arguments import TWICE, earlier_arguments, proposed_arguments
from reviews.provenance.formats.chat import SPEAKERS, ChatReader, TurnReader, read_message, said_in, words_at
from reviews.provenance.formats.content import message_text, refuse_unread, result_text
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.framework_events import (
    APPROVAL_REQUEST,
    ARGUMENTS,
    CONTINUED,
    INCOMPLETE,
    NAMES,
    OTHER_NAME,
    parts_differ,
)
from reviews.provenance.formats.frameworks import as_chat_messages
from reviews.provenance.formats.inline_files import TYPE_NAMES
from reviews.provenance.formats.json_nodes import FormatError, Node, name_set, root
from reviews.provenance.formats.model_answers import unpack_call
from reviews.provenance.formats.tools import read_tools

# What an earlier call may hold that is read, or repeats what is.
_CALL_FIELDS: Final = name_set(
    "args arguments custom extras function id index input name parse_error parsed_arguments type"
)
# LangChain's chunks and its invalid calls have types of their own and are no calls yet.
_FLAT_TYPES: Final = (None, "tool_call", "function", "tool-call", "function_call")
# Under what names a call without an envelope has its parts: AutoGen, LangChain, Gemini, Bedrock, the AI SDK, Pydantic
# AI, LlamaIndex, Semantic Kernel, agno, the Agent Framework, Inspect, LangGraph's requests.
_FLAT_NAMES: Final = (*NAMES, "function", "action")
_FLAT_ARGUMENTS: Final = (*ARGUMENTS, "tool_args")
_FLAT_IDS: Final = ("tool_call_id", "toolCallId", "toolUseId", "call_id", "tool_id", "id")
# What tells of the call and is no part of it. What a framework asks a person stands in its `description`.
_FLAT_BESIDE: Final = tuple(
    """
    additional_properties ai_model_id annotations approval_id approval_type created_at description dynamic exception
    external_execution_required external_execution_silent extras function_name hosted index informational_only internal
    metadata parent_tool_call_id parse_error partialArgs partial_args plugin_name providerExecuted providerMetadata
    provider_details provider_name requires_confirmation stop_after_tool_call thoughtSignature thought_signature title
    tool_kind view willContinue will_continue
    """.split()
)


@dataclass(frozen=True)
class RecordedCall:
    """A call that a conversation makes, in everything before it."""

    message: int
    """Position of the message that makes it, from 0."""
    number: int
    """Its own position within the message, from 0."""
    case: Case


def parse_calls(messages: list[JsonValue], tools: list[JsonValue]) -> Iterator[RecordedCall]:
    """Each call of the conversation as it was proposed. Every message is read once. Raises `FormatError`."""
    submission, conversation = root({"messages": messages, "tools": tools}), Conversation()
    turns = submission.member("messages")
    documents = read_tools(submission.member("tools"), trust_annotations=False)
    for position, message in enumerate(turns.items(required=True)):
        read_message(message, conversation, _READERS)
        for number, call in enumerate(message.member("tool_calls").items()):
            parsed = conversation.parsed(turns, _read_call(call), subtask="", tools=documents)
            submission.check()
            yield RecordedCall(position, number, parsed.case)


def _read_instruction(submission: Node, conversation: Conversation) -> None:
    instruction = submission.member("systemInstruction")
    if instruction.present:
        # Gemini's is a content with parts, Bedrock's a list of them.
        holds_parts = isinstance(instruction.value, dict)
        conversation.add_system(said_in(instruction) if holds_parts else message_text(instruction))


def _read_turn(message: Node, conversation: Conversation) -> None:
    # Each at the place of the message that it was written as.
    try:
        messages = as_chat_messages(message)
    except FormatError as error:
        for pointer, problem in error.problems:
            replace(message, pointer=pointer).note_problem(problem)
        return
    for rewritten in messages:
        read_message(replace(message, value=rewritten), conversation, _READERS)


def _read_assistant(message: Node, conversation: Conversation) -> None:
    """What the assistant says, or why it refuses to, then its calls."""
    words = words_at(message)
    refusal, transcript = message.member("refusal"), message.member("audio").member("transcript")
    if not words.present and not message.members("refusal", "tool_calls", "audio"):
        words.require_present()
    message.refuse("function_call", problem="Calls stand in `tool_calls`.")
    for part in (words, refusal, transcript):
        conversation.add_assistant(message_text(part))
    for call in message.member("tool_calls").items():
        call.object(required=True)
        function = _function_of(call)
        refuse_unread(call, _CALL_FIELDS)
        refuse_unread(function, _CALL_FIELDS)
        conversation.add_call(
            call.member("id").name(required=False),
            function.member("name").name(),
            earlier_arguments(function.only("arguments", "args", problem=TWICE), call.member("custom").member("input")),
        )
    # Written as no call can be: LangChain runs none of them, and answers each with an error.
    for call in message.member("invalid_tool_calls").items():
        if len(call.members("id", "name")) > 1:
            called_with = earlier_arguments(call.member("args"))
            conversation.add_call(call.member("id").name(), call.member("name").name(), called_with, tentative=True)


def _read_result(message: Node, conversation: Conversation) -> None:
    conversation.add_result(message.member("tool_call_id"), result_text(words_at(message).require_present()))


def _read_call(call: Node) -> ProposedCall:
    """The proposed call, in OpenAI's envelope or as frameworks hold it without one."""
    envelope, call = call, unpack_call(call)
    call.object(required=True)
    # Its provider runs it without asking us, unless it waits for a person by itself.
    if call.member("hosted").flag() and envelope.member("type").value != APPROVAL_REQUEST:
        call.member("hosted").note_problem("The provider runs this call by itself, so that no verdict would hold it.")
    function, custom = call.member("function"), call.member("custom")
    # Inspect writes the tool's name there.
    if not ((function.present and not isinstance(function.value, str)) or custom.present):
        return _read_flat_call(call)
    # A stream's parts have an index, and keep it when they are put together.
    call.refuse_other_fields("type", "id", "index", "function", "custom")
    inner = _function_of(call)
    if function.present and custom.present:
        custom.note_problem("A call is a function's or a custom tool's, not both.")
    elif call.member("type").value == ("custom" if function.present else "function"):
        call.member("type").note_problem(f"The call stands in “{'function' if function.present else 'custom'}”.")
    inner.object()
    # smolagents' calls may describe their tool.
    read_names = ("description", "arguments", "parsed_arguments") if function.present else ("input",)
    inner.refuse_other_fields("name", *read_names)
    place = function.member("arguments") if function.present else custom.member("input")
    parsed = function.member("parsed_arguments")
    arguments = proposed_arguments(function.member("arguments"), custom.member("input"), parsed)
    return ProposedCall(inner.member("name").name(), arguments, call.member("id").name(required=False), place)


def _read_flat_call(call: Node) -> ProposedCall:
    """A call without the envelope, under the names of whichever framework made it."""
    call.refuse_other_fields(*TYPE_NAMES, *_FLAT_NAMES, *_FLAT_ARGUMENTS, *_FLAT_IDS, *_FLAT_BESIDE)
    kind = call.first(*TYPE_NAMES)
    if kind.value not in _FLAT_TYPES:
        kind.note_problem("Must be “function” or “tool_call”, or left out.")
    call.refuse("parse_error", problem="The model's call could not be read, so nobody can review it.")
    for member in call.members(*CONTINUED):
        if member.value:
            member.note_problem(INCOMPLETE)
    place = call.only(*_FLAT_ARGUMENTS, problem=TWICE)
    arguments = proposed_arguments(place, call.member("custom"))
    name = call.only(*_FLAT_NAMES, problem="The tool's name stands in two fields; one of the two must go.")
    if parts_differ(call.object(), name.value):
        call.member("function_name").note_problem(OTHER_NAME)
    return ProposedCall(name.name(), arguments, call.first(*_FLAT_IDS).name(required=False), place)


def _function_of(call: Node) -> Node:
    """Where name and arguments stand: in the call's `function` or `custom`, or in the call itself."""
    call.member("type").expect("function", "custom")
    return call.first_or_self("function", "custom")


_READERS: Final[Mapping[str, TurnReader]] = {
    **SPEAKERS,
    "assistant": _read_assistant,
    "tool": _read_result,
    # smolagents' own roles, which it turns into those of its text agents before it sends them.
    "tool-call": SPEAKERS["assistant"],
    "tool-response": lambda message, conversation: conversation.add_user(said_in(message), by_tool=True),
}
READER: Final = ChatReader(
    name="OpenAI's chat",
    past_fields=frozenset({"messages", "systemInstruction"}),
    call_field="tool_call",
    turns_field="messages",
    read_call=_read_call,
    read_instructions=_read_instruction,
    read_turn=_read_turn,
)
parse, parse_context = READER.parse, READER.parse_context
