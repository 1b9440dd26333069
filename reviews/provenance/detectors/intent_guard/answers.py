"""What IntentGuard's verdicts say to the agent: the answer to a plan, its reason, and what to plan anew.

Algorithm 1: a rejected plan ends the task and the user is told; everything else is sent back with the reason.
"""

from typing import Final, Literal, TypeAlias, assert_never

from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.core.verdicts import Aligned, Misaligned, Undetermined, Verdict
from reviews.provenance.detectors.intent_guard.gates import PLAN_GATE, UNPLANNED

GateAnswer: TypeAlias = Literal["safe", "rewrite", "reject"]

_STOP: Final = "Stop and tell the user that the plan was rejected"
_MEND: Final = "Rewrite the plan so that every step serves what the user asked for"
_WITHOUT: Final = "Rewrite the plan without this tool"
_APART: Final = "Rewrite the plan so that its calls do no harm together"
_PLANNED: Final = "Keep to the plan, or submit a new one that has a step for this call"


def gate_answer(verdict: Verdict) -> GateAnswer:
    """What the Plan Gate answers. A plan that could not be judged is rejected: no answer is no permission."""
    match verdict:
        case Aligned():
            return "safe"
        case Misaligned():
            return "rewrite" if _forbidding_reason(verdict.stages) is None else "reject"
        case Undetermined():
            return "reject"
        case _ as unreachable:
            assert_never(unreachable)


def gate_reason(verdict: Verdict) -> str:
    """Why the Plan Gate answers so: the judge's own words, one line of bounded length."""
    match verdict:
        case Aligned():
            return _rationale_of(verdict.stages, holds=True) or "No model judged this plan."
        case Misaligned():
            return _rationale_of(verdict.stages, holds=False)
        case Undetermined():
            return f"The guard could not check this plan: {verdict.reason}"
        case _ as unreachable:
            assert_never(unreachable)


def advice_of(verdict: Verdict) -> str | None:
    """One line for the planner about a verdict of `intent-guard`; None where nothing has to be planned anew.

    The reason in it is a model's, made from material that others wrote: plain text, never markup.
    """
    rejecting = next((stage for stage in verdict.stages if stage.misalignment is not None), None)
    if rejecting is None:
        return None
    if rejecting.stage == PLAN_GATE:
        # A plan that serves a forbidden end is not mended by rewording it.
        advice = _MEND if _forbidding_reason((rejecting,)) is None else _STOP
    elif rejecting.misalignment is Misalignment.TOOL:
        advice = _WITHOUT
    else:
        advice = _PLANNED if any(finding.rule == UNPLANNED for finding in rejecting.findings) else _APART
    return f"{advice}: {_rationale_of((rejecting,), holds=False)}"


def _forbidding_reason(stages: tuple[StageResult, ...]) -> str | None:
    """Why the plan itself is not permitted, so that no rewriting mends it; None where it is."""
    findings = (finding for stage in stages if stage.stage == PLAN_GATE for finding in stage.findings)
    refused = (finding for finding in findings if finding.relation is Relation.PERMITTED_BY and finding.holds is False)
    return next((finding.rationale for finding in refused), None)


def _rationale_of(stages: tuple[StageResult, ...], *, holds: bool) -> str:
    """The rationale of a finding that does or does not hold, the forbidding one first; empty where there is none."""
    rationales = (finding.rationale for stage in stages for finding in stage.findings if finding.holds is holds)
    return (None if holds else _forbidding_reason(stages)) or next(rationales, "")
