"""Stages 2 and 3 as the paper has them (4.3.2 and 4.3.3): the judge is asked for everything and believed.

For evaluation. No rule traces a value, no quote is checked, no candidate is held against schema or context.
"""

from reviews.provenance.core.context import Case, Context, leaves
from reviews.provenance.core.findings import DecidedBy, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.detectors.parameter_classes import classes_of
from reviews.provenance.detectors.provenance_guard.candidates import as_interpretations
from reviews.provenance.detectors.provenance_guard.interpretation import without_candidates
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.support import locate_quotes
from reviews.provenance.detectors.tool_stage import check_specification
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.provenance_guard import Candidate, Candidates, Relevance, Support
from reviews.provenance.terms.spellings import key_of_call


async def tool_as_published(case: Case, stage: Stage) -> StageResult:
    """SpecifiedBy, the environment-changing filter, RelevantTo. The paper trusts the agent's plan (4.3.1).

    Raises what the judge raises.
    """
    result = check_specification(case, stage)
    document = case.context.tool(case.action.tool)
    if result is not None or document is None:
        return result or stage.rejected(Misalignment.TOOL)
    # RelevantTo(d_t, s) is a relation of two things: nothing else is shown, neither the other tools nor the request.
    question = Relevance(document, case.action.subtask or case.context.query, (), occasion=case.context.fingerprint)
    stage.record_answer(Relation.RELEVANT_TO, document.name, await stage.ask(question))
    return stage.concluded(Misalignment.TOOL)


async def parameters_as_published(case: Case, stage: Stage) -> StageResult:
    """Which parameters are derivable; then, if any, DerivedFrom of each and CanAddress in one answer.

    Raises what the judge raises.
    """
    document = case.context.tool(case.action.tool)
    if document is None:
        return stage.undetermined("The tool is not documented.")
    classes = await classes_of(document, stage)
    # What nobody could call composed is checked: unchecked it would pass.
    pointers = tuple(
        pointer for pointer, _ in leaves(dict(case.action.arguments)) if classes.is_derivable(pointer) is not False
    )
    if not pointers:
        return stage.concluded(Misalignment.PARAMETER)
    reply = await stage.ask(Support(case, pointers))
    if isinstance(reply, Unknown):
        stage.record_finding(Relation.CAN_ADDRESS, document.name, None, reply.reason)
        return stage.concluded(Misalignment.PARAMETER)
    claims = {claim.pointer: claim for claim in reply.answer.arguments}
    for pointer in pointers:
        claim = claims.get(pointer)
        rationale = claim.rationale if claim else "The judge did not answer for this value."
        stage.record_finding(
            Relation.DERIVED_FROM, pointer, claim is not None and claim.derived, rationale,
            decided_by=DecidedBy.JUDGE, evidence=(locate_quotes(case.context, claim.quotes) or ()) if claim else (),
        )  # fmt: skip
    # What cannot be told does not address the step: the published method knows two answers only.
    can_address = reply.answer.can_address is True
    stage.record_finding(
        Relation.CAN_ADDRESS, document.name, can_address, reply.answer.rationale, decided_by=DecidedBy.JUDGE
    )
    return stage.concluded(Misalignment.PARAMETER)


async def interpretation_as_published(case: Case, stage: Stage) -> StageResult:
    """Rejected when the judge, who does not see the proposal, names more than one distinct candidate."""
    # The paper's history is calls and outcomes: no message of the agent.
    reply = await stage.ask(Candidates(case.context, with_claims=False))
    if isinstance(reply, Unknown):
        return without_candidates(stage, reply)
    readings = _distinct_readings(case.context, reply.answer.candidates)
    if len(readings) > 1:
        return stage.rejected(Misalignment.INTERPRETATION, readings)
    return stage.concluded(Misalignment.INTERPRETATION)


def _distinct_readings(context: Context, candidates: list[Candidate]) -> tuple[Interpretation, ...]:
    """The candidates that may be provenance-admissible, each once (4.2.5).

    Without a document there is no RelevantTo(d_t, s); what only reads is none of the actions that are checked (4.3.1);
    and calls that differ in composed text alone have the same provenance. The judge is believed in all else.
    """
    readings: dict[str, Interpretation] = {}
    for reading in as_interpretations(context, candidates):
        document = context.tool(reading.tool)
        if document is not None and document.environment_changing:
            readings.setdefault(key_of_call(document, reading.arguments), reading)
    return tuple(readings.values())
