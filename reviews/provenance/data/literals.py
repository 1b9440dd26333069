"""JSON and Python literals read with the place of every scalar; broken and cut-off input is read as far as it goes."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from reviews.provenance.text.fold import unescape

# Possessive throughout: a quotation that never ends must not be read again from each of its characters.
_BODY = r"[^\"\\]*+(?:\\.[^\"\\]*+)*+"
# A member of an object whose value is no object itself: most are, and one search reads them.
_MEMBER = re.compile(rf"\"({_BODY})\"\s*+:\s*+(?:\"({_BODY})\"|([^\s{{}}\[\](),:\"'=]++))\s*+,?\s*+", re.S)
# A string that never ends runs to the end of the text: looking for its end again at every quote would take for ever.
# An object of nothing but scalars is one token: most records are such.
_TOKEN = re.compile(
    rf"(?P<flat>\{{\s*+(?>(?:{_MEMBER.pattern})+)\}})"
    r"|(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*(?P<close>\"|\\?\Z)|(?<!\w)'[^'\\]*(?:\\.[^'\\]*)*(?P<end>'|\\?\Z))"
    r"|(?P<mark>[{}\[\](),:])|(?P<bare>[^\s{}\[\](),:\"']+)",
    re.S,
)
# Where a literal may begin.
_START = re.compile(r"[{\[]")
# What closes each bracket.
_CLOSES = {"{": "}", "[": "]", "(": ")"}
# Deeper containers are read as if their brackets were not there.
_DEPTH = 64


class Scalar(NamedTuple):
    """A string, number or name in a literal; the offsets leave the quotes out."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Branch:
    """An object or a list. A list's children have empty keys."""

    start: int
    is_object: bool
    children: list[tuple[str, "Scalar | Branch"]] = field(default_factory=list)
    key: str | None = None
    """While reading: the key whose value comes next."""


class Flat(Branch):
    """An object of nothing but scalars. Most of what a tool returns is such: only the places are kept."""

    __slots__ = ("names", "places", "text")

    def __init__(self, start: int, names: tuple[str, ...], places: "array[int]", text: str) -> None:
        self.start = start
        self.is_object = True
        self.names = names
        self.places = places
        """The start and the end of each scalar."""
        self.text = text
        """The whole text."""

    @property
    def children(self) -> list[tuple[str, "Scalar | Branch"]]:  # type: ignore[override]
        """As of any other object."""
        places = zip(self.places[::2], self.places[1::2], strict=True)
        scalars = (Scalar(start, end, unescape_scalar(self.text, start, end)) for start, end in places)
        return list(zip(self.names, scalars, strict=True))


def unescape_scalar(text: str, start: int, end: int) -> str:
    """What the scalar of a flat object at this place means: in quotation marks, escapes stand for characters."""
    raw = text[start:end]
    return unescape(raw) if "\\" in raw and text[start - 1] == '"' else raw


def keys_of(branch: Branch) -> Sequence[str]:
    """The keys of an object, in order."""
    return branch.names if isinstance(branch, Flat) else [name for name, _ in branch.children]


def literals_in(text: str) -> Iterator[Branch]:
    """Each outermost object or list of a text, in time linear in its length. Never raises."""
    at: int | None = 0
    while at is not None and (opening := _START.search(text, at)):
        reader = _Reader(text, opening.start())
        at = reader.read_to_end(opening.end(), len(text))
        if reader.root.children:
            yield reader.root


def scalars_of(branch: Branch) -> Iterator[Scalar]:
    """Every scalar in it, in order."""
    pending: list[Scalar | Branch] = [branch]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            yield node
        else:
            pending += [child for _, child in reversed(node.children)]


class _Reader:
    """Reads one literal, token by token."""

    def __init__(self, text: str, start: int) -> None:
        self.root = Branch(start, is_object=text[start] == "{")
        self._text = text
        self._stack = [self.root]
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def read_to_end(self, start: int, end: int) -> int | None:
        """Read on; the offset behind the literal, or None when it does not end there."""
        at = start
        while token := _TOKEN.search(self._text, at, end):
            mark, at = token["mark"], token.end()
            if mark is None:
                self._add_token(token)
            elif mark in _CLOSES and len(self._stack) < _DEPTH:
                self._open_branch(token.start(), mark)
            elif mark == _CLOSES[self._text[self._stack[-1].start]]:
                self._stack.pop()
                if not self._stack:
                    return at
            elif mark == ",":
                self._stack[-1].key = None
        return None

    def _open_branch(self, start: int, mark: str) -> None:
        parent, child = self._stack[-1], Branch(start, is_object=mark == "{")
        parent.children.append((parent.key or "", child))
        parent.key = None
        self._stack.append(child)

    def _add_token(self, token: re.Match[str]) -> None:
        if token["flat"] is None:
            self._add_scalar(token)
        elif len(self._stack) < _DEPTH:
            parent = self._stack[-1]
            parent.children.append((parent.key or "", self._flat_object(*token.span())))
            parent.key = None
        else:
            self.read_to_end(token.start() + 1, token.end())

    def _flat_object(self, start: int, end: int) -> Flat:
        names, places = [], array("I")
        for member in _MEMBER.finditer(self._text, start, end):
            names.append(member[1])
            places.extend(member.span(3) if member[2] is None else member.span(2))
        keys = tuple(names)
        # The same few names stand in every record: they are kept once.
        if keys not in self._names:
            self._names[keys] = tuple(map(unescape, keys))
        return Flat(start, self._names[keys], places, self._text)

    def _add_scalar(self, token: re.Match[str]) -> None:
        branch, bare = self._stack[-1], token["bare"]
        tail = token["close"] or token["end"] or ""
        start, end = token.span() if bare else (token.start() + 1, token.end() - len(tail))
        text = self._text[start:end]
        if branch.is_object and branch.key is None:
            branch.key = intern(unescape(text))
        elif not bare or (self._text[end : end + 1] != "(" and "=" not in bare):
            branch.children.append((branch.key or "", Scalar(start, end, text if bare else unescape(text))))
            branch.key = None
