"""All of a document's values as one tree: whose field each is, and under which pattern of keys it stands.

A listing of five thousand rows has more values than a process wants objects, so the tree is a handful of arrays.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reviews.provenance.records.literals import Branch, Flat, Scalar
from reviews.provenance.records.maps import is_map, key_place
from reviews.provenance.records.records import Group, Record

Pattern: TypeAlias = tuple[str, ...]
"""The keys that lead to a value; `*` stands for the position in a list, or for the key of a map of records."""
# Stands for the place in a list: items of one list share a pattern.
ANY = "*"
# Keys of a pattern. Deeper values keep the pattern of their ancestor: nobody tells those apart by their path.
_DEEPEST = 24
# Characters of an outcome that is one bare value, such as an identifier; longer ones are prose.
_LONGEST_ANSWER = 100


@dataclass
class Tree:
    """Scalars in the order of the text, and the containers that hold them.

    A container is a record when it is the document itself, an item of a list, or a value of a map of records; other
    containers only group fields of the record above them.
    """

    starts: "array[int]" = field(default_factory=lambda: array("I"))
    ends: "array[int]" = field(default_factory=lambda: array("I"))
    patterns: "array[int]" = field(default_factory=lambda: array("I"))
    """Of each scalar, as an index into `paths`."""
    records: "array[int]" = field(default_factory=lambda: array("I"))
    """The record that each scalar is a field of."""
    parents: "array[int]" = field(default_factory=lambda: array("i"))
    """Of each record; -1 for the document."""
    paths: list[Pattern] = field(default_factory=list)
    _numbers: dict[Pattern, int] = field(default_factory=dict)
    _rows: "dict[tuple[Pattern, tuple[str, ...]], array[int]]" = field(default_factory=dict)
    """The patterns of the fields of records with the same keys."""

    def at(self, start: int, end: int) -> int | None:
        """The scalar that holds this stretch of the raw text."""
        n = bisect_right(self.starts, start) - 1
        return n if n >= 0 and self.starts[n] <= start and end <= self.ends[n] else None

    def ancestry(self, scalar: int) -> Iterator[int]:
        """The record of a scalar, then those it lies in."""
        return self.line(self.records[scalar])

    def line(self, record: int) -> Iterator[int]:
        """A record, then those it lies in."""
        while record >= 0:
            yield record
            record = self.parents[record]

    def add(self, start: int, end: int, pattern: Pattern, record: int) -> None:
        """One scalar more; scalars come in the order of the text."""
        self.starts.append(start)
        self.ends.append(end)
        self.patterns.append(self._number(pattern))
        self.records.append(record)

    def add_row(self, keys: tuple[str, ...], places: "array[int]", pattern: Pattern, record: int) -> None:
        """All fields of a record, each under its key; `places` has the start and the end of each."""
        if (pattern, keys) not in self._rows:
            paths = ((*pattern, *_parts(key)) if len(pattern) < _DEEPEST else pattern for key in keys)
            self._rows[pattern, keys] = array("I", map(self._number, paths))
        self.starts.extend(places[::2])
        self.ends.extend(places[1::2])
        self.patterns.extend(self._rows[pattern, keys])
        self.records.extend([record] * len(keys))

    def _number(self, pattern: Pattern) -> int:
        number = self._numbers.setdefault(pattern, len(self.paths))
        if number == len(self.paths):
            self.paths.append(pattern)
        return number

    def open(self, parent: int) -> int:
        """One record more; its number is returned."""
        self.parents.append(parent)
        return len(self.parents) - 1


def _parts(key: str) -> Sequence[str]:
    """The keys of a dotted path; a sign at the end of a header, as in "No.", joins nothing."""
    parts = key.split(".")
    return parts if all(parts) else (key,)


def tree_of(text: str, branches: Sequence[Branch], groups: Sequence[Group]) -> Tree:
    """The tree of a document with these literals in it, and these lists of records. Never raises."""
    tree = Tree()
    document = tree.open(-1)
    for branch in branches:
        _read(branch, text, tree, document, several=len(branches) > 1)
    if not tree.starts:
        filled = (record for group in groups for record in group if record.places)
        # In the order of the text, whichever way of writing each was read by.
        for record in sorted(filled, key=lambda record: record.places[0]):
            _add_record(record, tree, document)
    if not tree.starts and (bare := text.strip()) and len(bare) <= _LONGEST_ANSWER and "\n" not in bare:
        at = text.index(bare)
        tree.add(at, at + len(bare), (), document)
    return tree


def _add_record(record: Record, tree: Tree, document: int) -> None:
    """A record of plain text; the fields that it shares with one before it make it a part of that one."""
    parent, shared, last = document, 0, tree.ends[-1] if tree.ends else 0
    if record.places[0] < last:
        shared = bisect_left(record.places[::2], last)
        holder = tree.at(*record.places[2 * shared - 2 : 2 * shared])
        parent = document if holder is None else tree.records[holder]
    if shared < len(record.keys):
        tree.add_row(record.keys[shared:], record.places[2 * shared :], (ANY,), tree.open(parent))


def _read(branch: Branch, text: str, tree: Tree, document: int, *, several: bool) -> None:
    """Depth first and in order, without recursion: what a tool returns may be nested as deeply as it likes."""
    # Objects one below the other are the items of a list that nobody put in brackets.
    pattern: Pattern = (ANY,) if several and branch.is_object else ()
    record = tree.open(document) if pattern else document
    pending: list[tuple[Branch | Scalar, Pattern, int, str]] = [(branch, pattern, record, "")]
    while pending:
        node, pattern, record, key = pending.pop()
        place = key_place(text, key, node.start) if key else None
        if place and (not tree.ends or place[0] >= tree.ends[-1]):
            # The key of a record in a map names the record as a field would.
            tree.add(*place, (*pattern, ""), record)
        if isinstance(node, Scalar):
            if not tree.ends or node.start >= tree.ends[-1]:
                tree.add(node.start, node.end, pattern, record)
            continue
        keyed = is_map(node)
        if isinstance(node, Flat) and not keyed and (not tree.ends or node.places[0] >= tree.ends[-1]):
            tree.add_row(node.names, node.places, pattern, record)
            continue
        below = []
        for name, child in node.children:
            item = not node.is_object or keyed
            path = (*pattern, ANY if item else name) if len(pattern) < _DEEPEST else pattern
            own = tree.open(record) if item and (keyed or isinstance(child, Branch)) else record
            below.append((child, path, own, name if keyed else ""))
        pending += reversed(below)
