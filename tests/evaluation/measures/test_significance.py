import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.evaluation.measures.significance import (
    adjust_by_holm,
    mcnemar_p_value,
    permutation_p_value,
    too_few_p_value,
)

EIGHTHS = st.integers(-8, 8).map(lambda eighths: eighths / 8)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_equal_detectors_differ_by_chance() -> None:
    assert permutation_p_value([0, 0, 0]) == 1.0


@given(st.lists(EIGHTHS, max_size=9))
def test_few_cases_get_the_exact_p_of_all_signs(differences: list[float]) -> None:
    sums = [
        sum(sign * size for sign, size in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    exact = sum(total >= sum(differences) - 1e-9 for total in sums) / len(sums)
    assert permutation_p_value(differences) == pytest.approx(exact)


def test_drawn_signs_come_near_the_exact_p() -> None:
    differences = [1.0] * 9 + [-1.0] * 4
    assert permutation_p_value(differences, flips=1_000) == pytest.approx(permutation_p_value(differences), abs=0.03)


def test_many_differences_one_way_are_no_chance() -> None:
    assert permutation_p_value([1] * 40) == 1 / 10_001


def test_differences_the_other_way_prove_nothing() -> None:
    assert permutation_p_value([-1] * 40) == 1.0


def test_the_same_differences_have_the_same_p() -> None:
    differences = [0.5, -1, 1, 1, 0.25, 0, 1] * 4
    assert permutation_p_value(differences) == permutation_p_value(differences)


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    # Not above: every process that collects tests would spend a second on it.
    from statsmodels.stats.contingency_tables import mcnemar  # noqa: PLC0415

    expected = mcnemar([[0, first], [second, 0]], exact=True).pvalue if first + second else 1.0
    assert mcnemar_p_value(first, second) == pytest.approx(min(1.0, expected))


# For each of its answers it has all garbage collected, which takes half a second behind other tests.
@settings(max_examples=10)
@given(P_VALUES)
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - as above

    expected = multipletests(p_values, method="holm")[1]
    assert list(adjust_by_holm(dict(enumerate(p_values))).values()) == pytest.approx(sorted(expected))


@given(st.integers(0, 12), st.integers(0, 12), st.floats(0.01, 0.99))
def test_so_few_are_as_unlikely_as_the_binomial_says(count: int, others: int, share: float) -> None:
    total = count + others
    chances = (math.comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(count + 1))
    assert too_few_p_value(count, total, share) == pytest.approx(math.fsum(chances))
