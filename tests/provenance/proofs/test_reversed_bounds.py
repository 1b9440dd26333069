import pytest

from reviews.provenance.core.context import JsonValue
from tests.provenance.argument_grounding.made import call, context, user
from tests.provenance.argument_grounding.tools import tool
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
        {"lower_berths": 4, "upper_berths": 2},
        {"low_alerts": 5, "high_alerts": 2},
    ],
)
def test_a_range_that_may_be_right_stays_unknown(arguments: dict[str, JsonValue]) -> None:
    asked = context("Search.", offered=(tool("search", "Search.", **{name: {} for name in arguments}),))
    for name in arguments:
        assert leaf_of(asked, call("search", **arguments), f"/{name}").rule != "proofs.reversed_bounds"


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("Search from longitude 176 to -178.", {"min_lon": 176, "max_lon": -178}),
        ("Search, min 80, max 40.", {"min_price": 80, "max_price": 40}),
        ("Search between depths of -10 and -50.", {"min_depth": -10, "max_depth": -50}),
        ("Search.", {"min_depth": -10, "max_depth": -50}),
        ("Search above 20.", {"min_price": 20, "max_price": 0}),
        ("Search from 28/02/2026 to 01/03/2026.", {"start_date": "28/02/2026", "end_date": "01/03/2026"}),
        ("Search.", {"start_date": "28/02/2026", "end_date": "01/03/2026"}),
        ("Search from March 9 to March 8.", {"start_date": "2026-03-09", "end_date": "2026-03-08"}),
    ],
)
def test_bounds_that_the_user_says_so_or_that_may_be_read_in_order_stay_unknown(
    said: str, arguments: dict[str, JsonValue]
) -> None:
    asked = context(said, offered=(tool("search", "Search.", **{name: {} for name in arguments}),))
    for name in arguments:
        assert leaf_of(asked, call("search", **arguments), f"/{name}").holds is not False


def test_bounds_in_the_other_order_than_they_are_said_are_refuted() -> None:
    asked = context("Search between 40 and 80.", offered=(tool("search", "Search.", min_price={}, max_price={}),))
    for name in ("min_price", "max_price"):
        check_decided(asked, call("search", min_price=80, max_price=40), f"/{name}", "reversed_bounds", holds=False)


@pytest.mark.parametrize(
    "limits",
    [[{"min": 1, "max": 5}, {"min": 12, "max": 20}], {"copper": {"min": 1, "max": 5}, "lead": {"min": 12, "max": 20}}],
)
def test_each_entry_has_bounds_of_its_own(limits: JsonValue) -> None:
    asked = context("Search.", offered=(tool("search", "Search.", limits={}),))
    places = ("0", "1") if isinstance(limits, list) else ("copper", "lead")
    for pointer in (f"/limits/{place}/{end}" for place in places for end in ("min", "max")):
        assert leaf_of(asked, call("search", limits=limits), pointer).holds is not False


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("Sort from max rank 1 to min rank 9", {"max_rank": 1, "min_rank": 9}),
        ("End date 2026-12-01, start date 2026-12-20", {"start_date": "2026-12-20", "end_date": "2026-12-01"}),
    ],
)
def test_bounds_that_the_user_names_stay_unknown(said: str, given: dict[str, JsonValue]) -> None:
    asked = context(said, offered=(tool("sort", "Sorts.", **{name: {} for name in given}),))
    for name in given:
        assert leaf_of(asked, call("sort", **given), f"/{name}").rule != "proofs.reversed_bounds"


def test_a_later_message_refutes_no_bounds_that_an_earlier_one_says_so() -> None:
    search = tool("search", "Search.", start_date={}, end_date={})
    asked = context("Search from March 9 to March 8.", user("I have 7 minutes."), offered=(search,))
    assert (
        leaf_of(asked, call("search", start_date="2026-03-09", end_date="2026-03-08"), "/start_date").holds is not False
    )
