"""Agreement equals what independent implementations and published examples say."""

import math
import time
import warnings
from collections.abc import Hashable

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.measures.interrater_agreement import (
    Answers,
    confusion_table,
    interrater_agreement,
    item_agreement,
)

# What the references need to be imported takes a second, which only the tests that ask them pay, and not every process
# that collects the tests.

EXACT = 1e-9
# More digits than a double has, so that the reference does not round.
DIGITS = 17

Rows = list[list[Hashable | None]]


def rows(people: st.SearchStrategy[int], *, missing: bool) -> st.SearchStrategy[Rows]:
    answer = st.sampled_from([None, "a", "b", "c"] if missing else ["a", "b", "c"])
    return people.flatmap(
        lambda count: st.lists(st.lists(answer, min_size=count, max_size=count), min_size=2, max_size=25)
    )


def kinds(answers: Answers) -> set[Hashable]:
    return {answer for item in answers for answer in item if answer is not None}


def check_same(ours: float | None, theirs: float) -> None:
    """Both are undefined, or equal to nine digits."""
    if ours is None:
        assert math.isnan(theirs)
    else:
        assert ours == pytest.approx(theirs, abs=EXACT)


def numbered(answers: Answers) -> list[list[float]]:
    return [[math.nan if answer is None else "abc".index(str(answer)) for answer in item] for item in answers]


@given(rows(st.just(2), missing=False))
def test_cohens_kappa_is_that_of_statsmodels(answers: Rows) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa, to_table  # noqa: PLC0415 - see above

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohens_kappa(to_table(np.array(numbered(answers), dtype=int), 3)[0], return_results=False)
    cohen = interrater_agreement(answers, resamples=10).cohen
    assert cohen
    check_same(cohen.value, theirs)


@given(rows(st.integers(2, 5), missing=False))
def test_fleiss_kappa_is_that_of_statsmodels(answers: Rows) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # noqa: PLC0415 - see above

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = fleiss_kappa(aggregate_raters(np.array(numbered(answers), dtype=int), 3)[0])
    check_same(interrater_agreement(answers, resamples=10).fleiss.value, theirs)


@given(rows(st.integers(2, 5), missing=True).filter(lambda answers: len(kinds(pairable(answers))) > 1))
def test_krippendorffs_alpha_is_that_of_its_package_with_answers_missing(answers: Rows) -> None:
    data = np.array(numbered(answers)).T
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    check_same(interrater_agreement(answers, resamples=10).krippendorff.value, theirs)


def pairable(answers: Rows) -> Rows:
    return [item for item in answers if sum(answer is not None for answer in item) > 1]


@given(
    rows(st.integers(2, 5), missing=True).filter(
        lambda answers: pairable(answers) and len(kinds(answers)) > 1 and all(any(item) for item in answers)
    )
)
def test_gwets_ac1_is_that_of_irrcac(answers: Rows) -> None:
    import pandas as pd  # noqa: PLC0415 - see above
    from irrCAC.raw import CAC  # noqa: PLC0415

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CAC(pd.DataFrame(answers), digits=DIGITS).gwet()
    check_same(interrater_agreement(answers, resamples=10).gwet.value, found["est"]["coefficient_value"])


@given(rows(st.integers(2, 4), missing=True))
def test_the_order_of_items_and_people_and_the_names_of_answers_do_not_matter(answers: Rows) -> None:
    renamed = [[None if answer is None else f"x{answer}" for answer in reversed(item)] for item in reversed(answers)]
    ours, theirs = interrater_agreement(answers, resamples=10), interrater_agreement(renamed, resamples=10)
    for name in ("raw", "fleiss", "krippendorff", "gwet"):
        value, other = getattr(ours, name).value, getattr(theirs, name).value
        assert (value is None) == (other is None)
        assert value is None or value == pytest.approx(other, abs=EXACT)


