"""The arms of an experiment against each other: each difference with its p, and the calls they judge otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Final

import numpy as np

from reviews.evaluation.measures.significance import adjust_by_holm, mcnemar_p_value, permutation_p_value
from reviews.lab.experiment_results import ArmResult, Floats


@dataclass(frozen=True)
class Difference:
    """That one arm makes fewer mistakes of a kind than another: how likely it is by chance alone."""

    better: ArmResult
    worse: ArmResult
    errors: str
    """Which mistakes: all, those that pass, or those that stop."""
    p_value: float
    adjusted: float
    """After Holm, over all comparisons of the experiment."""

    @cached_property
    def delta(self) -> float | None:
        """By how much more often the other errs on the calls of this kind that both judged, -1 to 1; None of none."""
        counted = _difference_by_call(self.better, self.worse, ERRORS[self.errors])
        return float(counted.mean()) if len(counted) else None

    @property
    def is_of_any(self) -> bool:
        """Whether both judged some call of this kind: of none there is nothing to be alike in."""
        return self.delta is not None

    @property
    def is_significant(self) -> bool:
        """Whether chance alone would do as well in less than one of twenty such families."""
        return self.adjusted < 0.05  # noqa: PLR2004 - the papers' level

    @cached_property
    def mcnemar(self) -> float | None:
        """Of single runs, McNemar's two-sided p that both err as often, before Holm; None of several runs."""
        if any(arm.runs > 1 for arm in (self.better, self.worse)):
            return None
        differences = _differences(self.better, self.worse, ERRORS[self.errors])
        only_better = sum(difference < 0 for difference in differences)
        return mcnemar_p_value(only_better, len(differences) - only_better)


ERRORS: Final[Mapping[str, bool | None]] = {
    "all mistakes": None,
    "wrong calls passed": True,
    "right calls stopped": False,
}
"""Kinds of mistakes: of wrong calls, of right ones, or of both."""


def compare_arms(results: Sequence[ArmResult]) -> Sequence[Difference]:
    """Each arm against each other, both ways, on the means over runs of the calls that both judged.

    An arm that answers nothing is compared with none: stopping every call would pass for finding each wrong one.
    """
    results = [result for result in results if not result.answers_nothing]
    pairs = {
        (better, worse, errors): permutation_p_value(_differences(results[better], results[worse], of_wrong))
        for better, worse in permutations(range(len(results)), 2)
        for errors, of_wrong in ERRORS.items()
    }
    adjusted = adjust_by_holm(pairs)
    return [
        Difference(results[better], results[worse], errors, p_value, adjusted[better, worse, errors])
        for (better, worse, errors), p_value in pairs.items()
    ]


def _differences(better: ArmResult, worse: ArmResult, of_wrong: bool | None) -> list[float]:
    """By how much the other errs more often on each call of this kind, without those where both err alike."""
    differences = _difference_by_call(better, worse, of_wrong)
    listed: list[float] = differences[differences != 0].tolist()
    return listed


def _difference_by_call(better: ArmResult, worse: ArmResult, of_wrong: bool | None) -> Floats:
    """The same with them: of each call that both judged."""
    differences = worse.mistakes - better.mistakes
    counted = ~np.isnan(differences)
    if of_wrong is not None:
        counted &= better.labels.is_wrong == of_wrong
    return differences[counted]


def differing_entries(results: Sequence[ArmResult]) -> list[int]:
    """Ordinals of the calls that some arm judged rightly and another wrongly, in the order of the dataset."""
    if not results:
        return []
    errors = np.array([result.mistakes for result in results])
    # A comparison with what is not a number is false.
    ordinals: list[int] = np.flatnonzero((errors > 0).any(axis=0) & (errors == 0).any(axis=0)).tolist()
    return ordinals


def flipped_calls(results: Sequence[ArmResult]) -> list[int]:
    """Ordinals of the recorded calls that some arm sends another way than they went."""
    return sorted({ordinal for result in results for ordinal in result.flips})


def entries_of_pair(right: ArmResult, wrong: ArmResult) -> list[int]:
    """Ordinals of the calls that the one arm judged rightly in every run and the other wrongly in some."""
    ordinals: list[int] = np.flatnonzero((right.mistakes == 0) & (wrong.mistakes > 0)).tolist()
    return ordinals
