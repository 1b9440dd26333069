"""Who answers the questions of a detector: rules, a model, or rules first.

`OpenAIJudge` is imported from its own module: its client takes as long to import as all of the engine.
"""

from reviews.provenance.judges.answers import Prices
from reviews.provenance.judges.base import (
    Answered,
    Judge,
    JudgeError,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    Question,
    Unknown,
)
from reviews.provenance.judges.caching import Caching
from reviews.provenance.judges.model_options import ModelOptions
from reviews.provenance.judges.rules_judge import RulesFirst, RulesJudge

__all__ = [
    "Answered", "Caching", "Judge", "JudgeError", "JudgeMisconfiguredError", "JudgeUnavailableError", "ModelOptions",
    "Prices", "Question", "RulesFirst", "RulesJudge", "Unknown",
]  # fmt: skip
