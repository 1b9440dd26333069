"""IntentGuard's Tool Gate: the proposed tool by its document, then the latest calls taken together (paper, 3.3)."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from reviews.provenance.core.context import Case, PlanStep, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import in_turn_or_at_once
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.intent_guard import Caution, RiskAnswer, ToolCombination, ToolRisk

TOOL_GATE: Final = "tool"
"""Name of the stage."""
CALLS: Final = "calls"
"""Subject of what is found about the calls taken together."""
_UNDOCUMENTED: Final = "Its document is not at hand."


_Risk: TypeAlias = Answered[RiskAnswer] | Unknown
"""What the judge answers about one tool."""


async def check_calls(case: Case, plan: tuple[PlanStep, ...], stage: Stage) -> StageResult:
    """The proposed tool; unless it is blocked, the other tools of the window and what the calls amount to together.

    A tool that was called before has been assessed before: with a judge that remembers, that costs nothing. Raises
    what the judge raises.
    """
    context = case.context
    made = (ProposedAction(item.tool, item.arguments) for item in context.history if isinstance(item, Step))
    # A window of none would leave out the very call in question.
    calls = (*made, case.action)[-max(stage.options.window, 1) :]
    risks = await _assess(case, calls, stage)
    _record(case, risks, stage)
    # A blocked tool settles it, whatever the calls amount to together.
    if stage.has_failed:
        return stage.concluded(Misalignment.TOOL)
    question = ToolCombination(plan, context.query, context.fingerprint, calls, _cautious(calls, risks))
    reply = await stage.ask(question)
    if isinstance(reply, Unknown):
        stage.find(Relation.PERMITTED_BY, CALLS, None, reply.reason, decided_by=reply.decided_by)
    else:
        safe = reply.answer.label == "safe"
        stage.find(Relation.PERMITTED_BY, CALLS, safe, reply.answer.rationale, decided_by=reply.decided_by)
    return stage.concluded(Misalignment.PLAN)


async def _assess(case: Case, calls: tuple[ProposedAction, ...], stage: Stage) -> Mapping[str, _Risk]:
    """The risk of each tool, the proposed one first, each asked about once; a blocked one ends it."""
    proposed = case.action.tool
    names = dict.fromkeys((proposed, *(call.tool for call in calls)))
    documents = [document for name in names if (document := case.context.tool(name))]

    async def assess(document: ToolDoc) -> tuple[str, _Risk]:
        return document.name, await stage.ask(ToolRisk(document))

    def is_blocked(assessed: tuple[str, _Risk]) -> bool:
        name, risk = assessed
        return name == proposed and isinstance(risk, Answered) and risk.answer.label == "blocked"

    at_once = stage.options.order != "paper"
    risks = in_turn_or_at_once(map(assess, documents), ends=is_blocked, at_once=at_once)
    return {name: risk async for name, risk in risks}


def _record(case: Case, risks: Mapping[str, _Risk], stage: Stage) -> None:
    """A finding about the proposed tool, and about each whose risk nobody could tell."""
    for name, risk in risks.items():
        if isinstance(risk, Unknown):
            stage.find(Relation.PERMITTED_BY, name, None, risk.reason, decided_by=risk.decided_by)
        elif name == case.action.tool:
            span = Span(f"tool/{name}", 0, len(name), name)
            stage.find(
                Relation.PERMITTED_BY, name, risk.answer.label != "blocked", risk.answer.rationale,
                decided_by=risk.decided_by, evidence=(span,) if case.context.verifies(span) else (),
            )  # fmt: skip


def _cautious(calls: tuple[ProposedAction, ...], risks: Mapping[str, _Risk]) -> tuple[Caution, ...]:
    """The tools of these calls that are not plainly safe. What could not be assessed is none of the safe ones."""
    cautions = []
    for name in dict.fromkeys(call.tool for call in calls):
        risk = risks.get(name)
        if risk is None:
            cautions.append(Caution(name, _UNDOCUMENTED))
        elif isinstance(risk, Unknown):
            cautions.append(Caution(name, risk.reason))
        elif risk.answer.label != "safe":
            cautions.append(Caution(name, risk.answer.rationale))
    return tuple(cautions)
