"""What happened in a conversation, as much of it as a guard takes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .payloads import MAX_HISTORY_ENTRIES, beginning_of, outcome_text

# Half of what a guard takes as one body unless it is configured otherwise; the tools need room as well.
MAX_HISTORY_BYTES = 500_000
# Characters of an earlier outcome that stay where there is no room for all of it.
OLD_OUTCOME_LENGTH = 200


@dataclass(eq=False)
class _Entry:
    """An entry, which is itself and no equal one."""

    content: dict[str, Any]
    size: int

    @property
    def is_users(self) -> bool:
        return self.content.get("role") == "user"

    @property
    def is_long(self) -> bool:
        """Whether it gains room to tell the beginning of the outcome only."""
        return len(outcome_text(self.content.get("outcome"))) > 2 * OLD_OUTCOME_LENGTH

    def shorten(self) -> None:
        """Tell the beginning of a call's outcome only."""
        self.content = {**self.content, "outcome": beginning_of(self.content["outcome"], OLD_OUTCOME_LENGTH)}
        self.size = len(json.dumps(self.content))


class KeptHistory:
    """The request, and the newest of what came after it; what is left out proves nothing.

    The user's words stay, because any of them may take back what was asked for before. Where they alone fill half of
    the room, their older half goes, and the last of it is the request. All but the beginning of what calls returned
    goes before a call does, and the calls of the tool that takes the most room before another's: a tool that returns
    much, or is called often, must not make others look as if they had never been called. Several threads may add at
    once.
    """

    def __init__(self, query: str = "") -> None:
        self.query = query
        # Changed in single steps of the interpreter, so that threads need no lock, which a fork could find locked.
        self._entries: list[_Entry] = []

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Calls with their outcomes and messages, the oldest first."""
        return [entry.content for entry in list(self._entries)]

    def add_call(self, tool: str, arguments: Mapping[str, Any], outcome: Any) -> dict[str, Any]:
        """Note a call that ran, and the beginning of an outcome that is too much by itself. Returns its entry."""
        bounded_outcome = beginning_of(outcome) if len(json.dumps(outcome)) > MAX_HISTORY_BYTES else outcome
        return self._add({"tool": tool, "arguments": dict(arguments), "outcome": bounded_outcome})

    def add_message(self, role: str, text: str, **beside: str) -> None:
        """Note what the user said after the request, or the agent; `beside` are further fields of the entry."""
        self._add({"role": role, "text": text, **beside})

    def _add(self, entry: dict[str, Any]) -> dict[str, Any]:
        self._entries.append(_Entry(entry, len(json.dumps(entry))))
        while _fill(entries := list(self._entries), share=1):
            self._leave_out_older(entries)
        return entry

    def _leave_out_older(self, entries: list[_Entry]) -> None:
        """The older half of outcomes, calls or what the user said: so what a guard has is seldom sent again."""
        users = [entry for entry in entries if entry.is_users]
        # Else an agent whose user says much would tell of no call that it made.
        is_users_turn = _fill(users, share=0.5)
        leaving = users if is_users_turn else _largest_group(entries)
        shortened = [] if is_users_turn or _is_too_many(entries) else [entry for entry in entries if entry.is_long]
        leaving = shortened or leaving
        older = leaving[: math.ceil(len(leaving) / 2)]
        if is_users_turn:
            self.query = older[-1].content["text"]
        for entry in older:
            if shortened:
                entry.shorten()
                continue
            # Another thread may have been there first.
            with suppress(ValueError):
                self._entries.remove(entry)


def _largest_group(entries: list[_Entry]) -> list[_Entry]:
    """The calls of the tool that takes the most room, or what the agent said, if that takes more."""
    groups: dict[Any, list[_Entry]] = {}
    for entry in entries:
        if not entry.is_users:
            groups.setdefault(entry.content.get("tool"), []).append(entry)
    room = len if _is_too_many(entries) else lambda group: sum(entry.size for entry in group)
    return max(groups.values(), key=room)


def _is_too_many(entries: list[_Entry]) -> bool:
    return len(entries) > MAX_HISTORY_ENTRIES


def _fill(entries: list[_Entry], *, share: float) -> bool:
    """Whether these entries are more than this share of what a guard takes."""
    size = sum(entry.size for entry in entries)
    return len(entries) > share * MAX_HISTORY_ENTRIES or size > share * MAX_HISTORY_BYTES
