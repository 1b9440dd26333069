"""The methods of InferAct's paper: its own, and what it is compared with there (4.3 and appendix D).

InferAct infers from the agent's calls which task it works on, then holds that against the task it was given (3.1). Task
inference sees actions and observations alone. Verification asks whether the inferred task, once done, entails the
user's; only if not, whether the agent is on the right way. A call is misaligned when both fail. A call that ends the
task, as a purchase or a final answer does, is asked about completion alone (figures 17 and 21): there is no way left to
be on. Each of the three questions may have a model of its own.
"""

import asyncio
import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import DecidedBy, Misalignment, Relation, StageResult
from reviews.provenance.detectors.concurrency import running_tasks
from reviews.provenance.detectors.critical_actions import is_terminal
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage, rule_of
from reviews.provenance.judges.base import Answered, Question, Sampling, Unknown
from reviews.provenance.judges.questions.infer_act import (
    Completion,
    Correctness,
    FinalCorrectness,
    FinalTrajectoryJudgement,
    FinalTrajectoryVerdict,
    Inference,
    Progress,
    Steps,
    TrajectoryVerdict,
    Truth,
)

_Questions: TypeAlias = dict[str, Question[Truth]]
_NO_PROBABILITY: Final = "The method decides by probabilities, and the judge's endpoint tells none."
_AGAINST: Final = "Such output counts against the call."
# Characters of the inferred task that a rationale repeats, so that the rest of it still fits.
_MAX_TASK: Final = 200
# Both as published (appendix D). An odd number has a majority.
_SAMPLES: Final = 5
_TEMPERATURE: Final = 0.7
# Of the four the product does best (appendix F).
_AGGREGATES: Final[Mapping[str, Callable[[Sequence[float]], float]]] = MappingProxyType(
    {"product": math.prod, "min": min, "max": max, "mean": statistics.fmean}
)


@dataclass
class _Verified:
    """What verification has answered."""

    ways: list[str] = field(default_factory=list)
    """By which the inferred task serves the user's, in the order of their questions."""
    scores: list[float] = field(default_factory=list)
    unread: str = ""
    """What is said of an answer that could not be read."""


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
            return _without_answer(case, stage, inferred, Inference)
        task = inferred.answer.task
        # Completion goes first, as the paper has it: where it holds, the third question may be saved.
        questions: _Questions = {"does": Completion(case, task)}
        if not _ends_task(case, stage):
            questions["leads to"] = Progress(case, task)
        verified = await self._verify(case, stage, questions)
        if isinstance(verified, StageResult):
            return verified
        standing = _standing(verified.ways, questions)
        rationale = f"The agent seems to be working on this: “{task[:_MAX_TASK]}”, which {standing}.{verified.unread}"
        # Either would do, so the better of the two counts.
        score = max(verified.scores, default=None)
        # The first that speaks for the call decides; where none does, the last.
        deciding = questions[next(iter(verified.ways), "does" if verified.unread else [*questions][-1])]
        return _judged_whole(
            case, stage, holds=bool(verified.ways), rationale=rationale, rule=rule_of(deciding), score=score, task=task
        )

    async def _verify(self, case: Case, stage: Stage, questions: _Questions) -> _Verified | StageResult:
        """The answers, as far as they are needed; a result where one is missing that was."""
        verified = _Verified()
        for way, question in questions.items():
            # A score is told whatever the threshold in force, so that both answers have to be known.
            if verified.ways and not self.by_score:
                break
            reply = await stage.ask(question)
            if isinstance(reply, Unknown):
                # Beside the first answer's score it is the worst answer, and takes nothing back: as published, nobody
                # asks on where completion holds.
                if not (verified.scores and self.by_score and _is_unreadable(reply)):
                    return _without_answer(case, stage, reply, question)
                verified.unread = f" {reply.reason} {_AGAINST}"
                break
            if reply.probability is not None:
                verified.scores.append(reply.probability)
            elif self.by_score:
                return stage.undetermined(_NO_PROBABILITY)
            if stage.holds(reply) if self.by_score else reply.answer.holds:
                verified.ways.append(way)
        return verified


