"""Self-Consistency: the direct prompt's question asked five times at a higher temperature; the majority decides.

InferAct paper, 4.3 and appendix D. A sample that cannot be read is a vote against the call.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.concurrency import running_tasks
from reviews.provenance.detectors.infer_act_direct import question_for
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import is_unreadable, judged_whole
from reviews.provenance.judges.base import Answered, Sampling, Unknown
from reviews.provenance.judges.questions.infer_act import FinalTrajectoryJudgement

NAME = "self-consistency"
VERSION = "2.0"

# Both as published (InferAct paper, appendix D). An odd number has a majority.
SAMPLES: Final = 5
TEMPERATURE: Final = 0.7


class SelfConsistency(OneStage):
    """An LLM as a judge of the whole trajectory, asked five times at once."""

    name = NAME
    version = VERSION
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """Five calls, also where the first three agree."""
        # Numbered, so that a cache keeps five answers and not one.
        draws = (Sampling(TEMPERATURE, number) for number in range(1, SAMPLES + 1))
        async with running_tasks(stage.ask(question_for(case, stage, draw)) for draw in draws) as tasks:
            await asyncio.wait(tasks)
            # In the order of the draws, so that the verdict does not depend on which answer came first.
            replies = [task.result() for task in tasks]
        for reply in replies:
            if isinstance(reply, Unknown) and not is_unreadable(reply):
                return stage.undetermined(reply.reason)
        return _by_majority(case, stage, replies)


def _by_majority(
    case: Case, stage: Stage, replies: Sequence[Answered[FinalTrajectoryJudgement] | Unknown]
) -> StageResult:
    readable = [reply.answer for reply in replies if isinstance(reply, Answered)]
    favourable = sum(answer.correct for answer in readable)
    # Of all samples: one that cannot be read is a vote against the call.
    holds = favourable > SAMPLES / 2
    agreeing = [answer for answer in readable if answer.correct is holds]
    reason = agreeing[0].rationale if agreeing else "They could not be read, which counts against the call."
    count = (
        f"{max(favourable, SAMPLES - favourable)} of {SAMPLES} samples are {'for' if holds else 'against'} the call."
    )
    return judged_whole(case, stage, holds=holds, rationale=f"{count} {reason}", score=favourable / SAMPLES)
