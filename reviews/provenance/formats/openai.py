"""What an agent on the OpenAI chat API holds: `messages`, `tools`, and the `tool_call` it wants to make."""

from datetime import datetime
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.arguments import earlier_arguments, proposed_arguments
from reviews.provenance.formats.content import returned, said
from reviews.provenance.formats.conversation import Conversation, Proposed
from reviews.provenance.formats.reading import Node, Parsed, Told, root
from reviews.provenance.formats.tools import read_tools

_TYPES: Final = (None, "function", "custom")
"""What a call may be; a call without a type is a function's."""


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case; the first user message is the request. Raises `FormatError` naming each wrong field."""
    submission = root(body)
    proposed = _proposed(submission.member("tool_call"))
    return _told(submission).parsed(
        submission.member("messages"),
        proposed,
        subtask=submission.member("subtask").text(),
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        now=now,
    )


def parse_context(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """The conversation alone. Raises `FormatError` naming each wrong field."""
    submission = root(body)
    tools = read_tools(submission.member("tools"), trust_annotations=trust_annotations)
    return _told(submission).told(submission.member("messages"), tools=tools, now=now)


def _told(submission: Node) -> Conversation:
    conversation = Conversation()
    for message in submission.member("messages").items(required=True):
        _read(message, conversation)
    return conversation


def _read(message: Node, conversation: Conversation) -> None:
    message.object(required=True)
    role = message.member("role")
    match role.text(required=True):
        case "system" | "developer":
            conversation.instruct(said(message.member("content")))
        case "user":
            conversation.user(said(message.member("content")))
        case "assistant":
            conversation.say(said(message.first("content", "refusal")))
            for call in message.member("tool_calls").items():
                _call(call, conversation)
        case "tool":
            conversation.result(message.member("tool_call_id"), returned(message.member("content")))
        case "":
            pass
        case _:
            role.wrong("Must be “system”, “developer”, “user”, “assistant” or “tool”.")


def _call(call: Node, conversation: Conversation) -> None:
    call.object(required=True)
    conversation.call(
        call.member("id").name(required=False), _name(call), _free_text(call) or earlier_arguments(_arguments(call))
    )


def _proposed(call: Node) -> Proposed:
    call.object(required=True)
    arguments = _free_text(call) or proposed_arguments(_arguments(call))
    return Proposed(_name(call), arguments, call.member("id").name(required=False))


def _function(call: Node) -> Node:
    """Where a call's name and arguments stand: inside the field its type names, or in the call itself."""
    if call.member("type").value not in _TYPES:
        call.member("type").wrong("Must be “function” or “custom”.")
    return next((inner for inner in map(call.member, ("function", "custom")) if inner.given), call)


def _name(call: Node) -> str:
    return _function(call).member("name").name()


def _arguments(call: Node) -> Node:
    return _function(call).member("arguments")


def _free_text(call: Node) -> dict[str, Any]:
    """The arguments of a custom tool's call: one free text. Empty for every other call."""
    text = call.member("custom").member("input")
    return {"input": text.text()} if text.given else {}
