"""IntentGuard's Tool Gate: the proposed tool by its document, then the latest calls taken together (paper, 3.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from reviews.provenance.core.context import Case, PlanStep, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.detectors.argus.turns import settled
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.intent_guard import Caution, RiskAnswer, ToolCombination, ToolRisk

TOOL_GATE: Final = "tool"
"""Name of the stage."""
CALLS: Final = "calls"
"""Subject of what is found about the calls taken together."""
_UNDOCUMENTED: Final = "Its document is not at hand."


@dataclass(frozen=True)
class _Assessed:
    """What the judge says of one tool."""

    tool: str
    reply: Answered[RiskAnswer] | Unknown


async def check_calls(case: Case, plan: tuple[PlanStep, ...], stage: Stage) -> StageResult:
    """The proposed tool; unless it is blocked, the other tools of the window and what the calls amount to together.

    A tool that was called before has been assessed before: with a judge that remembers, that costs nothing. Raises
    what the judge raises.
    """
    calls = _window(case, stage.options.window)
    assessed = await _assess(case, calls, stage)
    _record(case, assessed, stage)
    if any(stage.failing):
        return stage.concluded(Misalignment.TOOL)
    context = case.context
    question = ToolCombination(plan, context.query, context.fingerprint, calls, _cautious(calls, assessed))
    reply = await stage.ask(question)
    if isinstance(reply, Unknown):
        stage.find(Relation.PERMITTED_BY, CALLS, None, reply.reason, decided_by=reply.decided_by)
    else:
        safe = reply.answer.label == "safe"
        stage.find(Relation.PERMITTED_BY, CALLS, safe, reply.answer.rationale, decided_by=reply.decided_by)
    return stage.concluded(Misalignment.PLAN)


def _window(case: Case, most: int) -> tuple[ProposedAction, ...]:
    made = (item for item in case.context.history if isinstance(item, Step))
    calls = (*(ProposedAction(each.tool, each.arguments) for each in made), case.action)
    return calls[-max(most, 1) :]


async def _assess(case: Case, calls: tuple[ProposedAction, ...], stage: Stage) -> Mapping[str, _Assessed]:
    """The risk of each tool, the proposed one first, each asked about once; a blocked one ends it."""
    names = dict.fromkeys((case.action.tool, *(call.tool for call in calls)))
    documents = [document for name in names if (document := case.context.tool(name))]
    found = settled(
        (_risk(document, stage) for document in documents),
        ends=lambda each: each.tool == case.action.tool and _label(each) == "blocked",
        at_once=stage.options.order != "paper",
    )
    return {each.tool: each async for each in found}


async def _risk(document: ToolDoc, stage: Stage) -> _Assessed:
    return _Assessed(document.name, await stage.ask(ToolRisk(document)))


def _label(assessed: _Assessed) -> str | None:
    return None if isinstance(assessed.reply, Unknown) else assessed.reply.answer.label


def _record(case: Case, assessed: Mapping[str, _Assessed], stage: Stage) -> None:
    """A finding about the proposed tool, and about each whose risk nobody could tell."""
    for name, each in assessed.items():
        if isinstance(each.reply, Unknown):
            stage.find(Relation.PERMITTED_BY, name, None, each.reply.reason, decided_by=each.reply.decided_by)
        elif name == case.action.tool:
            span = Span(f"tool/{name}", 0, len(name), name)
            stage.find(
                Relation.PERMITTED_BY, name, each.reply.answer.label != "blocked", each.reply.answer.rationale,
                decided_by=each.reply.decided_by, evidence=(span,) if case.context.verifies(span) else (),
            )  # fmt: skip


def _cautious(calls: tuple[ProposedAction, ...], assessed: Mapping[str, _Assessed]) -> tuple[Caution, ...]:
    names = dict.fromkeys(call.tool for call in calls)
    return tuple(Caution(name, why) for name in names if (why := _reason(assessed.get(name))) is not None)


def _reason(assessed: _Assessed | None) -> str | None:
    """Why the tool needs caution; None when it is safe."""
    if assessed is None:
        return _UNDOCUMENTED
    if isinstance(assessed.reply, Unknown):
        return assessed.reply.reason
    return None if assessed.reply.answer.label == "safe" else assessed.reply.answer.rationale
