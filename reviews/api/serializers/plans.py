"""Stored plans as the API's answers."""

from reviews import models
from reviews.api.schemas import answers, plan_answers
from reviews.checks.findings import span_to_json
from reviews.decisions.messages import plan_message_of
from reviews.provenance.core.findings import Finding
from reviews.records import verdicts


def plan(stored: models.Plan) -> plan_answers.Plan:
    """A plan of `access.plans_for`, or one that was just submitted."""
    decided = stored.status == models.CheckStatus.DONE
    return plan_answers.Plan(
        id=stored.pk,
        trace_id=stored.trace.external_id,
        status="decided" if decided else "checking",
        answer=stored.answer or None,
        # While it is checked, the reason is that of the last attempt's failure.
        reason=stored.reason if decided else "",
        model_message=plan_message_of(stored),
        rewrites=_rewrites(stored),
        steps=[plan_answers.PlanStep(**step) for step in stored.steps],
        findings=_findings(stored) if decided else [],
        created_at=stored.created_at,
        links=plan_answers.PlanLinks(self=f"/api/v1/plans/{stored.pk}"),
    )


def _rewrites(stored: models.Plan) -> plan_answers.Rewrites:
    allowed = stored.profile.rewrites
    # One more than allowed stands for an agent that was told to stop.
    return plan_answers.Rewrites(used=min(stored.trace.rewrites, allowed), allowed=allowed)


def _findings(stored: models.Plan) -> list[answers.Finding]:
    return [_finding(finding) for stage in verdicts.readable(stored.stages) for finding in stage.findings]


def _finding(found: Finding) -> answers.Finding:
    return answers.Finding(
        relation=found.relation,
        subject=found.subject,
        holds=found.holds,
        rationale=found.rationale,
        decided_by=found.decided_by.value,
        grounding=found.grounding,
        score=found.score,
        evidence=[answers.Evidence(**span_to_json(span)) for span in found.evidence],
        sources=list(found.sources),
        trust=found.trust,
        untrusted_only=found.untrusted_only,
    )
