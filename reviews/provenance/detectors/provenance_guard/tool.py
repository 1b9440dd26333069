"""Stage 1: is this tool a fitting means for a step that serves the request? (Paper, 4.2.3 and 4.3.1.)"""

from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.detectors.provenance_guard.shared_call import RULE, SharedCall
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Unknown
from reviews.provenance.proofs.requested_tool import RULE as REQUESTED
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import stem_of, stems_of

LOOKUP: Final = "tools.lookup"
_ASKED_FOR: Final = "The message that asks has this tool's own words."
_STEP_NAMES_IT: Final = "The step names the tool that the request asks for."
_UNPROVEN: Final = "Nothing proves that the request asks for this. Is it what is wanted?"


async def check_tool(call: SharedCall, stage: Stage) -> StageResult:
    """SpecifiedBy, the environment-changing filter, then RelevantTo and ContributeTo: by proof, else by the judge."""
    result = check_specification(call.case, stage)
    if result is not None:
        return result
    tool, subtask = call.case.action.tool, call.case.action.subtask
    if call.is_lookup:
        # A look-up is a means for nearly any step, and changes nothing if it is none.
        note = f"“{tool}” only looks something up, by its name and document."
        stage.record_finding(Relation.RELEVANT_TO, tool, True, note, rule=LOOKUP)
        return stage.concluded(Misalignment.TOOL)
    # Where the conversation also says what no rule reads, the words that ask for the tool prove nothing.
    request = call.grounded.request if call.grounded.is_asked_for else None
    tests_contribution = bool(subtask) and stage.options.contribute_to
    if request:
        spans = (request.text.span(request.start, request.end),)
        stage.record_finding(Relation.RELEVANT_TO, tool, True, _ASKED_FOR, evidence=spans, rule=REQUESTED)
        # A step that has a word of the tool's name is the step that the proven request is about.
        names_tool = not stems_of(tool).isdisjoint(map(stem_of, words_of(subtask or "")))
        if tests_contribution and names_tool:
            stage.record_finding(
                Relation.CONTRIBUTE_TO, subtask or "", True, _STEP_NAMES_IT, evidence=spans, rule=REQUESTED
            )
        if names_tool or not tests_contribution:
            return stage.concluded(Misalignment.TOOL)
    reply = await call.support(stage)
    relevant, contributes, evidence = None, None, tuple[Span, ...]()
    note, decided_by, rule = _UNPROVEN, DecidedBy.RULE, REQUESTED
    if unread := call.grounded.unread:
        note = f"No rule reads all of this: “{shorten_text(unread.quote, 80)}” Is the call wanted?"
        evidence = (unread,)
    if not isinstance(reply, Unknown):
        relevant, contributes = reply.answer.relevant, reply.answer.contributes
        note, decided_by, evidence, rule = reply.answer.rationale, DecidedBy.JUDGE, reply.quotes, RULE
    relations = [] if request else [(Relation.RELEVANT_TO, tool, relevant)]
    if tests_contribution or contributes is False:
        # Without a step of its own the call itself is what has to serve the request.
        relations.append((Relation.CONTRIBUTE_TO, subtask or tool, contributes))
    for relation, subject, holds in relations:
        stage.record_finding(relation, subject, holds, note, decided_by=decided_by, evidence=evidence, rule=rule)
    return stage.concluded(Misalignment.TOOL)
