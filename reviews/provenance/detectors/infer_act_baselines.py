"""What InferAct's paper compares itself with (4.3 and appendix D): one question about the whole trajectory."""

import asyncio
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.concurrency import running_tasks
from reviews.provenance.detectors.infer_act import (
    NO_PROBABILITY,
    ends_task,
    is_unreadable,
    judged_whole,
    without_answer,
)
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.judges.base import Answered, Question, Sampling, Unknown
from reviews.provenance.judges.questions.infer_act import (
    Correctness,
    FinalCorrectness,
    FinalTrajectoryJudgement,
    FinalTrajectoryVerdict,
    Steps,
    TrajectoryVerdict,
)

# Both as published (appendix D). An odd number has a majority.
_SAMPLES: Final = 5
_TEMPERATURE: Final = 0.7
# Of the four the product does best (appendix F).
_AGGREGATES: Final[Mapping[str, Callable[[Sequence[float]], float]]] = MappingProxyType(
    {"product": math.prod, "min": min, "max": max, "mean": statistics.fmean}
)


class InferActDirect(OneStage):
    """The paper's own Direct Prompt (figures 7 to 9): is the trajectory correct? The word decides.

    Unlike `direct-prompt`, which ProvenanceGuard's paper compares itself with, it knows no kinds of misalignment.
    """

    name = "infer-act-direct"
    version = "1.0"
    critical_only = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        reply = await stage.ask(_trajectory_question(case, stage))
        if isinstance(reply, Unknown):
            return without_answer(case, stage, reply)
        return judged_whole(case, stage, holds=reply.answer.correct, rationale=reply.answer.rationale)


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
            if isinstance(reply, Unknown) and not is_unreadable(reply):
                return stage.undetermined(reply.reason)
        readable = [reply.answer for reply in replies if isinstance(reply, Answered)]
        favourable = sum(answer.correct for answer in readable)
        # Of all samples: one that cannot be read is a vote against the call.
        holds = favourable > _SAMPLES / 2
        agreeing = [answer.rationale for answer in readable if answer.correct is holds]
        reason = agreeing[0] if agreeing else "They could not be read, which counts against the call."
        votes, side = max(favourable, _SAMPLES - favourable), "for" if holds else "against"
        rationale = f"{votes} of {_SAMPLES} samples are {side} the call. {reason}"
        return judged_whole(case, stage, holds=holds, rationale=rationale, score=favourable / _SAMPLES)


class TokenProbability(OneStage):
    """Stops a call when P(false) exceeds what the threshold leaves. Needs an endpoint that tells probabilities."""

    name = "token-probability"
    version = "1.0"
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call, of which the probability of the token that answers counts."""
        reply = await stage.ask(FinalCorrectness(case) if ends_task(case, stage) else Correctness(case))
        if isinstance(reply, Unknown):
            return without_answer(case, stage, reply)
        if reply.probability is None:
            return stage.undetermined(NO_PROBABILITY)
        least = stage.options.threshold
        score, rationale = self._rate_probability(reply.probability, least)
        return judged_whole(case, stage, holds=score >= least, rationale=rationale, score=score)

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
            return without_answer(case, stage, reply)
        probabilities, options = reply.answer.values, stage.options
        score = _AGGREGATES[options.aggregate](probabilities)
        # Where a person should look first.
        weakest = min(range(len(probabilities)), key=probabilities.__getitem__)
        rationale = (
            f"The {options.aggregate} of the calls' probabilities is {score:.3g}; {options.threshold:.3g} is asked for."
            f" The weakest is call {weakest + 1} of {len(probabilities)} with {probabilities[weakest]:.3g}."
            f" {reply.answer.reason}"
        )
        return judged_whole(case, stage, holds=score >= options.threshold, rationale=rationale, score=score)


def binary_entropy(probability: float) -> float:
    """H(p) = -p log2 p - (1 - p) log2 (1 - p), in bits, 0 to 1."""
    # By convention 0 log 0 is 0, and Python has no logarithm of 0.
    return -sum(p * math.log2(p) for p in (probability, 1 - probability) if p > 0)


def _trajectory_question(case: Case, stage: Stage, draw: Sampling | None = None) -> Question[FinalTrajectoryJudgement]:
    """The question on a trajectory that this call ends, or on one that may be in the middle of its task."""
    return FinalTrajectoryVerdict(case, draw) if ends_task(case, stage) else TrajectoryVerdict(case, draw)
