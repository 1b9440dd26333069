"""An item as its annotator sees it: the request, the history, the call; nothing of what guard, people or labels say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviews.desk.review.case.arguments import list_arguments, write_value
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.case.sources import (
    Exhibit,
    HistoryEntry,
    HistoryRun,
    UserRequest,
    find_asking_message,
    fold_whole,
    list_history,
    list_other_sources,
    show_tool_document,
)
from reviews.desk.text.highlighting import Piece, Tone
from reviews.provenance.core.context import Case, Message, ProposedAction, Span, leaves


@dataclass(frozen=True)
class BlindArgument:
    """One value of the call, without where anybody thinks it comes from."""

    pointer: str
    path: str
    value: tuple[Piece, ...]
    text: str
    """The value as it would be looked for."""
    is_text: bool
    """A string, as against a number, a truth value, null or an empty container."""


@dataclass(frozen=True)
class BlindCase:
    """What the workspace shows of an item."""

    action: ProposedAction
    arguments: list[BlindArgument]
    unlisted: int
    """Arguments besides those."""
    rest: tuple[Piece, ...]
    """Stands for all the arguments as one text, for when some are not listed."""
    request: UserRequest
    history: list[HistoryEntry]
    history_runs: list[HistoryRun]
    """The same, unfolded: whoever marks what a value rests on has to see all of it."""
    tool: Exhibit | None
    offered: list[str]
    """Names of the tools the agent may use."""
    other_sources: list[Exhibit]
    evidence: Evidence
    steps: list[tuple[int, str]]
    """What the first misaligned step may be: positions with their names, the last one the proposed call itself."""


def blind_case(case: Case, marked: Iterable[Span] = (), *, opinions: Sequence[Iterable[Span]] = ()) -> BlindCase:
    """The case with the stretches that its annotator has marked, and no other mark.

    To whoever settles it also with what each of the others has marked, numbered as their answers are.
    """
    context, evidence = case.context, Evidence(case.context, case.action.arguments, as_letters=False)
    # Before the exhibits: they are folded around the marks.
    evidence.point(marked, ref="marked", tone=Tone.DERIVED)
    for number, spans in enumerate(opinions, start=1):
        evidence.point(spans, ref=f"opinion-{number}", label=str(number), tone=Tone.DERIVED)
    arguments = list_arguments(case, (), evidence)
    values = dict(leaves(dict(case.action.arguments)))
    request = find_asking_message(context, evidence)
    history = list_history(context, evidence, request.message.source)
    steps = [
        (position, f"the {item.role}'s message" if isinstance(item, Message) else item.tool)
        for position, item in enumerate(context.history, start=1)
    ]
    return BlindCase(
        action=case.action,
        arguments=[
            BlindArgument(row.pointer, row.path, row.value, write_value(values[row.pointer]), row.is_text)
            for row in arguments.listed
        ],
        unlisted=arguments.unlisted,
        rest=fold_whole(case.action.arguments),
        request=request,
        history=history,
        history_runs=[HistoryRun(history, is_folded=False)] if history else [],
        tool=show_tool_document(context, case.action.tool, evidence),
        offered=[tool.name for tool in context.tools],
        other_sources=list_other_sources(context, case.action.tool, evidence),
        evidence=evidence,
        steps=[*steps, (len(steps) + 1, "the proposed call")],
    )
