"""Records in plain text: tables, columns, `key: value` blocks, lists, lines of pairs or of single tokens, markup."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from reviews.provenance.records.fields import Cells, Field
from reviews.provenance.records.literals import Scalar

# Of tables; the one that cuts every line into as many cells as the first is taken.
_DELIMITERS = ",;\t"
# Cells, of which some may be in quotes, between delimiters.
_SPLIT = {
    mark: re.compile(rf'"(?:[^"]|"")*"|[^{mark}]+|(?<=[{mark}])(?=[{mark}]|$)|^(?=[{mark}])')
    for mark in (*_DELIMITERS, "|")
}
# An empty cell, or space around one.
_LOOSE = {mark: re.compile(rf"(?:^|{mark})(?:\s|{mark}|$)|\s(?:{mark}|$)") for mark in _DELIMITERS}
# "Name: value", as an item of a list or in bold, too.
_PAIR = re.compile(
    r"^[ \t]*+(?:[-*•]|\d+[.)])?[ \t]*+(?:\*\*)?(?P<key>[^\W\d][\w /-]{0,40}?)(?:\*\*)?:(?:\*\*)?"
    r"[ \t]++(?P<value>\S(?:.*\S)?)\s*$"
)
# An item of a list.
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(?P<rest>\S.*)$")
# Phrases of an item that dashes, bars or commas separate; a sign inside a word separates nothing.
_CELL = re.compile(r"(?:[^-\u2013\u2014|,;:()<>\s]|(?<=\S)[-:,](?=\S)|[ \t](?![-\u2013\u2014|]\s))+")
# Characters of a line that is a pair or a list item: longer ones are prose.
_LONGEST_LINE = 2000
# Characters of a line that is one token.
_LONGEST_TOKEN = 80
# A key of nested lines, whose fields stand below it.
_OPENER = re.compile(r"^(?P<indent>[ \t]*)(?:- )?(?P<key>[^\W\d][\w -]{0,40}):[ \t]*$")
# What separates columns that are set out with spaces.
_GAP = re.compile(r"[ \t]{2,}|\t")
# "fi = Finnish", "2026-09: 130": a line for each record.
_PAIRED = re.compile(r"^[ \t]*+(?P<left>[^=:\n]{1,60}?)[ \t]*+(?:=|:(?=\s)|->|\u2192)[ \t]*+(?P<right>\S(?:.*\S)?)\s*$")
# A noun with its number, and what is said of it.
_NOUN_AND_NUMBER = re.compile(r"(?P<noun>[^\W\d_]{2,20}) (?P<number>[A-Za-z]{0,4}-?\d[\w-]{0,12})")
_NUMBERED = re.compile(
    rf"^[ \t]*(?:[-*•][ \t]+)?{_NOUN_AND_NUMBER.pattern}(?::|[ \t]*[-\u2013\u2014|,])[ \t]+(?P<rest>\S.*)$"
)
# A line that only sets a header apart from its rows.
_RULE = re.compile(r"[\s|:+=-]+")
_CODED = re.compile(r"^[ \t]*(?P<left>(?=[^\s]*\d)[\w-]{1,20})[ \t]+(?P<right>[^\W\d]\S*(?: \S+){0,5})[ \t]*$")
# A tag with its attributes, and the text that follows it.
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z_][\w:.-]{0,60})(?P<attributes>(?:\s+[\w:.-]+\s*=\s*\"[^\"<]*\")*)\s*(?P<empty>/?)>"
    r"(?P<text>[^<]*)"
)
_ATTRIBUTE = re.compile(r"(?P<key>[\w:.-]+)\s*=\s*\"(?P<value>[^\"<]*)\"")
# Tags that may lie in one another: deeper ones are read as if they lay beside each other.
_DEEPEST = 32
# Attributes of the elements around one that are read as its own: with all of them, a page would take quadratic space.
_MOST_AROUND = 32

_Body: TypeAlias = Sequence[Field] | Cells


def bodies_in(text: str) -> Iterator[Iterable[_Body]]:
    """The fields of each record, list by list, by every way of writing that the text may follow. Never raises."""
    if numbered := list(_numbered(text)):
        # Each line is a record of its own, though it may look like a pair.
        yield numbered
        return
    common = [bodies for read in (_table, _blocks, _items) if (bodies := list(read(text)))]
    yield from common
    # A table's lines are no tokens, and an element of markup is no row: the rarer ways only where no common one fits.
    rarer = (list(read(text)) for read in (_columns, _pairs, _bare_lines, _markup) if not common)
    yield from islice(filter(None, rarer), 1)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line.rstrip("\r\n")
        at += len(line)


def _table(text: str) -> Iterable[_Body]:
    """A Markdown table, or lines of separated values under a header."""
    lines = [(at, line) for at, line in _lines(text) if line.strip()]
    piped = [(at, line) for at, line in lines if line.count("|") > 1 and not _RULE.fullmatch(line)]
    if len(piped) > 1:
        ruled = any("|" in line and _RULE.fullmatch(line) for _, line in lines)
        # Without a rule below it, a first row with figures is a record like the others.
        return _rows(piped, "|") if ruled or not _has_figure(piped[0][1]) else _headless(piped)
    for delimiter in _DELIMITERS:
        width = lines[0][1].count(delimiter) if lines else 0
        body = [pair for pair in lines if _width(pair, delimiter) == width + 1] if width else []
        if len(body) > 1 and len(body) >= len(lines) - 1:
            return _rows(body, delimiter)
    return ()


def _rows(lines: list[tuple[int, str]], delimiter: str) -> Iterator[_Body]:
    header = tuple(cell.text for cell in _cells(lines[0], delimiter))
    return (_plain_row(header, line, delimiter) or _row(header, line, delimiter) for line in lines[1:])


def _headless(lines: list[tuple[int, str]]) -> Iterator[_Body]:
    """Rows without a header: a column is known by its place."""
    for line in lines:
        yield tuple(Field(f"column {n}", *cell) for n, cell in enumerate(_cells(line, "|"), start=1) if cell.text)


def _has_figure(text: str) -> bool:
    return any(map(str.isdigit, text))


def _columns(text: str) -> Iterable[_Body]:
    """Columns that are set out with spaces, under a header in words or without one."""
    written = [(at, line) for at, line in _lines(text) if line.strip()]
    lines = [(at, line) for at, line in written if not _RULE.fullmatch(line)]
    rows = [list(_spaced_cells(at, line)) for at, line in lines if len(line) < _LONGEST_LINE]
    width = len(rows[0]) if rows else 0
    if width < 2 or len(rows) < 2 or any(len(row) != width for row in rows) or len(rows) < len(lines):  # noqa: PLR2004
        return ()
    # Without a rule below it, a header is known by having no figure where every row has one.
    ruled = written[0] == lines[0] and written[1] != lines[1]
    headed = ruled or (not _has_figure(lines[0][1]) and all(_has_figure(line) for _, line in lines[1:]))
    names = [cell.text for cell in rows[0]] if headed else [f"column {n}" for n in range(1, width + 1)]
    return (
        tuple(Field(name, *cell) for name, cell in zip(names, row, strict=True))
        for row in (rows[1:] if headed else rows)
    )


def _spaced_cells(at: int, line: str) -> Iterator[Scalar]:
    start = len(line) - len(line.lstrip())
    for gap in [*_GAP.finditer(line.rstrip(), start), None]:
        end = gap.start() if gap else len(line.rstrip())
        yield Scalar(at + start, at + end, line[start:end])
        start = gap.end() if gap else end


def _row(header: tuple[str, ...], line: tuple[int, str], delimiter: str) -> _Body:
    cells = zip(header, _cells(line, delimiter), strict=False)
    return tuple(Field(key, *cell) for key, cell in cells if cell.text)


def _plain_row(header: tuple[str, ...], line: tuple[int, str], delimiter: str) -> _Body | None:
    """The same of a line without quotation marks, empty cells and space around cells, which most lines are."""
    at, text = line
    if '"' in text or delimiter == "|" or _LOOSE[delimiter].search(text):
        return None
    cells = text.split(delimiter)[: len(header)]
    places = array("I")
    for cell in cells:
        places.append(at)
        at += len(cell)
        places.append(at)
        at += 1
    return Cells(header[: len(cells)], places)


def _width(line: tuple[int, str], delimiter: str) -> int:
    return len(_cells(line, delimiter)) if '"' in line[1] else line[1].count(delimiter) + 1


def _cells(line: tuple[int, str], delimiter: str) -> list[Scalar]:
    offset, text = line
    if delimiter == "|":
        edge = len(text) - len(text.lstrip(" |"))
        offset, text = offset + edge, text.strip(" |")
    return [_trimmed(offset + at, raw) for at, raw in _split(text, delimiter)]


def _split(text: str, delimiter: str) -> Iterator[tuple[int, str]]:
    if '"' in text:
        yield from ((hit.start(), hit.group()) for hit in _SPLIT[delimiter].finditer(text))
        return
    at = 0
    for raw in text.split(delimiter):
        yield at, raw
        at += len(raw) + 1


def _trimmed(at: int, raw: str) -> Scalar:
    text = raw.strip()
    if len(text) < len(raw):
        at += len(raw) - len(raw.lstrip())
    if len(text) > 1 and text[0] == text[-1] == '"':
        at, text = at + 1, text[1:-1]
    return Scalar(at, at + len(text), text)


def _unquoted(at: int, text: str) -> Scalar:
    """A value without the quotes around it: YAML puts figures that are a text in them."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        at, text = at + 1, text[1:-1]
    return Scalar(at, at + len(text), text)


