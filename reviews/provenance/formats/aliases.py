"""The names that other providers and frameworks give to the parts of a submission, as those of OpenAI's chat."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.json_nodes import FormatError

Renamed: TypeAlias = Mapping[str, str]
"""What a field was called, by the name it has now."""
# A Gemini agent's conversation and call, Bedrock's call, and the AI SDK's.
_GEMINI: Final[Mapping[str, str]] = MappingProxyType(
    {"messages": "contents", "systemInstruction": "system_instruction"}
)
_CALLS: Final = (
    "functionCall",
    "toolUse",
    "toolCall",
    "tool_calls",
    "toolCalls",
    "function_calls",
    "functionCalls",
)
# System prompts of Bedrock and the AI SDK, and of Strands, beside a call that is no Anthropic agent's.
_SYSTEM: Final = ("system", "system_prompt", "systemPrompt")
# What an agent may hold in its request to the model, and Gemini's client in its `config`.
_HOLDERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "request": ("messages", "input", "contents", "tools", "system", "instructions", "system_instruction", "config"),
        "config": ("tools", "system_instruction", "systemInstruction"),
    }
)
# What a request to a model holds beside the conversation: how it shall answer, and not what was said.
SETTINGS: Final = frozenset(
    """
    additionalModelRequestFields frequency_penalty generationConfig include inferenceConfig logit_bias logprobs
    max_completion_tokens max_output_tokens max_tokens modalities model modelId n parallel_tool_calls presence_penalty
    prompt_cache_key reasoning reasoning_effort response_format safetySettings safety_identifier seed service_tier stop
    stop_sequences store stream stream_options temperature text thinking tool_choice toolChoice top_k top_logprobs
    top_p truncation user verbosity
    """.split()
)
_CONFIG_SETTINGS: Final = frozenset(
    """
    automatic_function_calling candidate_count http_options labels max_output_tokens media_resolution
    response_json_schema response_logprobs response_mime_type response_modalities response_schema routing_config
    safety_settings speech_config thinking_config tool_config
    """.split()
)
_TURNS: Final = ("messages", "input", "contents")


def unify(body: JsonValue) -> tuple[JsonValue, Renamed]:
    """The body under the names that are read, and what it called them. Anything else stays as it is."""
    if not isinstance(body, dict):
        return body, {}
    body, paths = _lift_fields(body)
    renamed: dict[str, str] = {}
    unified = {name: value for name, value in body.items() if name not in SETTINGS or not _is_request(body)}
    renamed |= {new: old for new, old in _GEMINI.items() if old in body and new not in body}
    calls = (*_CALLS, "function_call") if "contents" in body else _CALLS
    call_names = [name for name in calls if body.get(name) is not None]
    # A second call stays under its name, and is refused.
    if call_names and body.get("tool_call") is None:
        renamed["tool_call"] = call_names[0]
    prompts = [name for name in _SYSTEM if body.get(name) is not None and _is_prompt(name, body, renamed)]
    # As with calls: a second one stays, and is refused.
    if prompts and body.get("systemInstruction") is None:
        renamed["systemInstruction"] = prompts[0]
    if "toolConfig" in body and "tools" not in body and isinstance(config := body["toolConfig"], dict):
        unified |= {"toolConfig": config.get("tools")}
        renamed["tools"] = "toolConfig"
    unified = {**unified, **{name: unified[old] for name, old in renamed.items()}}
    for old in renamed.values():
        del unified[old]
    _list_tools(unified)
    return unified, {**paths, **{new: paths.get(old, old) for new, old in renamed.items()}}


def _is_prompt(name: str, body: Mapping[str, JsonValue], renamed: Renamed) -> bool:
    """Whether this is the system prompt of a framework's conversation; OpenAI's chat has no such field."""
    is_chat = "messages" in body and ("tool_call" in renamed or body.get("tool_call") is not None)
    return is_chat and (name != "system" or "tool_call" in renamed or isinstance(body["system"], list))


def _lift_fields(body: Mapping[str, JsonValue]) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """The body with the conversation that stands in a request or a `config`, and where each field of it stood.

    What else stands there stays where it is no setting, and is refused.
    """
    lifted_body, paths = dict(body), dict[str, str]()
    for holder, names in _HOLDERS.items():
        inner = lifted_body.get(holder)
        if not isinstance(inner, dict) or (holder == "config" and "contents" not in lifted_body):
            continue
        lifted = {name: value for name, value in inner.items() if name in names and name not in lifted_body}
        rest = {name: value for name, value in inner.items() if name not in lifted and not _is_setting(name, holder)}
        paths |= {name: f"{paths.get(holder, holder)}/{name}" for name in lifted}
        del lifted_body[holder]
        lifted_body |= {**lifted, **({holder: rest} if rest else {})}
    return lifted_body, paths


def _is_setting(name: str, holder: str) -> bool:
    return name in SETTINGS or (holder == "config" and name in _CONFIG_SETTINGS)


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


def _is_request(body: Mapping[str, JsonValue]) -> bool:
    """Whether this may be the request that an agent sends to its model, with the call beside it."""
    return any(name in body for name in _TURNS)


def _list_tools(body: dict[str, JsonValue]) -> None:
    """List tools that the AI SDK keeps by their name."""
    tools = body.get("tools")
    if isinstance(tools, dict) and tools and not tools.keys() & {"tools", "result", "jsonrpc"}:
        by_name = [{"name": name, **tool} for name, tool in tools.items() if isinstance(tool, dict)]
        if len(by_name) == len(tools):
            body["tools"] = list(by_name)