class InferActProb(InferActVerb):
    """Decides by P(true) against the profile's threshold, which is tuned on labelled data."""

    name = "infer-act-prob"
    by_score = True


class InferActDirect(OneStage):
    """The paper's own Direct Prompt (figures 7 to 9): is the trajectory correct? The word decides.

    Unlike `direct-prompt`, which ProvenanceGuard's paper compares itself with, it knows no kinds of misalignment.
    """

    name = "infer-act-direct"
    version = "1.0"
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        question = _trajectory_question(case, stage)
        reply = await stage.ask(question)
        if isinstance(reply, Unknown):
            return _without_answer(case, stage, reply, question)
        answer, rule = reply.answer, rule_of(question)
        return _judged_whole(case, stage, holds=answer.correct, rationale=answer.rationale, rule=rule)


class SelfConsistency(OneStage):
    """The direct prompt's question asked five times at once at a higher temperature; the majority decides."""

    name = "self-consistency"
    version = "2.0"
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """Five calls, also where the first three agree."""
        # Numbered, so that a cache keeps five answers and not one.
        draws = (Sampling(_TEMPERATURE, number) for number in range(1, _SAMPLES + 1))
        async with running_tasks(stage.ask(_trajectory_question(case, stage, draw)) for draw in draws) as tasks:
            await asyncio.wait(tasks)
            # In the order of the draws, so that the verdict does not depend on which answer came first.
            replies = [task.result() for task in tasks]
        for reply in replies:
            if isinstance(reply, Unknown) and not _is_unreadable(reply):
                return stage.undetermined(reply.reason)
        readable = [reply.answer for reply in replies if isinstance(reply, Answered)]
        favourable = sum(answer.correct for answer in readable)
        # Of all samples: one that cannot be read is a vote against the call.
        holds = favourable > _SAMPLES / 2
        agreeing = [answer.rationale for answer in readable if answer.correct is holds]
        reason = agreeing[0] if agreeing else "They could not be read, which counts against the call."
        votes, side = max(favourable, _SAMPLES - favourable), "for" if holds else "against"
        rationale = f"{votes} of {_SAMPLES} samples are {side} the call. {reason}"
        rule = rule_of(_trajectory_question(case, stage))
        return _judged_whole(case, stage, holds=holds, rationale=rationale, rule=rule, score=favourable / _SAMPLES)


