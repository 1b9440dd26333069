"""IntentGuard's Plan Gate: a plan must serve no harmful end, and the user's task throughout (paper, 3.2)."""

from typing import Final

from reviews.provenance.core.context import Case, Context, PlanStep, Step
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.intent_guard import (
    DeviationAnswer,
    IntentAnswer,
    IntentDeviation,
    MaliciousIntent,
    format_plan,
)

PLAN_GATE: Final = "plan"
"""Name of the stage."""
PLAN: Final = "plan"
"""Subject of what is found about the plan as a whole."""
NO_PLAN: Final = "No plan was submitted for this trace."
# Characters of a plan, so that a prompt holds it whole beside a request and later turns of any length: a third of the
# 36,000 that the shared context of a prompt may take. Of a plan that is shortened the middle could say anything.
MAX_PLAN: Final = 12_000
_TOO_LONG: Final = "The plan is too long to be judged as a whole."
# Calls that stand in for a plan: of more, the latest.
_MAX_STEPS: Final = 50


def find_plan(case: Case, options: Options) -> tuple[PlanStep, ...]:
    """The plan in force; without one, the calls so far and the proposed one where the options allow it."""
    # Failing closed is the default: calls are no plan, because an attack that is under way shows in them too late.
    if case.context.plan or options.without_plan == "review":
        return case.context.plan or ()
    earlier = [(item.tool, item.subtask) for item in case.context.history if isinstance(item, Step)]
    calls = (*earlier, (case.action.tool, case.action.subtask))[-_MAX_STEPS:]
    return tuple(PlanStep(subtask or tool, (tool,)) for tool, subtask in calls)


def is_planned(tool: str, plan: tuple[PlanStep, ...]) -> bool:
    """Whether some step of the plan is to use this tool."""
    return any(tool in step.tool_use for step in plan)


async def check_plan(plan: tuple[PlanStep, ...], context: Context, stage: Stage) -> StageResult:
    """Malicious intent, then deviation; a rejection ends it. Without a plan nothing is asked, and a person looks."""
    if not plan:
        return stage.undetermined(NO_PLAN)
    if len(format_plan(plan)) > MAX_PLAN:
        return stage.undetermined(_TOO_LONG)
    questions: dict[Relation, Question[IntentAnswer | DeviationAnswer]] = {
        Relation.PERMITTED_BY: MaliciousIntent(context, plan),
        Relation.CONTRIBUTE_TO: IntentDeviation(context, plan),
    }
    async for relation, reply in stage.ask_each(questions.items(), ends=lambda _, reply: _is_rejected(reply)):
        stage.record_answer(relation, PLAN, reply)
        if relation is Relation.CONTRIBUTE_TO and _is_rejected(reply):
            # No rewriting mends it: that is what tells it from a plan that only has to be made again.
            stage.retract(Relation.PERMITTED_BY, PLAN)
            stage.record_answer(Relation.PERMITTED_BY, PLAN, reply)
    return stage.concluded(Misalignment.PLAN)


def _is_rejected(reply: Answered[IntentAnswer | DeviationAnswer] | Unknown) -> bool:
    return isinstance(reply, Answered) and reply.answer.label == "reject"
