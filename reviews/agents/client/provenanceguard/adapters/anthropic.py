"""A loop over Anthropic's Messages API: `messages += run_tool_uses(guard, response, request, functions)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..errors import NotRunnableError
from ..payloads import outcome_repr, outcome_text, to_json
from ..protection import require_plain
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

    `response` is what `messages.create(**request)` answered. The model is told why a call did not run, and what a tool
    raised: other calls of the message have run, and their results are not lost. `trace_id` is
    your name of the conversation: with one, only what is new of it is sent. `options` are those of the guard's
    `run`: `timeout`, `on_pending`, `metadata` …
    """
    content = _content_of(response)
    message = {"role": "assistant", "content": content}
    messages = [*to_json(request["messages"]), message]
    past = {**to_json(request), "trace_id": trace_id, "messages": messages}
    calls = [block for block in content if block["type"] == "tool_use"]
    require_plain(functions)
    begun: list[str] = []
    noted = {name: _noted(name, function, begun) for name, function in functions.items()}
    run = partial(guard.run, past=past, function=noted, **options)
    results = [_result_of(call, run, begun) for call in calls]
    return [message, {"role": "user", "content": results}] if calls else [message]


def _content_of(response: Any) -> list[dict[str, Any]]:
    """The model's message as it was sent: the API does not take nulls for all that it has left out."""
    is_model = hasattr(response, "model_dump")
    sent = response.model_dump(mode="json", by_alias=True, exclude_unset=True) if is_model else to_json(response)
    content: list[dict[str, Any]] = sent["content"]
    return content


def _result_of(call: Mapping[str, Any], run: Callable[..., Any], begun: list[str]) -> dict[str, Any]:
    """The message's part for one call. Raises only where nothing of this message has run."""
    result, before = {"type": "tool_result", "tool_use_id": call["id"]}, len(begun)
    try:
        return {**result, "content": outcome_text(run(call))}
    except NotRunnableError as refusal:
        return {**result, "content": refusal.model_message, "is_error": True}
    except Exception as error:
        # What an earlier call has done must not be lost with a later one.
        if not begun:
            raise
        content = outcome_repr(error) if len(begun) > before else f"The call was not run: {error}"
        return {**result, "content": content, "is_error": True}


def _noted(name: str, function: Callable[..., Any], begun: list[str]) -> Callable[..., Any]:
    """The function, which notes that it has begun."""

    def run(**arguments: Any) -> Any:
        begun.append(name)
        return function(**arguments)

    return run
