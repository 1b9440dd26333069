"""Further detectors that looked at a call, and a plan it belongs to."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from reviews import models
from reviews.models import Check, CheckMode, CheckStatus, Plan, PlanAnswer, Review, VerdictLabel
from reviews.provenance.core.findings import Finding, Relation, StageResult, stage_to_json

PLAN = [
    {"message": "Find Daniel.", "tool_use": ["search_contacts"]},
    {"message": "Send him the money.", "tool_use": ["money_transfer"]},
]


def looked(review: Review, detector: str, misalignment: str = "", *findings: models.Finding, **row: Any) -> Check:
    """This detector looked at the call, too: it objects with this type of failure, or found the call aligned."""
    verdict = VerdictLabel.MISALIGNED if misalignment else VerdictLabel.ALIGNED
    values = {"verdict": verdict, "misalignment": misalignment, "seconds": 1.5, "usage": {"calls": 3}, **row}
    values.setdefault("established", values["verdict"] == VerdictLabel.ALIGNED)
    check = Check.objects.create(
        action=review.action,
        agent_key=review.action.agent_key,
        detector=detector,
        status=CheckStatus.DONE,
        finished_at=timezone.now(),
        **values,
    )
    for ordinal, finding in enumerate(findings):
        finding.check_run, finding.ordinal = check, ordinal
        finding.save(force_insert=True)
    return check


def shadowed(review: Review, detector: str, misalignment: str = "", *findings: models.Finding, **row: Any) -> Check:
    """As `looked`, in shadow."""
    return looked(review, detector, misalignment, *findings, mode=CheckMode.SHADOW, **row)


def found(relation: str, subject: str, rationale: str, *, holds: bool | None = False, **row: Any) -> models.Finding:
    """A finding, by a rule unless `decided_by` says otherwise."""
    values = {"stage": "alignment", "decided_by": "rule", **row}
    return models.Finding(relation=relation, subject=subject, holds=holds, rationale=rationale, **values)


def planned(review: Review, answer: str = PlanAnswer.SAFE, reason: str = "", *, judged: bool = True) -> Plan:
    """The agent submitted a plan before the call, and the plan gate answered; unless `judged`, without knowing."""
    action = review.action
    finding = Finding(Relation.PERMITTED_BY, "plan", answer == PlanAnswer.SAFE if judged else None, reason)
    plan = Plan.objects.create(
        workspace=action.workspace,
        trace=action.trace,
        agent_key=action.agent_key,
        profile=action.profile,
        tool_set=action.tool_set,
        position=0,
        steps=PLAN,
        detector="intent-guard",
        status=CheckStatus.DONE,
        verdict=VerdictLabel.ALIGNED if answer == PlanAnswer.SAFE else VerdictLabel.MISALIGNED,
        misalignment="" if answer == PlanAnswer.SAFE else "plan",
        stages=[stage_to_json(StageResult("plan", (finding,)))],
        answer=answer,
        reason=reason,
        finished_at=timezone.now(),
    )
    Plan.objects.filter(pk=plan.pk).update(created_at=action.created_at - timedelta(seconds=1))
    return plan
