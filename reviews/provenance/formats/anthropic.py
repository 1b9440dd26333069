"""What an agent on the Anthropic Messages API holds: `system`, `messages`, `tools`, and the `tool_use` it wants."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from reviews.provenance.formats.arguments import earlier_object
from reviews.provenance.formats.chat import ChatReader, TurnReader, read_message, words_at
from reviews.provenance.formats.content import mark_failure, part_text, refuse_unread, result_text, text_and_attachments
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.framework_events import CALL_OF_ANOTHER
from reviews.provenance.formats.json_nodes import Node, name_set
from reviews.provenance.formats.model_answers import find_item
from reviews.provenance.formats.observations import is_from_tool, refuse_tools_word

# How the types of blocks end that are no text. The tools a server runs have types of their own with the same endings,
# such as `server_tool_use` and `web_search_tool_result`.
_EVENT_ENDINGS: Final = ("tool_use", "tool_result", "mid_conv_system")
# What such a block may hold that is read, or tells of it.
_EVENT_FIELDS: Final = name_set("caller cache_control content id input is_error name tool_use_id type")


def _read_turn(message: Node, conversation: Conversation) -> None:
    message.refuse("tool_calls", problem="This is how OpenAI tells calls; here they are blocks of the content.")
    read_message(message, conversation, _READERS)


def _read_call(block: Node) -> ProposedCall:
    block = find_item(block, "content", "tool_use")
    block.object(required=True)
    # Left out by agents that hold the block without its envelope.
    block.member("type").expect("tool_use")
    block.refuse_other_fields("type", "id", "name", "input", "caller", "cache_control", "toolset_name")
    # Another set may hold a tool of the same name, and the tools of a submission stand in no sets.
    block.refuse("toolset_name", problem="Tools of a toolset are not told apart here; send the call without it.")
    name, arguments = block.member("name").name(), block.member("input")
    return ProposedCall(name, arguments.record_object(), block.member("id").name(required=False), arguments)


def _read_system(prompt: Node, conversation: Conversation) -> None:
    """A system prompt; every block of it is a source of its own."""
    if not isinstance(prompt.value, list):
        conversation.add_system(prompt.text())
        return
    for block in prompt.items():
        block.object(required=True)
        conversation.add_system(part_text(block) or "")


def _read_instructions(message: Node, conversation: Conversation) -> None:
    refuse_tools_word(message)
    _read_system(words_at(message).require_present(), conversation)


def _read_blocks(message: Node, conversation: Conversation) -> None:
    """The blocks of a message in order; texts that follow each other are one message."""
    content, role = words_at(message).require_present(), message.member("role").value
    by_tool = is_from_tool(message) if role == "user" else None
    speak = partial(conversation.add_user, by_tool=by_tool) if role == "user" else conversation.add_assistant
    if not isinstance(content.value, list):
        speak(content.text())
        return
    texts: list[str] = []
    for block in content.items():
        block.object(required=True)
        kind = block.member("type").value
        # What a tool says may look like calls, results and instructions, and is its own word.
        if by_tool or not (isinstance(kind, str) and kind.endswith(_EVENT_ENDINGS)):
            is_from_user = role == "user" and not by_tool
            text, attachments = text_and_attachments(block) if is_from_user else (part_text(block) or "", [])
            texts.append(text)
            conversation.add_attachments(attachments)
            continue
        speak("\n".join(filter(None, texts)))
        texts.clear()
        _read_event(block, kind, role == "assistant", conversation)
    speak("\n".join(filter(None, texts)))


def _read_event(block: Node, kind: str, by_assistant: bool, conversation: Conversation) -> None:
    """A call, a result, or instructions in the course of the conversation."""
    refuse_unread(block, _EVENT_FIELDS)
    if kind.endswith("tool_use"):
        if not by_assistant:
            block.member("type").note_problem(CALL_OF_ANOTHER)
        conversation.add_call(
            block.member("id").text(), block.member("name").name(), earlier_object(block.member("input"))
        )
    elif kind.endswith("tool_result"):
        text = result_text(block.member("content"))
        failed = block.member("is_error").flag()
        # What a server's own tool returns stands in the assistant's message and does not end its turn.
        conversation.add_result(
            block.member("tool_use_id"), mark_failure(text) if failed else text, within=by_assistant
        )
    else:
        _read_system(block.member("content"), conversation)


_READERS: Final[Mapping[str, TurnReader]] = {
    "user": _read_blocks,
    "assistant": _read_blocks,
    "system": _read_instructions,
}
READER: Final = ChatReader(
    name="Anthropic's Messages",
    past_fields=frozenset({"messages", "system"}),
    call_field="tool_use",
    turns_field="messages",
    read_call=_read_call,
    read_instructions=lambda submission, conversation: _read_system(submission.member("system"), conversation),
    read_turn=_read_turn,
)
parse, parse_context = READER.parse, READER.parse_context
