"""Our own shape: query, tools, history, sources, action."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from reviews.provenance.core.context import (
    WISHES,
    Case,
    Context,
    JsonValue,
    Message,
    NamedText,
    ProposedAction,
    SourceKind,
    Step,
)
from reviews.provenance.formats.arguments import require_arguments
from reviews.provenance.formats.content import as_json
from reviews.provenance.formats.continuation import EarlierPast, Resumption
from reviews.provenance.formats.json_nodes import Node, Parsed, ParsedContext, root
from reviews.provenance.formats.observations import MIN_REPEATED_LENGTH, TOOL, is_from_tool, read_observation
from reviews.provenance.formats.tools import read_tools

# Kinds a further source may have. What the user said and what tools returned have fields of their own.
_SUBMITTED = tuple(
    kind
    for kind in SourceKind
    if kind not in (*WISHES, SourceKind.TOOL_DOC, SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
)


def parse(
    body: dict[str, JsonValue],
    *,
    trust_annotations: bool = False,
    now: datetime | None = None,
    earlier: EarlierPast | None = None,
) -> Parsed:
    """The submission as a case. Raises `FormatError` naming every wrong field."""
    submission = root(body, earlier)
    context = read_context(submission, read_history_item, trust_annotations=trust_annotations, now=now)
    action = submission.member("action")
    action.object(required=True)
    action.refuse_other_fields("tool", "arguments", "subtask", "tool_call_id")
    proposed = ProposedAction(
        action.member("tool").name(),
        action.member("arguments").record_object(),
        action.member("subtask").text() or None,
    )
    require_arguments(action.member("arguments"), proposed.tool, context.tools)
    call_id = action.member("tool_call_id").name(required=False)
    return submission.parsed(
        Case(context, proposed),
        call_id=call_id,
        history_given=submission.member("history").present,
        resumption=resumption_of(submission, context),
    )


def parse_context(
    body: dict[str, JsonValue], *, trust_annotations: bool = False, now: datetime | None = None
) -> ParsedContext:
    """The submission's context alone. Raises `FormatError` naming every wrong field."""
    submission = root(body)
    context = read_context(submission, read_history_item, trust_annotations=trust_annotations, now=now)
    # A plan is held against it.
    submission.member("query").text(required=True)
    return submission.parsed_context(context, history_given=submission.member("history").present)


def read_context(
    submission: Node, read_item: Callable[[Node], Step | Message], *, trust_annotations: bool, now: datetime | None
) -> Context:
    """Request, tools, history and sources; `read_item` reads an entry of the history."""
    earlier = submission.notes.earlier
    return Context(
        query=earlier.query if earlier else read_query(submission.member("query")),
        tools=read_tools(submission.member("tools"), trust_annotations=trust_annotations),
        history=tuple(without_repeats(map(read_item, submission.member("history").items()), earlier)),
        extra=read_sources(submission.member("sources"), earlier.sources if earlier else ()),
        now=now,
    )


def read_query(query: Node) -> str:
    """The user's request; empty where the agent says that no user made one, as to a sub-agent."""
    return "" if query.value == "" else query.text(required=True)


def resumption_of(submission: Node, context: Context) -> Resumption | None:
    """The end of the history: the calls in it are finished. None where it was left out."""
    history, earlier = submission.member("history"), submission.notes.earlier
    if not isinstance(history.value, list):
        return None
    return Resumption(len(history.value), len(context.history) + (earlier.position if earlier else 0))


def read_message(item: Node) -> Step | Message:
    """A turn of the conversation in our own shape, or a result that stands under the user's name."""
    item.refuse_other_fields("role", "text", "from", "tool")
    role, text = item.member("role"), item.member("text").text(required=True)
    if role.text() not in ("user", "assistant"):
        role.note_problem("Must be “user” or “assistant”.")
    by_tool, tool = is_from_tool(item), item.member("tool").name(required=False)
    if tool and not by_tool:
        item.member("tool").note_problem("Only a text that is `from` a tool names one.")
    result = read_observation(text) if role.value == "user" and by_tool is not False else None
    if by_tool or result is not None:
        return Step(tool or TOOL, {}, text if result is None else result)
    return Message(role.text(), text)


def without_repeats(history: Iterable[Step | Message], earlier: EarlierPast | None) -> Iterator[Step | Message]:
    """The history without messages that repeat an earlier result to the character: they are that result."""
    results: set[str] = set()
    for item in history:
        match item:
            case Message("user", text) if text.strip() in results or (earlier and earlier.is_result(text)):
                continue
            case Step(outcome=str(outcome)) if len(outcome.strip()) >= MIN_REPEATED_LENGTH:
                results.add(outcome.strip())
        yield item


def read_sources(sources: Node, earlier: Iterable[NamedText]) -> tuple[NamedText, ...]:
    """Further sources behind the earlier ones, each by a name of its own."""
    earlier_by_name = {source.name: source for source in earlier}
    texts_by_name: dict[str, NamedText] = {}
    for source in sources.items():
        text = _read_source(source)
        # A source's name is its id in evidence: of two the second would hide the first.
        if text.name in texts_by_name or earlier_by_name.get(text.name, text) != text:
            source.member("name").note_problem("Another source has this name.")
        texts_by_name[text.name] = text
    return tuple({**earlier_by_name, **texts_by_name}.values())


def read_history_item(item: Node) -> Step | Message:
    """A finished call, or a turn of the conversation."""
    item.object(required=True)
    if item.member("role").present:
        return read_message(item)
    item.refuse_other_fields("tool", "arguments", "outcome", "subtask")
    outcome = item.member("outcome")
    return Step(
        item.member("tool").name(),
        item.member("arguments").record_object(),
        # Anything but text is taken as JSON, whose values can be found and shown where they stand.
        outcome.value if isinstance(outcome.value, str) else as_json(outcome) if outcome.present else None,
        item.member("subtask").text() or None,
    )


def _read_source(source: Node) -> NamedText:
    """One further source. Its kind decides how far it is trusted, so an unknown one is wrong."""
    source.object(required=True)
    source.refuse_other_fields("kind", "name", "text")
    kind = source.member("kind")
    name = kind.text(required=True)
    if name and name not in _SUBMITTED:
        kind.note_problem(f"Must be one of: {', '.join(_SUBMITTED)}.")
    return NamedText(
        # Nothing is made of a wrong submission; the kind only has to be one until it is refused.
        SourceKind(name) if name in _SUBMITTED else SourceKind.RETRIEVED,
        source.member("name").name(),
        source.member("text").require_present().text(),
    )
