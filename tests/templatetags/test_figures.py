"""Numbers as people read them."""

import pytest

from reviews.templatetags.figures import chance


@pytest.mark.parametrize(("p_value", "words"), [(1.0, "1.0000"), (0.0001, "0.0001"), (1e-12, "< 0.0001")])
def test_no_chance_is_told_as_0(p_value: float, words: str) -> None:
    assert chance(p_value) == words
