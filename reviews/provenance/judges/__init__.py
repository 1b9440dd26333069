"""Who answers the questions of a detector: rules, a model, or rules first."""

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
from reviews.provenance.judges.budget import Budget, Limits
from reviews.provenance.judges.caching import Caching
from reviews.provenance.judges.layered import RulesFirst
from reviews.provenance.judges.model_options import ModelOptions
from reviews.provenance.judges.openai import OpenAIJudge, Prices
from reviews.provenance.judges.routing import Routing
from reviews.provenance.judges.rules import RulesJudge

__all__ = [
    "Answered",
    "Breaker",
    "BreakerOpenError",
    "Budget",
    "Caching",
    "Judge",
    "JudgeError",
    "JudgeMisconfiguredError",
    "JudgeUnavailableError",
    "Limits",
    "ModelOptions",
    "OpenAIJudge",
    "Patience",
    "Prices",
    "Question",
    "Routing",
    "RulesFirst",
    "RulesJudge",
    "Unknown",
]
