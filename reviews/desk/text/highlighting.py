"""A source's text cut into pieces at its evidence: marked text, plain text, and gaps where text is folded away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import Final

from reviews.desk.text.escapes import with_letters
from reviews.provenance.core.invisible import reveal_hidden

# Characters and lines shown on either side of a mark, whichever is reached first: a sentence before and one behind.
CONTEXT: Final = 160
CONTEXT_LINES: Final = 2
# Characters and lines shown of a text without marks: enough to see what kind of text it is.
HEAD: Final = 480
HEAD_LINES: Final = 6
# A text up to this long, on few enough lines, is not folded.
WHOLE: Final = 600
# Lines of such a text where something points into it: the record around a mark is needed to understand the mark.
WHOLE_LINES: Final = 24
# A value of the call so long, on as many lines as `WHOLE_LINES`, is not folded: it is what is decided on, and what a
# program does may stand on its last line.
WHOLE_VALUE: Final = 1_200
# Characters shown of one mark: a detector may point at a whole document.
MAX_MARK_LENGTH: Final = 400
# Marks in one text; the first ones win. As many struck stretches come on top, so that marks cannot crowd them out.
MAX_MARKS: Final = 60
# Numbers shown where marks begin: more would push the text apart.
MAX_LABELS: Final = 6
# Characters. Folding away less than this would hide more than it saves: the button that unfolds it is as wide.
SMALLEST_FOLD: Final = 80
# Blanks that a page draws as blanks: between words they are seen, at the edge of a value they are not.
_BLANKS: Final = MappingProxyType(
    {" ": "space", "\n": "new line", "\t": "tab", "\u00a0": "no-break space", "\u202f": "narrow no-break space"}
)


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
    """The text is anomalous, which shows whatever else points here: nobody may take it for an honest source."""


class PieceKind(StrEnum):
    """What a piece is."""

    TEXT = "text"
    REVEALED = "revealed"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text that the template writes in one style, or a gap."""

    kind: PieceKind
    text: str = ""
    name: str = ""
    """Accessible name of a token."""
    refs: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    """Of the marks that begin here."""
    tone: Tone | None = None
    quiet: bool = False
    """Marked only by what has no number: it is highlighted while that is pointed at."""
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
        return cls(PieceKind.GAP, start=start, end=end)

    @property
    def characters(self) -> int:
        """How much text a gap folds away."""
        return self.end - self.start


def excerpt(text: str, marks: Sequence[Mark] = (), *, as_letters: bool = False) -> tuple[Piece, ...]:
    """The text folded to windows around its marks; a short text, or the head of an unmarked one, as it is.

    `as_letters`: with the letters that JSON writes as escapes, in place of these; all places are those of the text.
    """
    usable = _usable_marks(text, marks)
    pieces: list[Piece] = []
    at = 0
    for start, end in _unfolded_windows(text, usable):
        if start > at:
            pieces.append(Piece.gap(at, start))
        pieces += _cut_at_marks(text, usable, start, end, as_letters=as_letters)
        at = end
    if at < len(text):
        pieces.append(Piece.gap(at, len(text)))
    return tuple(pieces)


def show_value(text: str, *, is_worded: bool = False) -> tuple[Piece, ...]:
    """A value of the call: whole as far as there is room for the reason below it, else its head.

    Blanks at its edges are named: "notes.txt " is another file. Not so of a text that the agent words (`is_worded`),
    which means the same with and without them.
    """
    if len(text) > WHOLE_VALUE or text.count("\n") > WHOLE_LINES:
        return excerpt(text)
    if is_worded:
        return passage(text, (), 0, len(text))
    blanks = "".join(_BLANKS)
    start = len(text) - len(text.lstrip(blanks))
    end = max(start, len(text.rstrip(blanks)))
    return (*_name_blanks(text[:start]), *passage(text, (), start, end), *_name_blanks(text[end:]))


def _name_blanks(text: str) -> Iterator[Piece]:
    """One token for each run of the same blank."""
    for blank, run in groupby(text):
        count = len(list(run))
        name = f"{_BLANKS[blank]} ×{count}" if count > 1 else _BLANKS[blank]
        yield Piece(PieceKind.REVEALED, f"⟦{name}⟧", name)