def _blocks(text: str) -> Iterable[_Body]:
    """Paragraphs of `key: value` lines, nested by their indentation; a repeated key starts the next record."""
    bodies: list[dict[str, Field]] = [{}]
    above: list[tuple[int, str]] = []
    for offset, line in _lines(text):
        indent = len(line) - len(line.lstrip())
        above = [(column, key) for column, key in above if column < indent]
        if opener := _OPENER.match(line):
            above.append((indent, opener["key"]))
            continue
        hit = _PAIR.match(line) if len(line) < _LONGEST_LINE else None
        if hit is None:
            bodies += [{}] if not line.strip() and bodies[-1] else []
            continue
        key = ".".join((*(key for _, key in above), hit["key"]))
        if key in bodies[-1]:
            bodies.append({})
        bodies[-1][key] = Field(key, *_unquoted(offset + hit.start("value"), hit["value"]))
    return [tuple(body.values()) for body in bodies if len(body) > 1]


def _pairs(text: str) -> Iterator[_Body]:
    """Lines that each pair a code or a period with what it stands for."""
    lines = [(at, line) for at, line in _lines(text) if line.strip()]
    hits = [(at, _PAIRED.match(line)) for at, line in lines if len(line) < _LONGEST_LINE]
    paired = [(at, hit) for at, hit in hits if hit]
    # Lines such as "name: Ann" are fields of one record.
    listed = all("=" in line or "->" in line or "\u2192" in line or line.lstrip()[0].isdigit() for _, line in lines)
    if not paired:
        # "P2 crusher": a code, then what it stands for.
        paired = [(at, hit) for at, line in lines if (hit := _CODED.match(line))]
        listed = True
    if listed and len(paired) == len(lines) > 1:
        for at, hit in paired:
            yield tuple(
                Field(name, at + hit.start(group), at + hit.end(group), hit[group])
                for name, group in (("column 1", "left"), ("column 2", "right"))
            )


