"""What becomes of the first rows of a table of unknown shape, as far as a page shows it.

Knows no database and no storage: strangers wrote the rows, so that they are read in a process that can be killed.
"""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import LabelledCase, TraceDataError
from reviews.evaluation.benchmarks.reading import locate_errors
from reviews.evaluation.file_formats.mapped_table import ColumnMapping, read_row, text_in
from reviews.evaluation.file_formats.table_rows import MAX_COLUMNS, Row, RowFormat, columns_of, iterate_rows

MAX_PREVIEWED: Final = 100
"""Rows that a preview tries."""
# Calls of one row, and arguments of one call, that a page shows; the row says how many there are.
_MAX_CALLS: Final = 10
_MAX_ARGUMENTS: Final = 20
# Different words of a label's column that a page lists.
_MAX_LABELS: Final = 12


@dataclass(frozen=True)
class PreviewedCall:
    """What a page shows of one call."""

    query: str
    tool: str
    arguments: Sequence[tuple[str, Any]]
    """The first of them."""
    earlier: int
    """Steps and messages before it."""
    label: str


@dataclass(frozen=True)
class PreviewedRow:
    """What becomes of one row."""

    number: int
    problem: str = ""
    count: int = 0
    """Its calls."""
    calls: Sequence[PreviewedCall] = ()
    """The first of them."""

    @property
    def more(self) -> int:
        """Calls that are not shown."""
        return self.count - len(self.calls)


@dataclass(frozen=True)
class MappingPreview:
    """What becomes of the first rows."""

    rows: Sequence[PreviewedRow]
    label_values: Sequence[str]
    """What they say in the label's column, each once."""

    @property
    def problems(self) -> list[PreviewedRow]:
        """The rows that would be left out."""
        return [row for row in self.rows if row.problem]

    @property
    def calls(self) -> int:
        """Calls in the others."""
        return sum(row.count for row in self.rows)


@dataclass(frozen=True)
class TableHead:
    """The beginning of a file."""

    content: bytes
    is_cut: bool
    """The file goes on."""
    row_format: RowFormat

    def read_rows(self) -> list[Row]:
        """The first rows, at most `MAX_PREVIEWED`. Raises `TraceDataError` where none is one."""
        with tempfile.TemporaryDirectory(prefix="head-") as folder:
            path = Path(folder, "head")
            path.write_bytes(self.content)
            return _whole_rows(iterate_rows(path, self.row_format), is_cut=self.is_cut)


def read_columns(head: TableHead) -> list[str]:
    """The names of the columns; none where no row has any. Raises `TraceDataError`."""
    return list(dict.fromkeys(name for row in head.read_rows() for name in columns_of(row.cells)))[:MAX_COLUMNS]


def preview_head(head: TableHead, mapping: ColumnMapping) -> MappingPreview:
    """What becomes of the first rows. Raises `TraceDataError`."""
    rows = head.read_rows()
    words = (text_in(row, mapping.label)[:80] for row in rows) if mapping.label else ()
    labels = list(dict.fromkeys(filter(None, words)))[:_MAX_LABELS]
    return MappingPreview([_preview_row(row, mapping) for row in rows], labels)


def _whole_rows(rows: Iterable[Row], *, is_cut: bool) -> list[Row]:
    """As many rows as a preview tries, without the last one where it was cut in two."""
    whole_rows: list[Row] = []
    try:
        for row in rows:
            whole_rows.append(row)
            if len(whole_rows) > MAX_PREVIEWED:
                return whole_rows[:MAX_PREVIEWED]
    except TraceDataError:
        if not (whole_rows and is_cut):
            raise
        return whole_rows
    return whole_rows[:-1] if is_cut else whole_rows


def _preview_row(row: Row, mapping: ColumnMapping) -> PreviewedRow:
    try:
        with locate_errors(f"line {row.number}"):
            cases = read_row(row, mapping).cases
    except TraceDataError as error:
        return PreviewedRow(row.number, str(error))
    calls = [_preview_call(labelled) for labelled in cases[:_MAX_CALLS]]
    return PreviewedRow(row.number, "" if calls else "The row holds no call to judge.", len(cases), calls)


def _preview_call(labelled: LabelledCase) -> PreviewedCall:
    context, action = labelled.case.context, labelled.case.action
    arguments = list(islice(action.arguments.items(), _MAX_ARGUMENTS))
    return PreviewedCall(context.query, action.tool, arguments, len(context.history), labelled.label)
