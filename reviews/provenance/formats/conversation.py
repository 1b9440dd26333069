"""What happened in a conversation, turn by turn, whatever format it came in."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.formats.arguments import require_arguments
from reviews.provenance.formats.continuation import EarlierPast, Resumption
from reviews.provenance.formats.json_nodes import Node, Parsed, ParsedContext
from reviews.provenance.formats.observations import MIN_REPEATED_LENGTH, TOOL, read_observation
from reviews.provenance.formats.subtasks import speaks_of


@dataclass(frozen=True)
class ProposedCall:
    """The call an agent wants to make, by the id it has in the conversation; empty where it has none."""

    tool: str
    arguments: dict[str, Any]
    call_id: str
    place: Node
    """Where its arguments stand, or would stand if they were given."""


@dataclass
class _AssistantCall:
    """A call the assistant makes; its outcome is filled in when its result is read."""

    call_id: str
    tool: str
    arguments: dict[str, Any]
    turn: int
    tentative: bool = False
    outcome: str | None = None
    within: bool = False
    """It had its result before the turn went on."""

    def is_of(self, proposed: ProposedCall, last_turn: int) -> bool:
        """Whether it is the proposed call; without an id, as Gemini's, an equal one of the last turn."""
        if proposed.call_id:
            return self.call_id == proposed.call_id
        return self.turn == last_turn and (self.tool, self.arguments) == (proposed.tool, proposed.arguments)


@dataclass(frozen=True)
class _AssistantText:
    """What the assistant says, and in which of its turns."""

    text: str
    turn: int


_AssistantPart: TypeAlias = _AssistantText | _AssistantCall


