"""What an agent on the OpenAI chat API holds: `messages`, `tools`, and the `tool_call` it wants to make."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from reviews.provenance.formats.arguments import earlier_arguments, proposed_arguments
from reviews.provenance.formats.chat import ChatFormat, MessageReader, read_message, read_system, read_user
from reviews.provenance.formats.content import message_text, result_text
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.submission import Node


def _read_conversation(submission: Node) -> Conversation:
    conversation = Conversation()
    for message in submission.member("messages").items(required=True):
        read_message(message, conversation, _READERS)
    return conversation


def _read_assistant(message: Node, conversation: Conversation) -> None:
    """What the assistant says, or why it refuses to, then its calls."""
    conversation.add_assistant(message_text(message.first("content", "refusal")))
    for call in message.member("tool_calls").items():
        call.object(required=True)
        function = _function(call)
        conversation.add_call(
            call.member("id").text(),
            function.member("name").name(),
            earlier_arguments(function.member("arguments"), call.member("custom").member("input")),
        )


def _read_call(call: Node) -> ProposedCall:
    call.object(required=True)
    function = _function(call)
    arguments = proposed_arguments(function.member("arguments"), call.member("custom").member("input"))
    return ProposedCall(function.member("name").name(), arguments, call.member("id").name(required=False))


def _function(call: Node) -> Node:
    """Where name and arguments stand: in the call's `function` or `custom`, or in the call itself."""
    return next((inner for inner in map(call.member, ("function", "custom")) if inner.given), call)


_READERS: Final[Mapping[str, MessageReader]] = MappingProxyType(
    {
        "system": read_system,
        # The name of the system prompt for reasoning models.
        "developer": read_system,
        "user": read_user,
        "assistant": _read_assistant,
        "tool": lambda message, conversation: conversation.add_result(
            message.member("tool_call_id"), result_text(message.member("content"))
        ),
    }
)
_CHAT: Final = ChatFormat("tool_call", "messages", _read_call, _read_conversation)
parse = _CHAT.parse
parse_context = _CHAT.parse_context
