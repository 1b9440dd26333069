"""An item as its annotator sees it: the request, the history, the call; nothing of what guard, people or labels say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviews.desk.review.case.arguments import Argument, arguments_of
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.case.sources import Exhibit, HistoryEntry, exhibit, history_of, others_of, tool_of
from reviews.desk.text.highlighting import Tone
from reviews.provenance.core.context import Case, Message, ProposedAction, Span


@dataclass(frozen=True)
class BlindCase:
    """What the workspace shows of an item."""

    action: ProposedAction
    arguments: list[Argument]
    unlisted: int
    """Arguments besides those."""
    query: Exhibit
    history: list[HistoryEntry]
    tool: Exhibit | None
    offered: list[str]
    """Names of the tools the agent may use."""
    others: list[Exhibit]
    evidence: Evidence
    steps: list[tuple[int, str]]
    """What the first misaligned step may be: positions with their names, the last one the proposed call itself."""


def blind_case(case: Case, marked: Iterable[Span] = (), *, opinions: Sequence[Iterable[Span]] = ()) -> BlindCase:
    """The case with the stretches that its annotator has marked, and no other mark.

    To whoever settles it also with what each of the others has marked, numbered as their answers are.
    """
    context, evidence = case.context, Evidence(case.context)
    # Before the exhibits: they are folded around the marks.
    evidence.point(marked, ref="marked", tone=Tone.DERIVED)
    for number, spans in enumerate(opinions, start=1):
        evidence.point(spans, ref=f"opinion-{number}", label=str(number), tone=Tone.DERIVED)
    arguments = arguments_of(case, (), evidence)
    steps = [
        (position, f"the {item.role}'s message" if isinstance(item, Message) else item.tool)
        for position, item in enumerate(context.history, start=1)
    ]
    return BlindCase(
        action=case.action,
        arguments=arguments.listed,
        unlisted=arguments.unlisted,
        query=exhibit(context, "query", evidence),
        history=history_of(context, evidence),
        tool=tool_of(context, case.action.tool, evidence),
        offered=[tool.name for tool in context.tools],
        others=others_of(context, case.action.tool, evidence),
        evidence=evidence,
        steps=[*steps, (len(steps) + 1, "the proposed call")],
    )
