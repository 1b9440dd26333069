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
from reviews.provenance.judges.layered import RulesFirst
from reviews.provenance.judges.openai import OpenAIJudge, Prices
from reviews.provenance.judges.rules import RulesJudge

__all__ = [
    "Answered",
    "Judge",
    "JudgeError",
    "JudgeMisconfiguredError",
    "JudgeUnavailableError",
    "OpenAIJudge",
    "Prices",
    "Question",
    "RulesFirst",
    "RulesJudge",
    "Unknown",
]
