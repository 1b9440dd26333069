"""Numbers by day in a tool's output."""

import pytest

from reviews.provenance.core.context import Source, SourceKind
from reviews.provenance.records.index import Indexed
from reviews.provenance.records.series import series_in


def check(text: str, *expected: tuple[str, list[tuple[str, int]]]) -> None:
    found = series_in(Indexed(Source("history/1/outcome", SourceKind.TOOL_OUTPUT, text), None))
    assert [(s.name, [(p.day.isoformat(), int(p.value)) for p in s.points]) for s in found] == list(expected)
    assert all(text[p.span.start : p.span.end] == p.span.quote for s in found for p in s.points)


def test_an_object_from_day_to_number() -> None:
    check('{"2026-03-02": 4, "2026-03-01": 6}', ("", [("2026-03-01", 6), ("2026-03-02", 4)]))


def test_records_of_a_day_and_its_numbers() -> None:
    rows = '[{"date": "2026-03-01", "visits": 6, "sales": 1}, {"date": "2026-03-02", "visits": 4, "sales": 2}]'
    by_day = [("2026-03-01", 6), ("2026-03-02", 4)], [("2026-03-01", 1), ("2026-03-02", 2)]
    check(rows, ("visits", by_day[0]), ("sales", by_day[1]))


def test_a_table() -> None:
    check("date,visits\n2026-03-01,6\n2026-03-02,4\n", ("visits", [("2026-03-01", 6), ("2026-03-02", 4)]))


@pytest.mark.parametrize(
    "text",
    [
        "No data.",
        '[{"date": "2026-03-01", "n": 6}, {"date": "2026-03-01", "n": 4}]',
        '[{"start": "2026-03-01 10:00", "n": 6}, {"start": "2026-03-02 10:00", "n": 4}]',
        '{"2026-03-01": "open"}',
    ],
)
def test_what_is_no_series(text: str) -> None:
    check(text)
