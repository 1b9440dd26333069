"""Who answers the questions of a detector: rules, a model, or rules first.

`OpenAIJudge` is imported from its own module: its client takes as long to import as all of the engine.
"""

from reviews.provenance.judges.base import (
    Answered,
    Judge,
    JudgeError,
    JudgeMisconfiguredError,
    JudgeUnavailableError,
    Question,
    Unknown,
)
from reviews.provenance.judges.breaker import Breaker, BreakerOpenError, Patience
from reviews.provenance.judges.caching import Caching
from reviews.provenance.judges.daily_budget import Budget, Limits, Prices
from reviews.provenance.judges.model_options import ModelOptions
from reviews.provenance.judges.routing import Routing
from reviews.provenance.judges.rules_judge import RulesFirst, RulesJudge

__all__ = [
    "Answered", "Breaker", "BreakerOpenError", "Budget", "Caching", "Judge", "JudgeError", "JudgeMisconfiguredError",
    "JudgeUnavailableError", "Limits", "ModelOptions", "Patience", "Prices", "Question", "Routing", "RulesFirst",
    "RulesJudge", "Unknown",
]  # fmt: skip
