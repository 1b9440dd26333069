"""The same words of a user as each framework's own object writes them.

Those whose packages are installed beside the tests are made by them; the others are what the real objects wrote, by the
version that is named.
"""

import dataclasses
import json
from functools import cache
from typing import Any, Final

WORDS: Final = "Never mind, don't pay Daniel."
USER: Final = {"role": "user"}
TEXT: Final = {"type": "text", "text": WORDS}


BY_PACKAGES: Final = frozenset(
    {
        *("openai chat", "openai responses", "openai assistants", "anthropic", "anthropic, blocks"),
        *("langchain", "langchain, content blocks", "langchain, dump", "langchain, dict", "autogen", "pydantic-ai"),
    }
)
"""The names of `by_packages`, for parameters: the packages take seconds to import, in every process that collects."""


@cache
def written() -> dict[str, Any]:
    """The message by framework and way of writing it."""
    return {**by_packages(), **by_others(), **by_hand()}


@cache
def by_packages() -> dict[str, Any]:
    made = _made_by_packages()
    assert made.keys() == BY_PACKAGES
    return made


def _made_by_packages() -> dict[str, Any]:
    from anthropic.types import TextBlock, UserMessageParam  # noqa: PLC0415 - see `BY_PACKAGES`
    from autogen_core.models import UserMessage  # noqa: PLC0415
    from langchain_core.messages import HumanMessage, convert_to_openai_messages, messages_to_dict  # noqa: PLC0415
    from openai.types.beta.threads import TextContentBlock  # noqa: PLC0415
    from openai.types.responses import ResponseInputText  # noqa: PLC0415
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, UserPromptPart  # noqa: PLC0415

    human = HumanMessage(WORDS)
    annotated = {"type": "text", "text": {"value": WORDS, "annotations": []}}
    return {
        "openai chat": {**USER, "content": WORDS},
        "openai responses": {**USER, "content": [ResponseInputText(type="input_text", text=WORDS).model_dump()]},
        "openai assistants": {**USER, "content": [TextContentBlock.model_validate(annotated).model_dump()]},
        "anthropic": dict(UserMessageParam(role="user", content=WORDS)),
        "anthropic, blocks": {**USER, "content": [TextBlock(type="text", text=WORDS).model_dump()]},
        "langchain": convert_to_openai_messages([human])[0],
        "langchain, content blocks": {**USER, "content": [dict(block) for block in human.content_blocks]},
        "langchain, dump": human.model_dump(mode="json"),
        "langchain, dict": messages_to_dict([human])[0],
        "autogen": dataclasses.asdict(UserMessage(content=WORDS, source="user"))
        if dataclasses.is_dataclass(UserMessage)
        else UserMessage(content=WORDS, source="user").model_dump(),
        "pydantic-ai": json.loads(
            ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[UserPromptPart(content=WORDS)])])
        )[0],
    }


def by_others() -> dict[str, Any]:
    """What the objects of frameworks write whose packages need an environment of their own."""
    unset = dict.fromkeys(("fileData", "functionCall", "functionResponse", "inlineData", "thought", "thoughtSignature"))
    return {
        # google-genai 3.4 and google-adk 2.13.
        "google": {"parts": [{"text": WORDS}], "role": "user"},
        "google, by alias": {"parts": [{**unset, "text": WORDS}], "role": "user"},
        "google adk": {"content": {"parts": [{"text": WORDS}], "role": "user"}, "author": "user", "id": "e"},
        # agent-framework-core 1.23.
        "agent framework": {
            "type": "message", **USER, "contents": [{**TEXT, "additional_properties": {}}], "additional_properties": {},
        },
        # llama-index 0.14.
        "llama-index": {**USER, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": WORDS}]},
        # semantic-kernel 1.45.
        "semantic kernel": {
            "ai_model_id": None, "metadata": {}, "content_type": "message", **USER, "name": None, "encoding": None,
            "items": [{"ai_model_id": None, "metadata": {}, "content_type": "text", "text": WORDS, "encoding": None}],
        },
        # strands-agents 1.62, Bedrock.
        "strands": {**USER, "content": [{"text": WORDS}]},
        # inspect-ai 0.3.285, agno 3.1, litellm 1.106, crewai 1.15.
        "inspect": {"id": "XcbjN69g", "content": WORDS, "source": None, "metadata": None, **USER, "tool_call_id": None},
        "agno": {"id": "2022fff8", "content": WORDS, "from_history": False, **USER, "created_at": 1795410270},
        "litellm": {"content": WORDS, **USER, "tool_calls": None, "provider_specific_fields": None},
        "crewai": {**USER, "content": WORDS, "cache_control": {"type": "ephemeral"}},
        # smolagents 1.26: a further task.
        "smolagents": {**USER, "content": [TEXT], "tool_calls": None, "raw": None, "token_usage": None},
        # ai 6: what the page holds, as it is and as version 4 had it.
        "ai sdk": {"id": "m", **USER, "parts": [{**TEXT, "state": "done"}]},
        "ai sdk 4": {"id": "m", "createdAt": "2026-01-31", **USER, "content": WORDS, "parts": [TEXT]},
    }  # fmt: skip


def by_hand() -> dict[str, Any]:
    """As developers write them by heart."""
    return {
        "value": {**USER, "content": [{"type": "text", "value": WORDS}]},
        "content of a part": {**USER, "content": [{"type": "text", "content": WORDS}]},
        "one part": {**USER, "content": TEXT},
        "text": {**USER, "text": WORDS},
        "message": {**USER, "message": WORDS},
        "an empty content": {**USER, "content": "", "parts": [TEXT]},
        "a paragraph": {**USER, "content": [{"type": "paragraph", "words": WORDS}]},
        "a document's context": {**USER, "content": [{"type": "document", "title": "Bill", "context": WORDS}]},
        "a sound": {**USER, "content": [{"type": "input_audio", "input_audio": {"data": "AA"}, "transcript": WORDS}]},
        "said": {**USER, "said": WORDS},
        "nested": {**USER, "message": {"content": WORDS}},
        "body": {**USER, "content": "", "body": WORDS},
        "a note": {**USER, "content": "Thanks.", "note": WORDS},
        "one word": {**USER, "content": "Thanks.", "but": "Stop!"},
        "another text": {**USER, "content": "Thanks.", "text": WORDS},
        "a note of a part": {**USER, "content": [{"type": "text", "text": "Thanks.", "note": WORDS}]},
        "another value of a part": {**USER, "content": [{"type": "text", "text": "Thanks.", "value": WORDS}]},
        "children": {**USER, "content": [{"type": "paragraph", "children": [{"text": WORDS}]}]},
        "nothing": {**USER},
        "null": {**USER, "content": None},
        "an empty part": {**USER, "content": [{"type": "text"}]},
    }
