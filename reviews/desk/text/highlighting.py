"""A source's text cut at its evidence: what is marked, what is shown, and what is folded away between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

from reviews.provenance.core.invisible import reveal

CONTEXT: Final = 160
"""Characters shown at most on either side of a mark."""
CONTEXT_LINES: Final = 2
HEAD: Final = 480
"""Characters shown of a text without marks."""
HEAD_LINES: Final = 6
WHOLE: Final = 600
"""A text up to this long, on few enough lines, is not folded."""
WHOLE_LINES: Final = 24
"""Lines of such a text where something points into it: the record around a mark tells what the mark means."""
LONGEST_MARK: Final = 400
"""Characters shown of one mark."""
MOST_MARKS: Final = 60
"""Marks shown in one text; the first ones win. So many stretches are struck besides."""
MOST_LABELS: Final = 6
"""Numbers shown where marks begin."""
SMALLEST_FOLD: Final = 80
"""Folding away less than this would hide more than it saves."""


class Tone(StrEnum):
    """How a mark is coloured: by how its value was traced. Worst first: it wins where marks overlap."""

    NONE = "none"
    COMPETING = "competing"
    DERIVED = "derived"
    COPY = "copy"
    GENERATED = "generated"


_WORST_FIRST: Final = tuple(Tone)


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that something on the page points at."""

    start: int
    end: int
    ref: str
    """What points here, such as `a2` for the second argument."""
    label: str = ""
    """Shown where the mark begins; it stands beside what points here, too."""
    tone: Tone = Tone.COPY
    struck: bool = False
    """The text is anomalous: whatever else points here, nobody may take it for an honest source."""


class Kind(StrEnum):
    """What a piece is."""

    TEXT = "text"
    REVEALED = "revealed"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Piece:
    """The smallest thing the template writes."""

    kind: Kind
    text: str = ""
    name: str = ""
    """Accessible name of a token."""
    refs: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    """Of the marks that begin here."""
    tone: Tone | None = None
    quiet: bool = False
    """Marked only by what has no number: it shows when that is pointed at."""
    struck: bool = False
    """Anomalous text."""
    strikes: bool = False
    """Anomalous text begins here."""
    unstrikes: bool = False
    """Anomalous text ends here."""
    start: int = 0
    """For a gap: where the folded text begins, in characters."""
    end: int = 0

    @classmethod
    def gap(cls, start: int, end: int) -> "Piece":
        """Text folded away."""
        return cls(Kind.GAP, start=start, end=end)

    @property
    def characters(self) -> int:
        """How much text a gap folds away."""
        return self.end - self.start


def excerpt(text: str, marks: Sequence[Mark] = ()) -> tuple[Piece, ...]:
    """The text folded to windows around its marks; a short text, or the head of an unmarked one, as it is."""
    usable = _usable(text, marks)
    return tuple(_pieces(text, usable, _windows(text, usable)))


def passage(text: str, marks: Sequence[Mark], start: int, end: int) -> tuple[Piece, ...]:
    """One stretch of the text, unfolded."""
    start, end = max(0, start), min(end, len(text))
    return tuple(_cut(text, _usable(text, marks), start, end))


def _usable(text: str, marks: Sequence[Mark]) -> list[Mark]:
    inside = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    pointing = [mark for mark in inside if not mark.struck]
    struck = [mark for mark in inside if mark.struck]
    return sorted((*pointing[:MOST_MARKS], *struck[:MOST_MARKS]), key=lambda mark: (mark.start, mark.end))


def _windows(text: str, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    if len(text) <= WHOLE and text.count("\n") <= (WHOLE_LINES if marks else HEAD_LINES):
        return [(0, len(text))]
    if not marks:
        return _merged([(0, _line_end(text, 0, HEAD, HEAD_LINES))], len(text))
    return _merged([_around(text, mark) for mark in marks], len(text))


def _around(text: str, mark: Mark) -> tuple[int, int]:
    shown_end = min(mark.end, mark.start + LONGEST_MARK)
    return _line_start(text, mark.start), _line_end(text, shown_end, CONTEXT, CONTEXT_LINES)


def _line_start(text: str, end: int) -> int:
    """`CONTEXT` characters in front, or where the last lines before `end` begin, whichever is nearer."""
    furthest = max(0, end - CONTEXT)
    at = end
    for _ in range(CONTEXT_LINES):
        at = text.rfind("\n", furthest, at)
        if at < 0:
            return furthest
    return at + 1


def _line_end(text: str, start: int, characters: int, lines: int) -> int:
    """Behind `characters` or at the end of so many lines, whichever comes first."""
    furthest = min(len(text), start + characters)
    at = start - 1
    for _ in range(lines):
        at = text.find("\n", at + 1, furthest)
        if at < 0:
            return furthest
    return at


def _merged(windows: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in windows:
        first, last = merged[-1] if merged else (0, 0)
        joins = start - last < SMALLEST_FOLD
        merged[-1:] = [(first, max(end, last))] if joins else [*merged[-1:], (start, end)]
    start, end = merged[-1]
    if length - end < SMALLEST_FOLD:
        merged[-1] = (start, length)
    return merged


def _pieces(text: str, marks: Sequence[Mark], windows: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    at = 0
    for start, end in windows:
        if start > at:
            yield Piece.gap(at, start)
        yield from _cut(text, marks, start, end)
        at = end
    if at < len(text):
        yield Piece.gap(at, len(text))


def _cut(text: str, marks: Sequence[Mark], start: int, end: int) -> Iterator[Piece]:
    """The stretch, cut wherever a mark begins or ends, so that overlapping marks need no nesting."""
    inside = {at for mark in marks for at in (mark.start, mark.end) if start < at < end}
    cuts = [start, *sorted(inside), end]
    stretches = [
        list(_stretch(text[left:right], left, [mark for mark in marks if mark.start < right and mark.end > left]))
        for left, right in pairwise(cuts)
    ]
    yield from _bounded([piece for stretch in stretches for piece in stretch])


def _stretch(text: str, at: int, marks: Sequence[Mark]) -> Iterator[Piece]:
    refs = tuple(dict.fromkeys(mark.ref for mark in marks))
    labels = tuple(dict.fromkeys(mark.label for mark in marks if mark.start == at and mark.label))[:MOST_LABELS]
    numbered = [mark for mark in marks if mark.label]
    tone = min((mark.tone for mark in numbered or marks), key=_WORST_FIRST.index, default=None)
    struck = any(mark.struck for mark in marks)
    for shown in reveal(text):
        kind = Kind.REVEALED if shown.name else Kind.TEXT
        yield Piece(kind, shown.text, shown.name, refs, labels, tone, quiet=not numbered, struck=struck)
        labels = ()


def _bounded(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Each run of struck pieces told where it begins and ends: marks inside it cut it, but it is one text."""
    for at, piece in enumerate(pieces):
        before = at > 0 and pieces[at - 1].struck
        after = at + 1 < len(pieces) and pieces[at + 1].struck
        yield replace(piece, strikes=not before, unstrikes=not after) if piece.struck else piece
