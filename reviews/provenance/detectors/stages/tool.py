"""Stage 1: is this tool a fitting means for a step that serves the request? (Paper, 4.2.3 and 4.3.1.)"""

from rapidfuzz import process

from reviews.provenance.context import Case, Context, Span, ToolDoc
from reviews.provenance.detectors.stages.stage import Stage
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions import Contribution, Held, Relevance, request_of
from reviews.provenance.relations import DecidedBy, Misalignment, Relation, StageResult

_CLOSE = 60
"""Similarity, 0 to 100, from which another name is worth mentioning."""


async def check_tool(case: Case, stage: Stage) -> StageResult:
    """SpecifiedBy, the environment-changing filter, ContributeTo, RelevantTo."""
    document = case.context.tool(case.action.tool)
    if document is None:
        stage.find(Relation.SPECIFIED_BY, case.action.tool, False, _missing(case))
        return stage.rejected(Misalignment.TOOL)
    _specified(case.context, document, stage)
    if not document.environment_changing:
        return stage.passed()
    if stage.options.contribute_to and case.action.subtask:
        await _contribute(case, case.action.subtask, stage)
    if not any(stage.failing):
        await _relevant(case, document, stage)
    return stage.concluded(Misalignment.TOOL)


def _specified(context: Context, document: ToolDoc, stage: Stage) -> None:
    span = Span(f"tool/{document.name}", 0, len(document.name), document.name)
    evidence = (span,) if context.verifies(span) else ()
    effect = "it changes things" if document.environment_changing else "it only reads, so it may pass"
    stage.find(Relation.SPECIFIED_BY, document.name, True, f"The tool is documented; {effect}.", evidence=evidence)


def _missing(case: Case) -> str:
    names = [tool.name for tool in case.context.tools]
    closest = process.extractOne(case.action.tool, names, score_cutoff=_CLOSE)
    hint = f" The closest name is “{closest[0]}”." if closest else ""
    return f"The agent has no tool “{case.action.tool[:100]}”.{hint}"


async def _contribute(case: Case, subtask: str, stage: Stage) -> None:
    reply = await stage.ask(Contribution(subtask, request_of(case.context)))
    _record(stage, Relation.CONTRIBUTE_TO, subtask, reply)


async def _relevant(case: Case, document: ToolDoc, stage: Stage) -> None:
    subtask = case.action.subtask or None
    question = Relevance(document, subtask, request_of(case.context), case.context.tools)
    note = "" if subtask else " The agent named no subtask, so the request itself was asked about."
    _record(stage, Relation.RELEVANT_TO, document.name, await stage.ask(question), note)


def _record(stage: Stage, relation: Relation, subject: str, reply: Answered[Held] | Unknown, note: str = "") -> None:
    if isinstance(reply, Unknown):
        stage.find(relation, subject, None, reply.reason + note, decided_by=_decider(reply))
    else:
        stage.find(relation, subject, reply.answer.holds, reply.answer.rationale + note, decided_by=reply.decided_by)


def _decider(reply: Unknown) -> DecidedBy:
    return DecidedBy.JUDGE if reply.usage.calls else DecidedBy.RULE
