"""How far people who judged the same items agree, with chance taken out in four ways, and how sure one may be of it.

Raw agreement: the share of pairs of answers to one item that are the same. Cohen's kappa: two people, chance from each
one's own habits (Cohen 1960). Fleiss' kappa: any number of people, the same number an item (Fleiss 1971).
Krippendorff's alpha, nominal: answers may be missing (Krippendorff 2011). Gwet's AC1: chance that stays small where
nearly all answers are the same (Gwet 2008).

Answers are nominal: all that counts is whether two are the same. Every coefficient is built from sums over items, so a
bootstrap resamples how often each pattern of answers occurs instead of the items: the same distribution, and its cost
depends on the number of patterns, of which there are few.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from reviews.evaluation.measures.percentile_interval import SEED, Floats, percentile_interval

Answers: TypeAlias = Sequence[Sequence[Hashable | None]]
"""For each item the answer of each person, in one order of people; None where a person gave none."""

# Of a 95 % interval between percentiles: the ends move by about 0.001 from one seed to another.
RESAMPLES: Final = 2_000
# Below this a resample has no chance-corrected value: chance alone would explain everything.
_NOTHING_LEFT: Final = 1e-12
PAIR: Final = 2
"""Cohen's kappa is of two people."""
SKEWED: Final = 0.8
"""From this share of one answer on, kappa and alpha say more about the share than about the people."""


@dataclass(frozen=True)
class Coefficient:
    """One measure of agreement."""

    value: float | None
    """At most 1; None where it is not defined: too few answers, or only one kind of answer."""
    interval: tuple[float, float] | None
    """Bootstrap 95 % interval over items; None where too few resamples define it."""


@dataclass(frozen=True)
class Agreement:
    """All measures of one set of answers."""

    items: int
    """Items with two answers or more."""
    answers: int
    """To those items."""
    people: int
    raw: Coefficient
    cohen: Coefficient | None
    """None unless there are exactly two people."""
    fleiss: Coefficient
    """Over the items that have as many answers as any."""
    krippendorff: Coefficient
    gwet: Coefficient
    shares: tuple[tuple[Hashable, float], ...]
    """Share of each answer, the most frequent first."""

    @property
    def is_skewed(self) -> bool:
        """Whether one answer is so frequent that AC1 and the confusion matrix say more than kappa and alpha."""
        return bool(self.shares) and self.shares[0][1] >= SKEWED


@dataclass(frozen=True)
class ConfusionTable:
    """How often two people gave which pair of answers."""

    categories: tuple[Hashable, ...]
    counts: tuple[tuple[int, ...], ...]
    """Rows: the first person's answers; columns: the second's."""


def interrater_agreement(answers: Answers, *, seed: int = SEED, resamples: int = RESAMPLES) -> Agreement:
    """Every measure of these answers, each with its interval."""
    categories = _list_categories(answers)
    people = len(answers[0]) if answers else 0
    counts = _count_answers(answers, categories)
    several = counts[counts.sum(axis=1) > 1]
    full = several[several.sum(axis=1) == several.sum(axis=1).max(initial=0)]
    rng = np.random.default_rng(seed)

    def measure_rows(rows: Floats, measure: Callable[[Floats, Floats], Floats]) -> Coefficient:
        return _with_interval(rows, measure, rng, resamples)

    totals = several.sum(axis=0)
    by_share = sorted(zip(categories, totals / max(1.0, totals.sum()), strict=True), key=lambda pair: -pair[1])
    return Agreement(
        items=len(several),
        answers=int(several.sum()),
        people=people,
        raw=measure_rows(several, _raw_agreement),
        cohen=measure_rows(_count_pairs(answers, categories), _cohen_kappa) if people == PAIR else None,
        fleiss=measure_rows(full, _fleiss_kappa),
        krippendorff=measure_rows(several, _krippendorff_alpha),
        # Single answers too: chance is estimated from every answer there is.
        gwet=measure_rows(counts[counts.sum(axis=1) >= 1], _gwet_ac1),
        shares=tuple((category, float(share)) for category, share in by_share),
    )


def confusion_table(first: Sequence[Hashable | None], second: Sequence[Hashable | None]) -> ConfusionTable:
    """What the second person answered where the first gave each answer; items that one of them lacks are left out."""
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    categories = _list_categories(both)
    table = _count_pairs(both, categories).sum(axis=0).reshape(len(categories), len(categories))
    return ConfusionTable(categories, tuple(tuple(int(count) for count in row) for row in table))


def item_agreement(answers: Sequence[Hashable | None]) -> float | None:
    """The share of pairs of answers to one item that are the same; None for fewer than two answers."""
    present = [answer for answer in answers if answer is not None]
    if len(present) <= 1:
        return None
    same = sum(present.count(answer) - 1 for answer in present)
    return same / (len(present) * (len(present) - 1))