def passage(text: str, marks: Sequence[Mark], start: int, end: int, *, as_letters: bool = False) -> tuple[Piece, ...]:
    """One stretch of the text, unfolded; `as_letters` as in `excerpt`."""
    start, end = max(0, start), min(end, len(text))
    return tuple(_cut_at_marks(text, _usable_marks(text, marks), start, end, as_letters=as_letters))


def _usable_marks(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks that lie within the text, bounded in number, in the order of the text."""
    inside = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    pointing = [mark for mark in inside if not mark.struck]
    struck = [mark for mark in inside if mark.struck]
    return sorted((*pointing[:MAX_MARKS], *struck[:MAX_MARKS]), key=lambda mark: (mark.start, mark.end))


def _unfolded_windows(text: str, marks: Sequence[Mark]) -> list[tuple[int, int]]:
    """The stretches that are not folded, in order and apart from each other; there is always one."""
    if len(text) <= WHOLE and text.count("\n") <= (WHOLE_LINES if marks else HEAD_LINES):
        return [(0, len(text))]
    windows = [
        (
            _line_start(text, mark.start),
            _line_end(text, min(mark.end, mark.start + MAX_MARK_LENGTH), CONTEXT, CONTEXT_LINES),
        )
        for mark in marks
    ] or [(0, _line_end(text, 0, HEAD, HEAD_LINES))]
    merged: list[tuple[int, int]] = []
    for start, end in windows:
        first, last = merged[-1] if merged else (0, 0)
        # A window near the one before it, or near the beginning of the text, is joined to it.
        if start - last < SMALLEST_FOLD:
            merged[-1:] = [(first, max(end, last))]
        else:
            merged.append((start, end))
    start, end = merged[-1]
    if len(text) - end < SMALLEST_FOLD:
        merged[-1] = (start, len(text))
    return merged


def _line_start(text: str, end: int) -> int:
    """`CONTEXT` characters in front, or where the last lines before `end` begin, whichever is nearer."""
    furthest = max(0, end - CONTEXT)
    at = end
    for _ in range(CONTEXT_LINES):
        # Bounded on both sides: a text may have megabytes on one line.
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


def _cut_at_marks(
    text: str, marks: Sequence[Mark], start: int, end: int, *, as_letters: bool = False
) -> Iterator[Piece]:
    """The stretch, cut wherever a mark begins or ends, so that overlapping marks need no nesting."""
    inside = {at for mark in marks for at in (mark.start, mark.end) if start < at < end}
    cuts = [start, *sorted(inside), end]
    pieces: list[Piece] = []
    for cut_start, cut_end in pairwise(cuts):
        covering = [mark for mark in marks if mark.start < cut_end and mark.end > cut_start]
        stretch = text[cut_start:cut_end]
        pieces += _marked_pieces(with_letters(stretch) if as_letters else stretch, cut_start, covering)
    for at, piece in enumerate(pieces):
        if not piece.struck:
            yield piece
            continue
        # A run of struck pieces is one text, though marks inside it cut it: it begins and ends once.
        before = at > 0 and pieces[at - 1].struck
        after = at + 1 < len(pieces) and pieces[at + 1].struck
        yield replace(piece, strikes=not before, unstrikes=not after)


def _marked_pieces(text: str, at: int, marks: Sequence[Mark]) -> Iterator[Piece]:
    """The pieces of a text that begins at `at` and that the same marks cover throughout."""
    refs = tuple(dict.fromkeys(mark.ref for mark in marks))
    labels = tuple(dict.fromkeys(mark.label for mark in marks if mark.start == at and mark.label))[:MAX_LABELS]
    # A numbered mark is always visible, so its colour comes before that of marks that only show when pointed at.
    numbered = [mark for mark in marks if mark.label]
    tone = min((mark.tone for mark in numbered or marks), key=_WORST_FIRST.index, default=None)
    struck = any(mark.struck for mark in marks)
    for part in reveal_hidden(text):
        kind = PieceKind.REVEALED if part.name else PieceKind.TEXT
        yield Piece(kind, part.text, part.name, refs, labels, tone, quiet=not numbered, struck=struck)
        # The numbers stand once, where the marks begin.
        labels = ()
