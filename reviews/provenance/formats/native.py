"""Our own shape: query, tools, history, sources, action. MCP's is the same, but for its calls."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from reviews.provenance.core.context import Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import WISHES, SourceKind
from reviews.provenance.formats.arguments import earlier_object, require_arguments
from reviews.provenance.formats.content import as_json
from reviews.provenance.formats.continuation import Resumption
from reviews.provenance.formats.format_reader import FormatReader, Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import Node
from reviews.provenance.formats.observations import TOOL, Results, is_from_tool, split_observation
from reviews.provenance.formats.tools import read_tools

ActionReader: TypeAlias = Callable[[Node, tuple[ToolDoc, ...]], tuple[ProposedAction, str]]
"""Reads the proposed call of a submission with these tools, and the call's id."""
# Kinds a further source may have. What the user said and what tools returned have fields of their own.
_SUBMITTED: Final = tuple(
    kind
    for kind in SourceKind
    if kind not in (*WISHES, SourceKind.TOOL_DOC, SourceKind.TOOL_CALL, SourceKind.TOOL_OUTPUT)
)


@dataclass(frozen=True, kw_only=True)
class HistoryReader(FormatReader):
    """How submissions with a query and a history of finished calls are read."""

    read_action: ActionReader
    read_step: Callable[[Node], Step]
    """Reads a finished call of the history."""
    id_of_step: Callable[[Node], str] = lambda _: ""
    past_fields: frozenset[str] = frozenset({"query", "history", "sources"})

    def read_case(self, submission: Node, *, trust_annotations: bool) -> Parsed:
        """The proposed call in its context."""
        context, steps = self._read_past(submission, trust_annotations=trust_annotations)
        action, call_id = self.read_action(submission, context.tools)
        history, earlier = submission.member("history"), submission.notes.earlier
        # The calls of a history are finished: the next submission may go on from its end.
        position = len(context.history) + (earlier.position if earlier else 0)
        resumption = Resumption(len(history.value), position) if isinstance(history.value, list) else None
        return Parsed(
            context=context,
            action=action,
            tool_call_id=call_id,
            steps=steps,
            resumption=resumption,
            history_given=history.present,
        )

    def read_context(self, submission: Node, *, trust_annotations: bool) -> ParsedContext:
        """The context alone."""
        context, _ = self._read_past(submission, trust_annotations=trust_annotations)
        submission.member("query").text(required=True)
        return ParsedContext(context=context, history_given=submission.member("history").present)

    def _read_past(self, submission: Node, *, trust_annotations: bool) -> tuple[Context, dict[str, int]]:
        """Request, tools, history and sources; and which call of the history has each id."""
        earlier, query = submission.notes.earlier, submission.member("query")
        # Empty where the agent says that no user made a request, as to a sub-agent.
        request = earlier.query if earlier else "" if query.value == "" else query.text(required=True)
        tools = read_tools(submission.member("tools"), trust_annotations=trust_annotations)
        history: list[Step | Message] = []
        ids: list[str] = []
        results = Results(earlier)
        for item in submission.member("history").items():
            item.object(required=True)
            spoken = item.member("role").present
            for entry in _read_message(item) if spoken else [self.read_step(item)]:
                match entry:
                    case Step():
                        ids.append("" if spoken else self.id_of_step(item))
                        results.add(entry.outcome or "")
                    case Message("user", text) if text in results and item.member("from").value != "user":
                        continue
                history.append(entry)
        sources = _read_sources(submission.member("sources"), earlier.sources if earlier else ())
        steps = {call_id: step for step, call_id in enumerate(ids) if call_id}
        return Context(request, tools, tuple(history), sources), steps


def _read_message(item: Node) -> list[Step | Message]:
    """A turn of the conversation, and a result that stands under the user's name."""
    item.refuse_other_fields("role", "text", "from", "tool")
    text, role = item.member("text").text(required=True), item.member("role").text()
    item.member("role").expect("user", "assistant")
    by_tool, tool = is_from_tool(item), item.member("tool").name(required=False)
    if tool and not by_tool:
        item.member("tool").note_problem("Only a text that is `from` a tool names one.")
    words, result = split_observation(text) if role == "user" and by_tool is not False else (text, None)
    if by_tool:
        return [Step(tool or TOOL, {}, text if result is None or words.strip() else result)]
    messages = [Message(role, words)] if words.strip() or result is None else []
    return [*messages, *([] if result is None else [Step(TOOL, {}, result)])]


def _read_sources(sources: Node, earlier: Iterable[NamedText]) -> tuple[NamedText, ...]:
    """Further sources behind the earlier ones, each by a name of its own."""
    earlier_by_name = {source.name: source for source in earlier}
    texts_by_name: dict[str, NamedText] = {}
    for source in sources.items():
        source.object(required=True)
        source.refuse_other_fields("kind", "name", "text")
        kind = source.member("kind").text(required=True)
        # A source's kind decides how far it is trusted.
        if kind and kind not in _SUBMITTED:
            source.member("kind").note_problem(f"Must be one of: {', '.join(_SUBMITTED)}.")
        # Nothing is made of a wrong submission; the kind only has to be one until it is refused.
        known_kind = SourceKind(kind) if kind in _SUBMITTED else SourceKind.RETRIEVED
        name, text = source.member("name").name(), source.member("text").require_present().text()
        named_text = NamedText(known_kind, name, text)
        # A source's name is its id in evidence: of two the second would hide the first.
        if name in texts_by_name or earlier_by_name.get(name, named_text) != named_text:
            source.member("name").note_problem("Another source has this name.")
        texts_by_name[name] = named_text
    return tuple({**earlier_by_name, **texts_by_name}.values())


def _read_action(submission: Node, tools: tuple[ToolDoc, ...]) -> tuple[ProposedAction, str]:
    call = submission.member("action")
    call.object(required=True)
    call.refuse_other_fields("tool", "arguments", "subtask", "tool_call_id")
    arguments = call.member("arguments")
    action = ProposedAction(
        call.member("tool").name(), arguments.record_object(), call.member("subtask").text() or None
    )
    require_arguments(arguments, action.tool, tools)
    return action, call.member("tool_call_id").name(required=False)


def _read_step(item: Node) -> Step:
    item.refuse_other_fields("tool", "arguments", "outcome", "subtask")
    outcome = item.member("outcome")
    return Step(
        item.member("tool").name(),
        earlier_object(item.member("arguments")),
        # Anything but text is taken as JSON, whose values can be found and shown where they stand.
        outcome.value if isinstance(outcome.value, str) else as_json(outcome) if outcome.present else None,
        item.member("subtask").text() or None,
    )


READER: Final = HistoryReader(name="our own shape", call_field="action", read_action=_read_action, read_step=_read_step)
parse, parse_context = READER.parse, READER.parse_context
