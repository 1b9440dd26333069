"""Codes of airports and the names of their cities."""

import pytest

from reviews.provenance.values.place import abbreviated, is_told_by, place_names


@pytest.mark.parametrize(("code", "name"), [("OSL", "oslo"), ("KEF", "keflavik"), ("SFO", "san francisco")])
def test_a_city_tells_its_one_airport(code: str, name: str) -> None:
    assert name in place_names(code)
    assert is_told_by(code, name)


def test_of_several_airports_a_city_tells_the_one_for_abroad() -> None:
    assert is_told_by("LAX", "los angeles")
    assert not is_told_by("WHP", "los angeles")


@pytest.mark.parametrize("code", ["JFK", "LGA"])
def test_a_city_with_several_for_abroad_tells_none(code: str) -> None:
    assert "new york" in place_names(code)
    assert not is_told_by(code, "new york")


def test_another_code_has_no_names() -> None:
    assert place_names("EUR") == place_names("lax") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("from Riverham to Oslo", ["Riverham"]), ("from riverham", []), ("Rome", []), ("from Maravelle", [])],
)
def test_a_code_may_be_short_for_a_name(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in abbreviated("RVM", text)] == expected
