"""Inline files are told by their shape, in whatever framework's part they stand; what is evidence is never one."""

import base64
import json
import random
from typing import Any, Final

import pytest

from reviews.provenance.formats import parse
from reviews.provenance.formats.inline_files import without_files

FILE: Final = base64.b64encode(random.Random(7).randbytes(900)).decode()
ADDRESS: Final = f"data:image/png;base64,{FILE}"
PNG: Final = "image/png"
PARTS: Final[dict[str, Any]] = {
    # google-genai 3.4, by alias and by name.
    "gemini": {"inlineData": {"mimeType": PNG, "data": FILE}},
    "gemini, by name": {"inline_data": {"mime_type": PNG, "data": FILE, "display_name": None}},
    "gemini, a table": {"inlineData": {"mimeType": "text/csv", "data": FILE}},
    # Bedrock's Converse as JSON, and what strands-agents 1.62 makes of bytes.
    "bedrock": {"image": {"format": "png", "source": {"bytes": FILE}}},
    "bedrock, a document": {"document": {"format": "pdf", "name": "Bill", "source": {"bytes": FILE}}},
    "strands": {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": True, "data": FILE}}}},
    # agent-framework-core 1.23.
    "agent framework": {"type": "data", "uri": ADDRESS, "media_type": PNG, "additional_properties": {}},
    "openai chat": {"type": "image_url", "image_url": {"url": ADDRESS}},
    "openai chat, a sound": {"type": "input_audio", "input_audio": {"data": FILE, "format": "wav"}},
    "openai chat, a file": {"type": "file", "file": {"filename": "a.pdf", "file_data": ADDRESS}},
    "openai responses": {"type": "input_image", "image_url": ADDRESS},
    "openai responses, drawn": {"type": "image_generation_call", "id": "i", "result": FILE, "output_format": "png"},
    "anthropic": {"type": "image", "source": {"type": "base64", "media_type": PNG, "data": FILE}},
    "langchain": {"type": "image", "base64": FILE, "mime_type": PNG},
    "langchain 0": {"type": "image", "source_type": "base64", "data": FILE, "mime_type": PNG},
    "llama-index": {"block_type": "image", "image": FILE, "image_mimetype": PNG},
    "llama-index, a document": {"block_type": "document", "data": FILE, "document_mimetype": "text/plain"},
    "semantic kernel": {"content_type": "image", "data_uri": ADDRESS, "mime_type": PNG, "metadata": {}},
    "ai sdk": {"type": "file", "mediaType": PNG, "data": FILE},
    "ai sdk, by address": {"type": "file", "mediaType": PNG, "url": ADDRESS},
    "ai sdk, of a tool": {"type": "media", "mediaType": PNG, "data": FILE},
    "pydantic-ai": {"kind": "binary", "data": FILE, "media_type": PNG, "identifier": "a1"},
    "mcp": {"type": "image", "data": FILE, "mimeType": PNG},
    "mcp, a resource": {"type": "resource", "resource": {"uri": "file:///a", "blob": FILE}},
    "inspect": {"type": "image", "image": ADDRESS, "detail": "auto"},
    "agno": {"type": "file", "content": FILE, "mime_type": PNG},
    "ollama": {"content": "Look.", "images": [FILE]},
}
"""A file in a part of each framework, as its package writes it."""
TOOLS: Final = [{"name": "send", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}}}]


@pytest.mark.parametrize("framework", PARTS)
def test_an_inline_file_is_replaced_by_its_digest_and_size(framework: str) -> None:
    written = json.dumps(without_files([PARTS[framework]]))
    assert FILE not in written
    assert "sha256-" in written
    assert ", 900 bytes" in written


@pytest.mark.parametrize("framework", PARTS)
def test_whatever_else_a_part_says_stays(framework: str) -> None:
    def others(value: Any) -> list[Any]:
        if isinstance(value, dict | list):
            return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in others(part)]
        return [] if isinstance(value, str) and (FILE in value or "sha256-" in value) else [value]

    assert others(without_files(PARTS[framework])) == others(PARTS[framework])


