"""Inline files count by their digest in every format, and nothing else of a body is touched."""

import json
from typing import Any

import pytest
from django.test import override_settings

from guardapp.config import config
from reviews.errors import TooLargeError
from reviews.intake.wire.bounded_json_body import decode_submission
from reviews.intake.wire.media import without_media
from tests.provenance.formats.test_inline_files import ADDRESS, FILE, PARTS

SMALL = config().model_copy(update={"max_body_bytes": 1_000, "max_media_body_bytes": 10_000})
CONVERSATIONS: dict[str, Any] = {
    "openai chat": {"messages": ["@"]},
    "openai responses": {"input": ["@"]},
    "ours": {"history": [{"tool": "see", "arguments": {}, "outcome": "@"}]},
    "anthropic": {"system": ["@"]},
    "gemini": {"contents": [{"role": "user", "parts": ["@"]}]},
    "gemini, instructions": {"systemInstruction": {"parts": ["@"]}},
    "gemini, a request": {"request": {"contents": ["@"], "config": {"system_instruction": ["@"]}}},
    "a request of chat": {"request": {"model": "m", "messages": [{"role": "user", "content": ["@"]}]}},
    "a request of responses": {"request": {"input": [{"role": "user", "content": ["@"]}]}},
}
"""Where each format has the parts of its conversation."""


def holding(conversation: Any, part: Any) -> Any:
    return json.loads(json.dumps(conversation).replace('"@"', json.dumps(part)))


@override_settings(GUARD=SMALL)
@pytest.mark.parametrize("framework", PARTS)
def test_an_inline_file_counts_by_its_digest(framework: str) -> None:
    bodies = {where: holding(conversation, PARTS[framework]) for where, conversation in CONVERSATIONS.items()}
    decoded = {where: json.dumps(decode_submission(json.dumps(body).encode())) for where, body in bodies.items()}
    assert [where for where, text in decoded.items() if FILE in text] == []


@pytest.mark.parametrize(
    "field",
    ["tool_call", "function_call", "functionCall", "toolUse", "tool_use", "action", "call", "tools", "metadata"],
)
@pytest.mark.parametrize("part", [PARTS["gemini"], PARTS["bedrock"], PARTS["anthropic"], {"image_url": ADDRESS}])
def test_calls_tools_and_metadata_stay_to_the_character(field: str, part: Any) -> None:
    body = {"messages": [], field: {"arguments": part, "parts": [part]}, "request": {"tools": [part]}}
    assert without_media(body) == body


@override_settings(GUARD=SMALL)
def test_a_file_in_the_proposed_call_counts_in_full() -> None:
    body = {"contents": [], "functionCall": {"name": "send", "args": PARTS["gemini"]}}
    with pytest.raises(TooLargeError):
        decode_submission(json.dumps(body).encode())
