"""Verdicts on what the agent does as a whole, and what a missing answer means to them (InferAct paper, appendix D).

These methods name no kind of misalignment: what they stop counts as a wrong plan.
"""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.critical_actions import is_terminal
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Unknown

NO_PROBABILITY = "The method decides by probabilities, and the judge's endpoint tells none."


def ends_task(case: Case, stage: Stage) -> bool:
    """Whether the call ends the task, by the profile or the benchmark: being on the way is then no excuse."""
    return is_terminal(case.action, stage.options.critical)


def judged_whole(
    case: Case, stage: Stage, *, holds: bool, rationale: str, score: float | None = None, task: str = ""
) -> StageResult:
    """One finding settles it: the course of action serves what the user asked for, or it does not."""
    # What the agent works on, as precisely as anybody has put it.
    subject = task or case.action.subtask or case.action.tool
    stage.record_finding(Relation.CONTRIBUTE_TO, subject, holds, rationale, decided_by=DecidedBy.JUDGE, score=score)
    return stage.cleared() if holds else stage.rejected(Misalignment.PLAN)


def is_unreadable(reply: Unknown) -> bool:
    """Whether a model was asked and its output could not be read."""
    return reply.unparsable and not reply.unasked


def without_answer(case: Case, stage: Stage, reply: Unknown) -> StageResult:
    """Misaligned where the answer cannot be read, so that a person looks; no verdict where no model was asked."""
    if not is_unreadable(reply):
        return stage.undetermined(reply.reason)
    return judged_whole(case, stage, holds=False, rationale=f"{reply.reason} Such output counts against the call.")
