"""CSV that every program reads as the same cells, and none as formulas. Whoever writes CSV writes it by this.

What agents, collections and people wrote stands in these cells. A spreadsheet takes one for a formula that begins with
one of a few characters, and some begin a row, and so a cell, at a carriage return within quotes. So every cell is
quoted, an apostrophe stands before whatever could begin a formula in any of its lines, and its lines end in one way,
which every program knows within quotes. The exact text stands in the JSON of the same row.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, Final

# All are regular expressions of Python and of PostgreSQL alike. A tab and a carriage return begin a formula too: some
# programs drop them, and read what stands behind them as the cell. And a program that is set up
# for East Asian letters reads the signs in their width as the signs themselves.
_BEGINNINGS: Final = r"[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]"
_LINE_ENDS: Final = r"\r\n?|[\n\v\f]"
_FORMULA: Final = rf"(?:^|(?<=[\n\v\f\r]))(?={_BEGINNINGS})"
# What is anything else, as most cells are, is left as it is.
_SUSPECT: Final = rf"^{_BEGINNINGS}|{_LINE_ENDS}"
_line_ends, _formula, _suspect = map(re.compile, (_LINE_ENDS, _FORMULA, _SUSPECT))

COPY_OPTIONS: Final = "FORMAT csv, FORCE_QUOTE *"
"""How PostgreSQL writes what `write_rows` does."""


def neutralise_cell(text: str) -> str:
    """The text without a line that any program takes for a formula."""
    return _line_ends.sub("\n", _formula.sub("'", text)) if _suspect.search(text) else text


def neutralise_column(expression: str) -> str:
    """The same of a text in SQL, for COPY with `COPY_OPTIONS`."""
    text = f"coalesce({expression}, '')"
    marked = f"regexp_replace({text}, '{_FORMULA}', '''', 'g')"
    rewritten = f"regexp_replace({marked}, '{_LINE_ENDS}', chr(10), 'g')"
    return f"CASE WHEN {text} ~ '{_SUSPECT}' THEN {rewritten} ELSE {text} END"


def write_rows(rows: Iterable[Sequence[Any]], file: BinaryIO, done: Callable[[int], None] = lambda _: None) -> None:
    """Every cell in quotes and neutralised; nothing and an empty text look the same."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(_row_cells(rows, done))
    # The file is the caller's to close.
    text.detach()


def _row_cells(rows: Iterable[Sequence[Any]], done: Callable[[int], None]) -> Iterator[list[str]]:
    for number, row in enumerate(rows, start=1):
        yield [_cell_of(value) for value in row]
        done(number)


def _cell_of(value: Any) -> str:
    """A cell's text; truth values as PostgreSQL and JSON write them. A number is no formula, whatever its sign."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
    return neutralise_cell(str(value))
