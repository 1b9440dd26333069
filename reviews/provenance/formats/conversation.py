"""What happened in a conversation, turn by turn, whatever format it came in."""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from reviews.provenance.core.context import Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats.arguments import require_arguments
from reviews.provenance.formats.continuation import EarlierPast, Resumption
from reviews.provenance.formats.format_reader import Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import Node
from reviews.provenance.formats.observations import TOOL, Results, split_observation
from reviews.provenance.formats.subtasks import speaks_of


@dataclass(frozen=True)
class ProposedCall:
    """The call an agent wants to make, by the id it has in the conversation; empty where it has none."""

    tool: str
    arguments: dict[str, Any]
    call_id: str
    place: Node
    """Where its arguments stand, or would stand if they were given."""


# Compared by identity: two calls of one turn may be equal, and only one of them proposed.
@dataclass(eq=False)
class _Entry:
    """What the history has of one thing that was said or done; a call's outcome is added when its result is read."""

    item: Message | Step
    message: int
    """The message of the submission that it stands in."""
    turn: int | None = None
    """The assistant's turn that it is part of; None for what stands in none."""
    call_id: str | None = None
    """None for what waits for no result."""
    tentative: bool = False
    """It has not happened before a result says so."""
    within: bool = False
    """It had its result before the turn went on."""

    @property
    def is_open(self) -> bool:
        """Whether it is a call without its result."""
        return isinstance(self.item, Step) and self.item.outcome is None

    def answer(self, outcome: str, *, within: bool = False) -> None:
        """Add the outcome of a call."""
        match self.item:
            case Step(tool, arguments):
                self.item, self.within = Step(tool, arguments, outcome), within


