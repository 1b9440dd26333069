"""Self-Consistency: DirectPrompt's question asked five times at a higher temperature; the majority decides.

InferAct paper, 4.3 and appendix D. A sample that cannot be read is a vote against the call.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import running
from reviews.provenance.detectors.judgement import kind_of
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import is_unreadable
from reviews.provenance.judges.base import Answered, Sampling, Unknown
from reviews.provenance.judges.questions.provenance_guard import Alignment, Judgement

NAME = "self-consistency"
VERSION = "1.0"

# Both as published (InferAct paper, appendix D). An odd number has a majority.
SAMPLES: Final = 5
TEMPERATURE: Final = 0.7


class SelfConsistency(OneStage):
    """An LLM as a judge, asked five times at once."""

    name = NAME
    version = VERSION
    critical_only = True

    async def judged(self, case: Case, stage: Stage) -> StageResult:
        """Five calls, also where the first three agree."""
        # Numbered, so that a cache keeps five answers and not one.
        questions = (Alignment(case, Sampling(TEMPERATURE, number)) for number in range(1, SAMPLES + 1))
        async with running(stage.ask(question) for question in questions) as tasks:
            await asyncio.wait(tasks)
            # In the order of the draws, so that the verdict does not depend on which answer came first.
            replies = [task.result() for task in tasks]
        for reply in replies:
            if isinstance(reply, Unknown) and not is_unreadable(reply):
                return stage.undetermined(reply.reason)
        return _by_majority(case, stage, replies)


def _by_majority(case: Case, stage: Stage, replies: Sequence[Answered[Judgement] | Unknown]) -> StageResult:
    readable = [reply.answer for reply in replies if isinstance(reply, Answered)]
    favourable = sum(answer.aligned for answer in readable)
    # Of all samples: one that cannot be read is a vote against the call.
    holds = favourable > SAMPLES / 2
    agreeing = [answer for answer in readable if answer.aligned is holds]
    reason = agreeing[0].rationale if agreeing else "They could not be read, which counts against the call."
    count = (
        f"{max(favourable, SAMPLES - favourable)} of {SAMPLES} samples are {'for' if holds else 'against'} the call."
    )
    stage.find(
        Relation.CAN_ADDRESS, case.action.tool, holds, f"{count} {reason}",
        decided_by=DecidedBy.JUDGE, score=favourable / SAMPLES,
    )  # fmt: skip
    if holds:
        return stage.cleared()
    kinds = Counter(map(kind_of, agreeing)).most_common(1)
    return stage.rejected(kinds[0][0] if kinds else Misalignment.PARAMETER)
