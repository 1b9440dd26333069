"""InferAct's own Direct Prompt: is the trajectory correct, in one question (InferAct paper, 4.3 and figures 7 to 9).

Unlike `direct-prompt`, which ProvenanceGuard's paper compares itself with, it knows no kinds of misalignment.
"""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import ends_task, judged_whole, without_answer
from reviews.provenance.judges.base import Question, Sampling, Unknown
from reviews.provenance.judges.questions.infer_act import (
    FinalTrajectoryJudgement,
    FinalTrajectoryVerdict,
    TrajectoryVerdict,
)

NAME = "infer-act-direct"
VERSION = "1.0"


class InferActDirect(OneStage):
    """An LLM as a judge of the whole trajectory, asked once; the word decides."""

    name = NAME
    version = VERSION
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        reply = await stage.ask(question_for(case, stage))
        if isinstance(reply, Unknown):
            return without_answer(case, stage, reply)
        return judged_whole(case, stage, holds=reply.answer.correct, rationale=reply.answer.rationale)


def question_for(case: Case, stage: Stage, draw: Sampling | None = None) -> Question[FinalTrajectoryJudgement]:
    """The question on a trajectory that this call ends, or on one that may be in the middle of its task."""
    return FinalTrajectoryVerdict(case, draw) if ends_task(case, stage) else TrajectoryVerdict(case, draw)
