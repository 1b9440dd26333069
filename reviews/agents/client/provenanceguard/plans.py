"""What the plan gate answers. Reading anything else than what is documented raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .typed_json import read_object
from .values import Finding, NeitherTrueNorFalse

PLAN_ANSWERS = frozenset({"safe", "rewrite", "reject"})
"""What the plan gate may say."""


@dataclass(frozen=True)
class Rewrites:
    """How often a plan was sent back for the request, and how often it may be."""

    used: int
    allowed: int


@dataclass(frozen=True)
class PlanStep:
    """One step of the plan."""

    message: str
    tool_use: tuple[str, ...]


@dataclass(frozen=True)
class PlanLinks:
    """Where the plan is read, as a path."""

    self: str


@dataclass(frozen=True)
class PlanAnswer(NeitherTrueNorFalse):
    """A plan and what the plan gate says of it."""

    id: str
    trace_id: str
    status: str
    answer: str
    """`safe`: go on. `rewrite`: make a new plan and submit it. `reject`: stop and tell the user."""
    reason: str
    model_message: str
    """Ready to hand to the model that plans."""
    rewrites: Rewrites
    steps: tuple[PlanStep, ...]
    findings: tuple[Finding, ...]
    created_at: datetime
    links: PlanLinks

    @property
    def safe(self) -> bool:
        """Whether the plan may be carried out."""
        return self.answer == "safe"

    @property
    def rewrites_left(self) -> int:
        """How often the plan may still be rewritten for this request."""
        return self.rewrites.allowed - self.rewrites.used


@dataclass(frozen=True)
class Plan:
    """A plan that was submitted."""

    id: str
    answer: PlanAnswer | None
    """None while it is checked."""


def read_plan(answer: Mapping[str, Any]) -> Plan:
    """A plan from the API's answer. Raises KeyError and TypeError."""
    status, plan_id = answer["status"], answer["id"]
    if not isinstance(plan_id, str) or status not in ("checking", "decided"):
        raise TypeError(f"no plan has the status {status!r}")
    if status == "checking":
        return Plan(plan_id, None)
    decided = read_object(PlanAnswer, answer)
    # An answer that this client does not know is not taken for any it does.
    if decided.answer not in PLAN_ANSWERS:
        raise TypeError(f"no plan is answered with {decided.answer!r}")
    return Plan(plan_id, decided)
