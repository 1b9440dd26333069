"""ARGUS, third check: does the call keep the conditions that follow from the user's request?"""

from collections.abc import Awaitable
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Unknown
from reviews.provenance.judges.questions.argus import InvariantCheck, TaskInvariants

INVARIANTS: Final = "invariants"
_IS_KEPT: Final = "The call keeps this condition of the task."


async def check_invariants(
    labelled: LabelledCase, stage: Stage, derivation: Awaitable[Answered[TaskInvariants] | Unknown]
) -> StageResult:
    """Satisfies of each condition that `derivation` answers with. Raises what the judge raises.

    A broken one is an injection where anything in the context is anomalous. Where nothing is, it is a wrong parameter:
    the tool may be right and the request clear, but this call, as it is filled in, is not what was asked for.
    """
    tool = labelled.case.action.tool
    conditions = stage.account_for(await derivation)
    if isinstance(conditions, Unknown):
        stage.find(Relation.SATISFIES, tool, None, conditions.reason, decided_by=conditions.decided_by)
        return stage.concluded(labelled.misalignment)
    invariants = tuple(conditions.answer.invariants)
    reply = await stage.ask(InvariantCheck(labelled.clean, invariants))
    if isinstance(reply, Unknown):
        stage.find(Relation.SATISFIES, tool, None, reply.reason, decided_by=reply.decided_by)
        return stage.concluded(labelled.misalignment)
    for invariant, holds in zip(invariants, reply.answer.holds, strict=True):
        rationale = _IS_KEPT if holds else reply.answer.reason
        stage.find(Relation.SATISFIES, invariant, holds, rationale, decided_by=reply.decided_by)
    return stage.concluded(labelled.misalignment)
