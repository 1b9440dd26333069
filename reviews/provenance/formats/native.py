"""Our own shape: query, tools, history, sources, action."""

import json
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
from reviews.provenance.formats.reading import Node, Parsed, root
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
    context = Context(
        query=submission.member("query").text(required=True),
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        history=tuple(_turn(item) for item in submission.member("history").items()),
        extra=_sources(submission.member("sources")),
        now=now,
    )
    action = submission.member("action")
    action.object(required=True)
    proposed = ProposedAction(
        action.member("tool").text(required=True),
        action.member("arguments").object(),
        action.member("subtask").text() or None,
    )
    call_id = action.member("tool_call_id").text()
    submission.check()
    return Parsed(Case(context, proposed), call_id, history_given=submission.member("history").given)


def outcome_text(value: JsonValue) -> str:
    """What a tool returned as text: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _turn(item: Node) -> Step | Message:
    item.object(required=True)
    if item.member("role").given:
        return _message(item)
    outcome = item.member("outcome")
    return Step(
        item.member("tool").text(required=True),
        item.member("arguments").object(),
        outcome_text(outcome.value) if outcome.given else None,
        item.member("subtask").text() or None,
    )


def _message(item: Node) -> Message:
    role = item.member("role")
    if role.text() not in ("user", "assistant"):
        role.wrong("Must be “user” or “assistant”.")
    return Message(role.text(), item.member("text").text(required=True))


def _sources(sources: Node) -> tuple[NamedText, ...]:
    found: dict[str, NamedText] = {}
    for source in sources.items():
        named = _source(source)
        if named.name in found:
            source.member("name").wrong("Another source has this name.")
        found[named.name] = named
    return tuple(found.values())


def _source(source: Node) -> NamedText:
    source.object(required=True)
    kind = source.member("kind")
    said = kind.text(required=True)
    if said and said not in _SUBMITTED:
        kind.wrong(f"Must be one of: {', '.join(_SUBMITTED)}.")
    return NamedText(
        SourceKind(said) if said in _SUBMITTED else SourceKind.RETRIEVED,
        source.member("name").text(required=True),
        source.member("text").text(),
    )
