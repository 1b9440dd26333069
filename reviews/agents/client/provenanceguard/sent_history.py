"""What a guard has of a conversation already, so that only what came after is sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Where the API takes what happened so far.
_TURNS = ("messages", "input", "contents", "history")
# What stands in the beginning of a conversation, and in nothing that continues it.
_BEGINNING = (
    "query",
    "system",
    "instructions",
    "systemInstruction",
    "system_instruction",
    "system_prompt",
    "systemPrompt",
    "sources",
)
# Conversations that are remembered, each by a few hashes; the one that was proposed for longest ago goes first.
MAX_CONVERSATIONS = 1000


@dataclass(frozen=True)
class _Sent:
    """The part of a conversation that the guard has, and what stands for it."""

    turns: int
    beginning: str
    """Hash of everything up to there: what has changed since is sent again."""
    continues: str
    tools: str
    """Hash of the tools."""
    tools_digest: str


class SentConversations:
    """The conversations that were sent, by their `trace_id`."""

    def __init__(self) -> None:
        # Written in single steps of the interpreter, so that threads need no lock, which a fork could find locked.
        self._sent: dict[str, _Sent] = {}

    def shorten(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], int] | None:
        """The submission without what the guard has, and how many turns that are; None where all has to be sent."""
        sent, field = self._sent.get(str(body.get("trace_id"))), _turns_of(body)
        if sent is None or field is None or len(body[field]) < sent.turns:
            return None
        if _hash_beginning(body, field, sent.turns) != sent.beginning:
            return None
        rest = {name: value for name, value in body.items() if name not in _BEGINNING}
        rest |= {"continues": sent.continues, field: body[field][sent.turns :]}
        # They may stand elsewhere, as in Bedrock's `toolConfig`, for which the digest cannot.
        if "tools" in rest and sent.tools_digest and sent.tools == _hash(rest["tools"]):
            del rest["tools"]
            rest["tools_digest"] = sent.tools_digest
        return rest, sent.turns

    def remember(self, body: Mapping[str, Any], headers: Mapping[str, str], *, left_out: int) -> None:
        """Note what the guard has of this submission, as its answer says; so many turns of it were left out."""
        field, continues = _turns_of(body), headers.get("Continue-From")
        behind = headers.get("Continue-Behind", "")
        if not body.get("trace_id") or field is None or not continues or not behind.isdecimal():
            return
        turns, key = left_out + int(behind), str(body["trace_id"])
        hashes = _hash_beginning(body, field, turns), continues, _hash(body.get("tools"))
        self._sent.pop(key, None)
        self._sent[key] = _Sent(turns, *hashes, headers.get("Tools-Digest", ""))
        for oldest in list(self._sent)[:-MAX_CONVERSATIONS]:
            self._sent.pop(oldest, None)

    def forget(self, body: Mapping[str, Any]) -> None:
        """Send all of this conversation again."""
        self._sent.pop(str(body.get("trace_id")), None)


def _turns_of(body: Mapping[str, Any]) -> str | None:
    # What goes on behind a response of the model's provider says so itself.
    if body.get("previous_response_id") is not None:
        return None
    return next((name for name in _TURNS if isinstance(body.get(name), list)), None)


def _hash_beginning(body: Mapping[str, Any], field: str, turns: int) -> str:
    return _hash([field, [body.get(name) for name in _BEGINNING], body[field][:turns]])


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
