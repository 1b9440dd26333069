"""Records in a tool's output: objects of JSON or Python literals, table rows, `key: value` blocks, list items."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ahocorasick_rs import AhoCorasick

from reviews.provenance.records.literals import Branch, Flat, Scalar, literals_in, scalars_of, told
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.stems import stem
from reviews.provenance.values.date import calendar_of, writing_of
from reviews.provenance.values.moment import MONTHS, WEEKDAYS, moment_of

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
    r"^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*(?:\*\*)?(?P<key>[^\W\d][\w /-]{0,40}?)(?:\*\*)?:(?:\*\*)?"
    r"[ \t]+(?P<value>\S.*?)[ \t]*$"
)
# An item of a list.
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(?P<rest>\S.*)$")
# Phrases of an item that dashes, bars or commas separate; a sign inside a word separates nothing.
_CELL = re.compile(r"(?:[^-\u2013\u2014|,;:()<>\s]|(?<=\S)[-:,](?=\S)|[ \t](?![-\u2013\u2014|]\s))+")
# Words of days name no record.
_OF_DAYS = frozenset(map(stem, (*MONTHS, *WEEKDAYS))) | {*MONTHS, *WEEKDAYS}
# A day as data writes it.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Half a surrogate pair, which an escape may spell and the automaton does not take.
_HALF = re.compile("[\ud800-\udfff]")
# Words, as a record's fields are searched for them.
_RUN = re.compile(r"[^\W_]+")
# Longest field, in characters, whose words may name a record; longer ones are prose.
_NAMED_LENGTH = 80


class Field(NamedTuple):
    """A scalar of a record and where it stands."""

    key: str
    """Dotted path of keys; empty where the text gives none."""
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """The last part of the key, for a person to read."""
        return self.key.rpartition(".")[2].replace("_", " ")


class Record:
    """Scalars that belong together.

    Long listings have more fields than words, so only their places are kept; the fields are made when asked for.
    """

    __slots__ = ("_otherwise", "_text", "keys", "places", "position")

    def __init__(self, position: int, body: "_Body", text: str, keys: "_Keys") -> None:
        self.position = position
        """Counts from 1 within its group."""
        self._text = text
        self._otherwise: dict[int, str] | bool = False
        """What is written with escapes and does not read as it stands, by number; true where that is seen when read."""
        if isinstance(body, Cells):
            names, self.places = body
        elif isinstance(body, Flat):
            names, self.places = body.names, body.places
            self._otherwise = text.find("\\", self.places[0], self.places[-1]) >= 0
        else:
            names = tuple(item.key for item in body)
            self.places = array("I", (offset for item in body for offset in (item.start, item.end)))
            self._otherwise = {n: item.text for n, item in enumerate(body) if text[item.start : item.end] != item.text}
        self.keys = keys.setdefault(names, names)
        """Of each field."""

    @property
    def texts(self) -> list[str]:
        """What each field says."""
        places = zip(self.places[::2], self.places[1::2], strict=True)
        if self._otherwise is True:
            return [told(self._text, start, end) for start, end in places]
        texts = [self._text[start:end] for start, end in places]
        for n, text in self._otherwise.items() if self._otherwise else ():
            texts[n] = text
        return texts

    @property
    def fields(self) -> tuple[Field, ...]:
        """The scalars, in order."""
        return tuple(map(Field, self.keys, self.places[::2], self.places[1::2], self.texts))

    @property
    def words(self) -> frozenset[str]:
        """What a request may call this record by; a date is known by its month and weekday too."""
        return frozenset(word for item in self.fields if len(item.text) <= _NAMED_LENGTH for word in _names(item))

    def naming(self, finder: "_Finder") -> frozenset[str]:
        """Those of the words that are among its own. Looking for them is a tenth of the work of taking all of them."""
        text = self.folded_until(self)
        hits, dated = finder.hits(text), finder.may_name_day(text)
        if self._otherwise or dated or (hits and not text.isascii()):
            return finder.all & self.words
        found = set()
        for start, word in hits:
            run = _RUN.match(text, start)
            if run and word not in found and stem(run.group()) == word and (not start or not text[start - 1].isalnum()):
                at = bisect_right(self.places, self.places[0] + start) - 1
                begin, end = self.places[at], self.places[at + 1] if at % 2 == 0 else 0
                if end - begin <= _NAMED_LENGTH and self.places[0] + run.end() <= end:
                    found.add(word)
        return frozenset(found)

    def folded_until(self, other: "Record") -> str:
        """The text from its first field to the last one of another record of its list, for comparison."""
        return fold(self._text[self.places[0] : other.places[-1]]) if self.places and other.places else ""

    @property
    def label(self) -> str:
        """What a person would call the record: its first telling field."""
        told = [item.text for item in self.fields if re.search(r"name|title|subject|label|email", item.key, re.I)]
        return (told or [item.text for item in self.fields])[0][:60]


class Cells(NamedTuple):
    """A row of a table that reads as it stands."""

    names: tuple[str, ...]
    places: "array[int]"
    """The start and the end of each cell."""


# One empty set for the many fields that hold none.
_NO_WORDS: frozenset[str] = frozenset()
_Body: TypeAlias = Sequence[Field] | Flat | Cells
# The sets of keys met so far: records of a list share theirs.
_Keys: TypeAlias = dict[tuple[str, ...], tuple[str, ...]]


class Group(tuple[Record, ...]):  # noqa: SLOT001 - a tuple cannot have slots of its own
    """Records of one list: each answers the same kind of question."""

    named: tuple[frozenset[str], tuple[frozenset[str], ...]] | None = None
    """The words last looked for, and which of them name each record. Kept here to be forgotten with the records."""

    def naming(self, words: frozenset[str]) -> tuple[frozenset[str], ...]:
        """For each record those of the words that name it."""
        if self.named is None or self.named[0] != words:
            finder = _finder(words)
            if finder is not None and finder.days and self:
                finder = finder.for_days(self[0].folded_until(self[-1]))
            # A long list has few different ones.
            same: dict[frozenset[str], frozenset[str]] = {}
            named = (words & one.words if finder is None else one.naming(finder) for one in self)
            self.named = (words, tuple(same.setdefault(each, each) for each in named))
        return self.named[1]


def groups_in(text: str, literals: Sequence[Branch] | None = None) -> tuple[Group, ...]:
    """Every list of records of a text. `literals` are those in it, where they have been read. Never raises."""
    branches = list(literals_in(text)) if literals is None else literals
    found = [group for bodies in _literal_bodies(branches) if (group := _group(bodies, text))]
    return tuple(found) or tuple(
        group
        for bodies in (_table(text), _blocks(text), _items(text), _bare_lines(text))
        if (group := _group(bodies, text))
    )


def _group(bodies: Iterable[_Body], text: str) -> Group:
    keys: _Keys = {}
    filled = (body for body in bodies if body)
    return Group(Record(n, body, text, keys) for n, body in enumerate(filled, start=1))


@dataclass(frozen=True)
class _Finder:
    """Finds some words in folded texts, and days that are meant by them."""

    all: frozenset[str]
    words: tuple[str, ...]
    days: tuple[date, ...]
    automaton: AhoCorasick

    def hits(self, text: str) -> list[tuple[int, str]]:
        """Where a word may begin, with the word."""
        plain = text if text.isascii() else _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
        found = self.automaton.find_matches_as_indexes(plain, overlapping=True)
        return [(start, self.words[number]) for number, start, _ in found]

    def may_name_day(self, text: str) -> bool:
        """Whether one of the days may be meant."""
        return any(writing_of(day).search(text) for day in self.days)

    def for_days(self, text: str) -> "_Finder":
        """The same without the days that a text cannot mean: of a list as a whole, so that its records need no look."""
        calendar = calendar_of(text)
        return replace(self, days=tuple(day for day in self.days if calendar.may_name(day, day)))


# The words of one request are looked for in all lists of its context, one after the other.
@lru_cache(maxsize=16)
def _finder(words: frozenset[str]) -> _Finder | None:
    """None for words that a record need not write to have them: the month and the weekday of its dates."""
    if any(word in _OF_DAYS for word in words):
        return None
    days = {word: date.fromisoformat(word) for word in words if _DAY.fullmatch(word)}
    plain = tuple(sorted(words - days.keys()))
    return _Finder(words, plain, tuple(days.values()), AhoCorasick(plain))


def _names(item: Field) -> Iterator[str]:
    yield from map(stem, words_of(item.text))
    meant = moment_of(item.text) if len(item.text) < 32 and item.text[:1].isdigit() else None  # noqa: PLR2004
    if meant and meant[0]:
        yield from (MONTHS[meant[0].month - 1], WEEKDAYS[meant[0].weekday()], meant[0].isoformat())


def _literal_bodies(branches: Sequence[Branch]) -> Iterator[Iterator[_Body]]:
    yield _bodies([branch for branch in branches if branch.is_object and not _is_map(branch)])
    pending: list[Branch] = list(branches)
    while pending:
        branch = pending.pop()
        if isinstance(branch, Flat):
            continue
        inner = [child for _, child in branch.children if isinstance(child, Branch)]
        pending += inner
        if not branch.is_object or _is_map(branch):
            yield _bodies(inner)
            yield ((Field("", *child),) for _, child in branch.children if isinstance(child, Scalar))


def _is_map(branch: Branch) -> bool:
    """Whether an object's values are all objects: a list of records by key."""
    if isinstance(branch, Flat):
        return False
    return len(branch.children) > 1 and all(
        isinstance(child, Branch) and child.is_object for _, child in branch.children
    )