@dataclass
class Conversation:
    """The turns read so far. Everything the assistant says and calls before somebody else comes in is one turn."""

    _earlier: EarlierPast | None = None
    """What the turns continue."""
    _query: str | None = None
    _system: list[NamedText] = field(default_factory=list)
    _entries: list[Message | Step | _AssistantPart] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)
    """The message that each entry stands in."""
    _messages: int = 0
    """How many messages have begun."""
    _unanswered: dict[str, deque[_AssistantCall]] = field(default_factory=dict)
    """The calls of each id in the last turn that used it, without those that have their result."""
    _latest_calls: list[_AssistantCall] = field(default_factory=list)
    """The calls of the last turn that made any."""
    _turn: int = 0
    _results: set[str] = field(default_factory=set)
    """What tools returned, as far as a message could repeat it."""

    def __post_init__(self) -> None:
        """Begin behind what is continued."""
        if self._earlier is not None:
            self._query, self._system = self._earlier.query, list(self._earlier.sources)

    def begin_message(self) -> None:
        """What is added from now on stands in the next message."""
        self._messages += 1

    def _add(self, entry: Message | Step | _AssistantPart) -> None:
        self._entries.append(entry)
        self._places.append(self._messages - 1)

    def add_system(self, text: str) -> None:
        """A system prompt, or instructions that came later; each is a source of its own."""
        self._turn += 1
        # The last message of what is continued may be sent once more.
        repeated = self._earlier is not None and any(source.text == text for source in self._earlier.sources)
        if text.strip() and not repeated:
            name = "system" if not self._system else f"system-{len(self._system) + 1}"
            self._system.append(NamedText(SourceKind.SYSTEM_PROMPT, name, text))

    def add_user(self, text: str, *, by_tool: bool | None = None) -> None:
        """What stands under the user's name; the first time the user speaks it is the request.

        `by_tool`: whether a tool wrote it; None where the sender does not say.
        """
        self._turn += 1
        result = read_observation(text) if by_tool is not False else None
        if by_tool or result is not None:
            self._add_observation(text if result is None else result)
        elif self._is_repeated(text) or not text.strip():
            # A result that is handed back once more stands in the history already.
            return
        elif self._query is None:
            self._query = text
        else:
            self._add(Message("user", text))

    def _add_observation(self, text: str) -> None:
        """A result without the call's id: of the one call that waits for its result, else of a tool without a name."""
        if self._is_repeated(text):
            return
        latest_calls = self._latest_calls if self._latest_calls and self._latest_calls[0].turn == self._turn - 1 else ()
        waiting = [call for call in latest_calls if call.outcome is None]
        if len(waiting) == 1:
            self._unanswered[waiting[0].call_id].popleft()
            waiting[0].outcome = text
        else:
            self._add(Step(TOOL, {}, text))
        self._remember_result(text)

    def _is_repeated(self, text: str) -> bool:
        """Whether a tool has returned this text before."""
        return text.strip() in self._results or (self._earlier is not None and self._earlier.is_result(text))

    def _remember_result(self, result: str) -> None:
        if len(result.strip()) >= MIN_REPEATED_LENGTH:
            self._results.add(result.strip())

    def add_assistant(self, text: str) -> None:
        """What the assistant says."""
        if text.strip():
            self._add(_AssistantText(text, self._turn))

    def add_answered_call(self, tool: str, arguments: dict[str, Any], outcome: str) -> None:
        """A call that was made and answered in the course of the assistant's turn."""
        self._add(_AssistantCall("", tool, arguments, self._turn, outcome=outcome, within=True))
        self._remember_result(outcome)

    def add_call(self, call_id: str, tool: str, arguments: dict[str, Any], *, tentative: bool = False) -> None:
        """A call the assistant makes. A tentative one has not happened before a result says so."""
        call = _AssistantCall(call_id, tool, arguments, self._turn, tentative)
        self._add(call)
        if self._latest_calls and self._latest_calls[0].turn != self._turn:
            self._latest_calls = []
        self._latest_calls.append(call)
        queue = self._unanswered.get(call_id)
        # Some agents count their calls anew in every turn: a later turn's id is another call.
        if queue and queue[0].turn == self._turn:
            queue.append(call)
        else:
            self._unanswered[call_id] = deque([call])

    def add_result(self, call_id: Node, text: str, *, within: bool = False) -> None:
        """What a call returned; `within`: inside the assistant's own turn. An id that no call has is wrong."""
        self._turn += not within
        queue = self._unanswered.get(call_id.text(required=True))
        if queue:
            call = queue.popleft()
            call.outcome, call.within = text, within
            self._remember_result(text)
        elif queue is not None:
            call_id.note_problem("This call has its result already.")
        elif call_id.present:
            behind = " Behind `continues`, an older one cannot be named: send all." if self._earlier else ""
            call_id.note_problem(f"No earlier message makes this call.{behind}")

    def parsed(
        self, turns: Node, proposed: ProposedCall, *, subtask: str, tools: tuple[ToolDoc, ...], now: datetime | None
    ) -> Parsed:
        """The conversation as a case; `turns` is where the submission has it. Raises `FormatError`.

        Without a `subtask` of its own, the call serves what the assistant says of it together with it. Whatever else
        the assistant says has been said.
        """
        require_arguments(proposed.place, proposed.tool, tools)
        pending = self._pending_with(proposed)
        spoken = "\n".join(part.text for part in pending if isinstance(part, _AssistantText))
        if not subtask and speaks_of(spoken, proposed.tool, proposed.arguments):
            subtask = spoken
        if subtask != spoken:
            pending = [part for part in pending if isinstance(part, _AssistantCall)]
        context = self._build_context(turns, pending, tools, now)
        action = ProposedAction(proposed.tool, proposed.arguments, subtask or None)
        return turns.parsed(
            Case(context, action),
            call_id=proposed.call_id,
            steps=self._steps_by_id(pending),
            resumption=self._resumption(pending),
        )

    def parsed_context(self, turns: Node, *, tools: tuple[ToolDoc, ...], now: datetime | None) -> ParsedContext:
        """The conversation as a context: everything in it has happened. Raises `FormatError`.

        A plan is held against the user's request, and so needs one.
        """
        if self._query is None:
            turns.note_problem("No message is from the user.")
        return turns.parsed_context(self._build_context(turns, [], tools, now))

    def _build_context(
        self, turns: Node, pending: list[_AssistantPart], tools: tuple[ToolDoc, ...], now: datetime | None
    ) -> Context:
        """The context without what is pending. Where no user speaks, there is no request, and nothing is asked for."""
        if not self._messages and self._query is None:
            turns.note_problem("There is no message.")
        return Context(
            query=self._query or "",
            tools=tools,
            history=tuple(self._history_without(pending)),
            extra=tuple(self._system),
            now=now,
        )

    def _resumption(self, pending: list[_AssistantPart]) -> Resumption:
        """The beginning of the turn that is not over, or the end of the conversation.

        Such a turn is sent again: a result that it still gets, and what else is said in it, belong to it.
        """
        unanswered = (call for call in self._latest_calls if call.outcome is None)
        open_turns = {self._turn, *(part.turn for part in pending), *(call.turn for call in unanswered)}
        placed = list(zip(self._entries, self._places, strict=True))
        first = min(
            (at for entry, at in placed if isinstance(entry, _AssistantPart) and entry.turn in open_turns),
            default=self._messages,
        )
        happened = set(map(id, self._entries_that_happened(pending)))
        before = sum(at < first and id(entry) in happened for entry, at in placed)
        return Resumption(first, before + (self._earlier.position if self._earlier else 0))

    def _pending_with(self, proposed: ProposedCall) -> list[_AssistantPart]:
        """What the assistant says and calls together with the proposed call, in its last turn that makes it.

        A call that was answered before the turn went on, and what was said before it, have happened.
        """
        calls = (entry for entry in reversed(self._entries) if isinstance(entry, _AssistantCall))
        same = (call.turn for call in calls if call.outcome is None and call.is_of(proposed, self._turn))
        turn = next(same, None)
        pending: list[_AssistantPart] = []
        before_result = False
        # From the end: only what comes behind the last answered call is still to happen.
        for entry in reversed(self._entries):
            if isinstance(entry, Message | Step) or entry.turn != turn:
                continue
            before_result = before_result or (isinstance(entry, _AssistantCall) and entry.within)
            if entry.outcome is None if isinstance(entry, _AssistantCall) else not before_result:
                pending.append(entry)
        return pending[::-1]

    def _history_without(self, pending: list[_AssistantPart]) -> Iterator[Step | Message]:
        """Messages and calls in order, as far as they have happened."""
        for entry in self._entries_that_happened(pending):
            match entry:
                case _AssistantText():
                    yield Message("assistant", entry.text)
                case _AssistantCall():
                    yield Step(entry.tool, entry.arguments, entry.outcome)
                case _:
                    yield entry

    def _entries_that_happened(self, pending: list[_AssistantPart]) -> Iterator[Message | Step | _AssistantPart]:
        """The entries without what is pending and without tentative calls that had no result."""
        # By identity: two calls of one turn may be equal, and only one of them proposed.
        left_out = {id(part) for part in pending}
        for entry in self._entries:
            unanswered = isinstance(entry, _AssistantCall) and entry.tentative and entry.outcome is None
            if id(entry) not in left_out and not unanswered:
                yield entry

    def _steps_by_id(self, pending: list[_AssistantPart]) -> dict[str, int]:
        """Which call of the history has each id; of an id that is used again in a later turn, the latest."""
        calls = (entry for entry in self._entries_that_happened(pending) if isinstance(entry, Step | _AssistantCall))
        return {
            call.call_id: step for step, call in enumerate(calls) if isinstance(call, _AssistantCall) and call.call_id
        }
