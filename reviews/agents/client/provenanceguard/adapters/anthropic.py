"""A loop over Anthropic's Messages API: `messages += run_tool_uses(guard, response, request, functions)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import NotRunnableError
from ..payloads import outcome_text, to_json
from ..synchronous import Guard


def run_tool_uses(
    guard: Guard,
    response: Any,
    request: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    *,
    trace_id: str | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """The next messages: the model's own, and one with the result of each of its calls.

    `response` is what `messages.create(**request)` answered. The model is told why a call did not run. `trace_id` is
    your name of the conversation: with one, only what is new of it is sent. `options` are those of the guard's
    `run`: `timeout`, `on_pending`, `metadata` …
    """
    content = to_json(response)["content"]
    message = {"role": "assistant", "content": content}
    messages = [*to_json(request["messages"]), message]
    past = {**to_json(request), "trace_id": trace_id, "messages": messages}
    calls = [block for block in content if block["type"] == "tool_use"]
    results = [_result_of(guard, call, past, functions, options) for call in calls]
    return [message, {"role": "user", "content": results}] if calls else [message]


def _result_of(
    guard: Guard,
    call: Mapping[str, Any],
    past: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    try:
        returned = guard.run(call, past, functions, **options)
    except NotRunnableError as refusal:
        return {**result, "content": refusal.model_message, "is_error": True}
    return {**result, "content": outcome_text(returned)}
