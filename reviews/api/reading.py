"""A request's body as a proposal: its shape first, then what the shape means."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.conf import settings

from reviews import access
from reviews.api import conversation
from reviews.api.exactness import inexact
from reviews.api.parsing import MOST_PROBLEMS
from reviews.api.queries import validated
from reviews.api.submissions import Envelope, HistoryMessage, HistoryStep, NativeSubmission, OpenAISubmission, Tool
from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.models import AgentKey
from reviews.provenance.context import Context, JsonValue, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.storage import text_of_outcome
from reviews.submission import Proposal


def proposal_of(body: JsonValue, agent_key: AgentKey) -> Proposal:
    """The proposal a body makes. Raises `InvalidError` pointing at each field that is wrong."""
    if isinstance(body, dict) and "messages" in body:
        return _openai(validated(OpenAISubmission, body))
    return _native(validated(NativeSubmission, body), agent_key)


def _native(sent: NativeSubmission, agent_key: AgentKey) -> Proposal:
    history = sent.history or []
    _refuse(
        _twice("/tools", [tool.name for tool in sent.tools]),
        _twice("/sources", [source.name for source in sent.sources]),
        (each for at, tool in enumerate(sent.tools) for each in inexact(_schema(tool), f"/tools/{at}/parameters")),
        (each for at, item in enumerate(history) for each in _inexact_step(item, f"/history/{at}/arguments")),
        inexact(sent.action.arguments, "/action/arguments"),
    )
    hinted = any(_read_only_hint(tool) for tool in sent.tools)
    trusted = hinted and access.current_profile(agent_key.workspace).trust_annotations
    return _proposal(
        sent,
        query=sent.query,
        tools=[_tool(tool, trusted=trusted) for tool in sent.tools],
        history=[_item(item) for item in history],
        history_given=sent.history is not None,
        action=ProposedAction(sent.action.tool, sent.action.arguments, sent.action.subtask),
        tool_call_id=sent.action.tool_call_id or "",
    )


def _openai(sent: OpenAISubmission) -> Proposal:
    told = conversation.read(sent.messages, sent.tool_call, max_nesting=settings.GUARD.max_nesting)
    names = [tool.function.name for tool in sent.tools]
    _refuse(
        _twice("/tools", names, "/function/name"),
        _twice("/sources", [source.name for source in sent.sources]),
        (
            each
            for at, tool in enumerate(sent.tools)
            for each in inexact(tool.function.parameters or {}, f"/tools/{at}/function/parameters")
        ),
    )
    return _proposal(
        sent,
        query=told.query,
        tools=[
            ToolDoc(tool.function.name, tool.function.description or "", tool.function.parameters or {})
            for tool in sent.tools
        ],
        history=told.history,
        extra=told.instructions,
        action=ProposedAction(sent.tool_call.function.name, told.arguments, sent.subtask or told.subtask),
        tool_call_id=sent.tool_call.id,
    )


def _proposal(
    sent: Envelope,
    *,
    query: str,
    tools: Sequence[ToolDoc],
    history: Sequence[Step | Message],
    extra: Sequence[NamedText] = (),
    **rest: Any,
) -> Proposal:
    named = (NamedText(source.kind, source.name, source.text) for source in sent.sources)
    return Proposal(
        context=Context(query, tuple(tools), tuple(history), (*extra, *named), sent.now),
        trace_id=sent.trace_id,
        risk=sent.risk,
        expires_in=sent.expires_in,
        callback_url=str(sent.callback_url or ""),
        retry_of=sent.retry_of,
        metadata=sent.metadata,
        **rest,
    )


def _tool(tool: Tool, *, trusted: bool) -> ToolDoc:
    declared = tool.environment_changing
    changing = declared if declared is not None else not (trusted and _read_only_hint(tool))
    return ToolDoc(tool.name, tool.description or "", _schema(tool), environment_changing=changing)


def _schema(tool: Tool) -> dict[str, JsonValue]:
    return tool.parameters or tool.inputSchema or {}


def _read_only_hint(tool: Tool) -> bool:
    return (tool.annotations or {}).get("readOnlyHint") is True


def _item(item: HistoryStep | HistoryMessage) -> Step | Message:
    match item:
        case HistoryStep():
            outcome = None if item.outcome is None else text_of_outcome(item.outcome)
            return Step(item.tool, item.arguments, outcome, item.subtask)
        case HistoryMessage():
            return Message(item.role, item.content)


def _inexact_step(item: HistoryStep | HistoryMessage, at: str) -> Iterator[FieldProblem]:
    if isinstance(item, HistoryStep):
        yield from inexact(item.arguments, at)


def _twice(at: str, names: Sequence[str], end: str = "/name") -> Iterator[FieldProblem]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield FieldProblem(f"{at}/{index}{end}", "This name stands for an earlier one already.")
        seen.add(name)


def _refuse(*problems: Iterable[FieldProblem]) -> None:
    found = [each for some in problems for each in some]
    if found:
        raise InvalidSubmissionError(*found[:MOST_PROBLEMS])
