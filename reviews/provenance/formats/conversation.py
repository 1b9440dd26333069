"""What happened in a conversation, told turn by turn, whatever format tells it."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.formats.reading import Node, Parsed, Told


@dataclass(frozen=True)
class Proposed:
    """The call an agent wants to make, by the id it has in the conversation; empty where it has none."""

    tool: str
    arguments: dict[str, Any]
    call_id: str


@dataclass
class _Call:
    """A call until its result has been read."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    turn: int
    tentative: bool = False
    outcome: str | None = None
    within: bool = False
    """It had its result before the turn went on."""


@dataclass(frozen=True)
class _Said:
    """What the assistant said, and in which of its turns."""

    text: str
    turn: int


@dataclass
class Conversation:
    """The turns read so far. Everything the assistant says and calls before somebody else comes in is one turn."""

    _query: str | None = None
    _system: list[NamedText] = field(default_factory=list)
    _entries: list[Message | _Said | _Call] = field(default_factory=list)
    _waiting: dict[str, deque[_Call]] = field(default_factory=dict)
    _turn: int = 0

    def instruct(self, text: str) -> None:
        """A system prompt, or instructions that came later."""
        self._turn += 1
        if text.strip():
            name = "system" if not self._system else f"system-{len(self._system) + 1}"
            self._system.append(NamedText(SourceKind.SYSTEM_PROMPT, name, text))

    def user(self, text: str) -> None:
        """What the user says; the first time it is the request."""
        self._turn += 1
        if self._query is None and text.strip():
            self._query = text
        elif text.strip():
            self._entries.append(Message("user", text))

    def say(self, text: str) -> None:
        """What the assistant says."""
        if text.strip():
            self._entries.append(_Said(text, self._turn))

    def done(self, tool: str, arguments: dict[str, Any], outcome: str) -> None:
        """A call that was made and answered in the course of the assistant's turn."""
        self._entries.append(_Call("", tool, arguments, self._turn, outcome=outcome, within=True))

    def call(self, call_id: str, tool: str, arguments: dict[str, Any], *, tentative: bool = False) -> None:
        """A call the assistant makes. A tentative one has not happened before a result says so."""
        call = _Call(call_id, tool, arguments, self._turn, tentative)
        self._entries.append(call)
        queue = self._waiting.get(call_id)
        # Some agents count their calls anew in every turn: a later turn's id is another call.
        if queue and queue[0].turn == self._turn:
            queue.append(call)
        else:
            self._waiting[call_id] = deque([call])

    def result(self, call_id: Node, text: str, *, within: bool = False) -> None:
        """What a call returned; `within`: inside the assistant's own turn. An id nobody knows is wrong."""
        self._turn += not within
        queue = self._waiting.get(call_id.text(required=True))
        if queue:
            call = queue.popleft()
            call.outcome, call.within = text, within
        elif queue is not None:
            call_id.wrong("This call has its result already.")
        elif call_id.given:
            call_id.wrong("No earlier message makes this call.")

    def parsed(
        self, at: Node, proposed: Proposed, *, subtask: str, tools: tuple[ToolDoc, ...], now: datetime | None
    ) -> Parsed:
        """The conversation as a case; `at` is where the submission tells it. Raises `FormatError`.

        Without a `subtask` of its own, the call serves what the assistant says together with it.
        """
        plan = self._plan(proposed.call_id)
        context = self._context(at, plan, tools, now)
        subtask = subtask or "\n".join(entry.text for entry in plan if isinstance(entry, _Said))
        action = ProposedAction(proposed.tool, proposed.arguments, subtask or None)
        return at.parsed(Case(context, action), call_id=proposed.call_id)

    def told(self, at: Node, *, tools: tuple[ToolDoc, ...], now: datetime | None) -> Told:
        """The conversation as a context: everything in it has happened. Raises `FormatError`."""
        return at.told(self._context(at, [], tools, now))

    def _context(
        self, at: Node, plan: list[_Said | _Call], tools: tuple[ToolDoc, ...], now: datetime | None
    ) -> Context:
        if self._query is None:
            at.wrong("No message is from the user.")
        return Context(
            query=self._query or "",
            tools=tools,
            history=tuple(self._history(plan)),
            extra=tuple(self._system),
            now=now,
        )

    def _plan(self, proposed: str) -> list[_Said | _Call]:
        """What the assistant says and calls together with the proposed call, in its last turn that makes it.

        A call that was answered before the turn went on, and what was said before it, have happened.
        """
        turn = self._proposed_in(proposed)
        plan: list[_Said | _Call] = []
        before = False
        for entry in reversed(self._entries):
            if isinstance(entry, Message) or entry.turn != turn:
                continue
            before = before or (isinstance(entry, _Call) and entry.within)
            if entry.outcome is None if isinstance(entry, _Call) else not before:
                plan.append(entry)
        return plan[::-1]

    def _proposed_in(self, proposed: str) -> int | None:
        calls = (entry for entry in reversed(self._entries) if isinstance(entry, _Call) and entry.call_id == proposed)
        return next((call.turn for call in calls if proposed and call.outcome is None), None)

    def _history(self, plan: list[_Said | _Call]) -> Iterator[Step | Message]:
        """Messages and calls in order. What belongs to the plan has not happened."""
        planned = {id(entry) for entry in plan}
        for entry in self._entries:
            match entry:
                case Message():
                    yield entry
                case _Said() if id(entry) not in planned:
                    yield Message("assistant", entry.text)
                case _Call() if id(entry) not in planned and not (entry.tentative and entry.outcome is None):
                    yield Step(entry.tool, entry.arguments, entry.outcome)
