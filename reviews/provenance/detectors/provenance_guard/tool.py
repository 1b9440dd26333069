"""Stage 1: is this tool a fitting means for a step that serves the request? (Paper, 4.2.3 and 4.3.1.)"""

from typing import Final

from reviews.provenance.core.context import Case, Span
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.lookups import is_lookup
from reviews.provenance.detectors.provenance_guard.call_support import RULE, SharedSupport
from reviews.provenance.detectors.shared_grounding import Ground
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.grounding import GroundedCall
from reviews.provenance.judges.base import Unknown
from reviews.provenance.proofs.requested_tool import RULE as REQUESTED
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import stem_of, stems_of

_ASKED_FOR: Final = "The message that asks has this tool's own words."
_STEP_NAMES_IT: Final = "The step names the tool that the request asks for."
_UNPROVEN: Final = "The request does not ask for this in the tool's own words. Is it what is wanted?"


async def check_tool(case: Case, stage: Stage, ground: Ground, support: SharedSupport) -> StageResult:
    """SpecifiedBy, the environment-changing filter, then RelevantTo and ContributeTo: by proof, else by the judge.

    Raises what the judge raises.
    """
    result = check_specification(case, stage)
    document = case.context.tool(case.action.tool)
    if result is not None or document is None:
        return result or stage.rejected(Misalignment.TOOL)
    if is_lookup(document, case.action):
        # A look-up is a means for nearly any step, and changes nothing if it is none.
        note = f"“{document.name}” only looks something up, by its name and document."
        stage.record_finding(Relation.RELEVANT_TO, document.name, True, note)
        return stage.concluded(Misalignment.TOOL)
    call = ground(case)
    tests_contribution = bool(case.action.subtask) and stage.options.contribute_to
    relevant, contributes = call.request is not None, _step_names_tool(case, call)
    if relevant and (contributes or not tests_contribution):
        _record_proof(case, call, stage, with_contribution=tests_contribution)
        return stage.concluded(Misalignment.TOOL)
    await _ask_relevance(case, call, stage, support, tests_contribution=tests_contribution, step_is_named=contributes)
    return stage.concluded(Misalignment.TOOL)


async def _ask_relevance(
    case: Case,
    call: GroundedCall,
    stage: Stage,
    support: SharedSupport,
    *,
    tests_contribution: bool,
    step_is_named: bool,
) -> None:
    """Record what the judge says of tool and step; what is proven stands."""
    reply = await support.ask(stage)
    relevant = contributes = None
    note, decided_by, rule = _UNPROVEN, DecidedBy.RULE, ""
    evidence: tuple[Span, ...] = ()
    if not isinstance(reply, Unknown):
        relevant, contributes = reply.answer.relevant, reply.answer.contributes
        note, decided_by, evidence, rule = reply.answer.rationale, DecidedBy.JUDGE, reply.quotes, RULE
    if call.request is not None:
        _record_proof(case, call, stage, with_contribution=False)
    else:
        stage.record_finding(
            Relation.RELEVANT_TO, case.action.tool, relevant, note, decided_by=decided_by, evidence=evidence, rule=rule
        )
    if tests_contribution and step_is_named and call.request is not None:
        stage.record_finding(Relation.CONTRIBUTE_TO, case.action.subtask or "", True, _STEP_NAMES_IT, rule=REQUESTED)
    elif tests_contribution or (contributes is False):
        # Without a step of its own the call itself is what has to serve the request.
        subject = case.action.subtask or case.action.tool
        stage.record_finding(
            Relation.CONTRIBUTE_TO, subject, contributes, note, decided_by=decided_by, evidence=evidence, rule=rule
        )


def _record_proof(case: Case, call: GroundedCall, stage: Stage, *, with_contribution: bool) -> None:
    request = call.request
    spans = (request.text.span(request.start, request.end),) if request else ()
    stage.record_finding(Relation.RELEVANT_TO, case.action.tool, True, _ASKED_FOR, evidence=spans, rule=REQUESTED)
    if with_contribution:
        stage.record_finding(
            Relation.CONTRIBUTE_TO, case.action.subtask or "", True, _STEP_NAMES_IT, evidence=spans, rule=REQUESTED
        )


def _step_names_tool(case: Case, call: GroundedCall) -> bool:
    """Whether the agent's step has a word of the tool's name, so that the proven request is the step's."""
    if call.request is None or not case.action.subtask:
        return False
    return not stems_of(case.action.tool).isdisjoint(map(stem_of, words_of(case.action.subtask)))