def _bodies(branches: Sequence[Branch]) -> Iterator[_Body]:
    return (branch if isinstance(branch, Flat) else tuple(_own_fields(branch)) for branch in branches)


def _own_fields(branch: Branch) -> Iterator[Field]:
    """The scalars of an object, those of objects inside it and of plain lists inside it; not of records it lists."""
    for key, child in branch.children:
        if isinstance(child, Scalar):
            yield Field(key, *child)
        elif child.is_object or not any(isinstance(item, Branch) and item.is_object for _, item in child.children):
            yield from (Field(path, *at) for path, at in scalars_of(child, key))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line.rstrip("\r\n")
        at += len(line)


def _table(text: str) -> Iterable[_Body]:
    """A Markdown table, or lines of separated values under a header."""
    lines = [(at, line) for at, line in _lines(text) if line.strip()]
    piped = [(at, line) for at, line in lines if line.count("|") > 1 and not re.fullmatch(r"[\s|:+-]+", line)]
    if len(piped) > 1:
        return _rows(piped, "|")
    for delimiter in _DELIMITERS:
        width = lines[0][1].count(delimiter) if lines else 0
        body = [pair for pair in lines if _width(pair, delimiter) == width + 1] if width else []
        if len(body) > 1 and len(body) >= len(lines) - 1:
            return _rows(body, delimiter)
    return ()


