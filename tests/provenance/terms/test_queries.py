"""Queries take what plain Python takes."""

import json
from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.core.context import Context, Step
from reviews.provenance.data.sources import Evidence
from reviews.provenance.terms.queries import run_query, run_total
from reviews.provenance.terms.terms import Comparison, Condition, Selected

OUTCOME = "history/1/outcome"
PLAIN: dict[Comparison, Callable[[int, int], bool]] = {
    "equals": eq, "differs": ne, "below": lt, "above": gt, "at_most": le, "at_least": ge,
}  # fmt: skip
rows = st.lists(st.fixed_dictionaries({"id": st.integers(1, 9), "size": st.integers(0, 20)}), min_size=1, max_size=9)


def run(records: object, query: Selected) -> list[str] | str:
    text = Evidence(Context("Hello", (), (Step("list", {}, json.dumps(records)),))).texts[OUTCOME]
    taken = run_query(query, text)
    return taken if isinstance(taken, str) else [text.document.value_of(row.scalar) for row in taken]


@given(rows, st.sampled_from(sorted(PLAIN)), st.integers(0, 20))
def test_conditions_keep_what_python_keeps(records: list[dict[str, int]], comparison: Comparison, size: int) -> None:
    query = Selected(OUTCOME, "/*", "id", (Condition("size", comparison, size),), take=None)
    kept = [str(record["id"]) for record in records if PLAIN[comparison](record["size"], size)]
    taken = run(records, query)
    assert taken == kept if kept else isinstance(taken, str)


@given(rows, st.booleans(), st.integers(1, 10))
def test_an_order_takes_the_one_that_python_sorts_there(
    records: list[dict[str, int]],
    descending: bool,
    take: int,
) -> None:
    taken = run(records, Selected(OUTCOME, "/*", "id", order="size", descending=descending, take=take))
    ordered = sorted(records, key=lambda record: record["size"], reverse=descending)
    if take > len(ordered):
        assert isinstance(taken, str)
    elif [record["size"] for record in records].count(ordered[take - 1]["size"]) > 1:
        # Nobody says which of two equal ones is first.
        assert "share" in taken
    else:
        assert taken == [str(ordered[take - 1]["id"])]


@given(st.lists(st.dates().map(str), min_size=2, max_size=6, unique=True))
def test_days_are_ordered_as_days(days: list[str]) -> None:
    records = [{"id": number, "day": day} for number, day in enumerate(days, start=10)]
    latest = Selected(OUTCOME, "/*", "id", order="day", descending=True)
    assert run(records, latest) == [str(10 + days.index(max(days)))]


def test_texts_are_compared_without_case() -> None:
    named = Condition("name", "equals", "ANN LEE")
    assert run([{"id": 7, "name": "Ann Lee"}, {"id": 8, "name": "Bo"}], Selected(OUTCOME, "/*", "id", (named,))) == [
        "7"
    ]
    holds = Condition("name", "contains", "lee")
    assert run([{"id": 7, "name": "Ann Lee"}, {"id": 8, "name": "Bo"}], Selected(OUTCOME, "/*", "id", (holds,))) == [
        "7"
    ]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (Selected(OUTCOME, "/orders/*", "id"), "There are no records"),
        (Selected(OUTCOME, "/*", "price"), "has a field"),
        (Selected(OUTCOME, "/*", "id", (Condition("size", "above", 0),)), "leaves 2 records"),
        (Selected(OUTCOME, "/*", "id", (Condition("size", "above", 9),)), "leaves 0 records"),
        (Selected(OUTCOME, "/*", "id", take=3), "takes number 3"),
        (Selected(OUTCOME, "/*", "id", take=-1), "takes number -1"),
    ],
)
def test_a_query_that_takes_no_one_record_says_why(query: Selected, reason: str) -> None:
    assert reason in run([{"id": 7, "size": 1}, {"id": 8, "size": 2}], query)


def test_fields_of_objects_in_a_record_are_named_by_a_dotted_path() -> None:
    records = {"orders": [{"id": "o1", "ship": {"zip": "3000"}}, {"id": "o2", "ship": {"zip": "4000"}}]}
    where = (Condition("ship.zip", "equals", "4000"),)
    assert run(records, Selected(OUTCOME, "/orders/*", "id", where)) == ["o2"]


def test_a_field_with_a_sign_that_separates_keys_is_found() -> None:
    rows = [{"from/to": "ann", "id": "a"}, {"from/to": "bo", "id": "b"}]
    query = Selected(OUTCOME, "/*", "id", (Condition("from/to", "equals", "bo"),), take=None)
    assert run(rows, query) == ["b"]


def test_a_record_is_known_by_the_one_around_it() -> None:
    donors = [
        {"name": "Halvorsen", "gifts": [{"amount": 120}, {"amount": 75.5}]},
        {"name": "Halverson", "gifts": [{"amount": 60}]},
    ]
    named = (Condition("name", "equals", "Halvorsen"),)
    assert run(donors, Selected(OUTCOME, "/*/gifts/*", "amount", named, take=None)) == ["120", "75.5"]
    assert isinstance(run(donors, Selected(OUTCOME, "/*/gifts/*", "amount", (Condition("year", "equals", 1),))), str)


def test_a_field_of_its_own_goes_before_that_of_the_record_around_it() -> None:
    teams = [{"name": "Red", "members": [{"name": "Ann", "age": 3}, {"name": "Red", "age": 4}]}]
    red = (Condition("name", "equals", "Red"),)
    assert run(teams, Selected(OUTCOME, "/*/members/*", "age", red, take=None)) == ["4"]


@pytest.mark.parametrize(
    ("values", "lowest"),
    [
        ([9, 10], "9"),
        ([9, ""], "9"),
        ([9, None], None),
        (["10", "10.00", "12"], None),
        (["9", "N/A"], None),
        (["€9", "$10"], None),
        (["9 %", "10"], None),
        (["2026-03-04T23:00:00-08:00", "2026-03-05T01:00:00+00:00"], "2026-03-05T01:00:00+00:00"),
    ],
)
def test_values_that_nobody_can_compare_order_nothing(values: list[object], lowest: str | None) -> None:
    records = [{"value": value} for value in values]
    taken = run(records, Selected(OUTCOME, "/*", "value", order="value"))
    assert taken == [lowest] if lowest else isinstance(taken, str)


@pytest.mark.parametrize(
    ("comparison", "wanted", "kept"),
    [("above", 9, ["12"]), ("below", 20, ["7", "12"]), ("contains", 12, ["12"]), ("differs", 12, ["7", "112", "N/A"])],
)
def test_a_condition_holds_of_what_is_compared_alike(comparison: Comparison, wanted: int, kept: list[str]) -> None:
    records = [{"size": size} for size in ("7", "12", "112", "N/A")]
    bounded = [Condition("size", comparison, wanted)]
    bounded += [Condition("size", "below", 100)] if comparison == "above" else []
    assert run(records, Selected(OUTCOME, "/*", "size", tuple(bounded), take=None)) == kept


@pytest.mark.parametrize(("amounts", "total"), [(["€10", "€12"], 22), (["€10", "$12"], None), ([10, "12 %"], None)])
def test_only_what_is_in_one_unit_has_a_sum(amounts: list[object], total: int | None) -> None:
    query = Selected(OUTCOME, "/*", "amount", take=None, total="sum")
    records = json.dumps([{"amount": amount} for amount in amounts])
    text = Evidence(Context("Hello", (), (Step("list", {}, records),))).texts[OUTCOME]
    assert isinstance(run_total(query, text, 22), str) is (total is None)
