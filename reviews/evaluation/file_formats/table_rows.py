"""Rows of files of any shape: a table (CSV), JSON lines, or JSON over several lines; each row a mapping of columns."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.reading import MAX_LINE_LENGTH, parse_json_object, read_lines

# What a table of results has; more is a matrix, of which nobody would say what each column means.
MAX_COLUMNS: Final = 200
# Objects in a row are columns too, as deep as one can still name them.
_MAX_DEPTH: Final = 3
DELIMITERS: Final = ",;\t|"
"""What may stand between two cells."""
_PIECE: Final = 64 * 1024
# What may stand between two objects of a list, or of several written one after the other.
_between: Final = re.compile(r"[\s,\[\]]*")


class RowFormat(StrEnum):
    """How rows are written."""

    CSV = "csv"
    JSON_LINES = "jsonl"
    JSON = "json"


@dataclass(frozen=True)
class Row:
    """One row, or why it cannot be read."""

    number: int
    """The line it stands in, or its number where lines mean nothing; from 1."""
    cells: Mapping[str, Any]
    problem: str = ""


def iterate_rows(path: Path, row_format: RowFormat) -> Iterator[Row]:
    """Every row, one held at a time. Raises `TraceDataError` for a file that holds none."""
    match row_format:
        case RowFormat.CSV:
            return _csv_rows(path)
        case RowFormat.JSON_LINES:
            return _line_rows(path)
        case RowFormat.JSON:
            return _json_rows(path)


def cell_of(cells: Mapping[str, Any], column: str) -> Any:
    """What stands in a column; of an object within the row by its path with dots. None where nothing does."""
    if column in cells:
        return cells[column]
    name, dot, rest = column.partition(".")
    inner = cells.get(name)
    return cell_of(inner, rest) if dot and isinstance(inner, Mapping) else None


def columns_of(cells: Mapping[str, Any], depth: int = 1) -> list[str]:
    """The names of a row's columns, those of objects within it after their own."""
    names: list[str] = []
    for name, value in cells.items():
        names.append(str(name))
        if isinstance(value, Mapping) and depth < _MAX_DEPTH:
            names += [f"{name}.{inner}" for inner in columns_of(value, depth + 1)]
    return names[:MAX_COLUMNS]


def _csv_rows(path: Path) -> Iterator[Row]:
    # Of the whole process: a cell may be as long as a line of JSON may be.
    csv.field_size_limit(MAX_LINE_LENGTH)
    # Bytes that are no UTF-8 become half surrogates, so that the row that holds them is refused and not the file.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        lines = iter(lambda: file.readline(MAX_LINE_LENGTH), "")
        header = next(lines, "")
        reader = csv.reader(chain([header], lines), delimiter=max(DELIMITERS, key=header.count))
        names = next(reader, [])
        if not any(name.strip() for name in names) or len(names) > MAX_COLUMNS:
            raise TraceDataError(f"The first line names no columns, or more than {MAX_COLUMNS}.")
        while True:
            number = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield Row(number, {}, str(error))
                continue
            if cells is None:
                return
            if len(cells) > len(names):
                yield Row(number, {}, f"the row has {len(cells)} cells and the table {len(names)} columns")
            elif any(cells):
                yield Row(number, dict(zip(names, cells, strict=False)))


def _line_rows(path: Path) -> Iterator[Row]:
    for number, line in read_lines(path):
        try:
            yield Row(number, parse_json_object(line.removeprefix("\ufeff")))
        except ValueError as error:
            yield Row(number, {}, str(error))


def _json_rows(path: Path) -> Iterator[Row]:
    """Objects of a list, or one after the other, decoded as they are read: never the whole file at once."""
    decoder, text, at, number = json.JSONDecoder(), "", 0, 0
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        while True:
            at = _between.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing too
            try:
                value, end = decoder.raw_decode(text, at)
            except RecursionError:
                raise TraceDataError(f"Object {number + 1} is nested too deep.") from None
            except ValueError:
                # As much again as there is, so that a long object is not begun anew for every piece.
                piece = file.read(max(_PIECE, len(text) - at)) if len(text) - at <= MAX_LINE_LENGTH else ""
                if not piece:
                    break
                text, at = text[at:] + piece, 0
                continue
            if not isinstance(value, dict):
                raise TraceDataError(f"Behind object {number} stands {str(value)[:40]!r}, which is no object.")
            number, at = number + 1, end
            yield Row(number, value)
    if at < len(text) or not number:
        raise TraceDataError(f"Behind object {number} stands nothing that can be read as JSON: {text[at:][:80]!r}")
