"""Token Probability: one question, and the probability of the token that answers it (InferAct paper, 4.3)."""

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import judged_whole, probability_of_correctness

NAME = "token-probability"
VERSION = "1.0"


class TokenProbability(OneStage):
    """Stops a call when P(false) exceeds what the threshold leaves. Needs an endpoint that tells probabilities."""

    name = NAME
    version = VERSION
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        probability = await probability_of_correctness(case, stage)
        if isinstance(probability, StageResult):
            return probability
        least = stage.options.threshold
        rationale = f"The agent acts correctly with a probability of {probability:.3g}; {least:.3g} is asked for."
        return judged_whole(case, stage, holds=probability >= least, rationale=rationale, score=probability)
