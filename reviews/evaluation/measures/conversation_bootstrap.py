"""Between which values a measure lies when conversations are drawn anew: percentile intervals, alike at every look.

Calls of one conversation stand or fall together, so whole conversations are drawn (Field and Welsh 2007). Macro-F1,
Brier score and ECE are made of sums over calls, which are summed up once for each conversation; areas under curves
follow the order of the scores and are made anew of each draw's weights.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reviews.evaluation.measures.percentile_interval import SEED, Floats, Interval, percentile_interval

Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]
# Of a 95 % interval between percentiles: its ends move by some thousandths from one seed to another.
RESAMPLES: Final = 1_000
# Weights of so many draws at once: some megabytes for ten thousand calls.
_CHUNK: Final = 50
# As `calibration` has them.
_BINS: Final = 10
MEASURES: Final = ("macro_f1", "pr_auc", "roc_auc", "brier", "ece")


@dataclass(frozen=True)
class JudgedCalls:
    """Labelled calls with their verdicts, each column in one order."""

    conversations: Ints
    """The number of each call's conversation, from 0 without gaps."""
    is_wrong: Flags
    passed: Flags
    scores: Floats
    """How sure the detector is that the call is right, 0 to 1; not a number without one."""


def bootstrap_intervals(calls: JudgedCalls, *, seed: int = SEED, resamples: int = RESAMPLES) -> Mapping[str, Interval]:
    """The 95 % interval of each of `MEASURES`; None where one conversation is all there is, or draws tell none."""
    count = int(calls.conversations.max(initial=-1)) + 1
    if count <= 1:
        return dict.fromkeys(MEASURES)
    rng, drawn = np.random.default_rng(seed), dict[str, list[Floats]]()
    for begun in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - begun)
        draws = rng.multinomial(count, np.full(count, 1 / count), size=size).astype(np.float64)
        for name, values in _measure_draws(calls, draws):
            drawn.setdefault(name, []).append(values)
    return {name: percentile_interval(np.concatenate(drawn[name])) if name in drawn else None for name in MEASURES}


def _measure_draws(calls: JudgedCalls, draws: Floats) -> Iterator[tuple[str, Floats]]:
    """Each measure of each draw; `draws` has a row for each, which says how often each conversation was drawn."""
    yield "macro_f1", _macro_f1(_sum_draws(calls, draws, _confusion_columns(calls)))
    scored = ~np.isnan(calls.scores)
    if not scored.any():
        return
    of_scored = JudgedCalls(
        calls.conversations[scored], calls.is_wrong[scored], calls.passed[scored], calls.scores[scored]
    )
    yield "brier", _brier(_sum_draws(of_scored, draws, _square_columns(of_scored)))
    yield "ece", _calibration_error(_sum_draws(of_scored, draws, _bin_columns(of_scored)))
    wrong, right = _weigh_scores(of_scored, draws)
    yield "pr_auc", _pr_auc(wrong, right)
    yield "roc_auc", _roc_auc(wrong, right)


def _sum_draws(calls: JudgedCalls, draws: Floats, columns: Floats) -> Floats:
    """The sum of each column over the calls of each draw."""
    by_conversation = np.zeros((draws.shape[1], columns.shape[1]))
    np.add.at(by_conversation, calls.conversations, columns)
    sums: Floats = draws @ by_conversation
    return sums


def _confusion_columns(calls: JudgedCalls) -> Floats:
    wrong, passed = calls.is_wrong, calls.passed
    return np.stack((wrong & ~passed, ~wrong & passed, wrong == passed), axis=1).astype(np.float64)


def _macro_f1(sums: Floats) -> Floats:
    """As `Confusion` has it: of caught wrong calls, passed right ones, and mistakes."""
    caught, let_pass, mistakes = sums.T
    of_wrong, of_right = (_divide(2 * hits, 2 * hits + mistakes, empty=0.0) for hits in (caught, let_pass))
    mean: Floats = (of_wrong + of_right) / 2
    return mean


def _square_columns(calls: JudgedCalls) -> Floats:
    squares = (calls.scores - ~calls.is_wrong) ** 2
    return np.stack((squares, np.ones_like(squares)), axis=1)


def _brier(sums: Floats) -> Floats:
    return _divide(sums[:, 0], sums[:, 1])


def _bin_columns(calls: JudgedCalls) -> Floats:
    """In each bin of confidence: 1, the confidence, and whether the likelier answer was right."""
    confidence = np.where(calls.scores >= 1 / 2, calls.scores, 1 - calls.scores)
    correct = (calls.scores >= 1 / 2) != calls.is_wrong
    bins = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    columns = np.zeros((len(bins), _BINS, 3))
    columns[np.arange(len(bins)), bins] = np.stack((np.ones_like(confidence), confidence, correct), axis=1)
    return columns.reshape(len(bins), -1)


def _calibration_error(sums: Floats) -> Floats:
    bins = sums.reshape(len(sums), _BINS, 3)
    gaps = np.abs(bins[:, :, 1] - bins[:, :, 2]).sum(axis=1)
    return _divide(gaps, bins[:, :, 0].sum(axis=1))


def _weigh_scores(calls: JudgedCalls, draws: Floats) -> tuple[Floats, Floats]:
    """How much wrong and right calls weigh in each draw at each score, the lowest first."""
    order = np.argsort(calls.scores, kind="stable")
    _, begins = np.unique(calls.scores[order], return_index=True)
    weights = draws[:, calls.conversations[order]]
    wrong = calls.is_wrong[order]
    weigh: Callable[[Flags], Floats] = lambda flags: np.add.reduceat(weights * flags, begins, axis=1)  # noqa: E731
    return weigh(wrong), weigh(~wrong)


def _pr_auc(wrong: Floats, right: Floats) -> Floats:
    """Average precision: the lowest scores are stopped first."""
    caught, stopped = wrong.cumsum(axis=1), (wrong + right).cumsum(axis=1)
    return _divide((wrong * _divide(caught, stopped, empty=0.0)).sum(axis=1), wrong.sum(axis=1))


def _roc_auc(wrong: Floats, right: Floats) -> Floats:
    """The chance that a wrong call scores below a right one, ties counting half."""
    above = right.sum(axis=1, keepdims=True) - right.cumsum(axis=1)
    return _divide((wrong * (above + right / 2)).sum(axis=1), wrong.sum(axis=1) * right.sum(axis=1))


def _divide(numerator: Floats, denominator: Floats, *, empty: float = np.nan) -> Floats:
    """The quotient; `empty` where nothing is divided by."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, empty), where=denominator > 0)