class TokenProbability(OneStage):
    """Stops a call when P(false) exceeds what the threshold leaves. Needs an endpoint that tells probabilities."""

    name = "token-probability"
    version = "1.0"
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call, of which the probability of the token that answers counts."""
        question = FinalCorrectness(case) if _ends_task(case, stage) else Correctness(case)
        reply = await stage.ask(question)
        if isinstance(reply, Unknown):
            return _without_answer(case, stage, reply, question)
        if reply.probability is None:
            return stage.undetermined(_NO_PROBABILITY)
        least = stage.options.threshold
        score, rationale = self._rate_probability(reply.probability, least)
        rule = rule_of(question)
        return _judged_whole(case, stage, holds=score >= least, rationale=rationale, rule=rule, score=score)

    def _rate_probability(self, probability: float, least: float) -> tuple[float, str]:
        """The score of a call that is correct with this probability, and why it does or does not suffice."""
        return (
            probability,
            f"The agent acts correctly with a probability of {probability:.3g}; {least:.3g} is asked for.",
        )


class TokenEntropy(TokenProbability):
    """Stops a call when the entropy of the answer exceeds what the threshold leaves. For comparison.

    As published, only doubt stops a call: a model that is sure the agent is wrong has as little entropy as one that is
    sure it is right.
    """

    name = "token-entropy"

    def _rate_probability(self, probability: float, least: float) -> tuple[float, str]:
        # Turned round, so that here as everywhere a higher score is in the call's favour.
        certainty = 1 - binary_entropy(probability)
        rationale = (
            f"The model's entropy is {1 - certainty:.3g} bits, and {1 - least:.3g} pass; its probability that the agent"
            f" acts correctly is {probability:.3g}."
        )
        return certainty, rationale


class MultiStep(OneStage):
    """Multi-step evaluation: the model says of each call how likely it is right; the numbers make one score."""

    name = "multi-step"
    version = "1.0"
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        reply = await stage.ask(Steps(case))
        if isinstance(reply, Unknown):
            return _without_answer(case, stage, reply, Steps)
        probabilities, options = reply.answer.values, stage.options
        score = _AGGREGATES[options.aggregate](probabilities)
        # Where a person should look first.
        weakest = min(range(len(probabilities)), key=probabilities.__getitem__)
        rationale = (
            f"The {options.aggregate} of the calls' probabilities is {score:.3g}; {options.threshold:.3g} is asked for."
            f" The weakest is call {weakest + 1} of {len(probabilities)} with {probabilities[weakest]:.3g}."
            f" {reply.answer.reason}"
        )
        holds, rule = score >= options.threshold, rule_of(Steps)
        return _judged_whole(case, stage, holds=holds, rationale=rationale, rule=rule, score=score)


def binary_entropy(probability: float) -> float:
    """H(p) = -p log2 p - (1 - p) log2 (1 - p), in bits, 0 to 1."""
    # By convention 0 log 0 is 0, and Python has no logarithm of 0.
    return -sum(p * math.log2(p) for p in (probability, 1 - probability) if p > 0)


def _trajectory_question(case: Case, stage: Stage, draw: Sampling | None = None) -> Question[FinalTrajectoryJudgement]:
    """The question on a trajectory that this call ends, or on one that may be in the middle of its task."""
    return FinalTrajectoryVerdict(case, draw) if _ends_task(case, stage) else TrajectoryVerdict(case, draw)


def _ends_task(case: Case, stage: Stage) -> bool:
    """Whether the call ends the task, by the profile or the benchmark: being on the way is then no excuse."""
    return is_terminal(case.action, stage.options.critical)


def _judged_whole(
    case: Case, stage: Stage, *, holds: bool, rationale: str, rule: str, score: float | None = None, task: str = ""
) -> StageResult:
    """One finding settles it: the course of action serves what the user asked for, or it does not.

    These methods name no kind of misalignment: what they stop counts as a wrong plan.
    """
    # What the agent works on, as precisely as anybody has put it.
    subject = task or case.action.subtask or case.action.tool
    stage.record_finding(
        Relation.CONTRIBUTE_TO, subject, holds, rationale, decided_by=DecidedBy.JUDGE, score=score, rule=rule
    )  # fmt: skip
    return stage.cleared() if holds else stage.rejected(Misalignment.PLAN)


def _without_answer(
    case: Case, stage: Stage, reply: Unknown, question: Question[Any] | type[Question[Any]]
) -> StageResult:
    """Misaligned where the answer cannot be read (appendix D), so that a person looks; else no verdict."""
    if not _is_unreadable(reply):
        return stage.undetermined(reply.reason)
    rationale = f"{reply.reason} {_AGAINST}"
    return _judged_whole(case, stage, holds=False, rationale=rationale, rule=rule_of(question))


def _is_unreadable(reply: Unknown) -> bool:
    """Whether a model was asked and its output could not be read."""
    return reply.unparsable and not reply.unasked


def _standing(ways: Sequence[str], ways_asked: Collection[str]) -> str:
    if ways:
        return f"{ways[0]} what the user asked for"
    if len(ways_asked) > 1:
        return "neither does what the user asked for nor leads to it"
    return "does not do what the user asked for, and this call ends the task"
