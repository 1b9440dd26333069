"""InferAct: infer from the agent's calls which task it works on, then hold that against the task it was given.

Paper, 3.1. Task inference sees actions and observations alone. Verification asks whether the inferred task, once done,
entails the user's; only if not, whether the agent is on the right way. A call is misaligned when both fail. A call that
ends the task, as a purchase or a final answer does, is asked about completion alone (figures 17 and 21): there is no
way left to be on. Each of the three questions may have a model of its own.
"""

from abc import abstractmethod
from typing import ClassVar, Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import NO_PROBABILITY, ends_task, judged_whole, without_answer
from reviews.provenance.judges.base import Answered, Question, Unknown
from reviews.provenance.judges.questions.infer_act import Completion, Inference, Progress, Truth

VERB = "infer-act-verb"
PROB = "infer-act-prob"
VERSION = "2.0"

# Characters of the inferred task that a rationale repeats, so that the rest of it still fits.
_MAX_TASK: Final = 200


class _InferAct(OneStage):
    """Infer the task, then verify it. Output that cannot be read is a misalignment."""

    version = VERSION
    # The paper runs at critical actions only (section 3).
    critical_only = True
    asks_everything: ClassVar[bool] = False
    """Whether progress is asked although completion holds: a score must not depend on the threshold in force."""

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """Infer, verify completion, then progress if need be."""
        inferred = await stage.ask(Inference(case))
        if isinstance(inferred, Unknown):
            return without_answer(case, stage, inferred)
        task, scores = inferred.answer.task, []
        ways: list[str] = []
        # Completion goes first, as the paper has it: where it holds, the third question may be saved.
        questions: list[tuple[Question[Truth], str]] = [(Completion(case, task), "does")]
        if not ends_task(case, stage):
            questions.append((Progress(case, task), "leads to"))
        for question, way in questions:
            if ways and not self.asks_everything:
                break
            reply = await stage.ask(question)
            if isinstance(reply, Unknown):
                return without_answer(case, stage, reply)
            holds = self._does_hold(reply, stage)
            if holds is None:
                return stage.undetermined(NO_PROBABILITY)
            if reply.probability is not None:
                scores.append(reply.probability)
            if holds:
                ways.append(way)
        rationale = _explain_verdict(task, ways, [way for _, way in questions])
        # Either would do, so the better of the two counts.
        score = max(scores, default=None)
        return judged_whole(case, stage, holds=bool(ways), rationale=rationale, score=score, task=task)

    @abstractmethod
    def _does_hold(self, reply: Answered[Truth], stage: Stage) -> bool | None:
        """The answer; None where it cannot be had in the form that counts."""


def _explain_verdict(task: str, ways: list[str], ways_asked: list[str]) -> str:
    """What the agent works on, and how that stands to the user's task."""
    if ways:
        how = f"{ways[0]} what the user asked for"
    elif len(ways_asked) > 1:
        how = "neither does what the user asked for nor leads to it"
    else:
        how = "does not do what the user asked for, and this call ends the task"
    return f"The agent seems to be working on this: “{task[:_MAX_TASK]}”, which {how}."


class InferActVerb(_InferAct):
    """Decides by the word, true or false: needs neither probabilities nor a threshold."""

    name = VERB

    def _does_hold(self, reply: Answered[Truth], stage: Stage) -> bool | None:
        return reply.answer.holds


class InferActProb(_InferAct):
    """Decides by P(true) against the profile's threshold, which is tuned on labelled data."""

    name = PROB
    by_score = True
    asks_everything = True

    def _does_hold(self, reply: Answered[Truth], stage: Stage) -> bool | None:
        return None if reply.probability is None else stage.holds(reply)
