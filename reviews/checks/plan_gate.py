"""Check a plan with the plan gate and answer it."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final

from django.db.models import QuerySet

from reviews.checks import rewrites
from reviews.decisions import rewrite_budget
from reviews.messaging import metrics, signals
from reviews.models import GuardProfile, Plan, PlanAnswer
from reviews.profiles.options import detector_options
from reviews.provenance.core.findings import StageResult
from reviews.provenance.core.verdicts import Misaligned, Verdict
from reviews.provenance.detectors.base import Stages
from reviews.provenance.detectors.intent_guard import answers, detector
from reviews.provenance.doubts.suspended_rule import suspend_rules
from reviews.provenance.judges import Judge
from reviews.records import load
from reviews.scheduling import attempts
from reviews.scheduling.attempts import Procedure

# Continues `rewrites.NONE_LEFT`.
_STOPPED: Final = "no plan for this request is let through any more."


class _Plans(attempts.JobKind[Plan]):
    def all_rows(self) -> QuerySet[Plan]:
        return Plan.objects.all()

    def with_context(self, rows: QuerySet[Plan]) -> QuerySet[Plan]:
        return rows.select_related("profile", "trace__query", "tool_set")

    def profile_of(self, examined: Plan) -> GuardProfile:
        return examined.profile

    def request_id_of(self, examined: Plan) -> str:
        return examined.request_id

    def procedure_for(self, examined: Plan) -> Procedure:
        gate = detector.PlanGate(detector_options(examined.profile, examined.detector))
        context = load.load_plan_context(examined)
        suspended = frozenset(examined.profile.suspended_rules)

        async def run_stages(judge: Judge, done: tuple[StageResult, ...]) -> Stages:
            async for stage in gate.stages(context, judge, done):
                yield _withhold_suspended(stage, suspended)

        return Procedure(gate.version, run_stages)

    def answer_columns(self, examined: Plan, verdict: Verdict) -> dict[str, Any]:
        """The answer and its reason, by column; counts the rewrites that it costs the agent."""
        answered = self._answer_plan(examined, verdict)
        metrics.count_on_commit(metrics.PLANS.labels(answered["answer"]))
        return answered

    def _answer_plan(self, examined: Plan, verdict: Verdict) -> dict[str, Any]:
        reason, allowed = answers.gate_reason(verdict), examined.profile.rewrites
        match answers.gate_answer(verdict):
            # However harmless the new plan looks: the agent was told to stop and to tell the user.
            case "safe" if rewrite_budget.is_told_to_stop(examined.trace, allowed=allowed):
                return {"answer": PlanAnswer.REJECT, "reason": f"{rewrites.NONE_LEFT} {_STOPPED}"}
            case "safe":
                return {"answer": PlanAnswer.SAFE, "reason": reason}
            case "rewrite":
                rewrite_budget.count_rewrite(examined.trace, allowed=allowed)
                if rewrite_budget.is_told_to_stop(examined.trace, allowed=allowed):
                    return {"answer": PlanAnswer.REJECT, "reason": f"{rewrites.NONE_LEFT} {reason}"}
                return {"answer": PlanAnswer.REWRITE, "reason": reason}
            case "reject":
                # Not after an undetermined verdict: the judge's trouble must not end the agent's work for good.
                if isinstance(verdict, Misaligned):
                    rewrite_budget.use_up(examined.trace, allowed=allowed)
                return {"answer": PlanAnswer.REJECT, "reason": reason}

    def on_finished(self, examined: Plan, verdict: Verdict, stored: Any) -> None:
        signals.settled_on_commit(examined.pk)


def _withhold_suspended(stage: StageResult, rules: Collection[str]) -> StageResult:
    """The stage without what these rules decided: undetermined where nothing else refuses the plan."""
    withheld = suspend_rules(stage, rules)
    if withheld is stage or withheld.final:
        return withheld
    # An open finding keeps a call from passing as established. A plan has no such answer between safe and rejected.
    reason = next(finding.rationale for finding in withheld.findings if finding not in stage.findings)
    return replace(withheld, undetermined=reason)


PLANS = _Plans()
"""How a worker examines a plan."""
