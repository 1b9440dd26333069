"""The one model of what a tool returned: scalars with their paths and places, and the records whose fields they are.

A listing of five thousand rows has more values than a process wants objects, so a document is a handful of arrays.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final, TypeAlias

from reviews.provenance.core.pointers import keys_of as keys_of_pointer
from reviews.provenance.data.literals import Branch, Flat, Scalar, keys_of, literals_in, unescape_scalar
from reviews.provenance.data.markup import markup_in
from reviews.provenance.data.plain_text import rows_in
from reviews.provenance.text.boundaries import Place

# Up to so many words without figures that hold like objects are parts of one thing, such as two addresses.
_FEW_NAMES = 4
# Characters before a value in which the key of its record is looked for: quotes, a colon, a brace, some space.
_KEY_REACH = 24
# A key that is a code: capitals, or a word with a figure. Days and numbers are those of a series.
_CODE = re.compile(r"[A-Z]{2,5}|(?=[\w.-]*\d)(?=[\w.-]*[A-Za-z])[\w.-]{1,24}")
# Entries of a map that are looked at before it is known for one.
_MOST = 1_000
Pattern: TypeAlias = tuple[str, ...]
"""The keys that lead to a value; `*` stands for the position in a list, or for the key of a map of records."""
ANY: Final = "*"
NO_VALUE: Final = frozenset(("null", "None", ""))
"""How JSON, Python and tables write that a field has no value."""
# Keys of a pattern. Deeper values keep the pattern of their ancestor: nobody tells those apart by their path.
_MAX_DEPTH = 24
# Figures of a position in a list: more than any list has members take long to read, and fit no machine's integer.
_MAX_FIGURES = 16
# Characters of an outcome that is one bare value, such as an identifier; longer ones are prose.
_MAX_ANSWER = 100
# What stands behind a key.
_COLON = re.compile(r"[\"']?\s*:")
# Characters that are read for one step of the budget: a token takes about as long as a comparison.
CHARACTERS_A_STEP = 16


class Document:
    """One text as records: the document itself, the items of lists, the values of maps of records.

    Other containers only group fields of the record above them. Records and scalars are numbered in their order.
    """

    def __init__(self, text: str) -> None:
        """Read the text, linear in its length."""
        self.text = text
        self.starts = array("I")
        self.ends = array("I")
        self.parents = array("i")
        """Of each record; -1 for the document."""
        self._patterns = array("I")
        self._holders = array("I")
        self._kinds = array("I")
        self._paths: list[Pattern] = []
        self._numbers: dict[Pattern, int] = {}
        markup = markup_in(text)
        self._branches = [markup] if markup else list(literals_in(text))
        document = self._open_record(-1, ())
        for branch in self._branches:
            self._read_branch(branch, document, several=len(self._branches) > 1)
        if not self.starts:
            for row in rows_in(text):
                record = self._open_record(document, (ANY,))
                for key, start, end in row:
                    # A sign at the end of a header, as in "No.", joins no keys.
                    parts = key.split(".") if all(key.split(".")) else (key,)
                    self._add_scalar(start, end, (ANY, *parts), record)
        bare = text.strip()
        if not self.starts and bare and len(bare) <= _MAX_ANSWER and "\n" not in bare:
            at = text.index(bare)
            self._add_scalar(at, at + len(bare), (), document)

    def scalar_at(self, start: int, end: int) -> int | None:
        """The scalar that holds this stretch of the text."""
        n = bisect_right(self.starts, start) - 1
        return n if n >= 0 and end <= self.ends[n] else None

    def value_of(self, scalar: int) -> str:
        """What the scalar says, escapes resolved."""
        return unescape_scalar(self.text, self.starts[scalar], self.ends[scalar])

    def place_of(self, scalar: int) -> Place:
        """Where the scalar stands in the raw text."""
        return self.starts[scalar], self.ends[scalar]

    def pattern_of(self, scalar: int) -> Pattern:
        """The keys that lead to the scalar."""
        return self._paths[self._patterns[scalar]]

    def field_of(self, scalar: int) -> Pattern:
        """The keys that lead to the scalar within its record."""
        return self.pattern_of(scalar)[len(self.kind_of(self.record_of(scalar))) :]

    def record_of(self, scalar: int) -> int:
        """The record that the scalar is a field of."""
        return self._holders[scalar]

    def kind_of(self, record: int) -> Pattern:
        """What records of one list share: the keys that lead to them."""
        return self._paths[self._kinds[record]]

    def records_of_kind(self, kind: Pattern) -> Sequence[int]:
        """Every record of this kind, in order."""
        return self._records_by_kind.get(self._numbers.get(kind, -1), ())

    def fields_of(self, record: int) -> Sequence[int]:
        """The scalars of a record, without those of records in it."""
        return self._fields_by_record.get(record, ())

    def ancestors_of(self, record: int) -> Iterator[int]:
        """The records that this one lies in, the innermost first."""
        while (record := self.parents[record]) >= 0:
            yield record

    @property
    def is_structured(self) -> bool:
        """Whether it is XML, or any literal of JSON or Python stands in it."""
        return bool(self._branches)

    def is_key(self, start: int, end: int) -> bool:
        """Whether this stretch is the whole key of a member of an object: accounts are often listed under their ids."""
        # A document may be long: it is only walked for what a colon stands behind.
        pending: list[Branch | Scalar] = list(self._branches) if _COLON.match(self.text, end) else []
        while pending:
            node = pending.pop()
            children = [] if isinstance(node, Scalar) else node.children
            members = [child for name, child in children if name and name == self.text[start:end]]
            if any(key_place(self.text, self.text[start:end], child.start) == (start, end) for child in members):
                return True
            pending += [child for _, child in children]
        return False

    def at_pointer(self, pointer: str) -> Place | None:
        """Where the scalar stands to which a JSON Pointer leads; None where it leads to none."""
        if not self._branches:
            # A bare value is its own document; rows of plain text are a list of objects.
            return self._in_rows(keys_of_pointer(pointer))
        node: Branch | Scalar | None = self._branches[0]
        for key in keys_of_pointer(pointer):
            node = _find_member(node, key)
        return (node.start, node.end) if isinstance(node, Scalar) else None

    def _in_rows(self, keys: Sequence[str]) -> Place | None:
        records = range(1, len(self.parents)) or range(1)
        if keys and _is_position(keys[0]):
            records, keys = records[int(keys[0]) :][:1], keys[1:]
        fields = self.fields_of(records[0]) if len(records) == 1 else ()
        return next((self.place_of(scalar) for scalar in fields if self.field_of(scalar) == tuple(keys)), None)

    @cached_property
    def _fields_by_record(self) -> "dict[int, array[int]]":
        return _positions_of(self._holders)

    @cached_property
    def _records_by_kind(self) -> "dict[int, array[int]]":
        return _positions_of(self._kinds)

    def _number_pattern(self, pattern: Pattern) -> int:
        number = self._numbers.setdefault(pattern, len(self._paths))
        if number == len(self._paths):
            self._paths.append(pattern)
        return number

    def _open_record(self, parent: int, kind: Pattern) -> int:
        self.parents.append(parent)
        self._kinds.append(self._number_pattern(kind))
        return len(self.parents) - 1

    def _add_scalar(self, start: int, end: int, pattern: Pattern, record: int) -> None:
        # Scalars come in the order of the text: what would step back is another way to read the same characters.
        if not self.ends or start >= self.ends[-1]:
            self.starts.append(start)
            self.ends.append(end)
            self._patterns.append(self._number_pattern(pattern))
            self._holders.append(record)

    def _read_branch(self, branch: Branch, document: int, *, several: bool) -> None:
        """Depth first and in order, without recursion: what a tool returns may be nested as deeply as it likes."""
        # Objects one below the other are the items of a list that nobody put in brackets.
        pattern: Pattern = (ANY,) if several and branch.is_object else ()
        record = self._open_record(document, pattern) if pattern else document
        pending: list[tuple[Branch | Scalar, Pattern, int, str]] = [(branch, pattern, record, "")]
        while pending:
            node, pattern, record, key = pending.pop()
            place = key_place(self.text, key, node.start) if key else None
            if place:
                # The key of a record in a map names the record as a field would.
                self._add_scalar(*place, (*pattern, ""), record)
            if isinstance(node, Scalar):
                self._add_scalar(node.start, node.end, pattern, record)
                continue
            keyed = is_map(node)
            if isinstance(node, Flat) and not keyed:
                for name, start, end in zip(node.names, node.places[::2], node.places[1::2], strict=True):
                    self._add_scalar(start, end, _extend_pattern(pattern, name), record)
                continue
            children: list[tuple[Branch | Scalar, Pattern, int, str]] = []
            for name, child in node.children:
                is_item = keyed or not node.is_object
                path = _extend_pattern(pattern, ANY if is_item else name)
                opens = is_item and (keyed or isinstance(child, Branch))
                child_record = self._open_record(record, path) if opens else record
                children.append((child, path, child_record, name if keyed else ""))
            pending += reversed(children)


def _positions_of(numbers: "array[int]") -> "dict[int, array[int]]":
    """Where each number stands."""
    positions: dict[int, array[int]] = {}
    for position, number in enumerate(numbers):
        positions.setdefault(number, array("I")).append(position)
    return positions


def _extend_pattern(pattern: Pattern, key: str) -> Pattern:
    return (*pattern, key) if len(pattern) < _MAX_DEPTH else pattern


def _find_member(node: Branch | Scalar | None, key: str) -> Branch | Scalar | None:
    if not isinstance(node, Branch):
        return None
    if node.is_object:
        return next((child for name, child in node.children if name == key), None)
    return next((child for _, child in islice(node.children, int(key), None)), None) if _is_position(key) else None


def _is_position(key: str) -> bool:
    return key.isdigit() and key.isascii() and len(key) < _MAX_FIGURES


def is_map(branch: Branch) -> bool:
    """Whether an object is a list of records by key: of objects with like fields, or of names by code."""
    names = keys_of(branch)
    if len(names) < 2 or not branch.is_object:  # noqa: PLR2004
        return False
    children = [] if isinstance(branch, Flat) else [child for _, child in branch.children]
    objects = [child for child in children if isinstance(child, Branch) and child.is_object]
    if objects:
        return len(objects) == len(children) and _are_alike(objects, names)
    return _has_codes(branch)


def _are_alike(objects: Sequence[Branch], names: Sequence[str]) -> bool:
    first = set(keys_of(objects[0]))
    # A person's "shipping" and "billing" have like fields as well, but their names are words, and few.
    alike = all(2 * len(first.intersection(keys_of(child))) > len(first) for child in objects)
    return alike and (len(names) > _FEW_NAMES or any(any(map(str.isdigit, name)) for name in names))


def _has_codes(branch: Branch) -> bool:
    names = keys_of(branch)[:_MOST]
    if not all(_CODE.fullmatch(name) for name in names):
        return False
    # "ID" and "NAME" are fields; codes in capitals are of one length.
    if all(map(str.isalpha, names)) and len({len(name) for name in names}) > 1:
        return False
    values = [child for _, child in branch.children[:_MOST]]
    # The quarters of a year with their figures are a series.
    scalars = [value for value in values if isinstance(value, Scalar)]
    return len(scalars) == len(values) and any(map(str.isalpha, "".join(value.text for value in scalars)))


def key_place(text: str, key: str, start: int) -> tuple[int, int] | None:
    """Where the key of what begins there stands; None where it is written another way."""
    at = text.rfind(key, max(0, start - len(key) - _KEY_REACH), start)
    return (at, at + len(key)) if at >= 0 else None
