"""What an experiment found so far: each arm by every measure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import numpy as np
from django.db.models import BooleanField, FloatField, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from numpy.typing import NDArray

from reviews.evaluation.measures.calibration import (
    calibration_error,
    measure_brier,
    measure_pr_auc,
    measure_roc_auc,
)
from reviews.evaluation.measures.detection_rates import Confusion, Measures, Rate
from reviews.evaluation.measures.thresholds import Scored
from reviews.lab.experiment_final_figures import ArmFigures, read_figures
from reviews.models import Experiment, ExperimentArm, ExperimentVerdict, VerdictLabel

# What the desk is built for: an operator decides an item in ten seconds.
_SECONDS_AN_ITEM: Final = 10
_PER: Final = 1_000

Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Labels:
    """What is known of the calls, by their ordinals. Arrays, because a page counts tens of thousands."""

    is_labelled: Flags
    is_wrong: Flags
    """Whether the call should be stopped; False also where nobody said."""
    was_stopped: Floats
    """Of recorded calls, 1 where the guard stopped it, 0 where not; not a number where nobody knows."""


class _Costs(NamedTuple):
    """What an arm's verdicts took of a model."""

    arm: UUID
    calls: float = 0.0
    tokens: float = 0.0
    usd: float = 0.0


class _Columns(NamedTuple):
    """One arm's verdicts, each column in one order."""

    ordinals: Sequence[int] = ()
    verdicts: Sequence[str] = ()
    scores: Sequence[float | None] = ()
    seconds: Sequence[float] = ()


class ArmResult:
    """One arm's verdicts of all its runs. What has no verdict, or no label, counts in no rate."""

    def __init__(self, arm: ExperimentArm, labels: Labels, columns: _Columns, costs: _Costs) -> None:
        self.arm = arm
        self.labels = labels
        self.calls, self.tokens, self.usd = int(costs.calls), int(costs.tokens), costs.usd
        self.failed = columns.verdicts.count("")
        """Verdicts that could not be had."""
        self.undetermined = columns.verdicts.count(VerdictLabel.UNDETERMINED)
        self._seconds, self._given = columns.seconds, len(columns.verdicts)
        ordinals, verdicts = np.array(columns.ordinals, np.int64), np.array(columns.verdicts, np.str_)
        passed, is_judged = verdicts == VerdictLabel.ALIGNED.value, verdicts != ""
        # Whatever has a verdict counts for the load and against what became of it then.
        self._judged, self._let_pass = ordinals[is_judged], passed[is_judged]
        self._judged_runs = _count_runs(self._judged)
        # From here on only what counts in rates.
        counted = is_judged & labels.is_labelled[ordinals]
        self._ordinals = ordinals[counted]
        self._passed = passed[counted]
        self._runs = _count_runs(self._ordinals)
        self._wrong = labels.is_wrong[self._ordinals]
        # Not a number where there is none.
        self._scores = np.array(columns.scores, np.float64)[counted]

    @cached_property
    def figures(self) -> ArmFigures:
        """What was counted when the experiment was over."""
        return read_figures(self.arm)

    @property
    def is_measurable(self) -> bool:
        """Whether any verdict is on a call with a label: of no others can be told whether they are right."""
        return len(self._ordinals) > 0

    @property
    def answers_nothing(self) -> bool:
        """Whether no verdict of it says anything: its rates are then those of stopping every call."""
        return 0 < self._given == self.failed + self.undetermined

    @property
    def name(self) -> str:
        """Detector and judge, as tables name them."""
        return self.arm.title

    @property
    def runs(self) -> int:
        """How often each call is judged."""
        return self.arm.experiment.runs

    @property
    def title(self) -> str:
        """The name with the experiment's, for where several stand side by side."""
        return f"{self.arm.experiment.name}: {self.name}"

    @cached_property
    def scores(self) -> Sequence[Scored]:
        """Each score of a labelled call with whether the call was right."""
        scored = ~np.isnan(self._scores)
        return list(zip(self._scores[scored].tolist(), (~self._wrong[scored]).tolist(), strict=True))

    @cached_property
    def mistakes(self) -> Floats:
        """By a call's ordinal the share of runs whose verdict was wrong; not a number where there was none."""
        size = len(self.labels.is_wrong)
        runs = np.bincount(self._ordinals, minlength=size)
        wrong = np.bincount(self._ordinals, weights=self._passed == self._wrong, minlength=size)
        shares: Floats = np.divide(wrong, runs, out=np.full(size, np.nan), where=runs > 0)
        return shares

    @cached_property
    def confusion(self) -> Confusion:
        """Labelled verdicts by what they should have been."""

        def count(flags: Flags) -> int:
            return int(np.count_nonzero(flags))

        wrong, passed = self._wrong, self._passed
        return Confusion(
            true_positives=count(wrong & ~passed),
            false_positives=count(~wrong & ~passed),
            false_negatives=count(wrong & passed),
            true_negatives=count(~wrong & passed),
            runs=self._runs,
        )

    @property
    def measures(self) -> Measures:
        """The papers' measures, over single verdicts."""
        return self.confusion.measures

    @property
    def precision(self) -> Rate:
        """The share of what was stopped that was wrong."""
        stopped = self.confusion.true_positives + self.confusion.false_positives
        return Rate(self.confusion.true_positives, stopped, self._runs)

    @property
    def recall(self) -> Rate:
        """The share of what was wrong that was stopped."""
        wrong = self.confusion.true_positives + self.confusion.false_negatives
        return Rate(self.confusion.true_positives, wrong, self._runs)

    @property
    def tokens_a_call(self) -> float | None:
        """Tokens of a model for each time a call was judged, with all variants of it; None of nothing."""
        return self.tokens / len(self._seconds) if self._seconds else None

    @cached_property
    def areas(self) -> tuple[float | None, float | None]:
        """PR-AUC and ROC-AUC of the scores."""
        return measure_pr_auc(self.scores), measure_roc_auc(self.scores)

    @cached_property
    def calibration(self) -> tuple[float | None, float | None]:
        """Brier score and expected calibration error."""
        return measure_brier(self.scores), calibration_error(self.scores)

    @cached_property
    def seconds_at(self) -> tuple[float, float] | None:
        """The median and the 95th percentile of a verdict; None of nothing."""
        if not self._seconds:
            return None
        median, high = np.percentile(self._seconds, (50, 95))
        return float(median), float(high)

    @cached_property
    def load(self) -> Rate:
        """The share of all verdicts, also on calls without a label, that brings the call before a person."""
        return Rate(int(np.count_nonzero(~self._let_pass)), len(self._let_pass), self._judged_runs)

    @property
    def review_minutes(self) -> float | None:
        """What a person spends on a thousand such calls, at ten seconds an item; None of nothing."""
        return None if self.load.share is None else self.load.share * _PER * _SECONDS_AN_ITEM / 60

    @cached_property
    def newly_stopped(self) -> Rate:
        """Of recorded calls that passed: how many verdicts stop them."""
        passed = self.labels.was_stopped[self._judged] == 0
        return Rate(int(np.count_nonzero(passed & ~self._let_pass)), int(np.count_nonzero(passed)), self._judged_runs)

    @cached_property
    def newly_passed(self) -> Rate:
        """Of recorded calls that were stopped: how many verdicts let them pass."""
        stopped = self.labels.was_stopped[self._judged] == 1
        return Rate(int(np.count_nonzero(stopped & self._let_pass)), int(np.count_nonzero(stopped)), self._judged_runs)

    @cached_property
    def flips(self) -> Mapping[int, bool]:
        """The ordinals of recorded calls that some run sends another way, and whether it stops them."""
        was = self.labels.was_stopped[self._judged]
        flipped = was == self._let_pass
        return dict(zip(self._judged[flipped].tolist(), (~self._let_pass[flipped]).tolist(), strict=True))


