"""ARGUS, third check: does the call keep the conditions that follow from the user's request?"""

from collections.abc import Awaitable, Iterable
from typing import Final

from reviews.provenance.core.findings import Relation, StageResult
from reviews.provenance.detectors.argus.segments import LabelledCase
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.judges.base import Reply, Unknown
from reviews.provenance.judges.questions.argus import InvariantCheck, Invariants, TaskInvariants

INVARIANTS: Final = "invariants"
_IS_KEPT: Final = "The call keeps this condition of the task."


def find_invariants(stages: Iterable[StageResult], tool: str) -> tuple[str, ...]:
    """The conditions that a check of a call of this tool has derived, to be kept for the task; empty where none."""
    findings = (finding for stage in stages if stage.stage == INVARIANTS for finding in stage.findings)
    return tuple(finding.subject for finding in findings if finding.subject != tool)


async def check_invariants(
    labelled: LabelledCase, stage: Stage, derivation: Awaitable[Reply[TaskInvariants]] | None
) -> StageResult:
    """Satisfies of each condition that was derived before, else of those that `derivation` answers with.

    A broken one is an injection where anything in the context is anomalous. Where nothing is, it is a wrong parameter:
    the tool may be right and the request clear, but this call, as it is filled in, is not what was asked for.
    """
    invariants = labelled.case.context.invariants
    if derivation is not None:
        conditions = stage.account_for(await derivation)
        if isinstance(conditions, Unknown):
            stage.record_answer(Relation.SATISFIES, labelled.case.action.tool, conditions, rule=rule_of(Invariants))
            return stage.concluded(labelled.misalignment)
        invariants = tuple(conditions.answer.invariants)
    reply = await stage.ask(InvariantCheck(labelled.clean, invariants))
    if isinstance(reply, Unknown):
        # Each by its name all the same: whoever keeps them for the task's next call reads them here.
        for invariant in invariants:
            stage.record_answer(Relation.SATISFIES, invariant, reply, rule=rule_of(InvariantCheck))
        return stage.concluded(labelled.misalignment)
    for invariant, holds in zip(invariants, reply.answer.values, strict=True):
        rationale = _IS_KEPT if holds else reply.answer.reason
        stage.record_finding(
            Relation.SATISFIES, invariant, holds, rationale,
            decided_by=reply.decided_by, rule=rule_of(InvariantCheck),
        )  # fmt: skip
    return stage.concluded(labelled.misalignment)