def _numbered(text: str) -> Iterator[_Body]:
    """Lines that each open with the same noun and a number: "tram 302 - line 4 - brake fault", "Table 4: family"."""
    # Most texts open with another line: looking at all of it would cost as much as reading it.
    first, _, rest = text.lstrip("\n")[: 2 * _LONGEST_LINE].partition("\n")
    if not _NUMBERED.match(first) and not (rest[:1].isspace() and _NUMBERED.match(rest.partition("\n")[0])):
        return
    lines = [(at, line) for at, line in _lines(text) if line.strip()]
    hits = [(at, line, _NUMBERED.match(line)) for at, line in lines if len(line) < _LONGEST_LINE]
    nouns = {hit["noun"].lower() for *_, hit in hits if hit}
    # "north greenhouse" stands above its beds, which are set in; any other line makes it another kind of text.
    headings = [line for _, line, hit in hits if not hit]
    indented = all(line[0].isspace() for _, line, hit in hits if hit) and not any(
        line[0].isspace() for line in headings
    )
    if len(nouns) != 1 or not 1 < len(hits) == len(lines) or len(headings) == len(hits) or (headings and not indented):
        return
    heading: tuple[Field, ...] = ()
    for at, line, hit in hits:
        if hit is None:
            heading = (Field("", at, at + len(line.rstrip(": \t")), line.rstrip(": \t")),)
            # A record of its own, which those below it are parts of.
            yield heading
            continue
        yield (
            *heading,
            Field(hit["noun"], at + hit.start("number"), at + hit.end("number"), hit["number"]),
            *(
                _numbered_cell(_trimmed(at + hit.start("rest") + cell.start(), cell.group()))
                for cell in _CELL.finditer(hit["rest"])
            ),
        )


