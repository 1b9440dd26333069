import pytest

from reviews.provenance.core.context import JsonValue
from tests.provenance.grounding.made import call, context
from tests.provenance.grounding.tools import tool
from tests.provenance.proofs.checking import check_decided, leaf_of


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ({"start_date": "2026-03-09"}, {"end_date": "2026-03-08"}),
        ({"min_price": 50}, {"max_price": 40}),
        ({"since": "2026-03-09", "time_min": "2026-03-09"}, {"time_max": "2026-03-01"}),
    ],
)
def test_both_ends_of_a_reversed_range_are_refuted(low: dict[str, JsonValue], high: dict[str, JsonValue]) -> None:
    asked = context("Search.", offered=(tool("search", "Search.", **{name: {} for name in {**low, **high}}),))
    for name in (list(low)[-1], *high):
        check_decided(asked, call("search", **low, **high), f"/{name}", "reversed_bounds", holds=False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"start_date": "2026-03-09", "end_date": "2026-03-09"},
        {"start": "22:00", "end": "06:00"},
        {"from_account": 77, "to_account": 42},
        {"start_page": 9, "end_price": 3},
        {"min_price": 50, "max_weight": 40},
        {"min_price": "a lot", "max_price": "little"},
        {"first_name": "Zoe", "last_name": "Ann"},
    ],
)
def test_a_range_that_may_be_right_stays_unknown(arguments: dict[str, JsonValue]) -> None:
    asked = context("Search.", offered=(tool("search", "Search.", **{name: {} for name in arguments}),))
    for name in arguments:
        assert leaf_of(asked, call("search", **arguments), f"/{name}").rule != "proofs.reversed_bounds"
