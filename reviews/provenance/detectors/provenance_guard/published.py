"""The stages as the paper has them (4.3.1 to 4.3.3): the judge is asked for everything and believed.

For evaluation. No rule traces a value, no quote is checked, no candidate is held against schema or context.
"""

from reviews.provenance.core.context import leaves
from reviews.provenance.core.findings import DecidedBy, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.detectors.judge_quotes import locate_quotes
from reviews.provenance.detectors.provenance_guard.interpretation import changing_calls, without_candidates
from reviews.provenance.detectors.provenance_guard.shared_call import SharedCall
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.detectors.value_findings import LEFT_OUT
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.blocks import step_of
from reviews.provenance.judges.questions.provenance_guard import Candidates, Relevance, Support


async def tool_as_published(call: SharedCall, stage: Stage) -> StageResult:
    """SpecifiedBy, the environment-changing filter, RelevantTo. The paper trusts the agent's plan (4.3.1)."""
    case = call.case
    result = check_specification(case, stage)
    if result is not None:
        return result
    # RelevantTo(d_t, s) is a relation of two things: nothing else is shown, neither the other tools nor the request.
    question = Relevance(call.document, step_of(case), (), occasion=case.context.fingerprint)
    stage.record_answer(Relation.RELEVANT_TO, call.document.name, await stage.ask(question), rule=rule_of(question))
    return stage.concluded(Misalignment.TOOL)


async def parameters_as_published(call: SharedCall, stage: Stage) -> StageResult:
    """Which parameters are derivable; then, if any, DerivedFrom of each and CanAddress in one answer."""
    case, tool = call.case, call.document.name
    classes = await call.classes(stage)
    # What nobody could call composed is checked: unchecked it would pass.
    pointers = tuple(
        pointer for pointer, _ in leaves(dict(case.action.arguments)) if classes.is_derivable(pointer) is not False
    )
    if not pointers:
        return stage.concluded(Misalignment.PARAMETER)
    reply = await stage.ask(Support(case, pointers))
    if isinstance(reply, Unknown):
        stage.record_finding(Relation.CAN_ADDRESS, tool, None, reply.reason, rule=rule_of(Support))
        return stage.concluded(Misalignment.PARAMETER)
    claims = {claim.pointer: claim for claim in reply.answer.arguments}
    for pointer in pointers:
        claim = claims.get(pointer)
        rationale = claim.rationale if claim else LEFT_OUT
        stage.record_finding(
            Relation.DERIVED_FROM, pointer, claim is not None and claim.derived, rationale,
            decided_by=DecidedBy.JUDGE, evidence=(locate_quotes(case.context, claim.quotes) or ()) if claim else (),
            rule=rule_of(Support),
        )  # fmt: skip
    # What cannot be told does not address the step: the published method knows two answers only.
    can_address = reply.answer.can_address is True
    stage.record_finding(
        Relation.CAN_ADDRESS, tool, can_address, reply.answer.rationale,
        decided_by=DecidedBy.JUDGE, rule=rule_of(Support),
    )  # fmt: skip
    return stage.concluded(Misalignment.PARAMETER)


async def interpretation_as_published(call: SharedCall, stage: Stage) -> StageResult:
    """Rejected when the judge, who does not see the proposal, names more than one distinct candidate (4.2.5).

    Calls that differ in composed text alone have the same provenance. The judge is believed in all else.
    """
    # The paper's history is calls and outcomes: no message of the agent.
    reply = await stage.ask(Candidates(call.case.context, with_claims=False))
    if isinstance(reply, Unknown):
        return without_candidates(stage, reply)
    readings: dict[str, Interpretation] = {}
    for key, reading, _ in changing_calls(call.case.context, reply.answer.candidates):
        readings.setdefault(key, reading)
    if len(readings) > 1:
        return stage.rejected(Misalignment.INTERPRETATION, tuple(readings.values()))
    return stage.concluded(Misalignment.INTERPRETATION)