def _numbered_cell(cell: Scalar) -> Field:
    """The number of a line, in "line 4"; other cells have no name."""
    if numbered := _NOUN_AND_NUMBER.fullmatch(cell.text):
        return Field(numbered["noun"], cell.end - len(numbered["number"]), cell.end, numbered["number"])
    return Field("", *cell)


def _bare_lines(text: str) -> Iterator[_Body]:
    """Lines of one token each, such as a listing of files or of numbers."""
    lines = [(at, line.strip()) for at, line in _lines(text) if line.strip()]
    if len(lines) > 1 and all(len(line) <= _LONGEST_TOKEN and not re.search(r"\s", line) for _, line in lines):
        yield from ((Field("", at, at + len(line), line),) for at, line in lines if text.startswith(line, at))


def _items(text: str) -> Iterator[_Body]:
    """List items such as `1. Alex Chen - alex@example.com`, split at punctuation."""
    for offset, line in _lines(text):
        if (item := _ITEM.match(line)) and len(line) < _LONGEST_LINE:
            cells = (
                _trimmed(offset + item.start("rest") + hit.start(), hit.group()) for hit in _CELL.finditer(item["rest"])
            )
            yield tuple(Field("", *cell) for cell in cells if cell.text)


def _markup(text: str) -> Iterator[_Body]:
    """Elements of XML by their attributes, those of the elements they lie in, and a short text of their own."""
    above: list[tuple[str, tuple[Field, ...]]] = []
    for tag in _TAG.finditer(text):
        if tag["close"]:
            while above and above.pop()[0] != tag["name"]:
                pass
            continue
        own = [
            Field(f"{tag['name']}.{hit['key']}", *hit.span("value"), hit["value"])
            for hit in _ATTRIBUTE.finditer(text, *tag.span("attributes"))
        ]
        around = above[-1][1] if above else ()
        inner = tag["text"].strip()
        if own and len(inner) <= _LONGEST_TOKEN:
            at = text.index(inner, tag.start("text"))
            yield (*around, *own, *([Field(tag["name"], at, at + len(inner), inner)] if inner else []))
        if not tag["empty"] and len(above) < _DEEPEST:
            above.append((tag["name"], (*around, *own)[-_MOST_AROUND:]))
