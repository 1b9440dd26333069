"""Our own shape: query, tools, history, sources, action."""

from collections.abc import Callable
from datetime import datetime

from reviews.provenance.core.context import (
    Case,
    Context,
    JsonValue,
    Message,
    NamedText,
    ProposedAction,
    SourceKind,
    Step,
)
from reviews.provenance.formats.content import as_json
from reviews.provenance.formats.reading import Node, Parsed, Told, root
from reviews.provenance.formats.tools import read_tools

_SUBMITTED = tuple(
    kind
    for kind in SourceKind
    if kind not in (SourceKind.USER_QUERY, SourceKind.TOOL_DOC, SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
)
"""Kinds a further source may have. What the user said and what tools returned have fields of their own."""


def parse(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Parsed:
    """The submission as a case. Raises `FormatError` naming every wrong field."""
    submission = root(body)
    context = read_context(submission, read_turn, trust_annotations=trust_annotations, now=now)
    action = submission.member("action")
    action.object(required=True)
    action.only("tool", "arguments", "subtask", "tool_call_id")
    proposed = ProposedAction(
        action.member("tool").name(),
        action.member("arguments").kept(),
        action.member("subtask").text() or None,
    )
    call_id = action.member("tool_call_id").name(required=False)
    return submission.parsed(Case(context, proposed), call_id=call_id, history_given=submission.member("history").given)


def parse_context(body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None) -> Told:
    """The submission's context alone. Raises `FormatError` naming every wrong field."""
    submission = root(body)
    context = read_context(submission, read_turn, trust_annotations=trust_annotations, now=now)
    return submission.told(context, history_given=submission.member("history").given)


def read_context(
    submission: Node, turn: Callable[[Node], Step | Message], *, trust_annotations: bool, now: datetime | None
) -> Context:
    """Request, tools, history and sources; `turn` reads an entry of the history."""
    return Context(
        query=submission.member("query").text(required=True),
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        history=tuple(turn(item) for item in submission.member("history").items()),
        extra=read_sources(submission.member("sources")),
        now=now,
    )


def read_message(item: Node) -> Message:
    """A turn of the conversation in our own shape."""
    item.only("role", "text")
    role = item.member("role")
    if role.text() not in ("user", "assistant"):
        role.wrong("Must be “user” or “assistant”.")
    return Message(role.text(), item.member("text").text(required=True))


def read_sources(sources: Node) -> tuple[NamedText, ...]:
    """Further sources, each by a name of its own."""
    found: dict[str, NamedText] = {}
    for source in sources.items():
        named = _source(source)
        if named.name in found:
            source.member("name").wrong("Another source has this name.")
        found[named.name] = named
    return tuple(found.values())


def read_turn(item: Node) -> Step | Message:
    """A finished call, or a turn of the conversation."""
    item.object(required=True)
    if item.member("role").given:
        return read_message(item)
    item.only("tool", "arguments", "outcome", "subtask")
    outcome = item.member("outcome")
    return Step(
        item.member("tool").name(),
        item.member("arguments").kept(),
        _text(outcome) if outcome.given else None,
        item.member("subtask").text() or None,
    )


def _text(outcome: Node) -> str:
    """What a tool returned as text: text as it is, anything else as JSON."""
    return outcome.value if isinstance(outcome.value, str) else as_json(outcome)


def _source(source: Node) -> NamedText:
    source.object(required=True)
    source.only("kind", "name", "text")
    kind = source.member("kind")
    said = kind.text(required=True)
    if said and said not in _SUBMITTED:
        kind.wrong(f"Must be one of: {', '.join(_SUBMITTED)}.")
    return NamedText(
        SourceKind(said) if said in _SUBMITTED else SourceKind.RETRIEVED,
        source.member("name").name(),
        source.member("text").needed().text(),
    )
