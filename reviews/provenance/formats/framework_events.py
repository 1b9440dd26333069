"""Calls and results among the parts of a message, rewritten as OpenAI's chat has them.

A part that has more than is known, or is not complete, raises `UnreadableEventError`, which says where it stands.
"""

from typing import Any, Final

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.content import mark_failure, record_json
from reviews.provenance.formats.json_nodes import name_set
from reviews.provenance.formats.suggestions import nearest_field, unknown_field

JsonObject = dict[str, JsonValue]
INCOMPLETE: Final = "This has not come to its end: send it once all of it is there."
"""What is said of a call, or a result, of which a stream still sends more."""
OTHER_NAME: Final = "The tool has another name in `name`; one of the two must go."
CONTINUED: Final = ("partial_args", "partialArgs", "will_continue", "willContinue")
# The last two are LlamaIndex's and Semantic Kernel's.
TYPES: Final = ("type", "part_kind", "block_type", "content_type")
# Members of a part whose only one they are, as Bedrock and Google write calls and results.
_CALL_WRAPPERS: Final = ("toolUse", "functionCall", "function_call")
_RESULT_WRAPPERS: Final = ("toolResult", "functionResponse", "function_response")
_CALL_TYPES: Final = frozenset({"tool-call", "tool_call", "function_call", "tool_use"})
_EVENT_TYPES: Final = _CALL_TYPES | {"dynamic-tool", "function_result", "tool_result"}
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
_CALL_FIELDS: Final = _BESIDE.union(TYPES, NAMES, _NAME_PARTS, ARGUMENTS, _IDS, CONTINUED)
_RESULT_FIELDS: Final = _BESIDE.union(
    TYPES,
    NAMES,
    _NAME_PARTS,
    _IDS,
    _RESULTS,
    CONTINUED,
    name_set("""
    encoding errorText exception input isError is_error items outcome parts status
"""),
)
APPROVAL_REQUEST: Final = "function_approval_request"
"""The type of what the Agent Framework asks a person with."""
_APPROVAL_RESPONSE: Final = "function_approval_response"
# Gemini's files in a result, and what its package says of them where it is set.
_FILES: Final = ("inlineData", "inline_data", "fileData", "file_data")


class UnreadableEventError(Exception):
    """A part of a message that would not be read as a whole."""

    def __init__(self, problem: str, *path: str) -> None:
        super().__init__(problem)
        self.problem = problem
        """What is wrong."""
        self.path = path
        """Names and positions that lead to it, from the message that holds it."""

    def below(self, *path: str) -> "UnreadableEventError":
        """The same within what these names lead to."""
        return UnreadableEventError(self.problem, *path, *self.path)


def event_messages(part: JsonValue) -> list[JsonObject] | None:
    """The messages that say what a part does as a call, a result or both; None where it is neither.

    Raises `UnreadableEventError`.
    """
    if not isinstance(part, dict):
        return None
    kind = _first_member(part, TYPES)
    if kind == _APPROVAL_RESPONSE:
        raise UnreadableEventError("An approval is no call: send the call, and its result once it has run.")
    is_typed = isinstance(kind, str) and (kind in _EVENT_TYPES or kind.startswith("tool-"))
    wrapper = next((name for name in (*_CALL_WRAPPERS, *_RESULT_WRAPPERS) if isinstance(part.get(name), dict)), None)
    if not wrapper and not is_typed and (isinstance(kind, str) or part.keys() not in _UNTYPED):
        return None
    part = without_nulls(part)
    if isinstance(kind, str) and {"toolCallId", "state"} <= part.keys():
        return _page_messages(part, kind)
    if wrapper:
        return [_wrapped_message(part, wrapper, is_approval=kind == APPROVAL_REQUEST)]
    return [_call_message(part) if kind in _CALL_TYPES or "arguments" in part else _result_message(part)]


def without_nulls(holder: JsonObject) -> JsonObject:
    """The members that are set: packages write null for every one that is not."""
    return {name: value for name, value in holder.items() if value is not None}


def _wrapped_message(part: JsonObject, wrapper: str, *, is_approval: bool) -> JsonObject:
    """The call or the result that is the part's only member; the Agent Framework asks a person with one, too."""
    envelope = ("type", "id", "user_input_request") if is_approval else ()
    require_known(part, _BESIDE.union(envelope, (wrapper,)))
    rewrite = _call_message if wrapper in _CALL_WRAPPERS else _result_message
    try:
        return rewrite(without_nulls(part[wrapper]))
    except UnreadableEventError as error:
        raise error.below(wrapper) from None


