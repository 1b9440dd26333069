import pytest

from reviews.evaluation.measures.significance import FLIPS, one_sided


def test_no_difference_is_chance() -> None:
    assert one_sided([0, 0, 0]) == 1.0


def test_a_few_differences_one_way_have_the_share_of_their_signs() -> None:
    # All of five signs positive: one in 32.
    assert one_sided([1] * 5) == pytest.approx(1 / 32, abs=0.006)


def test_many_differences_one_way_are_no_chance() -> None:
    assert one_sided([1] * 40) == 1 / (FLIPS + 1)


def test_differences_the_other_way_prove_nothing() -> None:
    assert one_sided([-1] * 40) == 1.0


def test_it_is_the_same_every_time() -> None:
    differences = [0.5, -1, 1, 1, 0.25, 0, 1]
    assert one_sided(differences) == one_sided(differences)
