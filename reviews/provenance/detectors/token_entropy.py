"""Token Entropy: one question, and how unsure the model is of the token that answers it (InferAct paper, 4.3).

H(p) = -p log2 p - (1 - p) log2 (1 - p). As published, only doubt stops a call: a model that is sure the agent is wrong
has as little entropy as one that is sure it is right. For comparison, not to be relied on alone.
"""

import math

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import judged_whole, probability_of_correctness

NAME = "token-entropy"
VERSION = "1.0"


class TokenEntropy(OneStage):
    """Stops a call when the entropy exceeds what the threshold leaves. Needs an endpoint that tells probabilities."""

    name = NAME
    version = VERSION
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call. The score is the model's certainty, 1 - H."""
        probability = await probability_of_correctness(case, stage)
        if isinstance(probability, StageResult):
            return probability
        # Turned round, so that here as everywhere a higher score is in the call's favour.
        certainty, least = 1 - binary_entropy(probability), stage.options.threshold
        rationale = (
            f"The model's entropy is {1 - certainty:.3g} bits, and {1 - least:.3g} pass; its probability that the agent"
            f" acts correctly is {probability:.3g}."
        )
        return judged_whole(case, stage, holds=certainty >= least, rationale=rationale, score=certainty)


def binary_entropy(probability: float) -> float:
    """Binary entropy in bits, 0 to 1."""
    # By convention 0 log 0 is 0, and Python has no logarithm of 0.
    return -sum(p * math.log2(p) for p in (probability, 1 - probability) if p > 0)
