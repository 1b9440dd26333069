"""A conversation that keeps its history by itself, the newest of it where it grows long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from .calls_under_way import CallsUnderWay
from .kept_history import KeptHistory
from .payloads import outcome_json, outcome_repr, read_call, to_json
from .values import Call

if TYPE_CHECKING:
    from typing_extensions import Self


class Conversation:
    """The user's request, the tools, and what has happened since; entered with `with`, it is the past of every call."""

    def __init__(self, query: str, tools: Any = (), *, trace_id: str | None = None, **fields: Any) -> None:
        """`fields` are further ones of each submission, such as `sources` or `metadata`."""
        self.trace_id = trace_id or str(uuid4())
        """Under which the guard knows the conversation."""
        self._fields = {"tools": to_json(tools), **to_json(fields)}
        self._history = KeptHistory(query)
        self._under_way = CallsUnderWay()
        self._entered: list[Token[Conversation | None]] = []

    @property
    def past(self) -> dict[str, Any]:
        """What came before the next call, as a submission has it."""
        history = self._history.entries
        return {**self._fields, "query": self._history.query, "trace_id": self.trace_id, "history": history}

    @contextmanager
    def propose(self, call: Any) -> Iterator[dict[str, Any]]:
        """The past of a call that is proposed now, and carried out within the block."""
        proposed = _read_known(call)
        if proposed is None:
            yield self.past
            return
        arguments = to_json(proposed.arguments)
        with self._under_way.enter(proposed.tool, arguments, {"tool": proposed.tool, "arguments": arguments}) as alike:
            past = self.past
            yield {**past, "history": [*past["history"], *alike]}

    def add_user(self, text: str) -> None:
        """What the user says after the request."""
        self._history.add_message("user", text)

    def add_assistant(self, text: str) -> None:
        """What the agent says."""
        self._history.add_message("assistant", text)

    def add_result(self, call: Call | tuple[str, Mapping[str, Any]], result: Any) -> None:
        """A call that ran with what it returned. Calls that the guard's `run` carries out are added by it."""
        self.note_result(call, result)

    def add_failure(self, call: Call | tuple[str, Mapping[str, Any]], error: BaseException) -> None:
        """A call that failed, as the guard knows failures: it may have done something, and the next is no first try."""
        self.add_result(call, f"Error: {outcome_repr(error)}")

    def note_result(self, call: Call | tuple[str, Mapping[str, Any]], result: Any) -> dict[str, Any]:
        """As `add_result`. Returns the step, which may still be told otherwise."""
        tool, arguments = (call.tool, call.arguments) if isinstance(call, Call) else call
        return self._history.add_call(tool, to_json(arguments), outcome_json(result))

    def __enter__(self) -> Self:
        self._entered.append(_current.set(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._entered.pop())


def _read_known(call: Any) -> Call | None:
    """What is called; None for a shape that is left to the guard."""
    try:
        return read_call(call)[0]
    except (TypeError, ValueError):
        return None


_current: ContextVar[Conversation | None] = ContextVar("provenanceguard_conversation", default=None)


def current_conversation() -> Conversation | None:
    """The conversation that was entered last in this task or thread."""
    return _current.get()


def past_of(past: Any) -> Any:
    """The past as fields or messages; that of the entered conversation where none is given. Raises TypeError."""
    past = _current.get() if past is None else past
    if past is None:
        raise TypeError("say what came before the call, or enter a conversation: with guard.conversation(…):")
    return past.past if isinstance(past, Conversation) else past
