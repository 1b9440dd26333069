from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.datasets import splits
from reviews.errors import InvalidError

STRATA = st.lists(st.tuples(st.integers(0, 200).map(str), st.sampled_from("abc")), max_size=300)
SHARES = st.sampled_from([{"train": 0.8, "test": 0.2}, {"train": 0.6, "dev": 0.2, "test": 0.2}, {"all": 1.0}])


@given(STRATA, SHARES, st.integers())
def test_a_conversation_is_in_one_split_whatever_the_order(
    strata: list[tuple[str, str]], shares: dict[str, float], seed: int
) -> None:
    once = list(dict(reversed(strata)).items())
    assert splits.assign_splits(once, shares, seed=seed) == splits.assign_splits(reversed(once), shares, seed=seed)


@given(STRATA, SHARES, st.integers())
def test_each_split_has_its_share_of_each_stratum_to_less_than_one(
    strata: list[tuple[str, str]], shares: dict[str, float], seed: int
) -> None:
    of_conversation = dict(reversed(strata))
    found = splits.assign_splits(strata, shares, seed=seed)
    assert found.keys() == of_conversation.keys()
    for stratum, total in Counter(of_conversation.values()).items():
        counts = Counter(found[name] for name, of in of_conversation.items() if of == stratum)
        assert all(abs(counts[split] - share * total) < 1 for split, share in shares.items())


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("shares", [{"train": 0.5, "test": 0.5}, {"train": 0.8, "test": 0.2}])
def test_many_small_strata_add_up_to_the_shares(size: int, shares: dict[str, float]) -> None:
    strata = [(f"{stratum}/{number}", str(stratum)) for stratum in range(100) for number in range(size)]
    counts = Counter(splits.assign_splits(strata, shares, seed=1).values())
    assert all(abs(counts[split] - share * len(strata)) < 2 for split, share in shares.items())


def test_which_small_stratum_goes_where_depends_on_the_seed() -> None:
    strata = [(str(number), str(number)) for number in range(20)]
    first, second = (splits.assign_splits(strata, {"train": 0.5, "test": 0.5}, seed=seed) for seed in (1, 2))
    assert first != second


def test_another_seed_divides_otherwise() -> None:
    strata = [(str(number), "a") for number in range(50)]
    first, second = (splits.assign_splits(strata, {"train": 0.5, "test": 0.5}, seed=seed) for seed in (1, 2))
    assert first != second


@pytest.mark.parametrize(
    "shares", [{"a": 0.5}, {"a": 1.5, "b": -0.5}, {"../a": 1.0}, {"a": float("nan")}, {"a": 1e308, "b": 1e308}]
)
def test_shares_that_mean_nothing_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(InvalidError):
        splits.check_shares(shares)
