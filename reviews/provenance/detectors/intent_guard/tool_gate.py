"""IntentGuard's Tool Gate: the proposed tool by its document, then the latest calls taken together (paper, 3.3).

Before both, by rule: a call is a step a_i of the plan (Algorithm 1), so that a tool which no step uses means another
plan.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from reviews.provenance.core.context import Case, PlanStep, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import in_turn_or_at_once
from reviews.provenance.detectors.intent_guard.plan_gate import is_planned
from reviews.provenance.detectors.intent_guard.turns import turns_since_request
from reviews.provenance.detectors.stage import Stage
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


_Risk: TypeAlias = Answered[RiskAnswer] | Unknown
"""What the judge answers about one tool."""


async def check_calls(case: Case, plan: tuple[PlanStep, ...], stage: Stage) -> StageResult:
    """The proposed tool; unless it is blocked, the other tools of the workflow and what the calls amount to together.

    A tool that was assessed before is remembered: with a judge that remembers, that costs nothing. Raises what the
    judge raises.
    """
    if not is_planned(case.action.tool, plan):
        return stop_unplanned(case, stage)
    context = case.context
    earlier = (ProposedAction(item.tool, item.arguments) for item in context.history if isinstance(item, Step))
    # A window of none would leave out the very call in question.
    calls = (*earlier, case.action)[-max(stage.options.window, 1) :]
    tools = _tools_of_workflow(case, calls, plan)
    risks = await _assess_tools(case, tools, stage)
    _record_risks(case, risks, stage)
    # A blocked tool settles it, whatever the calls amount to together.
    if stage.has_failed:
        return stage.concluded(Misalignment.TOOL)
    cautions = tuple(_tools_of_concern(case, tools, risks))
    turns = turns_since_request(context)
    reply = await stage.ask(ToolCombination(plan, context.query, turns, context.fingerprint, calls, cautions))
    if isinstance(reply, Unknown):
        stage.record_finding(Relation.PERMITTED_BY, CALLS, None, reply.reason, decided_by=reply.decided_by)
    else:
        safe = reply.answer.label == "safe"
        stage.record_finding(Relation.PERMITTED_BY, CALLS, safe, reply.answer.rationale, decided_by=reply.decided_by)
    return stage.concluded(Misalignment.PLAN)


def stop_unplanned(case: Case, stage: Stage) -> StageResult:
    """The result for a call whose tool is in no step of the plan: no model is needed to tell that."""
    tool = case.action.tool
    stage.record_finding(Relation.PERMITTED_BY, tool, False, f"No step of the plan uses {tool}.", rule=UNPLANNED)
    return stage.rejected(Misalignment.PLAN)


def _tools_of_workflow(case: Case, calls: tuple[ProposedAction, ...], plan: tuple[PlanStep, ...]) -> tuple[str, ...]:
    """The proposed tool first, then those of the latest calls and of the whole plan, each once."""
    planned = (name for step in plan for name in step.tool_use)
    return tuple(dict.fromkeys((case.action.tool, *(call.tool for call in calls), *planned)))


async def _assess_tools(case: Case, tools: tuple[str, ...], stage: Stage) -> Mapping[str, _Risk]:
    """The risk of each documented tool, asked about once; the first, the proposed one, ends it if it is blocked."""
    documents = [document for name in tools if (document := case.context.tool(name))][:_MAX_ASSESSED]

    async def assess_tool(document: ToolDoc) -> tuple[str, _Risk]:
        return document.name, await stage.ask(ToolRisk(document))

    def is_blocked(assessed: tuple[str, _Risk]) -> bool:
        name, risk = assessed
        return name == case.action.tool and isinstance(risk, Answered) and risk.answer.label == "blocked"

    at_once = stage.options.order != "paper"
    risks = in_turn_or_at_once(map(assess_tool, documents), ends=is_blocked, at_once=at_once)
    return {name: risk async for name, risk in risks}


def _record_risks(case: Case, risks: Mapping[str, _Risk], stage: Stage) -> None:
    """A finding about the proposed tool, and about each whose risk nobody could tell."""
    for name, risk in risks.items():
        if isinstance(risk, Unknown):
            stage.record_finding(Relation.PERMITTED_BY, name, None, risk.reason, decided_by=risk.decided_by)
        elif name == case.action.tool:
            span = Span(f"tool/{name}", 0, len(name), name)
            stage.record_finding(
                Relation.PERMITTED_BY, name, risk.answer.label != "blocked", risk.answer.rationale,
                decided_by=risk.decided_by, evidence=(span,) if case.context.verifies(span) else (),
            )  # fmt: skip


def _tools_of_concern(case: Case, tools: Iterable[str], risks: Mapping[str, _Risk]) -> Iterator[Caution]:
    """The tools that are not plainly safe. What could not be assessed is none of the safe ones."""
    for name in tools:
        risk = risks.get(name)
        if risk is None:
            yield Caution(name, _UNASSESSED if case.context.tool(name) else _UNDOCUMENTED)
        elif isinstance(risk, Unknown):
            yield Caution(name, risk.reason)
        elif risk.answer.label != "safe":
            yield Caution(name, risk.answer.rationale)
