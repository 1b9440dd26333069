"""ARGUS, third check: does the call keep the conditions that follow from the user's request?"""

from collections.abc import Awaitable
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import Observed
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.argus import InvariantCheck, TaskInvariants

INVARIANTS: Final = "invariants"
_KEPT: Final = "The call keeps this condition of the task."


async def check_invariants(
    seen: Observed, stage: Stage, derived: Awaitable[Answered[TaskInvariants] | Unknown]
) -> StageResult:
    """Satisfies of each condition, of which `derived` are the answer. Raises what the judge raises.

    A broken one is an injection where anything in the context is anomalous. Where nothing is, it is a wrong parameter:
    the tool may be right and the request clear, but this call, as it is filled in, is not what was asked for.
    """
    conditions = stage.heard(await derived)
    if isinstance(conditions, Unknown):
        return _without_answer(seen, stage, conditions)
    invariants = tuple(conditions.answer.invariants)
    reply = await stage.ask(InvariantCheck(seen.clean, invariants))
    if isinstance(reply, Unknown):
        return _without_answer(seen, stage, reply)
    for invariant, holds in zip(invariants, reply.answer.holds, strict=True):
        note = _KEPT if holds else reply.answer.reason
        stage.find(Relation.SATISFIES, invariant, holds, note, decided_by=reply.decided_by)
    return stage.concluded(seen.kind)


def _without_answer(seen: Observed, stage: Stage, reply: Unknown) -> StageResult:
    stage.find(Relation.SATISFIES, seen.case.action.tool, None, reply.reason, decided_by=reply.decided_by)
    return stage.concluded(seen.kind)
