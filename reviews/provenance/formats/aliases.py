"""The names that other providers and frameworks give to the parts of a submission, as those of OpenAI's chat."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final, TypeAlias

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.submission import FormatError

Renamed: TypeAlias = Mapping[str, str]
"""What a field was called, by the name it has now."""
# A Gemini agent's conversation and call, Bedrock's call, and the AI SDK's.
_GEMINI: Final[Mapping[str, str]] = MappingProxyType(
    {"messages": "contents", "systemInstruction": "system_instruction"}
)
_CALLS: Final = ("functionCall", "toolUse", "toolCall")
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
_TURNS: Final = ("messages", "input", "contents")


def unify(body: JsonValue) -> tuple[JsonValue, Renamed]:
    """The body under the names that are read, and what it called them. Anything else stays as it is."""
    if not isinstance(body, dict):
        return body, {}
    renamed: dict[str, str] = {}
    unified = {name: value for name, value in body.items() if name not in SETTINGS or not _is_request(body)}
    renamed |= {new: old for new, old in _GEMINI.items() if old in body and new not in body}
    calls = (*_CALLS, "function_call") if "contents" in body else _CALLS
    call_names = [name for name in calls if body.get(name) is not None]
    # A second call stays under its name, and is refused.
    if call_names and body.get("tool_call") is None:
        renamed["tool_call"] = call_names[0]
    if "toolConfig" in body and "tools" not in body and isinstance(config := body["toolConfig"], dict):
        unified |= {"toolConfig": config.get("tools")}
        renamed["tools"] = "toolConfig"
    unified = {**unified, **{name: unified[old] for name, old in renamed.items()}}
    for old in renamed.values():
        del unified[old]
    _list_tools(unified)
    return unified, renamed


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
