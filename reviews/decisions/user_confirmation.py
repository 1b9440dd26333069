"""Ask the acting user: a link on whose page they confirm or refuse this one call, without an account.

The link is signed and names the action; that the user was asked stands on the action, and the answer is its decision.
So a link works once, by the compare-and-set that settles the action, and no longer than the action waits. Whoever holds
the link answers for the user: it is for the application in front of them, never for a model.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from reviews import access, audit
from reviews.access import Principal
from reviews.decisions import locking, outcomes, rewrite_budget
from reviews.errors import ConflictError, ForbiddenError, not_open
from reviews.messaging import metrics
from reviews.models import (
    Action,
    AgentKey,
    DecidedBy,
    Decision,
    Outcome,
    Status,
    ToolPolicy,
    UserConfirms,
    pipeline,
)
from reviews.models.sql import decisions as sql_decisions
from reviews.profiles.options import is_grave
from reviews.provenance.core.canonical import canonical_json
from reviews.queue import review_claims
from reviews.records.transactions import retry_on_conflict
from reviews.records.verdicts import is_injected

# What a person reads before they say yes; of a longer call they would confirm an end that they never saw.
MAX_SHOWN: Final = 4_000
"""Characters of a call's arguments up to which a user may be asked."""
# No detector has looked at the call of an agent that is stuck.
_STUCK: Final = "The agent is stuck: it waits for a person's words, and not for leave to make this call."
_OURS: Final = "The workspace's own people always review this tool."
_POLICY_REASONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ToolPolicy.DENY: "The workspace's policy denies this tool.",
        ToolPolicy.ALWAYS_REVIEW: _OURS,
        ToolPolicy.TWO_PEOPLE: _OURS,
    }
)
_SIGNER: Final = signing.Signer(salt="reviews.user-confirmation")


@transaction.atomic
def ask_user(*, action: Action, by: Principal) -> str:
    """Let the acting user decide this call. Returns the path of the page; asking again gives the same one.

    Raises `ForbiddenError`, `AlreadyDecidedError`, `NotOpenError`, and `ConflictError` where no user may be asked.
    """
    if isinstance(by, AgentKey):
        if not action.profile.agents_ask_user:
            raise ForbiddenError("The workspace lets reviewers alone ask the user.")
    else:
        access.require(by, access.Permission.DECIDE)
    if reason := reason_not_to_ask(action):
        raise ConflictError(reason)
    locked = locking.lock_action(action.pk)
    if locked is None or locked.status != Status.PENDING or locked.expires_at <= timezone.now():
        raise not_open(action)
    if locked.user_asked_at is None:
        pipeline.update_rows(Action, {"user_asked_at": timezone.now()}, id=action.pk)
        audit.record(
            workspace=action.workspace,
            verb="action.user_asked",
            subject=str(action.pk),
            by=by,
            details={"digest": action.digest},
        )
    return reverse("confirm", args=[_SIGNER.sign(action.pk.hex)])


def reason_not_to_ask(action: Action) -> str:
    """Why no user may be asked about this call; empty where one may."""
    profile = action.profile
    if profile.user_confirms == UserConfirms.NEVER:
        return "The workspace does not ask users."
    if reason := _STUCK if action.is_stuck else _POLICY_REASONS.get(profile.tool_policies.get(action.tool, ""), ""):
        return reason
    if profile.user_confirms == UserConfirms.MILD and is_grave(action):
        return "The call is grave, and the workspace has its own people decide such calls."
    if len(canonical_json(action.arguments)) > MAX_SHOWN:
        return "The call is too long for a user to read before they answer."
    if is_injected(action):
        return "An order in data gave the call a value: who is misled by it must not be asked."
    return ""


def find_asked(token: str) -> Action | None:
    """The action of a link, decided or not; None where it is no link of ours, or nobody has asked."""
    try:
        key = UUID(_SIGNER.unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    actions = Action.objects.select_related("workspace", "profile", "trace", "agent", "tool_set")
    return actions.filter(pk=key, user_asked_at__isnull=False).first()


@retry_on_conflict
@transaction.atomic
def answer_as_user(*, action: Action, confirms: bool) -> Decision:
    """The user confirms the call exactly as proposed, or refuses it.

    Raises `AlreadyDecidedError` and `NotOpenError`.
    """
    rewrite_budget.lock_counted(action)
    locked = locking.lock_action(action.pk)
    held_approvals = Decision.objects.filter(action=action, held_until__isnull=False)
    # A refusal counts as long as nothing has run; a confirmation adds nothing to what a person has approved already.
    if locked is None or locked.user_asked_at is None or (confirms and held_approvals.exists()):
        raise not_open(action)
    if not outcomes.leave_status(action, (Status.PENDING,), Status.DECIDED, only_before_expiry=True):
        raise not_open(action)
    pipeline.execute(sql_decisions.WITHDRAW_UNTOLD, (timezone.now(), action.pk))
    decision = Decision(
        action=action,
        outcome=Outcome.APPROVE if confirms else Outcome.REJECT,
        decided_by=DecidedBy.USER,
        tool=action.tool,
        arguments=action.arguments,
        digest=action.digest,
    )
    pipeline.insert_rows([decision])
    metrics.count_on_commit(metrics.DECISIONS.labels(decision.outcome, decision.decided_by))
    review_claims.close_review(action)
    if confirms:
        rewrite_budget.give_back(action)
    audit.record(
        workspace=action.workspace,
        verb="action.user_confirmed" if confirms else "action.user_refused",
        subject=str(action.pk),
        details={"digest": action.digest},
    )
    return decision