def _page_messages(part: JsonObject, kind: str) -> list[JsonObject]:
    """A call as a page of the AI SDK keeps it, with its result once there is one."""
    require_known(part, _PAGE_FIELDS)
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    call = _call_message({"name": name, "input": part.get("input"), "toolCallId": part["toolCallId"]})
    failed = part["state"] == "output-error"
    if not failed and part["state"] != "output-available":
        return [call]
    return [call, _tool_message(part["toolCallId"], part.get("errorText" if failed else "output"), failed=failed)]


def _call_message(call: JsonObject) -> JsonObject:
    require_known(call, _CALL_FIELDS)
    _require_complete(call)
    name, arguments = _first_member(call, NAMES), _first_member(call, ARGUMENTS)
    if not isinstance(name, str):
        raise UnreadableEventError("This call has no name.", *_type_path(call))
    if parts_differ(call, name):
        raise UnreadableEventError(OTHER_NAME, "function_name")
    # Gemini's calls may have no id: then a call and its result are told by their name.
    called = {"name": name, "arguments": {} if arguments is None else arguments}
    listed = {"id": _first_member(call, _IDS) or name, "type": "function", "function": called}
    return {"role": "assistant", "tool_calls": [listed]}


def parts_differ(call: JsonObject, name: JsonValue) -> bool:
    """Whether Semantic Kernel's parts of a name make another one than this."""
    parts = [call[part] for part in _NAME_PARTS if call.get(part)]
    return bool(parts) and name != "-".join(map(str, parts))


def _result_message(result: JsonObject) -> JsonObject:
    require_known(result, _RESULT_FIELDS)
    _require_complete(result)
    call_id = _first_member(result, _IDS) or _first_member(result, NAMES)
    if not isinstance(call_id, str):
        raise UnreadableEventError("This result does not say of which call it is.", *_type_path(result))
    failed = (
        result.get("status") == "error"
        or True in (result.get("isError"), result.get("is_error"))
        or result.get("outcome") in ("failed", "denied", "retried", "interrupted")
        or bool(result.get("exception"))
    )
    value = _first_member(result, (*_RESULTS, "exception"))
    if value == "":
        value = result.get("exception", "")
    return _tool_message(call_id, _with_files(_itemized(result, value), result.get("parts")), failed=failed)


def _type_path(event: JsonObject) -> tuple[str, ...]:
    """Where it says what it is, if it does."""
    return tuple(name for name in TYPES if name in event)[:1]


def _require_complete(event: JsonObject) -> None:
    """Raise for what a stream of Gemini's has sent in part."""
    for name in CONTINUED:
        if event.get(name):
            raise UnreadableEventError(INCOMPLETE, name)


def _itemized(result: JsonObject, value: JsonValue) -> JsonValue:
    """The result with the files among the Agent Framework's `items`, which repeat its text."""
    items = result.get("items")
    if items is None:
        return value
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise UnreadableEventError("Must be a list of objects.", "items")
    texts = [item["text"] for item in items if item.get("type") == "text" and item.get("text")]
    if not all(isinstance(text, str) for text in texts) or "\n".join(texts) != result.get("result", ""):
        raise UnreadableEventError("Says something else than `result`; one of the two must go.", "items")
    files = [{**item, "type": "file"} for item in items if item.get("type") in ("data", "uri")]
    if len(files) + sum(item.get("type") == "text" for item in items) < len(items):
        raise UnreadableEventError("Only texts and files are read here.", "items")
    return [{"type": "text", "text": value}, *files] if files else value


def _with_files(value: JsonValue, parts: JsonValue) -> JsonValue:
    """The result with Gemini's files, which stand beside it."""
    if not parts:
        return value
    held = [without_nulls(part) if isinstance(part, dict) else {} for part in parts] if isinstance(parts, list) else []
    if not held or not all(len(part) == 1 and part.keys() <= set(_FILES) for part in held):
        raise UnreadableEventError("Must be a list of files.", "parts")
    files = [{"type": "file", **part} for part in held]
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


def require_known(holder: JsonObject, names: frozenset[str]) -> None:
    """Raise `UnreadableEventError` for a member of another name, unless it is null."""
    for name in (name for name, value in holder.items() if name not in names and value is not None):
        meant = nearest_field(name, sorted(names))
        hint = f": did you mean `{meant}`?" if meant else "."
        raise UnreadableEventError(f"{unknown_field(name)}{hint}", name)


def _first_member(holder: JsonObject, names: tuple[str, ...]) -> Any:
    return next((holder[name] for name in names if holder.get(name) is not None), None)
