"""Records in plain text: Markdown tables, values set in columns or separated by signs, `key: value` lines."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

# Of tables; the first that cuts every line into as many cells as the first line is taken.
_DELIMITERS = ",;\t"
# Cells, of which some may be in quotes, between delimiters.
_SPLIT = {
    mark: re.compile(rf'"(?>[^"]*+(?:""[^"]*+)*)"|[^{mark}]+|(?<=[{mark}])(?=[{mark}]|$)|^(?=[{mark}])')
    for mark in (*_DELIMITERS, "|")
}
# "Name: value", as an item of a list or in bold, too. Possessive, so that a line is read once.
_PAIR = re.compile(
    r"^[ \t]*+(?:[-*•]|\d+[.)])?[ \t]*+(?:\*\*)?(?P<key>[^\W\d][\w /-]{0,40}?)(?:\*\*)?:(?:\*\*)?"
    r"[ \t]++(?P<value>\S(?:.*\S)?)\s*$"
)
# A key whose fields stand below it, set in.
_OPENER = re.compile(r"^[ \t]*+(?:- )?(?P<key>[^\W\d][\w -]{0,40}):[ \t]*$")
# Characters of a line that is a pair or a row: longer ones are prose.
_MAX_LINE = 2_000
# A line that only sets a header apart from its rows.
_RULE = re.compile(r"[\s|:+=-]+")
# Cells that more than one space sets apart, of a table set in columns; and a figure in one.
_COLUMN = re.compile(r"\S++(?>(?: \S++)*)")
_FIGURE = re.compile(r"[0-9]")
_MIN_COLUMNS, _MIN_ROWS = 3, 2
# Lines above, among or below the rows that are none.
_MAX_NOTES = 2

Row: TypeAlias = Sequence[tuple[str, int, int]]
"""The scalars of a record: dotted path of keys, empty where the text gives none, start and end."""


def rows_in(text: str) -> Iterator[Row]:
    """The cells of each record, by the first way of writing that the text follows. Never raises."""
    for read in (_table_rows, _column_rows, _block_rows):
        rows = read(text)
        if (first := next(rows, None)) is not None:
            yield first
            yield from rows
            return


def _numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line.rstrip("\r\n")
        at += len(line)


def _table_rows(text: str) -> Iterator[Row]:
    lines = [(at, line) for at, line in _numbered_lines(text) if line.strip()]
    piped = [(at, line) for at, line in lines if line.count("|") > 1 and not _RULE.fullmatch(line)]
    if len(piped) > 1:
        yield from _rows_under_header(piped, "|")
        return
    for delimiter in _DELIMITERS:
        width = lines[0][1].count(delimiter) if lines else 0
        body = [pair for pair in lines if len(pair[1]) < _MAX_LINE and _cell_count(pair, delimiter) == width + 1]
        # One line more may stand above or below the table.
        if width and len(body) > 1 and len(body) >= len(lines) - 1:
            yield from _rows_under_header(body, delimiter)
            return


def _column_rows(text: str) -> Iterator[Row]:
    """Values set in three columns and more, with spaces between: two columns are how a letter sets out its figures."""
    lines = [(at, line) for at, line in _numbered_lines(text) if line.strip() and not _RULE.fullmatch(line)]
    if not lines or max(len(line) for _, line in lines) > _MAX_LINE:
        return
    cells = [[(at + hit.start(), at + hit.end()) for hit in _COLUMN.finditer(line)] for at, line in lines]
    rows = [row for row in cells if len(row) > 1]
    # A row that is cut otherwise may be another one of the same name: then nothing is known of any.
    is_even = len({len(row) for row in rows}) == 1 and len(lines) - len(rows) <= _MAX_NOTES
    if not is_even or len(rows) < _MIN_ROWS or len(rows[0]) < _MIN_COLUMNS:
        return
    values = [[text[start:end] for start, end in row] for row in rows]
    header = values[0]
    # What stands above figures and has none itself is a header; without one each line is a row like the others.
    has_header = any(
        not _FIGURE.search(name) and all(map(_FIGURE.search, column)) for name, *column in zip(*values, strict=True)
    )
    names = header if has_header and len(set(header)) == len(header) else [str(n) for n, _ in enumerate(header)]
    for row in rows[has_header:]:
        yield [(name, *place) for name, place in zip(names, row, strict=True)]


def _rows_under_header(lines: list[tuple[int, str]], delimiter: str) -> Iterator[Row]:
    offset, header = lines[0]
    names = [header[start - offset : end - offset] for start, end in _split_cells(offset, header, delimiter)]
    for at, line in lines[1:]:
        cells = zip(names, _split_cells(at, line, delimiter), strict=False)
        yield [(name, start, end) for name, (start, end) in cells if start < end]


def _cell_count(line: tuple[int, str], delimiter: str) -> int:
    return sum(1 for _ in _split_cells(*line, delimiter)) if '"' in line[1] else line[1].count(delimiter) + 1


def _split_cells(offset: int, line: str, delimiter: str) -> Iterator[tuple[int, int]]:
    """Start and end of each cell, without the space and the quotes around it."""
    if delimiter == "|":
        edge = len(line) - len(line.lstrip(" |"))
        offset, line = offset + edge, line.strip(" |")
    if '"' in line:
        yield from (_trim_cell(line, offset, *hit.span()) for hit in _SPLIT[delimiter].finditer(line))
        return
    at = 0
    for piece in line.split(delimiter):
        yield _trim_cell(line, offset, at, at + len(piece))
        at += len(piece) + 1


def _trim_cell(line: str, offset: int, start: int, end: int) -> tuple[int, int]:
    piece = line[start:end]
    start, end = end - len(piece.lstrip()), start + len(piece.rstrip())
    if start >= end:
        return offset + end, offset + end
    if end - start > 1 and line[start] == line[end - 1] and line[start] in "\"'":
        start, end = start + 1, end - 1
    return offset + start, offset + end


def _block_rows(text: str) -> Iterator[Row]:
    """Paragraphs of `key: value` lines, nested by their indentation; a repeated key starts the next record."""
    row: dict[str, tuple[str, int, int]] = {}
    above: list[tuple[int, str]] = []
    for offset, line in _numbered_lines(text):
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        if opener := _OPENER.match(line):
            above.append((indent, opener["key"]))
            continue
        hit = _PAIR.match(line) if len(line) < _MAX_LINE else None
        key = ".".join((*(key for _, key in above), hit["key"])) if hit else ""
        if not line.strip() or key in row:
            yield from [list(row.values())] if len(row) > 1 else []
            row = {}
        if hit:
            row[key] = (key, *_trim_cell(line, offset, *hit.span("value")))
    if len(row) > 1:
        yield list(row.values())
