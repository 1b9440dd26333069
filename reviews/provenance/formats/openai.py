"""What an agent on the OpenAI chat API holds: `messages`, `tools`, and the `tool_call` it wants to make."""

import json
import math
from dataclasses import dataclass, field
from datetime import datetime

from reviews.provenance.context import (
    Case,
    Context,
    JsonValue,
    Message,
    NamedText,
    ProposedAction,
    SourceKind,
    Step,
)
from reviews.provenance.formats.native import outcome_text
from reviews.provenance.formats.reading import Node, Parsed, root
from reviews.provenance.formats.tools import read_tools

_UNREADABLE = "unreadable_arguments"
"""Stands for the arguments of an earlier call that were no JSON object: the text is kept, as text."""


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case; the first user message is the request. Raises `FormatError` naming each wrong field."""
    submission = root(body)
    call = submission.member("tool_call")
    call.object(required=True)
    call_id = call.member("id").text()
    conversation = _Conversation(call_id)
    for message in submission.member("messages").items(required=True):
        conversation.read(message)
    if conversation.query is None:
        submission.member("messages").wrong("No message is from the user.")
    context = Context(
        query=conversation.query or "",
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        history=conversation.history,
        extra=tuple(conversation.system),
        now=now,
    )
    subtask = submission.member("subtask").text() or conversation.plan or None
    action = ProposedAction(_name(call), _proposed_arguments(call), subtask)
    submission.check()
    return Parsed(Case(context, action), call_id)


@dataclass
class _Pending:
    """A call of the history until its result has been read."""

    tool: str
    arguments: dict[str, JsonValue]
    sibling: bool
    outcome: str | None = None

    @property
    def skipped(self) -> bool:
        return self.sibling and self.outcome is None

    @property
    def step(self) -> Step:
        return Step(self.tool, self.arguments, self.outcome)


@dataclass
class _Conversation:
    """The messages read so far."""

    proposed: str
    """The id of the proposed call, which is no history."""
    query: str | None = None
    plan: str = ""
    """What the agent said with the proposed call."""
    system: list[NamedText] = field(default_factory=list)
    _turns: list[Step | Message | _Pending] = field(default_factory=list)
    _calls: dict[str, _Pending] = field(default_factory=dict)

    @property
    def history(self) -> tuple[Step | Message, ...]:
        """Calls and messages in order. A sibling of the proposed call that has no result has not happened."""
        kept = (turn for turn in self._turns if not (isinstance(turn, _Pending) and turn.skipped))
        return tuple(turn.step if isinstance(turn, _Pending) else turn for turn in kept)

    def read(self, message: Node) -> None:
        message.object(required=True)
        role = message.member("role")
        match role.text(required=True):
            case "system" | "developer":
                name = "system" if not self.system else f"system-{len(self.system) + 1}"
                self.system.append(NamedText(SourceKind.SYSTEM_PROMPT, name, _content(message)))
            case "user":
                self._user(_content(message))
            case "assistant":
                self._assistant(message)
            case "tool":
                self._result(message)
            case "":
                pass
            case _:
                role.wrong("Must be “system”, “developer”, “user”, “assistant” or “tool”.")

    def _user(self, text: str) -> None:
        if self.query is None:
            self.query = text
        else:
            self._turns.append(Message("user", text))

    def _assistant(self, message: Node) -> None:
        calls = list(message.member("tool_calls").items())
        holds_proposed = bool(self.proposed) and any(call.member("id").value == self.proposed for call in calls)
        text = _content(message)
        if holds_proposed:
            self.plan = text
        elif text:
            self._turns.append(Message("assistant", text))
        for call in calls:
            self._call(call, sibling=holds_proposed)

    def _call(self, call: Node, *, sibling: bool) -> None:
        call.object(required=True)
        call_id = call.member("id").text()
        if sibling and call_id == self.proposed:
            return
        pending = _Pending(_name(call), _earlier_arguments(call), sibling)
        self._turns.append(pending)
        self._calls[call_id] = pending

    def _result(self, message: Node) -> None:
        call_id = message.member("tool_call_id")
        pending = self._calls.get(call_id.text(required=True))
        if pending is not None:
            pending.outcome = _content(message)
        elif call_id.given and call_id.value != self.proposed:
            call_id.wrong("No earlier message makes this call.")


def _content(message: Node) -> str:
    """The text of a message: a string, or the text parts of a list."""
    content = message.member("content")
    if isinstance(content.value, list):
        return "\n".join(part.member("text").text() for part in content.items() if part.member("text").given)
    if content.given and message.member("role").value == "tool" and not isinstance(content.value, str):
        return outcome_text(content.value)
    return content.text()


def _function(call: Node) -> Node:
    return call.member("function") if call.member("function").given else call


def _name(call: Node) -> str:
    return _function(call).member("name").text(required=True)


def _proposed_arguments(call: Node) -> dict[str, JsonValue]:
    arguments = _function(call).member("arguments")
    if not isinstance(arguments.value, str):
        return arguments.object()
    parsed = _object(arguments.value)
    if parsed is None:
        arguments.wrong("Must be a JSON object, as text.")
    return parsed or {}


def _earlier_arguments(call: Node) -> dict[str, JsonValue]:
    """An earlier call is not refused for its broken arguments: agents do send such, and the rest still counts."""
    arguments = _function(call).member("arguments")
    if not isinstance(arguments.value, str):
        return arguments.object()
    parsed = _object(arguments.value)
    return {_UNREADABLE: arguments.value} if parsed is None else parsed


def _object(text: str) -> dict[str, JsonValue] | None:
    """The JSON object a text is; an empty text is an empty one. None for anything else."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    # Readers differ in which of two equal names they take: what is reviewed must be what runs.
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return members


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is out of range")
    return number


def _refuse(constant: str) -> JsonValue:
    raise ValueError(f"{constant} is not JSON")
