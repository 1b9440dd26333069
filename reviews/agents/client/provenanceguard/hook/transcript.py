"""What the user and the agent have said so far, from the file that the host keeps of a session."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..payloads import MAX_HISTORY_ENTRIES

# The guard's own limit on a body is larger; a session that has grown further is told from its end.
MAX_BYTES = 1_000_000
_KEPT_BLOCKS = frozenset({"text", "tool_use", "tool_result"})
# What hosts put between a user's words: their own reminders, what commands have printed, what other agents and the
# world outside have sent. None of it is the user's. By their shape, because there are more with every version: elements
# of pages, which a user may well begin with, have no hyphens and underscores.
_INSERTED = re.compile(r"\s*<([a-z]+[-_]|channel\b)")


def read_messages(path: str) -> list[dict[str, Any]]:
    """The messages of the conversation, oldest first; what cannot be read is left out. Raises OSError.

    A long one begins with words of the user that are within reach: the latest where all behind them is too much.
    """
    with Path(path).open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - MAX_BYTES))
        # Where it was cut the first line is a part of one, which is no JSON.
        lines = file.read(MAX_BYTES).splitlines()
    messages = [message for line in lines for message in _messages_of(line)]
    # A block is an entry at most.
    entries = accumulate(len(message["content"]) for message in reversed(messages))
    start = len(messages) - sum(count <= MAX_HISTORY_ENTRIES for count in entries)
    user_turns = [number for number, message in enumerate(messages) if has_user_words([message])]
    first = next((number for number in user_turns if number >= start), start)
    latest = [messages[number] for number in user_turns[-1:] if number < start]
    return list(_answering([*latest, *messages[first:]]))


def has_user_words(messages: list[dict[str, Any]]) -> bool:
    """Whether the user says anything in it."""
    return any(
        block["type"] == "text" for message in messages if message["role"] == "user" for block in message["content"]
    )


def _answering(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same without results of calls that are not among them, such as another agent's."""
    called = set()
    for message in messages:
        blocks = []
        for block in message["content"]:
            if block["type"] == "tool_use":
                called.add(block.get("id"))
            if block["type"] != "tool_result" or block.get("tool_use_id") in called:
                blocks.append(block)
        if blocks:
            yield {**message, "content": blocks}


def _messages_of(line: bytes) -> Iterator[dict[str, Any]]:
    """The message of one line, if it is one of this conversation."""
    try:
        entry = json.loads(line)
        message = entry["message"]
        role = message["role"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return
    # Another agent's turns, notes of the host, and its own summary in the user's name.
    is_foreign = any(entry.get(name) for name in ("isSidechain", "isMeta", "isCompactSummary"))
    if is_foreign or role not in ("user", "assistant") or entry.get("type") != role:
        return
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    wanted = [block for block in blocks if _is_kept(block, role)] if isinstance(blocks, list) else []
    if wanted:
        yield {"role": role, "content": wanted}


def _is_kept(block: Any, role: str) -> bool:
    if not isinstance(block, Mapping) or block.get("type") not in _KEPT_BLOCKS:
        return False
    if block["type"] != "text":
        return True
    text = block.get("text")
    is_blank = not isinstance(text, str) or not text.strip()
    return not is_blank and not (role == "user" and _INSERTED.match(str(text)))
