"""What an agent on MCP servers holds: `tools/list` results, `tools/call` requests and their results."""

import json
from datetime import datetime
from typing import Final

from reviews.provenance.core.context import Case, JsonValue, Message, ProposedAction, Step
from reviews.provenance.formats.content import as_json, failure, returned
from reviews.provenance.formats.native import read_context, read_message
from reviews.provenance.formats.reading import Node, Parsed, Told, root

_METHOD: Final = "tools/call"


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case. Raises `FormatError` naming every wrong field."""
    submission = root(body)
    context = read_context(submission, _turn, trust_annotations=trust_annotations, now=now)
    call = submission.member("call")
    params = _params(call)
    subtask = submission.member("subtask").text() or None
    action = ProposedAction(params.member("name").name(), params.member("arguments").kept(), subtask)
    return submission.parsed(Case(context, action), call_id=_id(call), history_given=submission.member("history").given)


def parse_context(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """The submission's context alone. Raises `FormatError` naming every wrong field."""
    submission = root(body)
    context = read_context(submission, _turn, trust_annotations=trust_annotations, now=now)
    return submission.told(context, history_given=submission.member("history").given)


def _params(call: Node) -> Node:
    """The parameters of a call: as they are, or inside the JSON-RPC request that carries them."""
    call.object(required=True)
    if call.member("jsonrpc").value not in (None, "2.0"):
        call.member("jsonrpc").wrong("Must be “2.0”.")
    method = call.member("method")
    if not method.given:
        return call
    if method.value != _METHOD:
        method.wrong(f"Must be “{_METHOD}”.")
    params = call.member("params")
    params.object(required=True)
    return params


def _id(call: Node) -> str:
    """The JSON-RPC request's id: text or a whole number."""
    request = call.member("id")
    if isinstance(request.value, int) and not isinstance(request.value, bool) and abs(request.value) < 2**63:
        return str(request.value)
    return request.name(required=False)


def _turn(item: Node) -> Step | Message:
    item.object(required=True)
    if item.member("role").given:
        return read_message(item)
    item.only("call", "result", "subtask")
    params = _params(item.member("call"))
    result, subtask = item.member("result"), item.member("subtask").text() or None
    outcome = _outcome(result) if result.given else None
    return Step(params.member("name").name(), params.member("arguments").kept(), outcome, subtask)


def _outcome(result: Node) -> str | None:
    """The text of a call's result; None where the call has not ended yet."""
    result.object(required=True)
    if result.member("error").given:
        return failure(returned(result.member("error").member("message")))
    if result.member("jsonrpc").given:
        result = result.member("result")
        result.object(required=True)
    if result.member("content").given or result.member("structuredContent").given:
        return _told(result)
    if result.member("toolResult").given:
        return returned(result.member("toolResult"))
    # A server that asks for more input, or that works in the background, has no result so far.
    if result.member("resultType").value != "input_required" and not result.member("task").given:
        result.wrong("Must hold “content” or “structuredContent”.")
    return None


def _told(result: Node) -> str:
    """Content, and the structured content where no text says the same: servers are asked to send it twice."""
    content, structured = result.member("content"), result.member("structuredContent")
    texts = [returned(content)]
    if structured.given and not _says(content, structured.value):
        texts.append(as_json(structured))
    text = "\n".join(filter(None, texts))
    return failure(text) if result.member("isError").flag(default=False) else text


def _says(content: Node, structured: JsonValue) -> bool:
    parts = content.value if isinstance(content.value, list) else []
    return any(_same(part["text"], structured) for part in parts if isinstance(part, dict) and "text" in part)


def _same(text: JsonValue, value: JsonValue) -> bool:
    try:
        return isinstance(text, str) and json.loads(text) == value
    except (ValueError, RecursionError):
        return False