def _list_categories(answers: Answers) -> tuple[Hashable, ...]:
    """Every answer that was given, in an order that does not depend on that of the items."""
    return tuple(sorted({answer for item in answers for answer in item if answer is not None}, key=repr))


def _count_answers(answers: Answers, categories: Sequence[Hashable]) -> Floats:
    """One row an item: how many people gave each answer."""
    index = {category: column for column, category in enumerate(categories)}
    counts = np.zeros((len(answers), len(categories)))
    for row, item in enumerate(answers):
        for answer in item:
            if answer is not None:
                counts[row, index[answer]] += 1
    return counts


def _count_pairs(answers: Answers, categories: Sequence[Hashable]) -> Floats:
    """One row an item that both people answered: a one in the cell of their confusion table, which is laid out flat."""
    index = {category: column for column, category in enumerate(categories)}
    both = [(index[a], index[b]) for a, b in answers if a is not None and b is not None]
    cells = np.zeros((len(both), len(categories) ** 2))
    for row, (first, second) in enumerate(both):
        cells[row, first * len(categories) + second] = 1
    return cells


def _with_interval(
    rows: Floats, measure: Callable[[Floats, Floats], Floats], rng: np.random.Generator, resamples: int
) -> Coefficient:
    """The measure of these rows, and between which percentiles it lies when items are drawn anew."""
    if not len(rows):
        return Coefficient(None, None)
    patterns, occurrences = np.unique(rows, axis=0, return_counts=True)
    value = float(measure(patterns, occurrences[np.newaxis].astype(float))[0])
    if np.isnan(value):
        return Coefficient(None, None)
    drawn = rng.multinomial(len(rows), occurrences / len(rows), size=resamples).astype(float)
    return Coefficient(value, percentile_interval(measure(patterns, drawn)))


# Each measure takes the patterns (one row each) and weights (one row a resample: how often each pattern occurs), and
# returns one value a resample, not a number where it is not defined.


def _raw_agreement(patterns: Floats, weights: Floats) -> Floats:
    return _divide_or_nan(weights @ _share_of_same_pairs(patterns), weights.sum(axis=1))


def _cohen_kappa(patterns: Floats, weights: Floats) -> Floats:
    size = round(patterns.shape[1] ** 0.5)
    tables = (weights @ patterns).reshape(len(weights), size, size)
    totals = tables.sum(axis=(1, 2))
    observed = _divide_or_nan(np.trace(tables, axis1=1, axis2=2), totals)
    chance = _divide_or_nan((tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1), totals**2)
    return _correct_for_chance(observed, chance)


def _fleiss_kappa(patterns: Floats, weights: Floats) -> Floats:
    shares = _category_shares(weights @ patterns)
    return _correct_for_chance(_raw_agreement(patterns, weights), (shares**2).sum(axis=1))


def _krippendorff_alpha(patterns: Floats, weights: Floats) -> Floats:
    """1 minus observed over expected disagreement."""
    sizes = patterns.sum(axis=1)
    # Each item's pairs count as much as it has answers: (answers of an item) x (share of its pairs that are the same).
    same = weights @ (sizes * _share_of_same_pairs(patterns))
    totals = weights @ patterns
    pairable = totals.sum(axis=1)
    observed = _divide_or_nan(pairable - same, pairable)
    # Without replacement: an answer is not paired with itself.
    expected = _divide_or_nan(pairable**2 - (totals**2).sum(axis=1), pairable * (pairable - 1))
    return 1 - _divide_or_nan(observed, expected)


def _gwet_ac1(patterns: Floats, weights: Floats) -> Floats:
    several = patterns.sum(axis=1) > 1
    observed = _raw_agreement(patterns[several], weights[:, several])
    # The mean over items, so that an item with many answers does not count more.
    habits = _category_shares(weights @ (patterns / patterns.sum(axis=1, keepdims=True)))
    kinds = patterns.shape[1]
    # Of one kind of answer there is nothing to agree on by chance, nor otherwise.
    chance = (habits * (1 - habits)).sum(axis=1) / (kinds - 1) if kinds > 1 else np.full(len(weights), np.nan)
    return _correct_for_chance(observed, chance)


def _share_of_same_pairs(patterns: Floats) -> Floats:
    """Of each pattern, the share of pairs of answers that are the same."""
    sizes = patterns.sum(axis=1)
    return _divide_or_nan((patterns * (patterns - 1)).sum(axis=1), sizes * (sizes - 1))


def _category_shares(totals: Floats) -> Floats:
    shares: Floats = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1.0)
    return shares


def _correct_for_chance(observed: Floats, chance: Floats) -> Floats:
    """How much of what chance leaves open was reached."""
    return _divide_or_nan(observed - chance, 1 - chance)


def _divide_or_nan(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient; not a number where nothing is divided by."""
    defined = np.abs(denominator) > _NOTHING_LEFT
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=defined)
