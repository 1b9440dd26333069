"""Calls and results among the parts of a message, rewritten as OpenAI's chat has them.

A part that has more than is known, or is not complete, raises `FormatError`.
"""

from dataclasses import replace
from typing import Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import mark_failure, record_json
from reviews.provenance.formats.inline_files import TYPE_NAMES
from reviews.provenance.formats.json_nodes import Node, Notes, name_set

JsonObject = dict[str, JsonValue]
INCOMPLETE: Final = "This has not come to its end: send it once all of it is there."
"""What is said of a call, or a result, of which a stream still sends more."""
OTHER_NAME: Final = "The tool has another name in `name`; one of the two must go."
CALL_OF_ANOTHER: Final = "A call stands in a message of the assistant's."
"""What is said of a call among what somebody else says, who makes none."""
CONTINUED: Final = ("partial_args", "partialArgs", "will_continue", "willContinue")
# Members of a part whose only one they are, as Bedrock and Google write calls and results.
_CALL_WRAPPERS: Final = ("toolUse", "functionCall", "function_call")
_RESULT_WRAPPERS: Final = ("toolResult", "functionResponse", "function_response")
_CALL_TYPES: Final = name_set("""
    builtin-tool-call function_call mcp_tool_use server_tool_call server_tool_use tool-call tool_call tool_use
""")
_EVENT_TYPES: Final = _CALL_TYPES | {"builtin-tool-return", "dynamic-tool", "function_result", "tool_result"}
# Results of tools that a provider runs, in Anthropic's words and LangChain's.
_PROVIDERS_RESULT: Final = "_tool_result"
# Calls of tools that OpenAI runs, with their results, as LangChain keeps them among a message's parts.
_HOSTED_CALLS: Final = name_set("""
    code_interpreter_call file_search_call image_generation_call mcp_call web_search_call
""")
_HOSTED_RESULTS: Final = ("error", "output", "outputs", "result", "results")
# AutoGen's have no type, and exactly these fields.
_UNTYPED: Final = (frozenset({"id", "name", "arguments"}), frozenset({"content", "name", "call_id", "is_error"}))
NAMES: Final = ("name", "tool_name", "toolName")
ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs")
_IDS: Final = ("tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "call_id", "id")
_RESULTS: Final = ("content", "output", "result", "response")
# What tells of a call or a result and is part of neither.
_BESIDE: Final = name_set("""
    additional_properties ai_model_id annotations cache_control caller content_file_digests extras hosted index
    informational_only metadata partMetadata part_metadata providerExecuted providerMetadata providerOptions
    provider_details provider_name retry scheduling state thoughtSignature thought_signature timestamp title tool_kind
""")
_PAGE_FIELDS: Final = _BESIDE.union(("type", "toolName", "toolCallId", "state", "input", "output", "errorText"))
# Semantic Kernel repeats in them what `name` says.
_NAME_PARTS: Final = ("plugin_name", "function_name")
_EVENT_FIELDS: Final = _BESIDE.union(TYPE_NAMES, NAMES, _NAME_PARTS, _IDS, CONTINUED, ("status",))
_CALL_FIELDS: Final = _EVENT_FIELDS.union(ARGUMENTS, ("server_name",))
_RESULT_FIELDS: Final = _EVENT_FIELDS.union(
    _RESULTS, name_set("encoding errorText exception input isError is_error items outcome parts")
)
APPROVAL_REQUEST: Final = "function_approval_request"
"""The type of what the Agent Framework asks a person with."""
_APPROVAL_RESPONSE: Final = "function_approval_response"
# Gemini's files in a result, and what its package says of them where it is set.
_FILES: Final = ("inlineData", "inline_data", "fileData", "file_data")


def event_messages(part: Node) -> list[JsonObject] | None:
    """The messages that say what a part does as a call, a result or both; None where it is neither.

    Raises `FormatError` for one that would not be read as a whole.
    """
    fields = part.value
    if not isinstance(fields, dict):
        return None
    kind = part.first(*TYPE_NAMES).value
    if kind == _APPROVAL_RESPONSE:
        raise part.error("An approval is no call: send the call, and its result once it has run.")
    if isinstance(kind, str) and kind in _HOSTED_CALLS:
        return _hosted_messages(part, kind)
    is_typed = isinstance(kind, str) and (
        kind in _EVENT_TYPES or kind.startswith("tool-") or kind.endswith(_PROVIDERS_RESULT)
    )
    wrapper = next((name for name in (*_CALL_WRAPPERS, *_RESULT_WRAPPERS) if isinstance(fields.get(name), dict)), None)
    if not wrapper and not is_typed and (isinstance(kind, str) or fields.keys() not in _UNTYPED):
        return None
    # Packages write null for every member that is not set.
    fields = {name: value for name, value in fields.items() if value is not None}
    if isinstance(kind, str) and {"toolCallId", "state"} <= fields.keys():
        return _page_messages(replace(part, value=fields), kind)
    if wrapper:
        # The Agent Framework asks a person with a call, too.
        envelope = ("type", "id", "user_input_request") if kind == APPROVAL_REQUEST else ()
        require_known(part, _BESIDE.union(envelope, (wrapper,)))
        rewrite = _call_message if wrapper in _CALL_WRAPPERS else _result_message
        return [rewrite(part.member(wrapper))]
    return [_call_message(part) if kind in _CALL_TYPES or "arguments" in fields else _result_message(part)]


def _hosted_messages(item: Node, kind: str) -> list[JsonObject]:
    """A call of a tool that OpenAI runs, and what it returned; whatever else the item says, the call was made with."""
    fields: JsonObject = {name: value for name, value in item.value.items() if value is not None}
    call_id, name = fields.get("id"), fields.get("name") or kind.removesuffix("_call")
    if not isinstance(call_id, str):
        raise item.member("id").error("Must be text.")
    beside = (*TYPE_NAMES, "id", "name", "status", "index", *_HOSTED_RESULTS)
    arguments = {member: value for member, value in fields.items() if member not in beside}
    outcome = "[image]" if kind == "image_generation_call" else item.first(*_HOSTED_RESULTS).value
    return [
        _assistant_message(call_id, name, fields.get("arguments", arguments)),
        _tool_message(call_id, outcome, failed="error" in fields),
    ]


def _page_messages(part: Node, kind: str) -> list[JsonObject]:
    """A call as a page of the AI SDK keeps it, with its result once there is one."""
    require_known(part, _PAGE_FIELDS)
    fields = part.value
    name = fields.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call = {"name": name, "input": fields.get("input"), "toolCallId": fields["toolCallId"]}
    messages, failed = [_call_message(replace(part, value=call))], fields["state"] == "output-error"
    if failed or fields["state"] == "output-available":
        output = fields.get("errorText" if failed else "output")
        messages.append(_tool_message(fields["toolCallId"], output, failed=failed))
    return messages


def _call_message(call: Node) -> JsonObject:
    require_known(call, _CALL_FIELDS)
    _require_complete(call)
    name, arguments = call.first(*NAMES).value, call.first(*ARGUMENTS)
    if not isinstance(name, str):
        raise call.first_or_self(*TYPE_NAMES).error("This call has no name.")
    if parts_differ(call.value, name):
        raise call.member("function_name").error(OTHER_NAME)
    # Gemini's calls may have no id: then a call and its result are told by their name.
    return _assistant_message(call.first(*_IDS).value or name, name, arguments.value if arguments.present else {})


def _assistant_message(call_id: JsonValue, name: JsonValue, arguments: JsonValue) -> JsonObject:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}


