"""What an agent on the OpenAI Responses API holds: `input` items, flat `tools`, the `function_call` it wants."""

from collections.abc import Sequence
from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.arguments import TWICE, earlier_arguments, proposed_arguments
from reviews.provenance.formats.chat import SPEAKERS, ChatReader, read_message
from reviews.provenance.formats.content import THOUGHTS, mark_failure, placeholder_of, refuse_unread, result_text
from reviews.provenance.formats.conversation import Conversation, ProposedCall
from reviews.provenance.formats.json_nodes import Node, name_set
from reviews.provenance.formats.model_answers import find_item
from reviews.provenance.formats.tools import qualified_name

# Items that are neither said nor done.
_SILENT: Final = THOUGHTS | {"compaction_trigger", "configuration_update"}
# The calls that the agent runs itself; every other one its provider runs.
_OWN_CALLS: Final = ("function_call", "custom_tool_call")
# A request for approval is a call that waits for a yes.
_PROPOSABLE: Final = (*_OWN_CALLS, "mcp_approval_request")
# What a proposed call may hold: the API's fields and what its clients add. `args` is Gemini's, whose call has no type.
_CALL_FIELDS: Final = tuple(
    """
    type id call_id name namespace arguments args input parsed_arguments async async_ caller created_by server_label
    status
    """.split()
)
# Hosted tools call their result by different names; the first that is given counts.
_OUTCOMES: Final = ("output", "outputs", "results", "result")
# What a hosted tool's item holds besides what the tool was asked to do.
_NO_ARGUMENTS: Final = name_set("""
    acknowledged_safety_checks approval_request_id call_id caller container_id environment error id name namespace
    pending_safety_checks server_label status type
""").union(_OUTCOMES)


def _tool_lists(submission: Node) -> tuple[Node, ...]:
    """The request's own tools, and those that items of the conversation add."""
    turns = submission.member("input")
    items = () if isinstance(turns.value, str) else turns.items(required=True)
    added = (tools for item in items if (tools := _added_tools(item)) is not None)
    return (submission.member("tools"), *added)


def _added_tools(item: Node) -> Node | None:
    """The tools an item adds to the request's own; None for an item that adds none."""
    match item.member("type").value:
        case "mcp_list_tools":
            return item
        case "additional_tools" | "tool_search_output":
            return item.member("tools")
    return None


def _read_call(call: Node) -> ProposedCall:
    call = find_item(call, "output", *_PROPOSABLE)
    call.object(required=True)
    # Left out by agents that hold the call without its envelope.
    call.member("type").expect(*_PROPOSABLE)
    call.refuse_other_fields(*_CALL_FIELDS)
    text, place = call.member("input"), call.only("arguments", "args", problem=TWICE)
    # `input` is a custom tool's only, and `arguments` every other's.
    misplaced = place if call.member("type").value == "custom_tool_call" else text
    if call.member("type").present and misplaced.present:
        misplaced.note_problem("A call of this type has no such field.")
    arguments = proposed_arguments(place, text, call.member("parsed_arguments"))
    call_id = call.first("call_id", "id").name(required=False)
    return ProposedCall(_tool_name(call), arguments, call_id, text if text.present else place)


def _read_item(item: Node, conversation: Conversation) -> None:
    item.object(required=True)
    # The API lets a message leave its type out.
    kind = item.member("type").name(required=False) or ("message" if item.member("role").present else "")
    match kind:
        case "message":
            read_message(item, conversation, SPEAKERS)
        case "item_reference":
            item.note_problem("What this refers to cannot be seen from here; send the item itself.")
        case "mcp_approval_request":
            conversation.add_call(item.member("id").text(), _tool_name(item), _request_of(item), tentative=True)
        case "mcp_approval_response":
            # A granted call follows as one of its own; a refused one keeps its refusal as its outcome.
            if not item.member("approve").flag():
                reason = item.member("reason").text()
                outcome = f"Declined: {reason}" if reason else "Declined."
                conversation.add_result(item.member("approval_request_id"), outcome)
        case "":
            item.member("type").note_problem("This field is required.")
        case _ if kind not in _SILENT and _added_tools(item) is None:
            _read_event(item, kind, conversation)


def _read_event(item: Node, kind: str, conversation: Conversation) -> None:
    """A call or a result, of the agent's own functions and of the tools its provider runs alike."""
    if kind.endswith("_output"):
        refuse_unread(item, _NO_ARGUMENTS)
        conversation.add_result(item.first("call_id", "id"), _outcome_of(item) or "")
        return
    if not kind.endswith("_call") and kind != "program":
        refuse_unread(item, frozenset({"type"}))
        conversation.add_assistant(placeholder_of(item))
        return
    is_own_call = kind in _OWN_CALLS
    if is_own_call:
        refuse_unread(item, _NO_ARGUMENTS.union(_CALL_FIELDS))
    # A hosted tool goes by its type, and its item may hold the result as well.
    tool = _tool_name(item) if is_own_call or item.member("name").present else kind.removesuffix("_call")
    outcome = None if is_own_call else _outcome_of(item)
    if outcome is None:
        conversation.add_call(item.first("call_id", "id").text(), tool, _request_of(item))
    else:
        conversation.add_answered_call(tool, _request_of(item), outcome)


def _tool_name(call: Node) -> str:
    name = call.member("name")
    return qualified_name(call.member("namespace").name(required=False), name.name(), name)


def _request_of(item: Node) -> dict[str, Any]:
    """What a tool was asked to do: its arguments, or whatever else its item says."""
    if item.member("arguments").present:
        return earlier_arguments(item.member("arguments"))
    return item.record_object({name: value for name, value in item.object().items() if name not in _NO_ARGUMENTS})


def _outcome_of(item: Node) -> str | None:
    """The result of a call; None where the item does not say."""
    if item.member("error").present:
        return mark_failure(result_text(item.member("error")))
    # The image stands here as base64, which nobody reads.
    if item.member("type").value == "image_generation_call":
        return "[image]" if item.member("result").present else None
    outcome = item.first(*_OUTCOMES)
    return result_text(outcome) if outcome.present else None


def response_items(turn: Sequence[JsonValue], call_id: str) -> list[JsonValue]:
    """What the model wrote of a turn, without its thoughts; nothing where the call of this id is not among it.

    `turn` are items that were read. Behind the model's last one stand results of its calls, or what others have said
    since.
    """
    items = [item for item in turn if isinstance(item, dict) and item.get("type") not in _SILENT]
    last = max((at for at, item in enumerate(items) if _is_written_by_model(item)), default=-1)
    model_items = items[: last + 1]
    calls = (item for item in model_items if item.get("type") in _PROPOSABLE)
    is_among_them = any(call_id == (item.get("call_id") or item.get("id")) for item in calls)
    return [*model_items] if is_among_them else []


def _is_written_by_model(item: dict[str, JsonValue]) -> bool:
    kind = item.get("type") or "message"
    if kind == "message":
        return item.get("role") == "assistant"
    return not str(kind).endswith(("_output", "_response")) and kind != "additional_tools"


READER: Final = ChatReader(
    name="OpenAI's Responses",
    past_fields=frozenset({"input", "instructions"}),
    call_field="function_call",
    turns_field="input",
    read_call=_read_call,
    read_instructions=lambda submission, conversation: conversation.add_system(
        submission.member("instructions").text()
    ),
    read_turn=_read_item,
    tool_lists=_tool_lists,
    takes_text=True,
)
parse, parse_context = READER.parse, READER.parse_context
