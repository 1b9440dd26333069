"""Self-Consistency: DirectPrompt's question asked five times at a higher temperature; the majority decides.

InferAct paper, 4.3 and appendix D. A sample that cannot be read is a vote against the call.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import running
from reviews.provenance.detectors.judgement import kind_of
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import unreadable
from reviews.provenance.judges.base import Answered, Sampling, Unknown
from reviews.provenance.judges.questions.provenance_guard import Alignment, Judgement

NAME = "self-consistency"
VERSION = "1.0"

SAMPLES = 5
TEMPERATURE = 0.7


class SelfConsistency(OneStage):
    """An LLM as a judge, asked five times at once."""

    name = NAME
    version = VERSION
    critical_only = True

    async def judged(self, case: Case, stage: Stage) -> StageResult:
        """Five calls, also where the first three agree."""
        questions = (Alignment(case, Sampling(TEMPERATURE, number)) for number in range(1, SAMPLES + 1))
        async with running(stage.ask(question) for question in questions) as tasks:
            await asyncio.wait(tasks)
            # In the order of the draws: which answer came first must not tell in the verdict.
            replies = [task.result() for task in tasks]
        unasked = next((each for each in replies if isinstance(each, Unknown) and not unreadable(each)), None)
        return stage.undetermined(unasked.reason) if unasked else _by_majority(case, stage, replies)


def _by_majority(case: Case, stage: Stage, replies: Sequence[Answered[Judgement] | Unknown]) -> StageResult:
    read = [reply.answer for reply in replies if isinstance(reply, Answered)]
    favourable = sum(answer.aligned for answer in read)
    holds = favourable > SAMPLES / 2
    agreeing = [answer for answer in read if answer.aligned is holds]
    reason = agreeing[0].rationale if agreeing else "They could not be read, which counts against the call."
    said = f"{max(favourable, SAMPLES - favourable)} of {SAMPLES} samples are {'for' if holds else 'against'} the call."
    stage.find(
        Relation.CAN_ADDRESS, case.action.tool, holds, f"{said} {reason}",
        decided_by=DecidedBy.JUDGE, score=favourable / SAMPLES,
    )  # fmt: skip
    return stage.cleared() if holds else stage.rejected(_most_named(agreeing))


def _most_named(against: Sequence[Judgement]) -> Misalignment:
    named = Counter(map(kind_of, against)).most_common(1)
    return named[0][0] if named else Misalignment.PARAMETER