def _count_runs(ordinals: NDArray[np.int64]) -> int:
    """How often each call was judged, on the average of what is there yet: runs of one call are not independent."""
    return max(1, round(len(ordinals) / max(1, len(np.unique(ordinals)))))


def read_results(experiment: Experiment) -> Sequence[ArmResult]:
    """Every arm's results so far, in order."""
    arms = list(experiment.arms.all())
    labels = _read_labels(experiment)
    costs = {costs.arm: costs for costs in _sum_costs(experiment)}
    return [ArmResult(arm, labels, _read_columns(arm), costs.get(arm.pk, _Costs(arm.pk))) for arm in arms]


def _read_columns(arm: ExperimentArm) -> _Columns:
    ordinal = f"{arm.experiment.subject}__ordinal"
    rows = arm.verdicts.unchanged().order_by().values_list(ordinal, "verdict", "score", "seconds")
    return _Columns(*zip(*rows, strict=True))


def _read_labels(experiment: Experiment) -> Labels:
    # Read as text: decoding a document for each label would take longer than everything else.
    aligned = Cast(KeyTextTransform("aligned", "label"), BooleanField())
    if experiment.version is None:
        rows = list(experiment.calls.order_by().values_list("ordinal", aligned, "was_stopped"))
    else:
        # Also what was erased: it has a verdict still.
        entries = experiment.version.entries.order_by()
        rows = [(ordinal, right, None) for ordinal, right in entries.values_list("ordinal", aligned)]
    size = max((ordinal for ordinal, *_ in rows), default=0) + 1
    is_labelled, is_wrong, was_stopped = np.zeros(size, np.bool_), np.zeros(size, np.bool_), np.full(size, np.nan)
    for ordinal, right, stopped in rows:
        is_labelled[ordinal] = right is not None
        is_wrong[ordinal] = right is False
        was_stopped[ordinal] = np.nan if stopped is None else stopped
    return Labels(is_labelled, is_wrong, was_stopped)


def _sum_costs(experiment: Experiment) -> Iterable[_Costs]:
    def total(name: str) -> Sum:
        return Sum(Cast(KeyTextTransform(name, "usage"), FloatField()), default=0.0)

    rows = ExperimentVerdict.objects.filter(arm__experiment=experiment, usage__calls__gt=0).order_by()
    sums = rows.values("arm").annotate(
        calls=total("calls"), tokens=total("prompt_tokens") + total("completion_tokens"), usd=total("cost_usd")
    )
    return map(_Costs._make, sums.values_list(*_Costs._fields))


def read_reasons(experiment: Experiment, ordinals: Sequence[int]) -> Mapping[tuple[UUID, int], str]:
    """(Arm, ordinal) -> why the latest run stopped the call, or has no verdict; empty where it passed."""
    ordinal = f"{experiment.subject}__ordinal"
    rows = ExperimentVerdict.objects.unchanged().filter(arm__experiment=experiment).order_by("run")
    listed = rows.filter(**{f"{ordinal}__in": ordinals}).values_list("arm", ordinal, "reason")
    return {(arm, place): reason for arm, place, reason in listed}
