"""Stored plans as the API's answers."""

from reviews import models
from reviews.api.schemas import answers, plan_answers
from reviews.checks.findings import span_to_json
from reviews.decisions.messages import plan_message_of
from reviews.provenance.core.findings import Finding
from reviews.records import verdicts


def serialize_plan(stored: models.Plan) -> plan_answers.Plan:
    """A plan of `access.plans_for`, or one that was just submitted."""
    decided = stored.status == models.CheckStatus.DONE
    allowed = stored.profile.rewrites
    stages = verdicts.read_stages(stored.stages) if decided else ()
    return plan_answers.Plan(
        id=stored.pk,
        trace_id=stored.trace.external_id,
        status="decided" if decided else "checking",
        answer=stored.answer or None,
        # While it is checked, the reason is that of the last attempt's failure.
        reason=stored.reason if decided else "",
        model_message=plan_message_of(stored),
        # One more than allowed stands for an agent that was told to stop.
        rewrites=plan_answers.Rewrites(used=min(stored.trace.rewrites, allowed), allowed=allowed),
        steps=[plan_answers.PlanStep(**step) for step in stored.steps],
        # An attempt that failed may have left findings of its first stages.
        findings=[_serialize_finding(finding) for stage in stages for finding in stage.findings],
        created_at=stored.created_at,
        links=plan_answers.PlanLinks(self=f"/api/v1/plans/{stored.pk}"),
    )


def _serialize_finding(finding: Finding) -> answers.Finding:
    return answers.Finding(
        relation=finding.relation,
        subject=finding.subject,
        holds=finding.holds,
        rationale=finding.rationale,
        decided_by=finding.decided_by.value,
        grounding=finding.grounding,
        score=finding.score,
        evidence=[answers.Evidence(**span_to_json(span)) for span in finding.evidence],
        sources=list(finding.sources),
        trust=finding.trust,
        untrusted_only=finding.untrusted_only,
        rule=finding.rule,
    )
