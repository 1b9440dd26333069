"""What a framework's conversation is called at the guard, so that only what is new of it is sent with each call."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

TraceName: TypeAlias = str | Callable[[Any], str | None] | None
"""The conversation's name, or what tells it from the call's context; None for the framework's own."""
# The longest name that the API takes.
MAX_NAME_LENGTH = 200
# Conversations of which something is remembered.
MAX_NAMES = 1000


def name_trace(trace_name: TraceName, context: Any, *framework_names: object) -> str | None:
    """The name that the developer gives the conversation, or the first that the framework has for it."""
    developer_name = trace_name(context) if callable(trace_name) else trace_name
    name = str(next(filter(None, [developer_name, *framework_names]), ""))
    return (name if len(name) <= MAX_NAME_LENGTH else hashlib.sha256(name.encode()).hexdigest()) or None


class Recent:
    """What was noted last under each name; of many names the oldest are forgotten."""

    def __init__(self) -> None:
        self._noted: dict[Hashable, Any] = {}

    def note(self, name: Hashable, value: Any) -> None:
        """Keep the value in place of an earlier one."""
        self._noted.pop(name, None)
        self._noted[name] = value
        for oldest in list(self._noted)[:-MAX_NAMES]:
            self._noted.pop(oldest, None)

    def get(self, name: Hashable) -> Any:
        """What was noted under this name; None where nothing was."""
        return self._noted.get(name)