CALLS: Final[dict[str, Any]] = {
    "openai chat": {"tool_calls": [{"id": "c", "function": {"name": "send", "arguments": "@"}}]},
    "openai chat, a free text": {"tool_calls": [{"id": "c", "custom": {"name": "send", "input": "@"}}]},
    "openai responses": {"type": "function_call", "call_id": "c", "name": "send", "arguments": "@"},
    "openai responses, a free text": {"type": "custom_tool_call", "call_id": "c", "name": "send", "input": "@"},
    "openai responses, hosted": {"type": "file_search_call", "queries": "@", "image": "@"},
    "openai responses, a computer": {"type": "computer_call", "action": {"type": "image", "data": "@"}},
    "anthropic": {"type": "tool_use", "id": "c", "name": "send", "input": {"type": "image", "data": "@"}},
    "anthropic, a server's": {"type": "mcp_tool_use", "id": "c", "name": "send", "parcel": {"type": "image", "x": "@"}},
    "gemini": {"functionCall": {"name": "send", "args": {"inlineData": {"mimeType": PNG, "data": "@"}}}},
    "gemini, by name": {"function_call": {"name": "send", "args": {"mime_type": PNG, "data": "@"}}},
    "bedrock": {"toolUse": {"toolUseId": "c", "name": "send", "input": {"image": {"source": {"bytes": "@"}}}}},
    "ai sdk": {"type": "tool-call", "toolCallId": "c", "toolName": "send", "input": {"mediaType": PNG, "data": "@"}},
    "ai sdk, a page": {"type": "tool-send", "toolCallId": "c", "state": "x", "input": {"type": "file", "data": "@"}},
    "langchain": {"tool_calls": [{"id": "c", "name": "send", "args": {"type": "image", "base64": "@"}}]},
    "llama-index": {"block_type": "tool_call", "tool_name": "send", "tool_kwargs": {"image": "@"}},
    "pydantic-ai": {"part_kind": "tool-call", "tool_name": "send", "args": {"kind": "binary", "media_type": PNG}},
    "agent framework": {"type": "function_call", "call_id": "c", "name": "send", "arguments": {"uri": "@"}},
    "mcp": {"call": {"name": "send", "arguments": {"type": "image", "data": "@", "mimeType": PNG}}},
    "ours": {"tool": "send", "arguments": {"type": "image", "data": "@", "mimeType": PNG}},
    "cohere": {"tool_calls": [{"name": "send", "parameters": {"type": "image", "data": "@"}}]},
}
"""An earlier call of each framework, whose arguments look like a file."""


@pytest.mark.parametrize("framework", CALLS)
@pytest.mark.parametrize("value", [FILE, ADDRESS])
def test_what_a_call_was_made_with_stays_to_the_character(framework: str, value: str) -> None:
    call = json.loads(json.dumps(CALLS[framework]).replace("@", value))
    assert without_files([call]) == [call]


KEPT: Final[dict[str, Any]] = {
    "a schema": {"parameters": {"properties": {"image": {"type": "image", "default": FILE}}}},
    "tools": {"type": "additional_tools", "tools": [{"name": "send", "inputSchema": {"image": FILE}}]},
    "a text": {"role": "user", "content": FILE},
    "an address as a text": {"role": "user", "content": ADDRESS},
    "a text part": {"type": "text", "text": FILE, "media_type": PNG},
    "parts that are texts": {"role": "user", "parts": [FILE, ADDRESS]},
    "what a tool says": {"tool": "read", "outcome": ADDRESS},
    "the text of a document": {"type": "document", "content": FILE},
    "the text source of a document": {"type": "document", "source": {"type": "text", "data": FILE}},
    "the text of a resource": {"type": "resource", "resource": {"mimeType": PNG, "text": FILE}},
    "a plain text": {"mimeType": "text/plain", "body": FILE},
    "a cursor": {"type": "file", "mimeType": PNG, "nextPageToken": FILE, "file_id": FILE, "thoughtSignature": FILE},
    "a code": {"code": FILE},
    "a short file": {"type": "image", "data": FILE[:200], "mimeType": PNG},
    "words": {"type": "image", "data": f"{FILE} and so on", "mimeType": PNG},
    "an address with words": {"image_url": {"url": f"data:image/svg+xml,<text>{FILE}</text>"}},
}
"""What may be evidence, or is no file."""


@pytest.mark.parametrize("kind", KEPT)
def test_what_may_be_evidence_stays(kind: str) -> None:
    assert without_files([KEPT[kind]]) == [KEPT[kind]]


@pytest.mark.parametrize("framework", sorted(PARTS.keys() - {"openai responses, drawn"}))
def test_an_inline_file_in_a_result_is_not_stored(framework: str) -> None:
    part = PARTS[framework]
    call = {"id": "a", "type": "function", "function": {"name": "send", "arguments": "{}"}}
    for result in ([part], [{"type": "text", "text": "Here it is."}, part], part):
        messages = [
            {"role": "user", "content": "Send it."},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": result},
        ]
        parsed = parse({"messages": messages, "tools": TOOLS, "tool_call": {**call, "id": "b"}})
        assert FILE not in str(parsed.context.history)


@pytest.mark.parametrize("framework", ["bedrock", "bedrock, a document", "strands"])
def test_an_inline_file_in_a_result_of_bedrocks_is_not_stored(framework: str) -> None:
    held = {"toolResult": {"toolUseId": "a", "content": [{"text": "Here it is."}, PARTS[framework]]}}
    messages = [
        {"role": "user", "content": [{"text": "Send it."}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "send", "input": {}}}]},
        {"role": "user", "content": [held]},
    ]
    call = {"toolUse": {"toolUseId": "b", "name": "send", "input": {"to": FILE}}}
    parsed = parse({"messages": messages, "tools": TOOLS, "tool_call": call})
    assert FILE not in str(parsed.context.history)
    assert "Here it is." in str(parsed.context.history)
    assert parsed.action.arguments == {"to": FILE}
