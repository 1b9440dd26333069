"""JSON and Python literals read with the place of every scalar; broken and cut-off input is read as far as it goes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from reviews.provenance.grounding.normal import unescape

# A string that never ends runs to the end of the text: looking for its end again at every quote would take for ever.
_TOKEN = re.compile(
    r"(?P<string>\"[^\"\\]*(?:\\.[^\"\\]*)*(?P<close>\"|\\?\Z)|(?<!\w)'[^'\\]*(?:\\.[^'\\]*)*(?P<end>'|\\?\Z))"
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
    root = Branch(start, is_object=text[start] == "{")
    stack, at, closers = [root], start + 1, [_CLOSES[text[start]]]
    for token in _TOKEN.finditer(text, at):
        mark = token["mark"]
        if mark is None:
            _add_scalar(stack[-1], token, text)
        elif mark in _CLOSES and len(stack) < _DEPTH:
            stack.append(_open(stack[-1], token.start(), is_object=mark == "{"))
            closers.append(_CLOSES[mark])
        elif mark == closers[-1]:
            stack.pop()
            closers.pop()
            if not stack:
                return root, token.end()
        elif mark == ",":
            stack[-1].key = None
    return root, None


def _open(parent: Branch, start: int, *, is_object: bool) -> Branch:
    child = Branch(start, is_object)
    parent.children.append((parent.key or "", child))
    parent.key = None
    return child


def _add_scalar(branch: Branch, token: re.Match[str], text: str) -> None:
    quoted = token["string"] is not None
    tail = token["close"] or token["end"] or ""
    start, end = (token.start() + 1, token.end() - len(tail)) if quoted else token.span()
    if branch.is_object and branch.key is None:
        branch.key = unescape(text[start:end])
    elif quoted or (text[end : end + 1] != "(" and "=" not in token.group()):
        scalar = Scalar(start, end, unescape(text[start:end]) if quoted else text[start:end])
        branch.children.append((branch.key or "", scalar))
        branch.key = None
