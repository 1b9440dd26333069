"""What the chat APIs have in common: a list of turns, a list of tools, and the call that is proposed after them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.format_reader import FormatReader, Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import Node
from reviews.provenance.formats.message_words import said_in
from reviews.provenance.formats.observations import is_from_tool
from reviews.provenance.formats.tools import read_tools

TurnReader: TypeAlias = Callable[[Node, Conversation], None]
"""Adds to the conversation what stands in one place."""


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
        call = self.read_call(submission.member(self.call_field))
        conversation = self._read_conversation(submission)
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
    conversation.add_system(said_in(message))


# Whoever only says something.
SPEAKERS: Final[Mapping[str, TurnReader]] = {
    "system": _read_system,
    # The name of the system prompt for reasoning models.
    "developer": _read_system,
    # Text agents hand tools' results back under the user's name.
    "user": lambda message, conversation: conversation.add_user(said_in(message), by_tool=is_from_tool(message)),
    "assistant": lambda message, conversation: conversation.add_assistant(said_in(message)),
}
