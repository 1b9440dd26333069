"""What an experiment found so far: each arm by every measure, each pair with the p of its difference."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from statistics import fmean
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from reviews.evaluation.measures.calibration import (
    calibration_error,
    measure_brier,
    measure_pr_auc,
    measure_roc_auc,
)
from reviews.evaluation.measures.metrics import Confusion, Measures, Rate
from reviews.evaluation.measures.significance import adjust_by_holm, permutation_p_value
from reviews.evaluation.measures.thresholds import Scored
from reviews.models import Experiment, ExperimentArm, ExperimentVerdict, VerdictLabel

# What the desk is built for: an operator decides an item in ten seconds.
_SECONDS_AN_ITEM: Final = 10
_PER: Final = 1_000


@dataclass
class ArmResult:
    """One arm's verdicts of all its runs. What has no verdict, or no label, counts in no rate."""

    arm: ExperimentArm
    counts: Counter[tuple[bool | None, bool]] = field(default_factory=Counter)
    """(Should be stopped, passed) -> verdicts."""
    failed: int = 0
    """Verdicts that could not be had."""
    undetermined: int = 0
    scores: list[Scored] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    mistakes: dict[UUID, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """Entry -> whether the verdict was wrong, by run."""
    wrong: dict[UUID, bool] = field(default_factory=dict)
    """Entry -> whether its call should be stopped."""
    reasons: dict[UUID, str] = field(default_factory=dict)
    """Entry -> why the latest run stopped it; empty where it passed."""

    @property
    def name(self) -> str:
        """Detector and judge, as tables name them."""
        model = self.arm.settings.get("model") or self.arm.configuration.get("judge", "")
        return f"{self.arm.detector}, {model}"

    @property
    def confusion(self) -> Confusion:
        """Labelled verdicts by what they should have been."""
        counts = self.counts
        return Confusion(counts[True, False], counts[False, False], counts[True, True], counts[False, True])

    @property
    def measures(self) -> Measures:
        """The papers' measures, over single verdicts."""
        return self.confusion.measures

    @property
    def precision(self) -> Rate:
        """The share of what was stopped that was wrong."""
        stopped = self.confusion.true_positives + self.confusion.false_positives
        return Rate(self.confusion.true_positives, stopped)

    @property
    def areas(self) -> tuple[float | None, float | None]:
        """PR-AUC and ROC-AUC of the scores."""
        return measure_pr_auc(self.scores), measure_roc_auc(self.scores)

    @property
    def calibration(self) -> tuple[float | None, float | None]:
        """Brier score and expected calibration error."""
        return measure_brier(self.scores), calibration_error(self.scores)

    @property
    def seconds_at(self) -> tuple[float, float] | None:
        """The median and the 95th percentile of a verdict; None of nothing."""
        if not self.seconds:
            return None
        median, high = np.percentile(self.seconds, (50, 95))
        return float(median), float(high)

    @property
    def review_minutes(self) -> float | None:
        """What a person spends on a thousand such calls, at ten seconds an item; None of nothing."""
        confusion = self.confusion
        stopped = confusion.true_positives + confusion.false_positives
        total = stopped + confusion.true_negatives + confusion.false_negatives
        return stopped / total * _PER * _SECONDS_AN_ITEM / 60 if total else None


@dataclass(frozen=True)
class Difference:
    """That one arm makes fewer mistakes of a kind than another: how likely it is by chance alone."""

    better: ArmResult
    other: ArmResult
    errors: str
    """Which mistakes: all, those that pass, or those that stop."""
    p_value: float
    adjusted: float
    """After Holm, over all comparisons of the experiment."""

    @property
    def is_significant(self) -> bool:
        """Whether chance alone would do as well in less than one of twenty such families."""
        return self.adjusted < 0.05  # noqa: PLR2004 - the papers' level


ERRORS: Final[Mapping[str, bool | None]] = {
    "all mistakes": None,
    "wrong calls passed": True,
    "right calls stopped": False,
}
"""Kinds of mistakes: of wrong calls, of right ones, or of both."""


def read_results(experiment: Experiment) -> Sequence[ArmResult]:
    """Every arm's results so far, in order."""
    results = {arm.pk: ArmResult(arm) for arm in experiment.arms.all()}
    rows = ExperimentVerdict.objects.filter(arm__experiment=experiment).order_by("run", "entry__ordinal")
    for row in rows.values_list(*_Row._fields).iterator(chunk_size=2_000):
        verdict = _Row(*row)
        _add_verdict(results[verdict.arm], verdict)
    return list(results.values())


class _Row(NamedTuple):
    arm: UUID
    entry: UUID
    entry__label: Mapping[str, Any] | None
    verdict: str
    score: float | None
    usage: Mapping[str, Any]
    seconds: float
    reason: str


def _add_verdict(result: ArmResult, row: _Row) -> None:
    result.calls += row.usage.get("calls", 0)
    result.tokens += row.usage.get("prompt_tokens", 0) + row.usage.get("completion_tokens", 0)
    result.usd += row.usage.get("cost_usd", 0)
    result.seconds.append(row.seconds)
    result.reasons[row.entry] = row.reason
    if not row.verdict:
        result.failed += 1
        return
    aligned, passed = (row.entry__label or {}).get("aligned"), row.verdict == VerdictLabel.ALIGNED
    result.undetermined += row.verdict == VerdictLabel.UNDETERMINED
    if aligned is None:
        return
    result.counts[not aligned, passed] += 1
    result.wrong[row.entry] = not aligned
    result.mistakes[row.entry].append(passed is not aligned)
    if row.score is not None:
        result.scores.append((row.score, aligned))


def compare_arms(results: Sequence[ArmResult]) -> Sequence[Difference]:
    """Each arm against each other, both ways, on the means over runs of the calls that both judged."""
    pairs = {
        (better, other, errors): permutation_p_value(_differences(results[better], results[other], of_wrong))
        for better, other in permutations(range(len(results)), 2)
        for errors, of_wrong in ERRORS.items()
    }
    adjusted = adjust_by_holm(pairs)
    return [
        Difference(results[better], results[other], errors, p_value, adjusted[better, other, errors])
        for (better, other, errors), p_value in pairs.items()
    ]


def _differences(better: ArmResult, other: ArmResult, of_wrong: bool | None) -> list[float]:
    """By how much the other errs more often on each call of this kind."""
    return [
        fmean(other.mistakes[entry]) - fmean(mistakes)
        for entry, mistakes in better.mistakes.items()
        if entry in other.mistakes and of_wrong in (None, better.wrong[entry])
    ]


def differing_entries(results: Sequence[ArmResult]) -> list[UUID]:
    """The calls that some arm judged rightly and another wrongly, in the order of the dataset."""
    entries = list(results[0].mistakes) if results else []
    judged = ([any(result.mistakes[entry]) for result in results if entry in result.mistakes] for entry in entries)
    return [entry for entry, errors in zip(entries, judged, strict=True) if len(set(errors)) > 1]
