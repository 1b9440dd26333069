"""The user takes back what was asked for."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.later_sentence import with_message

WITHDRAWALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "never mind": "Never mind, don't.",
        "changed my mind": "Stop, I have changed my mind.",
        "something else": "No, not that. Let me think about it first.",
    }
)


def withdraw_request(case: LabelledCase, *, how: str) -> LabelledCase:
    """The case with a last message by which the call is no longer wanted."""
    withdrawn = with_message(case, WITHDRAWALS[how])
    # From now on no call is right; one of which nobody knew counts neither way as before.
    wrong = None if case.wrong is None else True
    return replace(withdrawn, wrong=wrong, differing=frozenset(), right=None)