def parts_differ(call: JsonObject, name: JsonValue) -> bool:
    """Whether Semantic Kernel's parts of a name make another one than this."""
    parts = [call[part] for part in _NAME_PARTS if call.get(part)]
    return bool(parts) and name != "-".join(map(str, parts))


def _result_message(result: Node) -> JsonObject:
    require_known(result, _RESULT_FIELDS)
    _require_complete(result)
    fields = result.value
    call_id = result.first(*_IDS).value or result.first(*NAMES).value
    if not isinstance(call_id, str):
        raise result.first_or_self(*TYPE_NAMES).error("This result does not say of which call it is.")
    failed = (
        fields.get("status") == "error"
        or True in (fields.get("isError"), fields.get("is_error"))
        or fields.get("outcome") in ("failed", "denied", "retried", "interrupted")
        or bool(fields.get("exception"))
    )
    value = result.first(*_RESULTS, "exception").value
    if value == "":
        value = fields.get("exception") or ""
    return _tool_message(call_id, _with_files(_itemized(result, value), result.member("parts")), failed=failed)


def _require_complete(event: Node) -> None:
    """Raise for what a stream has sent in part: Gemini's say so in fields of their own, OpenAI's in the status."""
    for member in event.members(*CONTINUED):
        if member.value:
            raise member.error(INCOMPLETE)
    if event.member("status").value in ("in_progress", "incomplete"):
        raise event.member("status").error(INCOMPLETE)


