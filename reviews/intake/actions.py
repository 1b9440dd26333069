"""An agent proposes a call: store it with its context, then ask a worker to check it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews import access
from reviews.errors import FieldProblem, IdempotencyMismatchError, InvalidSubmissionError
from reviews.messaging import broker
from reviews.models import Action, AgentKey, Check, CheckMode, GuardProfile, IdempotencyKey, Risk, ToolPolicy
from reviews.models.base import uuid7
from reviews.provenance.core.canonical import call_digest, content_digest
from reviews.provenance.core.context import Context, JsonValue, ProposedAction
from reviews.records import store

# Standing orders that decide without looking: a check would cost money and change nothing.
UNCHECKED_POLICIES = (ToolPolicy.ALWAYS_ALLOW, ToolPolicy.DENY)


@dataclass(frozen=True)
class Proposal:
    """A validated submission."""

    context: Context
    action: ProposedAction
    trace_id: str | None = None
    history_given: bool = True
    """False: the agent left its history out, and the trace's stored one counts."""
    tool_call_id: str = ""
    risk: Risk = Risk.MEDIUM
    expires_in: int | None = None
    """Seconds; None for the profile's."""
    callback_url: str = ""
    retry_of: UUID | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Submitted:
    """The stored action, and whether this request created it."""

    action: Action
    created: bool


def submit(
    *, agent_key: AgentKey, proposal: Proposal, idempotency_key: str | None = None, request_digest: str = ""
) -> Submitted:
    """Store the proposal and enqueue its check on commit.

    The same idempotency key with the same request gives the same action, also when both arrive at once.
    Raises `IdempotencyMismatchError` and `InvalidSubmissionError`.
    """
    if idempotency_key is None:
        with transaction.atomic():
            return Submitted(_store(agent_key, proposal), created=True)
    earlier = _submitted_with(agent_key, idempotency_key, request_digest)
    if earlier is not None:
        return Submitted(earlier, created=False)
    try:
        with transaction.atomic():
            # Written first, before there is an action to name: a parallel twin waits here until this transaction has
            # its action.
            reserved = IdempotencyKey.objects.create(
                agent_key=agent_key, key=idempotency_key, request_digest=request_digest
            )
            action = _store(agent_key, proposal)
            IdempotencyKey.objects.filter(pk=reserved.pk).update(action=action)
            return Submitted(action, created=True)
    except IntegrityError:
        # The twin was first. Any other broken constraint has left no such key behind, and is a bug.
        earlier = _submitted_with(agent_key, idempotency_key, request_digest)
        if earlier is None:
            raise
        return Submitted(earlier, created=False)


def _submitted_with(agent_key: AgentKey, key: str, request_digest: str) -> Action | None:
    """The action that was submitted with this idempotency key; None when it is new.

    Raises `IdempotencyMismatchError` when it came with another request.
    """
    used = IdempotencyKey.objects.filter(agent_key=agent_key, key=key).select_related("action__trace").first()
    if used is None:
        return None
    if used.request_digest != request_digest:
        raise IdempotencyMismatchError("This Idempotency-Key was used before with another request body.")
    return used.action


def _store(agent_key: AgentKey, proposal: Proposal) -> Action:
    workspace = agent_key.workspace
    profile = access.current_profile(workspace)
    retried = _retried(agent_key, proposal.retry_of)
    # Texts before the trace, which refers to them. The order is that of plans too: two submissions of one conversation
    # take their locks in the same order.
    texts = store.store_texts(workspace, store.bodies_of(proposal.context))
    trace, position = store.store_trace(
        workspace, proposal.trace_id or str(uuid7()), proposal.context, texts, history_given=proposal.history_given
    )
    now = timezone.now()
    # Most fields repeat what the profile or the trace say today: both may change while the action waits for a person,
    # and what was decided has to stay explainable.
    action = Action.objects.create(
        workspace=workspace,
        trace=trace,
        agent_key=agent_key,
        profile=profile,
        tool_set=store.store_tools(workspace, proposal.context.tools),
        position=position,
        sources=[
            {"kind": str(source.kind), "name": source.name, "digest": content_digest(source.text)}
            for source in proposal.context.extra
        ],
        # What "tomorrow" means must not depend on when a worker, or a reviewer, gets to it.
        clock=proposal.context.now or now,
        tool=proposal.action.tool,
        arguments=dict(proposal.action.arguments),
        subtask=proposal.action.subtask or "",
        tool_call_id=proposal.tool_call_id,
        digest=call_digest(proposal.action.tool, proposal.action.arguments),
        risk=proposal.risk,
        expires_at=now + timedelta(seconds=proposal.expires_in or profile.expires_in),
        callback_url=proposal.callback_url,
        retry_of=retried,
        attempt=retried.attempt + 1 if retried else 1,
        metadata=dict(proposal.metadata),
    )
    # Not before: a worker that is faster than the commit would find no action.
    broker.enqueue_on_commit(action.pk, _create_checks(action, profile))
    return action


def _create_checks(action: Action, profile: GuardProfile) -> list[Check]:
    """What will run, in the profile's order. A detector named twice runs once, enforced. Empty for a standing order."""
    if profile.tool_policies.get(action.tool) in UNCHECKED_POLICIES:
        return []
    # A dictionary keeps the order in which its keys came first: the enforced ones, which are waited for, run first.
    modes = dict.fromkeys([*profile.detectors, *profile.shadow], CheckMode.SHADOW)
    modes |= dict.fromkeys(profile.detectors, CheckMode.ENFORCED)
    return Check.objects.bulk_create(
        [Check(action=action, detector=detector, mode=mode) for detector, mode in modes.items()]
    )


def _retried(agent_key: AgentKey, retry_of: UUID | None) -> Action | None:
    """The action that this one replaces. Raises `InvalidSubmissionError` when the workspace has none of this id."""
    if retry_of is None:
        return None
    action = access.actions_for(agent_key).filter(pk=retry_of).first()
    if action is None:
        raise InvalidSubmissionError(FieldProblem("/retry_of", "There is no such action in this workspace."))
    return action
