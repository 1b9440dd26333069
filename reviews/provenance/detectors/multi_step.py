"""Multi-step evaluation: the model says of each call how likely it is right; the numbers make one score.

InferAct paper, 4.3 and appendix F: of minimum, maximum, mean and product, the product does best.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from reviews.provenance.core.context import Case
from reviews.provenance.core.findings import StageResult
from reviews.provenance.detectors.one_stage import OneStage
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.whole_call import judged_whole, without_answer
from reviews.provenance.judges.base import Unknown
from reviews.provenance.judges.questions.infer_act import Steps

NAME = "multi-step"
VERSION = "1.0"

_AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = MappingProxyType(
    {"product": math.prod, "min": min, "max": max, "mean": statistics.fmean}
)


class MultiStep(OneStage):
    """Stops a call when the calls up to it, taken together, are not likely enough to be right."""

    name = NAME
    version = VERSION
    critical_only = True
    by_score = True

    async def judge_call(self, case: Case, stage: Stage) -> StageResult:
        """One call."""
        reply = await stage.ask(Steps(case))
        if isinstance(reply, Unknown):
            return without_answer(case, stage, reply)
        probabilities, options = reply.answer.probabilities, stage.options
        score = _AGGREGATES[options.aggregate](probabilities)
        # Where a person should look first.
        weakest = min(range(len(probabilities)), key=probabilities.__getitem__)
        rationale = (
            f"The {options.aggregate} of the calls' probabilities is {score:.3g}; {options.threshold:.3g} is asked for."
            f" The weakest is call {weakest + 1} of {len(probabilities)} with {probabilities[weakest]:.3g}."
            f" {reply.answer.reason}"
        )
        return judged_whole(case, stage, holds=score >= options.threshold, rationale=rationale, score=score)
