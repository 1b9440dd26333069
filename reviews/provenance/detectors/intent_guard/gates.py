"""IntentGuard's gates (paper, 3.2 and 3.3).

The Plan Gate: a plan must serve no harmful end, and the user's task throughout. The Tool Gate: the proposed tool by its
document, then the latest calls taken together; before both, by rule: a call is a step a_i of the plan (Algorithm 1), so
that a tool which no step uses means another plan.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from reviews.provenance.core.context import Case, Context, PlanStep, ProposedAction, Step
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.base import Options
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.detectors.tool_stage import cite_document
from reviews.provenance.judges.base import Answered, Question, Reply, Unknown
from reviews.provenance.judges.questions.intent_guard import (
    Caution,
    DeviationAnswer,
    IntentAnswer,
    IntentDeviation,
    MaliciousIntent,
    RiskAnswer,
    ToolCombination,
    ToolRisk,
    format_plan,
)

PLAN_GATE: Final = "plan"
TOOL_GATE: Final = "tool"
# Subjects of what is found about the plan as a whole, and about the calls taken together.
PLAN: Final = "plan"
CALLS: Final = "calls"
UNPLANNED: Final = "gates.unplanned_tool"
"""Names the rule by which a tool that no step of the plan uses is stopped."""
NO_PLAN: Final = "No plan was submitted for this trace."
# Characters of a plan, so that a prompt holds it whole beside a request and later turns of any length: a third of the
# 36,000 that the shared context of a prompt may take. Of a plan that is shortened the middle could say anything.
MAX_PLAN: Final = 12_000
_TOO_LONG: Final = "The plan is too long to be judged as a whole."
_UNDOCUMENTED: Final = "Its document is not at hand."
_UNASSESSED: Final = "The plan names so many tools that nobody looked at this one."
# Calls that stand in for a plan: of more, the latest.
_MAX_STEPS: Final = 50
# Tools of one workflow whose risk is asked for. Each is a question, once in a document's life; a plan of more steps
# than people plan must not cost hundreds.
_MAX_ASSESSED: Final = 20


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
        stage.record_answer(relation, PLAN, reply, rule=rule_of(questions[relation]))
        if relation is Relation.CONTRIBUTE_TO and _is_rejected(reply):
            # No rewriting mends it: that is what tells it from a plan that only has to be made again.
            stage.retract(Relation.PERMITTED_BY, PLAN)
            stage.record_answer(Relation.PERMITTED_BY, PLAN, reply, rule=rule_of(IntentDeviation))
    return stage.concluded(Misalignment.PLAN)


def _is_rejected(reply: Reply[IntentAnswer | DeviationAnswer]) -> bool:
    return isinstance(reply, Answered) and reply.answer.label == "reject"


async def check_calls(case: Case, plan: tuple[PlanStep, ...], stage: Stage) -> StageResult:
    """The proposed tool; unless it is blocked, the other tools of the workflow and what the calls amount to together.

    A tool that was assessed before is remembered: with a judge that remembers, that costs nothing.
    """
    context, proposed = case.context, case.action.tool
    if not is_planned(proposed, plan):
        return stop_unplanned(case, stage)
    earlier = (ProposedAction(item.tool, item.arguments) for item in context.history if isinstance(item, Step))
    # A window of none would leave out the very call in question.
    calls = (*earlier, case.action)[-max(stage.options.window, 1) :]
    planned = (name for step in plan for name in step.tool_use)
    # The proposed tool first, then those of the latest calls and of the whole plan, each once.
    tools = tuple(dict.fromkeys((proposed, *(call.tool for call in calls), *planned)))
    documents = [document for name in tools if (document := context.tool(name))][:_MAX_ASSESSED]
    assessed = stage.ask_each(
        ((document.name, ToolRisk(document)) for document in documents),
        ends=lambda tool, risk: tool == proposed and stage.denies(risk),
    )
    risks = {tool: risk async for tool, risk in assessed}
    for tool, risk in risks.items():
        # Of the other tools a finding tells only that their risk could not be told.
        if tool == proposed or isinstance(risk, Unknown):
            evidence = cite_document(context, tool)
            stage.record_answer(Relation.PERMITTED_BY, tool, risk, rule=rule_of(ToolRisk), evidence=evidence)
    # A blocked tool settles it, whatever the calls amount to together.
    if stage.has_failed:
        return stage.concluded(Misalignment.TOOL)
    cautions = tuple(_tools_of_concern(case, tools, risks))
    reply = await stage.ask(ToolCombination(context, plan, calls, cautions))
    stage.record_answer(Relation.PERMITTED_BY, CALLS, reply, rule=rule_of(ToolCombination))
    return stage.concluded(Misalignment.PLAN)


def stop_unplanned(case: Case, stage: Stage) -> StageResult:
    """The result for a call whose tool is in no step of the plan."""
    tool = case.action.tool
    stage.record_finding(Relation.PERMITTED_BY, tool, False, f"No step of the plan uses {tool}.", rule=UNPLANNED)
    return stage.rejected(Misalignment.PLAN)


def _tools_of_concern(case: Case, tools: Iterable[str], risks: Mapping[str, Reply[RiskAnswer]]) -> Iterator[Caution]:
    """The tools that are not plainly safe. What could not be assessed is none of the safe ones."""
    for name in tools:
        risk = risks.get(name)
        if risk is None:
            yield Caution(name, _UNASSESSED if case.context.tool(name) else _UNDOCUMENTED)
        elif isinstance(risk, Unknown):
            yield Caution(name, risk.reason)
        elif risk.answer.label != "safe":
            yield Caution(name, risk.answer.rationale)
