"""InferAct: infer from the agent's calls which task it works on, then hold that against the task it was given.

Paper, 3.1. Task inference sees actions and observations alone. Verification asks whether the inferred task, once done,
entails the user's; only if not, whether the agent is on the right way. A call is misaligned when both fail. A call that
ends the task, as a purchase or a final answer does, is asked about completion alone (figures 17 and 21): there is no
way left to be on. Each of the three questions may have a model of its own.
"""

from collections.abc import Collection, Sequence
from typing import Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.critical_actions import is_terminal
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Question, Unknown
from reviews.provenance.judges.questions.infer_act import Completion, Inference, Progress, Truth

NO_PROBABILITY: Final = "The method decides by probabilities, and the judge's endpoint tells none."
# Characters of the inferred task that a rationale repeats, so that the rest of it still fits.
_MAX_TASK: Final = 200


class InferActVerb(OneStage):
    """Decides by the word, true or false: needs neither probabilities nor a threshold."""

    name = "infer-act-verb"
    version = "2.0"
    # The paper runs at critical actions only (section 3).
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """Infer, verify completion, then progress if need be. Output that cannot be read is a misalignment."""
        inferred = await stage.ask(Inference(case))
        if isinstance(inferred, Unknown):
            return without_answer(case, stage, inferred)
        task = inferred.answer.task
        # Completion goes first, as the paper has it: where it holds, the third question may be saved.
        questions: dict[str, Question[Truth]] = {"does": Completion(case, task)}
        if not ends_task(case, stage):
            questions["leads to"] = Progress(case, task)
        ways: list[str] = []
        scores: list[float] = []
        for way, question in questions.items():
            # A score is told whatever the threshold in force, so that both answers have to be known.
            if ways and not self.by_score:
                break
            reply = await stage.ask(question)
            if isinstance(reply, Unknown):
                return without_answer(case, stage, reply)
            if reply.probability is not None:
                scores.append(reply.probability)
            elif self.by_score:
                return stage.undetermined(NO_PROBABILITY)
            if stage.holds(reply) if self.by_score else reply.answer.holds:
                ways.append(way)
        rationale = f"The agent seems to be working on this: “{task[:_MAX_TASK]}”, which {_standing(ways, questions)}."
        # Either would do, so the better of the two counts.
        score = max(scores, default=None)
        return judged_whole(case, stage, holds=bool(ways), rationale=rationale, score=score, task=task)


class InferActProb(InferActVerb):
    """Decides by P(true) against the profile's threshold, which is tuned on labelled data."""

    name = "infer-act-prob"
    by_score = True


def ends_task(case: Case, stage: Stage) -> bool:
    """Whether the call ends the task, by the profile or the benchmark: being on the way is then no excuse."""
    return is_terminal(case.action, stage.options.critical)


def judged_whole(
    case: Case, stage: Stage, *, holds: bool, rationale: str, score: float | None = None, task: str = ""
) -> StageResult:
    """One finding settles it: the course of action serves what the user asked for, or it does not.

    These methods name no kind of misalignment: what they stop counts as a wrong plan.
    """
    # What the agent works on, as precisely as anybody has put it.
    subject = task or case.action.subtask or case.action.tool
    stage.record_finding(Relation.CONTRIBUTE_TO, subject, holds, rationale, decided_by=DecidedBy.JUDGE, score=score)
    return stage.cleared() if holds else stage.rejected(Misalignment.PLAN)


def without_answer(case: Case, stage: Stage, reply: Unknown) -> StageResult:
    """Misaligned where the answer cannot be read (appendix D), so that a person looks; else no verdict."""
    if not is_unreadable(reply):
        return stage.undetermined(reply.reason)
    return judged_whole(case, stage, holds=False, rationale=f"{reply.reason} Such output counts against the call.")


def is_unreadable(reply: Unknown) -> bool:
    """Whether a model was asked and its output could not be read."""
    return reply.unparsable and not reply.unasked


def _standing(ways: Sequence[str], ways_asked: Collection[str]) -> str:
    if ways:
        return f"{ways[0]} what the user asked for"
    if len(ways_asked) > 1:
        return "neither does what the user asked for nor leads to it"
    return "does not do what the user asked for, and this call ends the task"
