"""What an agent on the OpenAI Responses API holds: `input` items, flat `tools`, the `function_call` it wants."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from reviews.provenance.core.context import JsonValue, ToolDoc
from reviews.provenance.formats.arguments import earlier_arguments, proposed_arguments
from reviews.provenance.formats.content import THOUGHTS, failure, placeholder, returned, said
from reviews.provenance.formats.conversation import Conversation, Proposed
from reviews.provenance.formats.reading import LONGEST_NAME, Node, Parsed, Told, root
from reviews.provenance.formats.tools import called, read_tools

_SILENT: Final = THOUGHTS | {"compaction_trigger", "configuration_update"}
"""Items that are neither said nor done."""
_OWN: Final = ("function_call", "custom_tool_call")
_PROPOSABLE: Final = (None, *_OWN, "mcp_approval_request")
_OUTCOMES: Final = ("output", "outputs", "results", "result")
_NO_ARGUMENTS: Final = frozenset(
    """
    acknowledged_safety_checks approval_request_id call_id caller container_id environment error id name namespace
    pending_safety_checks server_label status type
    """.split()
).union(_OUTCOMES)
"""What a hosted tool's item holds besides what the tool was asked to do."""


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case; the first user message is the request. Raises `FormatError`."""
    submission = root(body)
    proposed = _proposed(submission.member("function_call"))
    return _told(submission).parsed(
        submission.member("input"),
        proposed,
        subtask=submission.member("subtask").text(),
        tools=_all_tools(submission, trust_annotations=trust_annotations),
        now=now,
    )


def parse_context(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """The conversation alone. Raises `FormatError` naming each wrong field."""
    submission = root(body)
    tools = _all_tools(submission, trust_annotations=trust_annotations)
    return _told(submission).told(submission.member("input"), tools=tools, now=now)


def _told(submission: Node) -> Conversation:
    conversation = Conversation()
    conversation.instruct(submission.member("instructions").text())
    told = submission.member("input")
    if isinstance(told.value, str):
        conversation.user(told.text(required=True))
    for item in _items(told):
        _read(item, conversation)
    return conversation


def _items(told: Node) -> Iterator[Node]:
    return iter(()) if isinstance(told.value, str) else told.items(required=True)


def _all_tools(submission: Node, *, trust_annotations: bool) -> tuple[ToolDoc, ...]:
    """The request's own tools, and those that items of the conversation add."""
    lists = (listed for item in _items(submission.member("input")) if (listed := _tools(item)) is not None)
    return read_tools(submission.member("tools"), *lists, trust_annotations=trust_annotations)


def _proposed(call: Node) -> Proposed:
    call.object(required=True)
    if call.member("type").value not in _PROPOSABLE:
        call.member("type").wrong("Must be “function_call”, “custom_tool_call” or “mcp_approval_request”.")
    arguments = _free_text(call) or proposed_arguments(call.member("arguments"))
    return Proposed(_name(call), arguments, call.first("call_id", "id").name(required=False))


def _tools(item: Node) -> Node | None:
    """The tools an item adds to the request's own."""
    match item.member("type").value:
        case "mcp_list_tools":
            return item
        case "additional_tools" | "tool_search_output":
            return item.member("tools")
        case _:
            return None


def _read(item: Node, conversation: Conversation) -> None:
    item.object(required=True)
    kind = item.member("type").name(required=False) or ("message" if item.member("role").given else "")
    match kind:
        case "message":
            _message(item, conversation)
        case "item_reference":
            item.wrong("What this refers to cannot be seen from here; send the item itself.")
        case "mcp_approval_request":
            conversation.call(item.member("id").text(), _name(item), _asked(item), tentative=True)
        case "mcp_approval_response":
            _approval(item, conversation)
        case "":
            item.member("type").wrong("This field is required.")
        case _ if kind not in _SILENT and _tools(item) is None:
            _event(item, kind, conversation)


def _message(item: Node, conversation: Conversation) -> None:
    role = item.member("role")
    match role.text(required=True):
        case "system" | "developer":
            conversation.instruct(said(item.member("content")))
        case "user":
            conversation.user(said(item.member("content")))
        case "assistant":
            conversation.say(said(item.member("content")))
        case "":
            pass
        case _:
            role.wrong("Must be “system”, “developer”, “user” or “assistant”.")


def _event(item: Node, kind: str, conversation: Conversation) -> None:
    """A call or a result, of the agent's own functions and of the tools its provider runs alike."""
    if kind.endswith("_output"):
        conversation.result(item.first("call_id", "id"), _outcome(item) or "")
    elif kind.endswith("_call") or kind == "program":
        _call(item, kind, conversation)
    else:
        conversation.say(placeholder(item))


def _call(item: Node, kind: str, conversation: Conversation) -> None:
    """A hosted tool goes by its type, and its item may hold the result as well."""
    own = kind in _OWN
    tool = _name(item) if own or item.member("name").given else kind.removesuffix("_call")
    outcome = None if own else _outcome(item)
    if outcome is None:
        conversation.call(item.first("call_id", "id").text(), tool, _asked(item))
    else:
        conversation.done(tool, _asked(item), outcome)


def _approval(item: Node, conversation: Conversation) -> None:
    """A refused call keeps its refusal as what came of it; a granted one follows as a call of its own."""
    if item.member("approve").flag(default=False):
        return
    reason = item.member("reason").text()
    conversation.result(item.member("approval_request_id"), f"Declined: {reason}" if reason else "Declined.")


def _name(call: Node) -> str:
    namespace, name = call.member("namespace").name(required=False), call.member("name").name()
    if len(called(namespace, name)) > LONGEST_NAME:
        call.member("name").wrong(f"With its namespace it is longer than {LONGEST_NAME} characters.")
    return called(namespace, name)


def _free_text(call: Node) -> dict[str, Any]:
    """The arguments of a custom tool's call: one free text. Empty for every other call."""
    text = call.member("input")
    return {"input": text.text()} if text.given else {}


def _asked(item: Node) -> dict[str, Any]:
    """What a tool was asked to do: its arguments, or whatever its item says about it."""
    if item.member("arguments").given:
        return earlier_arguments(item.member("arguments"))
    return item.keep({name: value for name, value in item.object().items() if name not in _NO_ARGUMENTS})


def _outcome(item: Node) -> str | None:
    """What came of a call; None where the item does not say. An image is not read."""
    if item.member("error").given:
        return failure(returned(item.member("error")))
    if item.member("type").value == "image_generation_call":
        return "[image]" if item.member("result").given else None
    outcome = item.first(*_OUTCOMES)
    return returned(outcome) if outcome.given else None
