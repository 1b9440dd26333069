"""What the chat APIs have in common: a list of turns, a list of tools, and the call that is proposed after them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from reviews.provenance.formats.content import message_text, refuse_unread, text_and_attachments
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.format_reader import FormatReader, Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import Node, name_set
from reviews.provenance.formats.model_answers import words_beside
from reviews.provenance.formats.observations import is_from_tool, refuse_tools_word
from reviews.provenance.formats.tools import read_tools

TurnReader: TypeAlias = Callable[[Node, Conversation], None]
"""Adds to the conversation what stands in one place."""
# Where a message has its words. Whoever writes the name comes behind it. The first is also meant where none is given.
_WORDS: Final = (
    "content",  # OpenAI, Anthropic
    "contents",  # Agent Framework
    "parts",  # Google, AI SDK
    "blocks",  # LlamaIndex
    "items",  # Semantic Kernel
    "text",
    "message",
)
# What frameworks and providers add to a message that is neither said by whoever speaks nor a call.
_BESIDE: Final = name_set("""
    _id additional_kwargs additional_properties ai_model_id annotations author author_name cache_control citations
    compressed_content content_type conversation_id createdAt created_at encoding end_turn finish_reason from_history
    id index internal kind logprobs message_id metadata metrics model model_id model_name name phase provider_data
    provider_details provider_name provider_response_id provider_specific_fields raw response_metadata role run_id
    source status stop_reason stop_sequence temporary timestamp token_usage tool_name type usage usage_metadata
    user_id weight
""")
# What a model thought, and what a reader of the role looks into by itself.
_SILENT: Final = name_set("""
    reasoning reasoning_content reasoning_details redacted_reasoning_content thinking thinking_blocks thought
""")
_READ: Final = frozenset(
    {"artifact", "audio", "from", "invalid_tool_calls", "refusal", "tool_args", "tool_call_id", "tool_calls"}
)
_MESSAGE_FIELDS: Final = _BESIDE.union(_SILENT, _READ, _WORDS)
# Roles whose every word counts, so that not even one may be passed over.
_TRUSTED: Final = ("user", "system", "developer")


@dataclass(frozen=True, kw_only=True)
class ChatReader(FormatReader):
    """How one API's submissions are read."""

    turns_field: str
    """The field of the conversation so far."""
    read_call: Callable[[Node], ProposedCall]
    read_instructions: TurnReader
    """Reads the system prompts that have a field of their own in the submission."""
    read_turn: TurnReader
    tool_lists: Callable[[Node], tuple[Node, ...]] = lambda submission: (submission.member("tools"),)
    """Every list of tools in the submission."""
    takes_text: bool = False
    """The API takes a single text for a conversation of one user message."""

    def read_case(self, submission: Node, *, trust_annotations: bool) -> Parsed:
        """The proposed call after the conversation; the user's first text is the request."""
        # In this order problems are listed: the proposed call first, the tools last.
        answer = submission.member(self.call_field)
        call = self.read_call(answer)
        conversation = self._read_conversation(submission)
        conversation.add_answer(words_beside(answer), call)
        subtask = submission.member("subtask").text()
        tools = read_tools(*self.tool_lists(submission), trust_annotations=trust_annotations)
        return conversation.parsed(submission.member(self.turns_field), call, subtask=subtask, tools=tools)

    def read_context(self, submission: Node, *, trust_annotations: bool) -> ParsedContext:
        """The conversation alone: everything in it has happened."""
        tools = read_tools(*self.tool_lists(submission), trust_annotations=trust_annotations)
        conversation = self._read_conversation(submission)
        return conversation.parsed_context(submission.member(self.turns_field), tools=tools)

    def _read_conversation(self, submission: Node) -> Conversation:
        conversation = Conversation(submission.notes.earlier)
        self.read_instructions(submission, conversation)
        turns = submission.member(self.turns_field)
        if self.takes_text and isinstance(turns.value, str):
            conversation.begin_message()
            conversation.add_user(turns.text(required=True))
            return conversation
        for turn in turns.items(required=True):
            conversation.begin_message()
            self.read_turn(turn, conversation)
        return conversation


def words_at(message: Node) -> Node:
    """Where a message has its words. Two such places, other fields with words, and none at all are wrong."""
    members = message.members(*_WORDS)
    members_with_words = [member for member in members if member.value not in ("", [])]
    refuse_unread(message, _MESSAGE_FIELDS, every_word=message.member("role").value in _TRUSTED)
    for member in members_with_words[1:]:
        # Some keep the same text in two fields.
        if message_text(member) != message_text(members_with_words[0]):
            member.note_problem("The message says something else in another field; one of the two must go.")
    return next(iter((*members_with_words, *members)), message.member(_WORDS[0]))


def said_in(message: Node) -> str:
    """What a message says, as text. A message that says nothing has an empty text; one without any is wrong."""
    return message_text(words_at(message).require_present())


def read_message(message: Node, conversation: Conversation, readers: Mapping[str, TurnReader]) -> None:
    """Add one message by the reader of its role; a role without one is wrong."""
    message.object(required=True)
    role = message.member("role")
    name = role.text(required=True)
    if name in readers:
        readers[name](message, conversation)
    elif name:
        role.expect(*readers)


def _read_system(message: Node, conversation: Conversation) -> None:
    refuse_tools_word(message)
    conversation.add_system(said_in(message))


def read_user(message: Node, conversation: Conversation) -> None:
    """What stands under the user's name: text agents hand tools' results back under it."""
    words, by_tool = words_at(message).require_present(), is_from_tool(message)
    text, attachments = (message_text(words), []) if by_tool else text_and_attachments(words)
    conversation.add_user(text, by_tool=by_tool)
    conversation.add_attachments(attachments)


# Whoever only says something.
SPEAKERS: Final[Mapping[str, TurnReader]] = {
    "system": _read_system,
    # The name of the system prompt for reasoning models.
    "developer": _read_system,
    "user": read_user,
    "assistant": lambda message, conversation: conversation.add_assistant(said_in(message)),
}
