"""An OpenAI conversation as request, history and proposed call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviews.api.exactness import inexact
from reviews.api.parsing import decode
from reviews.api.submissions import OpenAIMessage, OpenAIToolCall
from reviews.errors import FieldProblem, InvalidError, InvalidSubmissionError, ReviewError
from reviews.provenance.context import JsonValue, Message, NamedText, SourceKind, Step

_INSTRUCTING = ("system", "developer")


@dataclass(frozen=True)
class Conversation:
    """What a conversation tells."""

    query: str
    history: tuple[Step | Message, ...]
    instructions: tuple[NamedText, ...]
    arguments: dict[str, JsonValue]
    """Of the proposed call."""
    subtask: str | None
    """What the assistant said with the proposed call."""


def read(messages: Sequence[OpenAIMessage], call: OpenAIToolCall, *, max_nesting: int) -> Conversation:
    """The conversation up to the proposed call. Raises `InvalidError` naming what cannot be read."""
    first = next((at for at, message in enumerate(messages) if message.role == "user"), None)
    if first is None:
        raise InvalidSubmissionError(FieldProblem("/messages", "One message must be the user's request."))
    return Conversation(
        query=_text(messages[first]),
        history=tuple(_History(messages, first, call, max_nesting).read()),
        instructions=tuple(_instructions(messages)),
        arguments=_arguments(call, "/tool_call", max_nesting),
        subtask=_said_with(messages, call),
    )


@dataclass(frozen=True)
class _History:
    messages: Sequence[OpenAIMessage]
    first: int
    proposed: OpenAIToolCall
    max_nesting: int

    def read(self) -> Iterator[Step | Message]:
        """What happened behind the request: every answered call, and what was said."""
        for at, message in enumerate(self.messages):
            if at > self.first and message.role == "user":
                yield Message("user", _text(message))
            elif message.role == "assistant":
                yield from self._turn(at, message)

    def _turn(self, at: int, message: OpenAIMessage) -> Iterator[Step | Message]:
        said = _text(message)
        if not message.tool_calls:
            yield Message("assistant", said)
        for index, call in enumerate(message.tool_calls or []):
            outcome = self._outcome_of(call, behind=at)
            # A call without an answer did not happen: it is the proposed one, or waits beside it.
            if outcome is not None:
                arguments = _arguments(call, f"/messages/{at}/tool_calls/{index}", self.max_nesting)
                yield Step(call.function.name, arguments, outcome, said or None)

    def _outcome_of(self, call: OpenAIToolCall, *, behind: int) -> str | None:
        answers = (
            _text(message)
            for message in self.messages[behind + 1 :]
            if message.role == "tool" and message.tool_call_id == call.id
        )
        return next(answers, None)


def _instructions(messages: Sequence[OpenAIMessage]) -> Iterator[NamedText]:
    texts = [_text(message) for message in messages if message.role in _INSTRUCTING]
    for number, text in enumerate(texts, start=1):
        yield NamedText(SourceKind.SYSTEM_PROMPT, "system" if number == 1 else f"system-{number}", text)


def _said_with(messages: Sequence[OpenAIMessage], proposed: OpenAIToolCall) -> str | None:
    for message in reversed(messages):
        if proposed.id and any(call.id == proposed.id for call in message.tool_calls or []):
            return _text(message) or None
    return None


def _text(message: OpenAIMessage) -> str:
    if isinstance(message.content, list):
        return "\n".join(part.text for part in message.content if part.text)
    return message.content or ""


def _arguments(call: OpenAIToolCall, at: str, max_nesting: int) -> dict[str, JsonValue]:
    where = f"{at}/function/arguments"
    try:
        value = decode((call.function.arguments or "{}").encode(), max_nesting=max_nesting)
    except InvalidError as error:
        problems = (FieldProblem(where + each.pointer, each.message) for each in error.errors)
        raise InvalidSubmissionError(*problems) from None
    except ReviewError as error:
        raise InvalidSubmissionError(FieldProblem(where, str(error))) from None
    if not isinstance(value, dict):
        raise InvalidSubmissionError(FieldProblem(where, "The arguments must be a JSON object."))
    problems = list(inexact(value, where))
    if problems:
        raise InvalidSubmissionError(*problems)
    return value
