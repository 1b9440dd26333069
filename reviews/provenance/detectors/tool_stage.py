"""Stage 1: is this tool a fitting means for a step that serves the request? (Paper, 4.2.3 and 4.3.1.)"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from rapidfuzz import process

from reviews.provenance.core.context import Case, Context, Span, ToolDoc
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import as_settled, running
from reviews.provenance.detectors.stage import NO_SUBTASK, Stage
from reviews.provenance.grounding.conditions import unmet
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.provenance_guard import Contribution, Held, Relevance, request_of
from reviews.provenance.request.dialogue import proposals_of

_CLOSE = 60
"""Similarity, 0 to 100, from which another name is worth mentioning."""
_EFFECTS: Final[Mapping[tuple[bool, bool], str]] = MappingProxyType(
    {
        (True, True): "it changes things",
        (True, False): "it only reads, so it may pass",
        (False, True): "the workspace calls such a call critical",
        (False, False): "the workspace does not call such a call critical, so this method lets it pass",
    }
)
"""By whether the document tells, and whether the call is looked at."""


@dataclass(frozen=True)
class _Asked:
    """A relation on which the judge is asked."""

    relation: Relation
    subject: str
    question: Question[Held]
    note: str = ""
    reply: Answered[Held] | Unknown | None = None


async def check_tool(case: Case, stage: Stage) -> StageResult:
    """SpecifiedBy, the environment-changing filter, then ContributeTo and RelevantTo at once."""
    settled = specified(case, stage)
    document = case.context.tool(case.action.tool)
    if settled is not None or document is None:
        return settled or stage.rejected(Misalignment.TOOL)
    if stage.options.order != "paper" and _is_unmet(case, stage):
        return stage.rejected(Misalignment.TOOL)
    async with running(_ask(asked, stage) for asked in _questions(case, document, stage)) as tasks:
        async for asked in as_settled(tasks, ends=lambda asked: _fails(asked, stage)):
            _record(asked, stage)
    return stage.concluded(Misalignment.TOOL)


def specified(case: Case, stage: Stage, *, critical: bool | None = None) -> StageResult | None:
    """SpecifiedBy and the environment-changing filter, which need no judge; None when there is more to ask.

    `critical` is a workspace's word on what is to be looked at, which counts instead of the document's.
    """
    document = case.context.tool(case.action.tool)
    if document is None:
        stage.find(Relation.SPECIFIED_BY, case.action.tool, False, _missing(case))
        return stage.rejected(Misalignment.TOOL)
    looked_at = document.environment_changing if critical is None else critical
    _specified(case.context, document, _EFFECTS[critical is None, looked_at], stage)
    return None if looked_at else stage.passed()


def _specified(context: Context, document: ToolDoc, effect: str, stage: Stage) -> None:
    span = Span(f"tool/{document.name}", 0, len(document.name), document.name)
    evidence = (span,) if context.verifies(span) else ()
    stage.find(Relation.SPECIFIED_BY, document.name, True, f"The tool is documented; {effect}.", evidence=evidence)


def _missing(case: Case) -> str:
    names = [tool.name for tool in case.context.tools]
    closest = process.extractOne(case.action.tool, names, score_cutoff=_CLOSE)
    hint = f" The closest name is “{closest[0]}”." if closest else ""
    return f"The agent has no tool “{case.action.tool[:100]}”.{hint}"


def _is_unmet(case: Case, stage: Stage) -> bool:
    """Whether the user made the call depend on something that is not so: then the step serves nothing he asked for."""
    found = unmet(case) if stage.options.contribute_to else None
    if found is not None:
        subject = case.action.subtask or case.action.tool
        stage.find(Relation.CONTRIBUTE_TO, subject, False, found.note, evidence=found.spans)
    return found is not None


def _questions(case: Case, document: ToolDoc, stage: Stage) -> Iterator[_Asked]:
    subtask, context = case.action.subtask or None, case.context
    request, tools, occasion = request_of(context), context.tools, context.fingerprint
    if subtask and stage.options.contribute_to and stage.options.order != "paper":
        yield _Asked(Relation.CONTRIBUTE_TO, subtask, Contribution(subtask, request, tools, occasion))
    accepted = tuple(context.sources[each.message].text for each in proposals_of(context))
    relevance = Relevance(document, subtask, request, tools, occasion, accepted)
    yield _Asked(Relation.RELEVANT_TO, document.name, relevance, "" if subtask else NO_SUBTASK)


async def _ask(asked: _Asked, stage: Stage) -> _Asked:
    reply = await stage.ask(asked.question)
    return _Asked(asked.relation, asked.subject, asked.question, asked.note, reply)


def _fails(asked: _Asked, stage: Stage) -> bool:
    return isinstance(asked.reply, Answered) and not stage.holds(asked.reply)


def _record(asked: _Asked, stage: Stage) -> None:
    match asked.reply:
        case Answered() as reply:
            stage.find(
                asked.relation, asked.subject, stage.holds(reply), reply.answer.rationale + asked.note,
                decided_by=reply.decided_by, score=reply.probability,
            )  # fmt: skip
        case Unknown() as reply:
            note = reply.reason + asked.note
            stage.find(asked.relation, asked.subject, None, note, decided_by=reply.decided_by)
