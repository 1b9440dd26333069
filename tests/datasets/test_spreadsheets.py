import csv
import io
import re

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviews.datasets import spreadsheets
from tests.structure.package_graph import sources

FORMULAS = set("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
# Often what begins a formula, a line or a cell, and now and then any other character.
TEXTS = st.text(
    st.sampled_from("=+-@\t\r\n\v\f'\",;a é\u2028\uff1d\uff20") | st.characters(exclude_characters="\0", codec="utf-8")
)
ROWS = st.lists(st.lists(TEXTS, min_size=3, max_size=3), min_size=1)


def written(rows: list[list[str]]) -> str:
    spreadsheets.write_rows(rows, file := io.BytesIO())
    return file.getvalue().decode()


def test_a_number_below_nothing_stays_a_number() -> None:
    spreadsheets.write_rows([[-0.3, -2, "-2", True, None]], file := io.BytesIO())
    assert file.getvalue() == b'"-0.3","-2","\'-2","true",""\n'


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("a=1+1", "a=1+1"),
        ("a\r=1", "a\n'=1"),
        ("a\r\n@x\n+1", "a\n'@x\n'+1"),
        ("\r\r=1", "'\n'\n'=1"),
        ("\t", "'\t"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a\n\uff20x", "a\n'\uff20x"),
        ("", ""),
    ],
)
def test_what_begins_like_a_formula_is_text(text: str, cell: str) -> None:
    assert spreadsheets.neutralise_cell(text) == cell


@given(ROWS)
def test_no_line_of_any_cell_begins_a_formula_and_no_cell_ends_early(rows: list[list[str]]) -> None:
    read = list(csv.reader(io.StringIO(written(rows), newline="")))
    assert [len(row) for row in read] == [3] * len(rows)
    lines = [line for row in read for cell in row for line in cell.split("\n")]
    assert [line for line in lines if line[:1] in FORMULAS] == []


@given(ROWS)
def test_lines_within_cells_end_as_every_program_knows(rows: list[list[str]]) -> None:
    assert not set("\r\v\f") & set(written(rows))


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
def test_the_database_writes_the_same_cells(texts: list[str]) -> None:
    column = spreadsheets.neutralise_column("t")
    query = f"COPY (SELECT {column} FROM unnest(%s::text[]) AS t) TO STDOUT WITH ({spreadsheets.COPY_OPTIONS})"  # noqa: S608 - our own column
    with connection.cursor() as cursor, cursor.copy(query, [texts]) as copied:
        assert b"".join(map(bytes, copied)).decode() == written([[text] for text in texts])


def test_nothing_else_writes_csv() -> None:
    writing = [path for path in sources() if re.search(r"csv\.writer|DictWriter|FORMAT csv, HEADER", path.read_text())]
    assert [path.name for path in writing] == ["spreadsheets.py"]
