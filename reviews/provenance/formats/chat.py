"""What the chat APIs have in common: a list of turns, a list of tools, and the call that is proposed after them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.formats.continuation import EarlierPast
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.json_nodes import Node, Parsed, ParsedContext, root
from reviews.provenance.formats.message_words import said_in
from reviews.provenance.formats.observations import is_from_tool
from reviews.provenance.formats.tools import read_tools

MessageReader: TypeAlias = Callable[[Node, Conversation], None]
"""Adds what one message holds to the conversation."""


@dataclass(frozen=True)
class ChatFormat:
    """How one API's submissions are read."""

    call_field: str
    """The field of the proposed call."""
    turns_field: str
    """The field of the conversation so far."""
    read_call: Callable[[Node], ProposedCall]
    read_conversation: Callable[[Node], Conversation]
    """Reads the whole submission: system prompts may have a field of their own."""
    tool_lists: Callable[[Node], tuple[Node, ...]] = lambda submission: (submission.member("tools"),)
    """Every list of tools in the submission."""

    def parse(
        self,
        body: dict[str, JsonValue],
        *,
        trust_annotations: bool = False,
        now: datetime | None = None,
        earlier: EarlierPast | None = None,
    ) -> Parsed:
        """The submission as a case; the user's first text is the request. Raises `FormatError`, naming wrong fields."""
        submission = root(body, earlier)
        # In this order problems are listed: the proposed call first, the tools last.
        call = self.read_call(submission.member(self.call_field))
        conversation = self.read_conversation(submission)
        subtask = submission.member("subtask").text()
        tools = self._read_tools(submission, trust_annotations=trust_annotations)
        return conversation.parsed(submission.member(self.turns_field), call, subtask=subtask, tools=tools, now=now)

    def parse_context(
        self, body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None
    ) -> ParsedContext:
        """The conversation alone. Raises `FormatError` naming each wrong field."""
        submission = root(body)
        tools = self._read_tools(submission, trust_annotations=trust_annotations)
        conversation = self.read_conversation(submission)
        return conversation.parsed_context(submission.member(self.turns_field), tools=tools, now=now)

    def _read_tools(self, submission: Node, *, trust_annotations: bool) -> tuple[ToolDoc, ...]:
        return read_tools(*self.tool_lists(submission), trust_annotations=trust_annotations)


def read_message(message: Node, conversation: Conversation, readers: Mapping[str, MessageReader]) -> None:
    """Add one message by the reader of its role; a role without one is wrong."""
    message.object(required=True)
    role = message.member("role")
    name = role.text(required=True)
    if name in readers:
        readers[name](message, conversation)
    elif name:
        *earlier_roles, last = (f"“{role_name}”" for role_name in readers)
        role.note_problem(f"Must be {', '.join(earlier_roles)} or {last}.")


def read_system(message: Node, conversation: Conversation) -> None:
    """Add a message that is a system prompt."""
    conversation.add_system(said_in(message))


def read_user(message: Node, conversation: Conversation) -> None:
    """Add a message that stands under the user's name; text agents hand tools' results back under it."""
    conversation.add_user(said_in(message), by_tool=is_from_tool(message))
