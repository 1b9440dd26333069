"""An agent submits the plan it made: store it, have the plan gate look at it, answer.

IntentGuard paper, 3.2 and Algorithm 1: safe, rewrite with a reason, or reject. A plan that could not be judged is
rejected, and so is one that would have to be rewritten once too often. One that is rejected for what it is, or once too
often, ends the request: every further plan for it is rejected.
"""

from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviews import access
from reviews.checks import leases, rewrites
from reviews.checks.leases import Procedure
from reviews.messaging import broker
from reviews.models import AgentKey, GuardProfile, Plan, PlanAnswer, VerdictLabel
from reviews.models.base import uuid7
from reviews.profiles import versions
from reviews.provenance.core.context import Context
from reviews.provenance.core.findings import Misaligned, Verdict
from reviews.provenance.detectors.intent_guard import answers, detector
from reviews.records import load as cases
from reviews.records import store

TASK = "reviews.tasks.check_plan"
_STOPPED: Final = "no plan for this request is let through any more."


@dataclass(frozen=True)
class Draft:
    """A validated plan with the past it was made after."""

    context: Context
    """With the plan in it."""
    trace_id: str | None = None
    history_given: bool = True
    """False: the agent left its history out, and the trace's stored one counts."""


def submit(*, agent_key: AgentKey, draft: Draft) -> Plan:
    """Store the plan and enqueue its check on commit.

    The same plan submitted again, as long as no other followed, is the plan that is stored already, so that a retry
    costs nothing; one that the guard could not judge is judged anew, and so is one that was let through before the
    agent was told to stop.
    """
    # The gate reads request and plan: further sources cannot speak for a plan, and are not kept.
    workspace, context = agent_key.workspace, replace(draft.context, extra=())
    with transaction.atomic():
        texts = store.store_texts(workspace, store.bodies_of(context))
        trace, position = store.store_trace(
            workspace, draft.trace_id or str(uuid7()), context, texts, history_given=draft.history_given
        )
        plan = Plan(
            workspace=workspace,
            trace=trace,
            agent_key=agent_key,
            profile=access.current_profile(workspace),
            tool_set=store.store_tools(workspace, context.tools),
            position=position,
            detector=detector.NAME,
            steps=cases.plan_to_json(context.plan or ()),
        )
        known = _submitted_before(plan)
        if known is not None:
            return known
        plan.save(force_insert=True)
        transaction.on_commit(lambda: enqueue(plan.pk), robust=True)
    return plan


def enqueue(plan_id: UUID, *, delay: float = 0) -> None:
    """Ask a worker to check this plan, after `delay` seconds."""
    broker.enqueue(TASK, plan_id, delay=delay)


def check(plan_id: UUID) -> float | None:
    """Bring the plan's check as far as it goes. Harmless to repeat.

    Returns the seconds after which a failed attempt is due again, or None.
    """
    return leases.attempt(PLANS, plan_id)


def model_message_of(plan: Plan) -> str | None:
    """What to hand to the model that plans; None while the plan is checked."""
    reason = rewrites.plain(plan.reason)
    match plan.answer:
        case PlanAnswer.SAFE:
            return "The plan may be carried out. Each of its calls is still checked on its own."
        case PlanAnswer.REWRITE:
            return (
                "Do not carry this plan out. Make a new plan that serves the user's request and nothing else. "
                f"What was wrong: {reason}"
            )
        case PlanAnswer.REJECT:
            return (
                "Do not carry this plan out, and make no other one for this request. Stop, and tell the user why: "
                f"{reason}"
            )
    return None


def _submitted_before(plan: Plan) -> Plan | None:
    """The latest plan of the conversation, if it says the same under the same conditions.

    Its trace is locked: of two that arrive at once, the second finds the first.
    """
    latest = cases.latest_plan(plan.workspace_id, plan.trace.external_id)
    if latest is None or latest.verdict == VerdictLabel.UNDETERMINED:
        return None
    conditions = ("trace_id", "profile_id", "tool_set_id", "steps")
    same = all(getattr(latest, name) == getattr(plan, name) for name in conditions)
    return latest if same and not _is_overtaken(latest) else None


def _is_overtaken(plan: Plan) -> bool:
    """Whether the plan was let through before the agent was told to stop for this request."""
    return plan.answer == PlanAnswer.SAFE and rewrites.told_to_stop(plan.trace, allowed=plan.profile.rewrites)


class _Plans(leases.Work[Plan]):
    def rows(self) -> QuerySet[Plan]:
        return Plan.objects.all()

    def load(self, pk: UUID) -> Plan:
        return self.rows().select_related("profile", "trace__query", "tool_set").get(pk=pk)

    def profile_of(self, examined: Plan) -> GuardProfile:
        return examined.profile

    def procedure_for(self, examined: Plan) -> Procedure:
        gate = detector.PlanGate(versions.detector_options(examined.profile, examined.detector))
        context = cases.context_of_plan(examined)
        return Procedure(gate.version, lambda judge, done: gate.stages(context, judge, done))

    def answer(self, examined: Plan, verdict: Verdict) -> dict[str, Any]:
        reason, allowed = answers.gate_reason(verdict), examined.profile.rewrites
        match answers.gate_answer(verdict):
            case "safe" if rewrites.told_to_stop(examined.trace, allowed=allowed):
                return {"answer": PlanAnswer.REJECT, "reason": f"{rewrites.NONE_LEFT} {_STOPPED}"}
            case "safe":
                return {"answer": PlanAnswer.SAFE, "reason": reason}
            case "rewrite" if rewrites.send_back(examined.trace, allowed=allowed):
                return {"answer": PlanAnswer.REWRITE, "reason": reason}
            case "rewrite":
                return {"answer": PlanAnswer.REJECT, "reason": f"{rewrites.NONE_LEFT} {reason}"}
            case "reject":
                if isinstance(verdict, Misaligned):
                    rewrites.stop(examined.trace, allowed=allowed)
                return {"answer": PlanAnswer.REJECT, "reason": reason}

    def keep(self, examined: Plan, verdict: Verdict) -> None:
        broker.settled_on_commit(examined.pk)


PLANS = _Plans()
"""What a worker does with a plan."""
