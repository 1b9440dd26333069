"""Records in XML: elements are the members of an object, elements of one name below each other the items of a list."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import groupby
from typing import Final

from reviews.provenance.data.literals import Branch, Scalar

# Possessive, so that each character is read once.
_TAG: Final = re.compile(
    r"<(?:(?P<close>/)?(?P<name>[^\W\d][\w.:-]*+)"
    r"(?P<attributes>(?>(?:\s++[^\W\d][\w.:-]*+\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*))\s*+(?P<empty>/)?"
    r"|\?[^<>?]*+\?|!--(?>[^-]*+(?:-(?!-)[^-]*+)*)--)>"
)
_ATTRIBUTE: Final = re.compile(r"([^\W\d][\w.:-]*+)\s*+=\s*+[\"']([^\"'<]*+)[\"']")
# Deeper documents are read by nobody.
_DEPTH: Final = 32


def markup_in(text: str) -> Branch | None:
    """The document, if all of the text is one: every element closed, and none with words beside its elements.

    Pages and letters have words beside elements: those are prose.
    """
    root = Branch(0, is_object=True)
    # Of each element that is open, its name and where its content begins.
    opened, at = [(root, "", 0)], 0
    for tag in _TAG.finditer(text) if text.lstrip()[:1] == "<" else ():
        words, branch, begun = _leaf(text, at, tag.start()), *opened[-1][::2]
        at = tag.end()
        if words and (not tag["close"] or any(child.start >= begun for _, child in branch.children)):
            return None
        if tag["close"]:
            if opened.pop()[1] != tag["name"] or not opened:
                return None
            # Words beside attributes are one more of them, under the element's own name.
            branch.children += [(tag["name"], words)] if words and branch.children else []
            read = words if words and not branch.children else _joined(branch)
            if read is None:
                return None
            opened[-1][0].children[-1] = (tag["name"], read)
        elif tag["name"]:
            element = Branch(tag.start(), is_object=True)
            element.children += _attributes(tag)
            branch.children.append((tag["name"], element))
            opened += [] if tag["empty"] else [(element, tag["name"], at)]
            if len(opened) > _DEPTH:
                return None
    return root if len(opened) == 1 and len(root.children) == 1 and not text[at:].strip() else None


def _attributes(tag: re.Match[str]) -> Iterator[tuple[str, Scalar]]:
    for hit in _ATTRIBUTE.finditer(tag.string, *tag.span("attributes")):
        yield hit[1], Scalar(*hit.span(2), unescape(hit[2]))


def _leaf(text: str, start: int, end: int) -> Scalar | None:
    words = text[start:end]
    start, end = end - len(words.lstrip()), start + len(words.rstrip())
    return Scalar(start, end, unescape(text[start:end])) if start < end else None


def _joined(branch: Branch) -> Branch | None:
    """The element, with a list in place of several elements of one name below each other; None where others part them.

    Whose values are whose nobody could tell then.
    """
    children: list[tuple[str, Scalar | Branch]] = []
    for name, group in groupby(branch.children, key=lambda child: child[0]):
        members = [child for _, child in group]
        listed = Branch(members[0].start, is_object=False)
        listed.children += [("", member) for member in members]
        children.append((name, listed if len(members) > 1 else members[0]))
    branch.children = children
    return branch if len({name for name, _ in children}) == len(children) else None
