"""Calls that are made at once: each is told of the equal ones, or all of them would pass as the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .restoring import is_same_json


# By identity: to Python 1 and true are equal, and the end of one call would be taken for that of the other.
@dataclass(frozen=True, eq=False)
class _Entry:
    tool: str
    arguments: Mapping[str, Any]
    turn: Any


class CallsUnderWay:
    """Calls of one conversation that were proposed and are not over."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    @contextmanager
    def enter(self, tool: str, arguments: Mapping[str, Any], turn: Any) -> Iterator[list[Any]]:
        """The turns of the equal calls that are under way; this one, of which `turn` tells the past, is until the end.

        Turns without a result are calls that were made before.
        """
        entry = _Entry(tool, arguments, turn)
        # Before the others are looked at, so that of two threads one at least sees the other's.
        self._entries.append(entry)
        try:
            yield [peer.turn for peer in self._entries.copy() if peer is not entry and _is_alike(peer, entry)]
        finally:
            self._entries.remove(entry)


def _is_alike(first: _Entry, second: _Entry) -> bool:
    return first.tool == second.tool and is_same_json(dict(first.arguments), dict(second.arguments))
