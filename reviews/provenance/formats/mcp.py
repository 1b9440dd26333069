"""What an agent on MCP servers holds: `tools/list` results, `tools/call` requests and their results."""

import json
from typing import Final

from reviews.provenance.core.context import JsonValue, ProposedAction, Step, ToolDoc
from reviews.provenance.formats.arguments import earlier_object, require_arguments
from reviews.provenance.formats.content import as_json, mark_failure, refuse_unread, result_text
from reviews.provenance.formats.json_nodes import MAX_NAME_LENGTH, Node, name_set
from reviews.provenance.formats.native import HistoryReader

# What a request says about itself, by the protocol's names and by those of its Python package.
_BESIDE_ARGUMENTS: Final = ("_meta", "meta", "task", "requestState", "request_state")
_ANSWERS: Final = ("inputResponses", "input_responses")
# What a result may hold that is read, or tells of it.
_RESULT_FIELDS: Final = name_set("_meta content isError meta resultType structuredContent task toolResult")
_BESIDE_ENVELOPE: Final = "A JSON-RPC response holds this in its `result`, and none beside an `error`."
# Ids beyond 64 bits are no longer exact in most JSON readers, and nobody counts so far.
_ID_LIMIT: Final = 2**63


def _read_action(submission: Node, tools: tuple[ToolDoc, ...]) -> tuple[ProposedAction, str]:
    call = submission.member("call")
    params = _params_of_call(call)
    subtask = submission.member("subtask").text() or None
    arguments = params.member("arguments")
    action = ProposedAction(params.member("name").name(), arguments.record_object(), subtask)
    require_arguments(arguments, action.tool, tools)
    request = call.member("id")
    return action, _earlier_id(request) or request.name(required=False)


def _params_of_call(call: Node) -> Node:
    """The parameters of a call: as they are, or inside the JSON-RPC request that carries them."""
    call.object(required=True)
    call.member("jsonrpc").expect("2.0")
    method = call.member("method")
    params = call.member("params") if method.present else call
    if method.present:
        call.refuse_other_fields("jsonrpc", "id", "method", "params")
        method.expect("tools/call")
        params.object(required=True)
    # The id of the request that carries them, where only the rest of its envelope was left out.
    envelope = () if method.present else ("jsonrpc", "id")
    params.refuse_other_fields(*envelope, "name", "arguments", *_BESIDE_ARGUMENTS, *_ANSWERS)
    params.refuse(*_ANSWERS, problem="Answers to a server are arguments that nobody would review here.")
    return params


def _earlier_id(request: Node) -> str:
    """The id of a request: text or a whole number; empty for what is none, which nobody can name then."""
    value = request.value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _ID_LIMIT:
        return str(value)
    return value if isinstance(value, str) and len(value) <= MAX_NAME_LENGTH else ""


def _read_step(item: Node) -> Step:
    item.refuse_other_fields("call", "result", "subtask")
    params = _params_of_call(item.member("call"))
    result, subtask = item.member("result"), item.member("subtask").text() or None
    outcome = _outcome_of_result(result) if result.present else None
    return Step(params.member("name").name(), earlier_object(params.member("arguments")), outcome, subtask)


def _outcome_of_result(result: Node) -> str | None:
    """The text of a call's result, as it is or inside its JSON-RPC response; None where the call has not ended yet."""
    result.object(required=True)
    envelope = next(iter(result.members("error", "jsonrpc")), None)
    if envelope is not None:
        # What stands beside it the agent may have read in its place.
        result.refuse("content", "structuredContent", "toolResult", problem=_BESIDE_ENVELOPE)
    if result.member("error").present:
        return mark_failure(result_text(result.member("error").member("message")))
    if result.member("jsonrpc").present:
        result = result.member("result")
        result.object(required=True)
    refuse_unread(result, _RESULT_FIELDS)
    if result.members("content", "structuredContent"):
        return _content_text(result)
    # The first version of the protocol (2024-10-07) called it so.
    if result.member("toolResult").present:
        return result_text(result.member("toolResult"))
    # A server that asks for more input, or that works in the background, has no result so far.
    if result.member("resultType").value != "input_required" and not result.member("task").present:
        result.note_problem("Must hold “content” or “structuredContent”.")
    return None


def _content_text(result: Node) -> str:
    """Content, and the structured content where no text says the same: servers are asked to send it twice."""
    content, structured = result.member("content"), result.member("structuredContent")
    texts = [result_text(content)]
    if structured.present and not _is_repeated(structured.value, content):
        texts.append(as_json(structured))
    text = "\n".join(filter(None, texts))
    return mark_failure(text) if result.member("isError").flag() else text


def _is_repeated(structured: JsonValue, content: Node) -> bool:
    """Whether one of the content's texts is the structured value as JSON."""
    for part in content.value if isinstance(content.value, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        try:
            if isinstance(text, str) and json.loads(text) == structured:
                return True
        except (ValueError, RecursionError):
            # Prose, most of the time.
            continue
    return False


READER: Final = HistoryReader(
    name="MCP",
    call_field="call",
    read_action=_read_action,
    read_step=_read_step,
    id_of_step=lambda item: _earlier_id(item.member("call").member("id")),
)
parse, parse_context = READER.parse, READER.parse_context
