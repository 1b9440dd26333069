"""The plan the call is part of, and what the plan gate made of it."""

from dataclasses import dataclass
from typing import Final

from reviews.models import Plan
from reviews.provenance.core.context import Context, PlanStep
from reviews.records import verdicts

LISTED: Final = 50
"""Steps a page shows."""
UNFOLDED: Final = 8
"""Steps it shows at once."""


@dataclass(frozen=True)
class ShownPlan:
    """A plan on the page."""

    steps: tuple[PlanStep, ...]
    unlisted: int
    answer: str
    """`safe`, `rewrite` or `reject`; empty where the gate has not answered."""
    reason: str
    judged: bool
    """Whether a model said so; False where the gate let pass, or stopped, what it could not tell."""
    rewrites: int
    """How often the agent was sent back to make another."""
    allowed: int
    stopped: bool
    """Whether the agent was told to stop, so that every call it still makes waits."""

    @property
    def first(self) -> tuple[PlanStep, ...]:
        """Steps shown at once."""
        return self.steps[:UNFOLDED]

    @property
    def folded(self) -> tuple[PlanStep, ...]:
        """Steps shown when they are asked for."""
        return self.steps[UNFOLDED:]


def plan_of(plan: Plan | None, context: Context) -> ShownPlan | None:
    """The plan in force, whose row this is; None when the agent submitted none, or none that the guard asks for."""
    if plan is None or context.plan is None:
        return None
    return ShownPlan(
        steps=context.plan[:LISTED],
        unlisted=max(0, len(context.plan) - LISTED),
        answer=plan.answer,
        reason=plan.reason,
        judged=_judged(plan),
        rewrites=plan.trace.rewrites,
        allowed=plan.profile.rewrites,
        stopped=plan.trace.rewrites > plan.profile.rewrites,
    )


def _judged(plan: Plan) -> bool:
    found = [finding for stage in verdicts.readable(plan.stages) for finding in stage.findings]
    return bool(found) and all(finding.holds is not None for finding in found)
