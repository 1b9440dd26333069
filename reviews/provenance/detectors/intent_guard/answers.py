"""What IntentGuard's verdicts say to the agent: the answer to a plan, its reason, and what to plan anew.

Algorithm 1: a rejected plan ends the task and the user is told; everything else is sent back with the reason.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, assert_never

from reviews.provenance.core.findings import (
    Aligned,
    Misaligned,
    Misalignment,
    Relation,
    StageResult,
    Undetermined,
    Verdict,
)
from reviews.provenance.detectors.intent_guard import plan_gate

GateAnswer: TypeAlias = Literal["safe", "rewrite", "reject"]
_Order: TypeAlias = Literal["stop", "mend", "without", "apart"]

_ADVICE: Final[Mapping[_Order, str]] = MappingProxyType(
    {
        "stop": "Stop and tell the user that the plan was rejected",
        "mend": "Rewrite the plan so that every step serves what the user asked for",
        "without": "Rewrite the plan without this tool",
        "apart": "Rewrite the plan so that its calls do no harm together",
    }
)


def gate_answer(verdict: Verdict) -> GateAnswer:
    """What the Plan Gate answers. A plan that could not be judged is rejected: no answer is no permission."""
    match verdict:
        case Aligned():
            return "safe"
        case Misaligned():
            return "rewrite" if _forbidden(verdict.stages) is None else "reject"
        case Undetermined():
            return "reject"
        case _ as unreachable:
            assert_never(unreachable)


def gate_reason(verdict: Verdict) -> str:
    """Why the Plan Gate answers so: the judge's own words, one line of bounded length."""
    match verdict:
        case Aligned():
            return _said(verdict.stages, holds=True) or "No model judged this plan."
        case Misaligned():
            return _said(verdict.stages, holds=False)
        case Undetermined():
            return f"The guard could not check this plan: {verdict.reason}"
        case _ as unreachable:
            assert_never(unreachable)


def advice_of(verdict: Verdict) -> str | None:
    """One line for the planner about a verdict of `intent-guard`; None where nothing has to be planned anew.

    The reason in it is a model's, made from material that others wrote: plain text, never markup.
    """
    stopping = next((stage for stage in verdict.stages if stage.misalignment is not None), None)
    if stopping is None:
        return None
    return f"{_ADVICE[_order(stopping)]}: {_said((stopping,), holds=False)}"


def _order(stopping: StageResult) -> _Order:
    match stopping.stage:
        case plan_gate.PLAN_GATE:
            return "mend" if _forbidden((stopping,)) is None else "stop"
        case _:
            return "without" if stopping.misalignment is Misalignment.TOOL else "apart"


def _forbidden(stages: tuple[StageResult, ...]) -> str | None:
    """Why the plan itself is not permitted, so that no rewriting mends it; None where it is."""
    return next(
        (
            finding.rationale
            for stage in stages
            if stage.stage == plan_gate.PLAN_GATE
            for finding in stage.findings
            if finding.relation is Relation.PERMITTED_BY and finding.holds is False
        ),
        None,
    )


def _said(stages: tuple[StageResult, ...], *, holds: bool) -> str:
    """The reason of a finding that does or does not hold, the forbidding one first; empty where there is none."""
    found = (each.rationale for stage in stages for each in stage.findings if each.holds is holds)
    return (None if holds else _forbidden(stages)) or next(found, "")