def _rows(lines: list[tuple[int, str]], delimiter: str) -> Iterator[_Body]:
    header = tuple(cell.text for cell in _cells(lines[0], delimiter))
    return (_plain_row(header, line, delimiter) or _row(header, line, delimiter) for line in lines[1:])


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


def _blocks(text: str) -> Iterable[_Body]:
    """Paragraphs of `key: value` lines; a repeated key starts the next record."""
    bodies: list[list[Field]] = [[]]
    for offset, line in _lines(text):
        hit = _PAIR.match(line) if len(line) < 2000 else None  # noqa: PLR2004
        if hit is None:
            bodies += [[]] if not line.strip() and bodies[-1] else []
            continue
        if any(item.key == hit["key"] for item in bodies[-1]):
            bodies.append([])
        bodies[-1].append(Field(hit["key"], offset + hit.start("value"), offset + hit.end("value"), hit["value"]))
    return [body for body in bodies if len(body) > 1]


def _bare_lines(text: str) -> Iterator[_Body]:
    """Lines of one token each, such as a listing of files or of numbers."""
    lines = [(at, line.strip()) for at, line in _lines(text) if line.strip()]
    if len(lines) > 1 and all(len(line) <= _NAMED_LENGTH and not re.search(r"\s", line) for _, line in lines):
        yield from ((Field("", at, at + len(line), line),) for at, line in lines if text.startswith(line, at))


def _items(text: str) -> Iterator[_Body]:
    """List items such as `1. Alex Chen - alex@example.com`, split at punctuation."""
    for offset, line in _lines(text):
        if (item := _ITEM.match(line)) and len(line) < 2000:  # noqa: PLR2004
            cells = (
                _trimmed(offset + item.start("rest") + hit.start(), hit.group()) for hit in _CELL.finditer(item["rest"])
            )
            yield tuple(Field("", *cell) for cell in cells if cell.text)
