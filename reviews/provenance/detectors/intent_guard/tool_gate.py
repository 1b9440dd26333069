"""IntentGuard's Tool Gate: the proposed tool by its document, then the latest calls taken together (paper, 3.3).

Before both, by rule: a call is a step a_i of the plan (Algorithm 1), so that a tool which no step uses means another
plan.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from reviews.provenance.core.context import Case, PlanStep, ProposedAction, Step
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.intent_guard.plan_gate import is_planned
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.tool_stage import cite_document
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.intent_guard import Caution, RiskAnswer, ToolCombination, ToolRisk

TOOL_GATE: Final = "tool"
"""Name of the stage."""
CALLS: Final = "calls"
"""Subject of what is found about the calls taken together."""
UNPLANNED: Final = "gates.unplanned_tool"
"""Names the rule by which a tool that no step of the plan uses is stopped."""
_UNDOCUMENTED: Final = "Its document is not at hand."
_UNASSESSED: Final = "The plan names so many tools that nobody looked at this one."
# Tools of one workflow whose risk is asked for. Each is a question, once in a document's life; a plan of more steps
# than people plan must not cost hundreds.
_MAX_ASSESSED: Final = 20


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
            stage.record_answer(Relation.PERMITTED_BY, tool, risk, evidence=cite_document(context, tool))
    # A blocked tool settles it, whatever the calls amount to together.
    if stage.has_failed:
        return stage.concluded(Misalignment.TOOL)
    cautions = tuple(_tools_of_concern(case, tools, risks))
    reply = await stage.ask(ToolCombination(context, plan, calls, cautions))
    stage.record_answer(Relation.PERMITTED_BY, CALLS, reply)
    return stage.concluded(Misalignment.PLAN)


def stop_unplanned(case: Case, stage: Stage) -> StageResult:
    """The result for a call whose tool is in no step of the plan: no model is needed to tell that."""
    tool = case.action.tool
    stage.record_finding(Relation.PERMITTED_BY, tool, False, f"No step of the plan uses {tool}.", rule=UNPLANNED)
    return stage.rejected(Misalignment.PLAN)


def _tools_of_concern(
    case: Case, tools: Iterable[str], risks: Mapping[str, Answered[RiskAnswer] | Unknown]
) -> Iterator[Caution]:
    """The tools that are not plainly safe. What could not be assessed is none of the safe ones."""
    for name in tools:
        risk = risks.get(name)
        if risk is None:
            yield Caution(name, _UNASSESSED if case.context.tool(name) else _UNDOCUMENTED)
        elif isinstance(risk, Unknown):
            yield Caution(name, risk.reason)
        elif risk.answer.label != "safe":
            yield Caution(name, risk.answer.rationale)
