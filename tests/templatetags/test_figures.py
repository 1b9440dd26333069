"""Numbers as people read them."""

import pytest

from reviews.templatetags.figures import chance, dollars


@pytest.mark.parametrize(("p_value", "words"), [(1.0, "1.0000"), (0.0001, "0.0001"), (1e-12, "< 0.0001")])
def test_no_chance_is_told_as_0(p_value: float, words: str) -> None:
    assert chance(p_value) == words


@pytest.mark.parametrize(("usd", "words"), [(0, "$0.00"), (0.0004, "< $0.01"), (0.005, "$0.01"), (12.3, "$12.30")])
def test_what_costs_something_is_not_told_as_free(usd: float, words: str) -> None:
    assert dollars(usd) == words
