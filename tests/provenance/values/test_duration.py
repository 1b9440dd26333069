"""The lengths of time that a value may mean."""

from decimal import Decimal

import pytest

from reviews.provenance.values.duration import seconds_of


@pytest.mark.parametrize(
    ("hint", "expected"),
    [("ttl TTL(秒)", [60]), ("ttl 有効期間(分)", [3600]), ("duration in minutes", [3600]), ("ttl in seconds", [60])],
)
def test_the_description_names_the_unit_in_its_language(hint: str, expected: list[int]) -> None:
    assert list(seconds_of(60, hint)) == list(map(Decimal, expected))
