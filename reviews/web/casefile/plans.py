"""The plan the call is part of, and what the plan gate made of it."""

from dataclasses import dataclass
from typing import Final

from reviews.models import Plan
from reviews.provenance.context import Context, PlanStep

LISTED: Final = 50
"""Steps a page shows."""


@dataclass(frozen=True)
class ShownPlan:
    """A plan on the page."""

    steps: tuple[PlanStep, ...]
    unlisted: int
    answer: str
    """`safe`, `rewrite` or `reject`; empty where the gate has not answered."""
    reason: str
    rewrites: int
    """How often the agent was sent back to make another."""
    allowed: int


def plan_of(plan: Plan | None, context: Context) -> ShownPlan | None:
    """The plan in force, whose row this is; None when the agent submitted none, or none that the guard asks for."""
    if plan is None or context.plan is None:
        return None
    return ShownPlan(
        steps=context.plan[:LISTED],
        unlisted=max(0, len(context.plan) - LISTED),
        answer=plan.answer,
        reason=plan.reason,
        rewrites=plan.trace.rewrites,
        allowed=plan.profile.rewrites,
    )