# Fleiss 1971 as restated with 10 subjects, 14 raters and 5 categories: kappa 0.210.
FLEISS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip


def test_the_published_example_of_fleiss() -> None:
    answers = [[kind for kind, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert interrater_agreement(answers).fleiss.value == pytest.approx(0.210, abs=5e-4)


def test_the_published_example_of_krippendorff_with_answers_missing() -> None:
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: nominal alpha 0.743.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    answers = [list(item) for item in zip(*observers, strict=True)]
    assert interrater_agreement(answers).krippendorff.value == pytest.approx(0.743, abs=5e-4)


def test_the_paradox_of_kappa_is_told_apart_from_people_who_disagree() -> None:
    # Feinstein and Cicchetti 1990: 85 % raw agreement, and a kappa of 0.32 since nearly all answers are alike.
    answers = [["yes", "yes"]] * 80 + [["yes", "no"]] * 10 + [["no", "yes"]] * 5 + [["no", "no"]] * 5
    found = interrater_agreement(answers)
    assert found.raw.value == pytest.approx(0.85)
    assert found.cohen is not None
    assert found.cohen.value == pytest.approx(0.3182, abs=5e-4)
    assert found.gwet.value == pytest.approx(0.81, abs=5e-3)
    assert found.is_skewed


def test_an_interval_holds_its_value_and_the_same_seed_gives_the_same() -> None:
    answers = [["a", "a"]] * 30 + [["a", "b"]] * 8 + [["b", "b"]] * 12
    found = interrater_agreement(answers)
    assert found == interrater_agreement(list(reversed(answers)))
    for each in (found.raw, found.cohen, found.fleiss, found.krippendorff, found.gwet):
        assert each
        assert each.value
        assert each.interval
        assert each.interval[0] < each.value < each.interval[1]


def test_what_no_draw_moves_has_no_interval() -> None:
    found = interrater_agreement([["a", "a"], ["b", "b"], ["a", "a"]])
    assert (found.raw.value, found.raw.interval) == (1.0, None)
    assert (found.gwet.value, found.gwet.interval) == (1.0, None)


def test_a_bootstrap_of_the_raw_agreement_is_as_wide_as_theory_says() -> None:
    answers = [["a", "a"]] * 300 + [["a", "b"]] * 100
    interval = interrater_agreement(answers).raw.interval
    assert interval
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert interval == pytest.approx((0.75 - half, 0.75 + half), abs=0.006)


def test_one_kind_of_answer_says_nothing_beyond_chance() -> None:
    found = interrater_agreement([["a", "a"]] * 5)
    assert found.raw.value == 1
    assert [each.value for each in (found.cohen, found.fleiss, found.krippendorff, found.gwet) if each] == [None] * 4


@pytest.mark.parametrize("answers", [[], [["a", None]], [[None, None]]])
def test_without_two_answers_to_one_item_there_is_no_agreement(answers: Rows) -> None:
    found = interrater_agreement(answers)
    assert (found.items, found.raw.value, found.krippendorff.value, found.gwet.value) == (0, None, None, None)


def test_a_confusion_table_counts_pairs() -> None:
    table = confusion_table(["a", "a", "b", None], ["a", "b", "b", "b"])
    assert (table.categories, table.counts) == (("a", "b"), ((1, 1), (0, 1)))


@pytest.mark.parametrize(("answers", "share"), [(["a"], None), (["a", "a", None], 1), (["a", "b", "a"], 1 / 3)])
def test_the_agreement_about_one_item(answers: list[str | None], share: float | None) -> None:
    assert item_agreement(answers) == share


def test_a_thousand_items_take_under_a_second() -> None:
    rng = np.random.default_rng(7)
    answers = [[str(kind) for kind in rng.integers(0, 3, size=4)] for _ in range(1_000)]
    # Of this process alone: on a busy machine others take their share of the clock's.
    started = time.process_time()
    interrater_agreement(answers)
    assert time.process_time() - started < 1
