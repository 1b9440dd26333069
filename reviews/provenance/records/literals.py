"""JSON and Python literals read with the place of every scalar; broken and cut-off input is read as far as it goes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from reviews.provenance.text.fold import unescape

_BODY = r"[^\"\\]*+(?:\\.[^\"\\]*+)*+"
_MEMBER = re.compile(rf"\"({_BODY})\"\s*+:\s*+(?:\"({_BODY})\"|([^\s{{}}\[\](),:\"'=]++))\s*+,?\s*+", re.S)
# A string that never ends runs to the end of the text: looking for its end again at every quote would take for ever.
# An object of nothing but scalars is one token: most records are such.
_TOKEN = re.compile(
    rf"(?P<flat>\{{\s*+(?:{_MEMBER.pattern})++\}})"
    r"|(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*(?P<close>\"|\\?\Z)|(?<!\w)'[^'\\]*(?:\\.[^'\\]*)*(?P<end>'|\\?\Z))"
    r"|(?P<mark>[{}\[\](),:])|(?P<bare>[^\s{}\[\](),:\"']+)",
    re.S,
)
_START = re.compile(r"[{\[]")
_CLOSES = {"{": "}", "[": "]", "(": ")"}
_DEPTH = 64
"""Deeper containers are read as if their brackets were not there."""


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


def literals_in(text: str) -> Iterator[Branch]:
    """Each outermost object or list of a text, in time linear in its length. Never raises."""
    at: int | None = 0
    while at is not None and (opening := _START.search(text, at)):
        branch, at = _read(text, opening.start())
        if branch.children:
            yield branch


def scalars_of(branch: Branch, key: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every scalar with the dotted path of keys that leads to it."""
    pending: list[tuple[str, Scalar | Branch]] = [(key, branch)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, Scalar):
            yield path, node
        else:
            pending += [(f"{path}.{name}".strip("."), child) for name, child in reversed(node.children)]


def _read(text: str, start: int) -> tuple[Branch, int | None]:
    """One literal, and where to go on; None at the end of the text."""
    reader = _Reader(text, start)
    end = reader.read(start + 1, len(text))
    return reader.root, end


class _Reader:
    """Reads one literal, token by token."""

    def __init__(self, text: str, start: int) -> None:
        self.root = Branch(start, is_object=text[start] == "{")
        self._text = text
        self._stack = [self.root]
        self._closers = [_CLOSES[text[start]]]
        self._names: dict[str, str] = {}

    def read(self, start: int, end: int) -> int | None:
        """Read on; the offset behind the literal, or None when it does not end there."""
        for token in _TOKEN.finditer(self._text, start, end):
            mark = token["mark"]
            if mark is None:
                self._add(token)
            elif mark in _CLOSES and len(self._stack) < _DEPTH:
                self._open(token.start(), mark)
            elif mark == self._closers[-1]:
                self._stack.pop()
                self._closers.pop()
                if not self._stack:
                    return token.end()
            elif mark == ",":
                self._stack[-1].key = None
        return None

    def _open(self, start: int, mark: str) -> None:
        self._stack.append(self._child(start, is_object=mark == "{"))
        self._closers.append(_CLOSES[mark])

    def _child(self, start: int, *, is_object: bool) -> Branch:
        parent, child = self._stack[-1], Branch(start, is_object)
        parent.children.append((parent.key or "", child))
        parent.key = None
        return child

    def _add(self, token: re.Match[str]) -> None:
        if token["flat"] is None:
            self._add_scalar(token)
        elif len(self._stack) < _DEPTH:
            self._child(token.start(), is_object=True).children = list(self._members(*token.span()))
        else:
            self.read(token.start() + 1, token.end())

    def _members(self, start: int, end: int) -> Iterator[tuple[str, Scalar | Branch]]:
        for member in _MEMBER.finditer(self._text, start, end):
            name, quoted, bare = member.groups()
            value, (at, behind) = (bare, member.span(3)) if quoted is None else (unescape(quoted), member.span(2))
            yield self._name(unescape(name)), Scalar(at, behind, value)

    def _add_scalar(self, token: re.Match[str]) -> None:
        branch, bare = self._stack[-1], token["bare"]
        tail = token["close"] or token["end"] or ""
        start, end = token.span() if bare else (token.start() + 1, token.end() - len(tail))
        text = self._text[start:end]
        if branch.is_object and branch.key is None:
            branch.key = self._name(unescape(text))
        elif not bare or (self._text[end : end + 1] != "(" and "=" not in bare):
            branch.children.append((branch.key or "", Scalar(start, end, text if bare else unescape(text))))
            branch.key = None

    def _name(self, name: str) -> str:
        # The same few names stand in every record: one string for each.
        return self._names.setdefault(name, name)
