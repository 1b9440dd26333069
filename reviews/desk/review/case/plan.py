"""The plan the call is part of, and the answer of the plan gate."""

from dataclasses import dataclass
from typing import Final

from reviews.models import Plan
from reviews.provenance.core.context import Context, PlanStep
from reviews.records import verdicts

# Steps on the page in all: as many as a submitted plan may have, so that the page stays bounded by itself.
MAX_STEPS: Final = 50
# Steps that are not folded away: as many as fit beside the evidence without pushing it off the screen.
UNFOLDED: Final = 8


@dataclass(frozen=True)
class PlanView:
    """A plan on the page."""

    first: tuple[PlanStep, ...]
    """Steps that are not folded away."""
    folded: tuple[PlanStep, ...]
    unlisted: int
    answer: str
    """`safe`, `rewrite` or `reject`; empty where the gate has not answered."""
    reason: str
    judged: bool
    """Whether a model gave that answer; False where the gate let pass, or stopped, what it could not establish."""
    rewrites: int
    """How often the agent was sent back to make another."""
    allowed: int
    stopped: bool
    """Whether the agent was told to stop, so that every call it still makes waits."""


def plan_of(plan: Plan | None, context: Context) -> PlanView | None:
    """The plan in force, whose row this is; None when the agent submitted none, or none that the guard asks for."""
    if plan is None or context.plan is None:
        return None
    findings = [finding for stage in verdicts.read_stages(plan.stages) for finding in stage.findings]
    steps = context.plan[:MAX_STEPS]
    return PlanView(
        first=steps[:UNFOLDED],
        folded=steps[UNFOLDED:],
        unlisted=len(context.plan) - len(steps),
        answer=plan.answer,
        reason=plan.reason,
        judged=bool(findings) and all(finding.holds is not None for finding in findings),
        rewrites=plan.trace.rewrites,
        allowed=plan.profile.rewrites,
        stopped=plan.trace.rewrites > plan.profile.rewrites,
    )