class Conversation:
    """The turns read so far. Everything the assistant says and calls before somebody else comes in is one turn."""

    def __init__(self, earlier: EarlierPast | None = None) -> None:
        self._earlier = earlier
        self._query = earlier.query if earlier else None
        self._sources = list(earlier.sources) if earlier else []
        self._names = {source.name for source in self._sources}
        self._numbers: Counter[str] = Counter()
        self._attached = {source.text for source in self._sources if source.kind is SourceKind.RETRIEVED}
        self._results = Results(earlier)
        self._entries: list[_Entry] = []
        self._messages = self._turn = 0
        # The calls of each id in the last turn that used it, without those that have their result.
        self._unanswered: dict[str, deque[_Entry]] = {}

    def begin_message(self) -> None:
        """What is added from now on stands in the next message."""
        self._messages += 1

    def _add(self, item: Message | Step, turn: int | None = None, call_id: str | None = None) -> _Entry:
        self._entries.append(_Entry(item, self._messages - 1, turn, call_id))
        return self._entries[-1]

    def add_system(self, text: str) -> None:
        """A system prompt, or instructions that came later; each is a source of its own."""
        self._turn += 1
        # The last message of what is continued may be sent once more.
        earlier = self._earlier.sources if self._earlier else ()
        repeated = any((source.kind, source.text) == (SourceKind.SYSTEM_PROMPT, text) for source in earlier)
        if text.strip() and not repeated:
            self._add_source(SourceKind.SYSTEM_PROMPT, "system", text)

    def _add_source(self, kind: SourceKind, name: str, text: str) -> None:
        """A further source under the first name that is free: of two of one name the second would hide the first."""
        self._numbers[name] += 1
        while (numbered := f"{name}-{self._numbers[name]}" if self._numbers[name] > 1 else name) in self._names:
            self._numbers[name] += 1
        self._names.add(numbered)
        self._sources.append(NamedText(kind, numbered, text))

    def add_user(self, text: str, *, by_tool: bool | None = None) -> None:
        """What stands under the user's name; the first time the user speaks it is the request.

        `by_tool`: whether a tool wrote it; None where the sender does not say.
        """
        self._turn += 1
        words, result = (text, None) if by_tool is False else split_observation(text)
        if by_tool:
            words, result = "", text if result is None or words.strip() else result
        # A result that is handed back once more stands in the history already.
        if words.strip() and (by_tool is False or words not in self._results):
            if self._query is None:
                self._query = words
            else:
                self._add(Message("user", words))
        if result is not None:
            self._add_observation(result)

    def add_attachments(self, texts: Iterable[str]) -> None:
        """What files say that stand in a user's message: whoever wrote them, the user has only passed them on."""
        for text in texts:
            # The last message of what is continued may be sent once more.
            if text not in self._attached:
                self._attached.add(text)
                self._add_source(SourceKind.RETRIEVED, "attachment", text)

    def _add_observation(self, text: str) -> None:
        """A result without the call's id: of the one call that waits for its result, else of a tool without a name."""
        if text in self._results:
            return
        last_turn = takewhile(lambda entry: entry.turn == self._turn - 1, reversed(self._entries))
        waiting = [entry for entry in last_turn if entry.is_open]
        if len(waiting) == 1:
            self._unanswered[waiting[0].call_id or ""].popleft()
            waiting[0].answer(text)
        else:
            self._add(Step(TOOL, {}, text))
        self._results.add(text)

    def add_assistant(self, text: str) -> None:
        """What the assistant says."""
        if text.strip():
            self._add(Message("assistant", text), self._turn)

    def add_answer(self, text: str, proposed: ProposedCall) -> None:
        """What a model says in the answer that proposes the call; nothing where that turn has been added already."""
        if text.strip() and not self._pending_with(proposed):
            self.begin_message()
            self.add_assistant(text)
            self.add_call(proposed.call_id, proposed.tool, proposed.arguments)

    def add_answered_call(self, tool: str, arguments: dict[str, Any], outcome: str) -> None:
        """A call that was made and answered in the course of the assistant's turn."""
        self._add(Step(tool, arguments), self._turn).answer(outcome, within=True)
        self._results.add(outcome)

    def add_call(self, call_id: str, tool: str, arguments: dict[str, Any], *, tentative: bool = False) -> None:
        """A call the assistant makes. A tentative one has not happened before a result says so."""
        call = self._add(Step(tool, arguments), self._turn, call_id)
        call.tentative = tentative
        queue = self._unanswered.setdefault(call_id, deque())
        # Some agents count their calls anew in every turn: a later turn's id is another call.
        if queue and queue[0].turn != self._turn:
            queue.clear()
        queue.append(call)

    def add_result(self, call_id: Node, text: str, *, within: bool = False) -> None:
        """What a call returned; `within`: inside the assistant's own turn. An id that no call has is wrong."""
        self._turn += not within
        queue = self._unanswered.get(call_id.text(required=True))
        if queue:
            queue.popleft().answer(text, within=within)
            self._results.add(text)
        elif queue is not None:
            call_id.note_problem("This call has its result already.")
        elif call_id.present:
            behind = " Behind `continues`, an older one cannot be named: send all." if self._earlier else ""
            call_id.note_problem(f"No earlier message makes this call.{behind}")

    def parsed(self, turns: Node, proposed: ProposedCall, *, subtask: str, tools: tuple[ToolDoc, ...]) -> Parsed:
        """The conversation as a case; `turns` is where the submission has it.

        Without a `subtask` of its own, the call serves what the assistant says of it together with it. Whatever else
        the assistant says has been said.
        """
        require_arguments(proposed.place, proposed.tool, tools)
        pending = self._pending_with(proposed)
        spoken = "\n".join(entry.item.text for entry in pending if isinstance(entry.item, Message))
        if not subtask and speaks_of(spoken, proposed.tool, proposed.arguments):
            subtask = spoken
        if subtask != spoken:
            pending = [entry for entry in pending if entry.is_open]
        happened = self._happened_without(pending, self._repeated_by(proposed, pending))
        calls = (entry for entry in happened if isinstance(entry.item, Step))
        return Parsed(
            context=self._build_context(turns, happened, tools),
            action=ProposedAction(proposed.tool, proposed.arguments, subtask or None),
            tool_call_id=proposed.call_id,
            steps={call.call_id: step for step, call in enumerate(calls) if call.call_id},
            resumption=self._resumption(pending, happened),
        )

    def parsed_context(self, turns: Node, *, tools: tuple[ToolDoc, ...]) -> ParsedContext:
        """The conversation as a context: everything in it has happened."""
        if self._query is None:
            turns.note_problem("No message is from the user.")
        return ParsedContext(context=self._build_context(turns, self._happened_without([], []), tools))

    def _build_context(self, turns: Node, happened: list[_Entry], tools: tuple[ToolDoc, ...]) -> Context:
        """The context. Where no user speaks, there is no request, and nothing is asked for."""
        if not self._messages and self._query is None:
            turns.note_problem("There is no message.")
        history = tuple(entry.item for entry in happened)
        return Context(self._query or "", tools, history, tuple(self._sources))

    def _resumption(self, pending: list[_Entry], happened: list[_Entry]) -> Resumption:
        """The beginning of the turn that is not over, or the end of the conversation.

        Such a turn is sent again: a result that it still gets, and what else is said in it, belong to it.
        """
        last_calls = next((entry.turn for entry in reversed(self._entries) if entry.call_id is not None), None)
        unanswered = (entry for entry in self._entries if entry.turn == last_calls and entry.is_open)
        open_turns = {self._turn, *(entry.turn for entry in (*pending, *unanswered))}
        first = min((entry.message for entry in self._entries if entry.turn in open_turns), default=self._messages)
        before = sum(entry.message < first for entry in happened)
        return Resumption(first, before + (self._earlier.position if self._earlier else 0))

    def _pending_with(self, proposed: ProposedCall) -> list[_Entry]:
        """What the assistant says and calls together with the proposed call, in its last turn that makes it.

        A call that was answered before the turn went on, and what was said before it, have happened.
        """
        calls = (entry for entry in reversed(self._entries) if entry.is_open and self._is_of(entry, proposed))
        call = next(calls, None)
        entries = [entry for entry in self._entries if call and entry.turn == call.turn]
        # Only what comes behind the last answered call is still to happen.
        last_answered = max((at for at, entry in enumerate(entries) if entry.within), default=-1)
        return [
            entry
            for at, entry in enumerate(entries)
            if entry.is_open or (isinstance(entry.item, Message) and at > last_answered)
        ]

    def _is_of(self, call: _Entry, proposed: ProposedCall) -> bool:
        """Whether it is the proposed call; without an id, as Gemini's, an equal one of the last turn."""
        if proposed.call_id:
            return call.call_id == proposed.call_id
        return call.turn == self._turn and call.item == Step(proposed.tool, proposed.arguments)

    def _repeated_by(self, proposed: ProposedCall, pending: list[_Entry]) -> list[_Entry]:
        """The equal calls that stand before the proposed one in its turn: of a call that is written twice, the second
        is a repetition, though the first has no result yet.
        """
        call = next((entry for entry in reversed(pending) if self._is_of(entry, proposed)), None)
        before = takewhile(lambda entry: entry is not call, pending)
        return [entry for entry in before if entry.item == Step(proposed.tool, proposed.arguments)] if call else []

    def _happened_without(self, pending: list[_Entry], repeated: list[_Entry]) -> list[_Entry]:
        """The entries without what is pending and without tentative calls that had no result; but with the repeated."""
        left_out, repeated_calls = set(pending), set(repeated)
        return [
            entry
            for entry in self._entries
            if entry in repeated_calls or (entry not in left_out and not (entry.tentative and entry.is_open))
        ]
