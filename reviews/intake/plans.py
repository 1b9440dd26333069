"""An agent submits the plan it made: store it, have the plan gate look at it, answer.

IntentGuard paper, 3.2 and Algorithm 1: safe, rewrite with a reason, or reject. A plan that could not be judged is
rejected, and so is one that would have to be rewritten once too often. One that is rejected for what it is, or once too
often, ends the request: every further plan for it is rejected.
"""

from dataclasses import dataclass, replace

from django.db import transaction

from reviews import access
from reviews.decisions import rewrite_budget
from reviews.models import AgentKey, Plan, PlanAnswer, StepKind, VerdictLabel
from reviews.models.base import uuid7
from reviews.provenance.core.context import Context
from reviews.provenance.detectors.intent_guard import detector
from reviews.records import load, store
from reviews.records.transactions import retry_on_conflict
from reviews.scheduling import broker


@dataclass(frozen=True)
class Draft:
    """A validated plan with the past it was made after."""

    context: Context
    """With the plan in it."""
    trace_id: str | None = None
    history_given: bool = True
    """False: the agent left its history out, and the trace's stored one counts."""


@dataclass(frozen=True)
class SubmittedPlan:
    """The stored plan, and whether this request made it."""

    plan: Plan
    created: bool


@retry_on_conflict
def submit_plan(*, agent_key: AgentKey, draft: Draft) -> SubmittedPlan:
    """Store the plan and enqueue its check on commit.

    The same plan submitted again, as long as no other and no word of the user followed, is the plan that is stored
    already, so that a retry costs nothing; one that the guard could not judge is judged anew, and so is one that was
    let through before the agent was told to stop.
    """
    # The gate reads request and plan: further sources cannot speak for a plan, and are not kept.
    workspace, context = agent_key.workspace, replace(draft.context, extra=())
    with transaction.atomic():
        # In the order in which actions take the same locks.
        texts = store.store_texts(workspace, store.bodies_of(context))
        trace, position = store.store_trace(
            agent_key.agent, draft.trace_id or str(uuid7()), context, texts, history_given=draft.history_given
        )
        plan = Plan(
            workspace=workspace,
            trace=trace,
            agent_key=agent_key,
            profile=access.current_profile(workspace),
            tool_set=store.store_tools(workspace, context.tools),
            position=position,
            detector=detector.NAME,
            steps=load.plan_to_json(context.plan or ()),
        )
        repeated = _submitted_before(plan)
        if repeated is not None:
            return SubmittedPlan(repeated, created=False)
        plan.save(force_insert=True)
        # A broker that is away must not fail the submission: the sweep finds the stored plan.
        transaction.on_commit(broker.enqueue_hint, robust=True)
    return SubmittedPlan(plan, created=True)


def _submitted_before(plan: Plan) -> Plan | None:
    """The latest plan of the conversation, if it says the same under the same conditions.

    Its trace is locked: of two that arrive at once, the second finds the first.
    """
    latest = load.latest_plan(plan.trace)
    if latest is None or latest.verdict == VerdictLabel.UNDETERMINED:
        return None
    # Another profile may judge otherwise, and other tools may make the same words mean something else.
    conditions = ("trace_id", "profile_id", "tool_set_id", "steps")
    if any(getattr(latest, name) != getattr(plan, name) for name in conditions):
        return None
    # What the user has said since may ask for it, or forbid it.
    between = sorted((latest.position, plan.position))
    user_steps = plan.trace.steps.filter(kind=StepKind.USER, position__gt=between[0], position__lte=between[1])
    if user_steps.exists():
        return None
    # One that was let through before the agent was told to stop for this request would let it go on.
    let_through = latest.answer == PlanAnswer.SAFE
    overtaken = let_through and rewrite_budget.is_told_to_stop(latest.trace, allowed=latest.profile.rewrites)
    return None if overtaken else latest
