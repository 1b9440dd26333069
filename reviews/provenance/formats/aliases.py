"""The names that other providers and frameworks give to the parts of a submission, as those of OpenAI's chat."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.json_nodes import FormatError, name_set

Renamed: TypeAlias = Mapping[str, str]
"""What a field was called, by the name it has now."""
# A Gemini agent's conversation.
_GEMINI: Final[Renamed] = {"messages": "contents", "systemInstruction": "system_instruction"}
# The call of Gemini, Bedrock, the AI SDK, and of a message that holds one; beside Gemini's conversation also OpenAI's.
_CALLS: Final = "functionCall toolUse toolCall tool_calls toolCalls function_calls functionCalls".split()
# System prompts of Bedrock and the AI SDK, and of Strands, beside a call that is no Anthropic agent's.
_SYSTEM: Final = ("system", "system_prompt", "systemPrompt")
# What an agent may hold in its request to the model, and Gemini's client in its `config`.
HOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "request": (
        *("messages", "input", "contents", "tools", "system", "instructions", "system_instruction", "config"),
        "previous_response_id",
    ),
    "config": ("tools", "system_instruction", "systemInstruction"),
}
"""Fields that may hold a conversation, with those of its fields that they may hold."""
# What a request to a model holds beside the conversation: how it shall answer, and not what was said.
SETTINGS: Final = name_set("""
    additionalModelRequestFields frequency_penalty generationConfig include inferenceConfig logit_bias logprobs
    max_completion_tokens max_output_tokens max_tokens modalities model modelId n parallel_tool_calls presence_penalty
    prompt_cache_key reasoning reasoning_effort response_format safetySettings safety_identifier seed service_tier stop
    stop_sequences store stream stream_options temperature text thinking tool_choice toolChoice top_k top_logprobs
    top_p truncation user verbosity
""")
_CONFIG_SETTINGS: Final = SETTINGS | name_set("""
    automatic_function_calling candidate_count http_options labels max_output_tokens media_resolution
    response_json_schema response_logprobs response_mime_type response_modalities response_schema routing_config
    safety_settings speech_config thinking_config tool_config
""")
_TURNS: Final = ("messages", "input", "contents")
CONVERSATION: Final = frozenset({*_TURNS, *_SYSTEM, *_GEMINI, *_GEMINI.values(), "history"})
"""Fields in which parts of a conversation stand, whatever they are called."""
# Fields of an MCP server's listing of its tools.
_LISTING: Final = frozenset({"tools", "result", "jsonrpc"})


def unify(body: JsonValue) -> tuple[JsonValue, Renamed]:
    """The body under the names that are read, and what it called them. Anything else stays as it is."""
    if not isinstance(body, dict):
        return body, {}
    body, paths = _lift_fields(body)
    renamed = _find_renamed(body)
    # An agent's request to its model may have the call beside it, and says how the model shall answer.
    settings = SETTINGS if any(name in body for name in _TURNS) else frozenset()
    unified = {name: value for name, value in body.items() if name not in settings}
    if renamed.get("tools") == "toolConfig":
        unified["toolConfig"] = body["toolConfig"].get("tools")
    for new, old in renamed.items():
        unified[new] = unified.pop(old)
    # Gemini's client takes a text for a conversation of one user message.
    if renamed.get("messages") == "contents" and isinstance(text := unified["messages"], str) and text.strip():
        unified["messages"] = [{"role": "user", "content": text}]
    tools = unified.get("tools")
    # The AI SDK keeps tools by their name.
    if (
        isinstance(tools, dict)
        and tools
        and _LISTING.isdisjoint(tools)
        and all(isinstance(t, dict) for t in tools.values())
    ):
        unified["tools"] = [{"name": name, **tool} for name, tool in tools.items()]
    paths = {"toolConfig": "toolConfig/tools", **paths}
    return unified, {**paths, **{new: paths.get(old, old) for new, old in renamed.items()}}


def _find_renamed(body: Mapping[str, JsonValue]) -> dict[str, str]:
    """Which fields have another name; a second call or prompt stays under its own, and is refused."""
    present = {name for name, value in body.items() if value is not None}
    renamed = {new: old for new, old in _GEMINI.items() if old in body and new not in body}
    calls = [name for name in (*_CALLS, *(("function_call",) if "contents" in body else ())) if name in present]
    if calls and "tool_call" not in present:
        renamed["tool_call"] = calls[0]
    # The system prompt of a framework's conversation; OpenAI's chat has no such field.
    frameworks_own = "tool_call" in renamed or isinstance(body.get("system"), list)
    prompts = [name for name in _SYSTEM if name in present and (name != "system" or frameworks_own)]
    is_chat = "messages" in body and (calls or "tool_call" in present)
    if prompts and is_chat and "systemInstruction" not in present:
        renamed["systemInstruction"] = prompts[0]
    if "tools" not in body and isinstance(body.get("toolConfig"), dict):
        renamed["tools"] = "toolConfig"
    return renamed


def _lift_fields(body: Mapping[str, JsonValue]) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """The body with the conversation that stands in a request or a `config`, and where each field of it stood.

    What else stands there stays where it is no setting, and is refused.
    """
    lifted_body, paths = dict(body), dict[str, str]()
    for holder, names in HOLDERS.items():
        inner = lifted_body.get(holder)
        if not isinstance(inner, dict) or (holder == "config" and "contents" not in lifted_body):
            continue
        settings = _CONFIG_SETTINGS if holder == "config" else SETTINGS
        lifted = {name: value for name, value in inner.items() if name in names and name not in lifted_body}
        rest = {name: value for name, value in inner.items() if name not in lifted and name not in settings}
        paths |= {name: f"{paths.get(holder, holder)}/{name}" for name in lifted}
        del lifted_body[holder]
        lifted_body |= {**lifted, **({holder: rest} if rest else {})}
    return lifted_body, paths


def original_pointer(pointer: str, renamed: Renamed) -> str:
    """Where a field stands in the body as it was sent."""
    _, _, path = pointer.partition("/")
    name, slash, rest = path.partition("/")
    return f"/{renamed[name]}{slash}{rest}" if name in renamed else pointer


@contextmanager
def original_pointers(renamed: Renamed) -> Iterator[None]:
    """What is wrong is told where it stands in the body as it was sent."""
    try:
        yield
    except FormatError as error:
        raise FormatError(tuple((original_pointer(at, renamed), message) for at, message in error.problems)) from None
