"""Text that a person who looks at its source would not see, and an agent reads all the same."""

import re
from collections.abc import Iterator
from typing import Final

from reviews.provenance.injection.segment import Segment, says_something

# Eight variation selectors or joiners in a row: emoji and Indic scripts need two or three at most, and a message needs
# more.
_INVISIBLE: Final = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f"  # the flag of a part of a country
    "|(?P<tags>[\U000e0000-\U000e007f]+)"
    "|(?P<run>[\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]{8,}+)"
    "|(?P<turned>[\u202d\u202e][^\u202c\n]{0,2000}\u202c?)"
)
# What each group of the pattern says about its text. The flag has no group: it is what it seems.
_REASONS: Final = {
    "tags": "is written in invisible characters",
    "run": "holds a run of invisible characters",
    "turned": "is shown in another order than it is read",
}
# Tags are bounded, since a `<` that is never closed would be tried up to the end of the text.
_TAG: Final = re.compile(r"<([a-z][a-z0-9]{0,15})\b([^<>]{0,600})>", re.I)
_ANY_TAG: Final = re.compile(r"<(/?)([a-z][a-z0-9]{0,15})\b[^<>]{0,600}>", re.I)
# Styles and the attribute that take an element off the page. `opacity: 0.9` and `font-size: 08px` still show.
_UNSHOWN: Final = re.compile(
    r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|(?:font-size|opacity)\s{0,3}:\s{0,3}0(?![.\d]{0,8}[1-9])"
    r"|\shidden(?=[\s=]|$)",
    re.I,
)
# White letters are hidden on the white of an ordinary page, and legible on a background of another colour.
_WHITE: Final = re.compile(r"(?<![\w-])color\s{0,3}[:=]\s{0,3}[\"']?(?:white|#fff(?:fff)?)(?!\w)", re.I)
_BACKGROUND: Final = re.compile(r"background(?:-color)?\s{0,3}:\s{0,3}(?!white|#fff(?:fff)?(?!\w))\S", re.I)
# HTML's void elements: they have no content that could be hidden.
_VOID: Final = frozenset("area base br col embed hr img input link meta source track wbr".split())
# Characters of an element that are looked through for its end: longer than any hidden paragraph, and what keeps the
# search linear in a text of many opening tags.
_LONGEST: Final = 20_000
_BLANKS: Final = re.compile(r"\s{2,}+")
# Blanks in a row, and line ends among them, that push what follows out of sight: wider and higher than a window.
_WIDE, _HIGH = 200, 40
# Characters that are taken to be pushed, within their paragraph: an injected task takes a few sentences.
_PUSHED: Final = 600


def hidden_in(text: str) -> Iterator[Segment]:
    """Invisible characters, comments, elements that are not shown, and what long blanks push away."""
    for hit in () if text.isascii() else _INVISIBLE.finditer(text):
        if hit.lastgroup:
            yield Segment(*hit.span(), _REASONS[hit.lastgroup])
    yield from _find_comments(text)
    yield from _find_unshown_elements(text)
    yield from _find_pushed_text(text)


def _find_comments(text: str) -> Iterator[Segment]:
    """Comments that say something; one that is never closed is shown by browsers, too."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        end += len("-->")
        if says_something(text[start:end]):
            yield Segment(start, end, "stands in a comment that no reader is shown")
        start = text.find("<!--", end)


def _find_unshown_elements(text: str) -> Iterator[Segment]:
    """Elements whose attributes keep them from being shown, with all they contain."""
    at = 0
    while hit := _TAG.search(text, at):
        at, name, attributes = hit.end(), hit[1].lower(), hit[2]
        white = _WHITE.search(attributes) is not None and not _BACKGROUND.search(attributes)
        if name not in _VOID and (white or _UNSHOWN.search(attributes)):
            at = _end_of(text, name, at)
            if says_something(text[hit.end() : at]):
                yield Segment(hit.start(), at, "stands in an element that no reader is shown")


def _end_of(text: str, name: str, at: int) -> int:
    """The offset behind the element whose content starts here; one that is never closed ends at the longest."""
    last, depth = min(len(text), at + _LONGEST), 1
    for tag in _ANY_TAG.finditer(text, at, last):
        if tag[2].lower() == name:
            depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return last


def _find_pushed_text(text: str) -> Iterator[Segment]:
    """The paragraph behind so many blanks that a reader takes the text to have ended."""
    for run in _BLANKS.finditer(text):
        start = run.end()
        far = start - run.start() >= _WIDE or run.group().count("\n") >= _HIGH
        if far and run.start() > 0 and start < len(text):
            stop = text.find("\n\n", start, start + _PUSHED)
            yield Segment(start, stop if stop >= 0 else min(len(text), start + _PUSHED), "is pushed out of sight")
