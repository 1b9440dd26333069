"""One action as its page shows it: what a reviewer sees of an item, for reading, and what was said of it since."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.urls import reverse

from reviews import access
from reviews.desk.actions.forms import JudgementForm
from reviews.desk.membership import MemberRequest
from reviews.desk.review.case.reasons import Reason
from reviews.desk.review.case.status import read_standing
from reviews.desk.review.case.verdicts import compare_shadows
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.errors import found
from reviews.models import OPEN, Action, Check, DecidedBy, Decision, Finding, Label, Outcome, Review

ESTABLISHED = "Everything the guard asks for is established."


def find_action(request: MemberRequest, action_id: UUID) -> Action:
    """The action with what its page shows. Raises `NotFoundError`."""
    access.require(request.membership, access.Permission.VIEW)
    actions = access.actions_for(request.membership)
    # The review comes with it, or its absence.
    actions = actions.select_related("trace__query", "tool_set", "profile", "review__claimed_by")
    return found(actions.filter(pk=action_id).first(), "action")


def review_of(action: Action) -> Review:
    """The action's review; for a call that no person was asked about one that is not stored."""
    review: Review | None = getattr(action, "review", None)
    if review is not None:
        review.action = action
        return review
    return Review(
        workspace_id=action.workspace_id,
        action=action,
        due_at=action.expires_at,
        order_at=action.expires_at,
        closed_at=action.settled_at,
    )


def checks_of(request: MemberRequest, action: Action) -> list[Check]:
    """The checks that this member may see, with findings and readings."""
    return list(access.checks_for(request.membership).filter(action=action))


def findings_of(checks: list[Check]) -> list[Finding]:
    """All findings of the checks, each knowing its check."""
    findings = []
    for check in checks:
        for finding in check.findings.all():
            finding.check_run = check
            findings.append(finding)
    return findings


def context_of(request: MemberRequest, action: Action, form: JudgementForm | None = None) -> dict[str, Any]:
    """Everything the page shows."""
    checks, review = checks_of(request, action), review_of(action)
    casefile, standing = open_casefile(review, checks), read_standing(review, request.membership)
    if review._state.adding:
        casefile = _without_objection(casefile, standing.decision)
    labels = Label.objects.filter(action=action).select_related("labeller").order_by("created_at")
    return {
        "action": action,
        "review": review,
        "file": casefile,
        "standing": standing,
        "shadows": compare_shadows(casefile.panel.shadows, standing.decision),
        "stopped": not review._state.adding,
        "waits": action.status in OPEN,
        "labels": labels,
        "judges": access.can(request.membership, access.Permission.DECIDE) and action.status not in OPEN,
        "judgement": form or JudgementForm(findings=findings_of(checks)),
        "unfold_at": reverse("action-source", args=[action.pk]),
    }


def _without_objection(casefile: CaseFile, decision: Decision | None) -> CaseFile:
    """The file of a call that did not stop, with why in the place of the reason to stop."""
    if decision is None:
        headline = Reason("No person was asked about this call", "")
    elif decision.decided_by == DecidedBy.POLICY:
        headline = Reason(f"The workspace's policy {_past_verb(decision)} it", decision.message)
    else:
        headline = Reason(f"The guard {_past_verb(decision)} it", decision.message or ESTABLISHED)
    reasons = [headline, *casefile.reasons[1:]]
    return replace(casefile, reasons=reasons, main_reasons=[headline], folded=reasons[1:])


def _past_verb(decision: Decision) -> str:
    return "passed" if decision.outcome == Outcome.APPROVE else "denied"