def _itemized(result: Node, value: JsonValue) -> JsonValue:
    """The result with the files among the Agent Framework's `items`, which repeat its text."""
    place = result.member("items")
    if not place.present:
        return value
    items = place.value
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise place.error("Must be a list of objects.")
    texts = [item["text"] for item in items if item.get("type") == "text" and item.get("text")]
    repeated = result.value.get("result")
    if not all(isinstance(text, str) for text in texts) or "\n".join(texts) != ("" if repeated is None else repeated):
        raise place.error("Says something else than `result`; one of the two must go.")
    files = [{**item, "type": "file"} for item in items if item.get("type") in ("data", "uri")]
    if len(files) + sum(item.get("type") == "text" for item in items) < len(items):
        raise place.error("Only texts and files are read here.")
    return [{"type": "text", "text": value}, *files] if files else value


def _with_files(value: JsonValue, parts: Node) -> JsonValue:
    """The result with Gemini's files, which stand beside it."""
    if not parts.value:
        return value
    listed = list(parts.value) if isinstance(parts.value, list) else []
    fields = [[name for name in part if part[name] is not None] if isinstance(part, dict) else [] for part in listed]
    if not fields or not all(len(names) == 1 and names[0] in _FILES for names in fields):
        raise parts.error("Must be a list of files.")
    files = [{"type": "file", name: part[name]} for part, (name,) in zip(listed, fields, strict=True)]
    return [{"type": "text", "text": value if isinstance(value, str) else record_json(value)}, *files]


def _tool_message(call_id: JsonValue, value: JsonValue, *, failed: bool) -> JsonObject:
    match value:
        # The AI SDK says with a result of what kind it is.
        case {"type": str(kind), **rest} if rest.keys() <= {"value", "reason"}:
            failed = failed or kind.startswith(("error", "execution-denied"))
            value = rest.get("value", rest.get("reason", ""))
    if isinstance(value, list) and all(
        isinstance(part, dict) and part.keys() in ({"text"}, {"json"}) for part in value
    ):
        # Bedrock's parts have no type.
        texts = (part["text"] if isinstance(part.get("text"), str) else record_json(part.get("json")) for part in value)
        value = "\n".join(texts)
    if failed:
        value = mark_failure(value if isinstance(value, str) else record_json(value))
    return {"role": "tool", "tool_call_id": call_id, "content": "" if value is None else value}


def require_known(holder: Node, names: frozenset[str]) -> None:
    """Raise `FormatError` for members of other names, unless they are null."""
    place = replace(holder, notes=Notes())
    place.refuse_other_fields(*sorted(names))
    place.check()
