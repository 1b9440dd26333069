"""The user says a text with other signs or words between its own, or a part of it: “front-end”, “pay my rent”."""

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.readings.conversions import parts_words
from reviews.provenance.terms.value_mentions import MAX_READ
from reviews.provenance.text.boundaries import Place

# Words of a text, and of a name, that are looked for.
_MAX_WORDS: Final = 400
_MAX_NAME: Final = 8
# Words that may stand between two of a text's: "pay my last electricity bill".
_MAX_BETWEEN: Final = 2
# Places of its first word from which it is looked for: who asks for one thing says it early or seldom.
_MAX_STARTS: Final = 64
# Words from the first of a text to its last, at most.
_MAX_REACH: Final = 1 + (_MAX_NAME - 1) * (1 + _MAX_BETWEEN)
# Characters of a text that are searched through in one step of the budget.
_CHARACTERS_A_STEP: Final = 256
_WORDED: Final = (Kind.CODE, Kind.TEXT, Kind.OPTION)
# What may stand between two words, typed as an escape or not.
_BETWEEN: Final = r"(?:\\[nrt]|[\W_]){1,6}"
_WORD: Final = re.compile(r"[^\W_]+")


def find_other_spelling(leaf: Leaf, text: SourceText) -> Place | None:
    """Where all words of the value stand in a row."""
    is_worded = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_WORDS
    return _find_row(leaf.words, text) if is_worded else None


def find_part(leaf: Leaf, text: SourceText) -> Place | None:
    """Where two words of a name stand in a row, either first: "social media" for "visits_social_media"."""
    is_name = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_NAME
    pairs = [*pairwise(leaf.words), *pairwise(reversed(leaf.words))] if is_name else ()
    rows = (_find_row(pair, text) for pair in pairs)
    return next(filter(None, rows), None)


def find_wording(leaf: Leaf, text: SourceText) -> Place | None:
    """Where all words of a short text stand in their order, with a few others between: "pay my rent" for "Pay rent"."""
    return _find_stretch([leaf.words], text) if _is_short(leaf) else None


def find_near_wording(leaf: Leaf, text: SourceText) -> Place | None:
    """Where they do but for one within, in whose place another may stand: "finish my report"."""
    words = leaf.words
    without_one = [(*words[:at], *words[at + 1 :]) for at in range(1, len(words) - 1)]
    return _find_stretch(without_one, text) if without_one and _is_short(leaf) else None


def _is_short(leaf: Leaf) -> bool:
    return kind_of(leaf) is Kind.TEXT and 1 < len(leaf.words) <= _MAX_NAME


def _find_stretch(rows: Sequence[tuple[str, ...]], text: SourceText) -> Place | None:
    """Where the words of one of the rows follow each other closely; all rows begin and end alike."""
    folded, first, last = text.folded[:MAX_READ], rows[0][0], rows[0][-1]
    text.budget.spend(1 + len(folded) // _CHARACTERS_A_STEP)
    # Nearly no text has both: then nothing is searched for.
    if first not in folded or last not in folded:
        return None
    starts = re.finditer(rf"(?<![^\W_]){re.escape(first)}(?![^\W_])", folded)
    for start in text.afford(islice(starts, _MAX_STARTS)):
        stretch = list(islice(_WORD.finditer(folded, start.start()), _MAX_REACH))
        for row in rows:
            end = _follow_words(row, [word[0] for word in stretch])
            if end is not None:
                return start.start(), stretch[end].start() + len(row[-1])
    return None


def _follow_words(words: Sequence[str], stretch: Sequence[str]) -> int | None:
    """Where the last of the words stands, of which each follows the one before closely; None where one does not."""
    at = 0
    for word in words[1:]:
        behind = enumerate(stretch[at + 1 : at + 2 + _MAX_BETWEEN])
        met = next((distance for distance, other in behind if _is_word(word, other)), None)
        if met is None:
            return None
        at += 1 + met
    return at


def _is_word(word: str, written: str) -> bool:
    """Whether the word is written there, also with an ending in a script that sets none apart: 30분까지."""
    return written == word or (written.startswith(word) and parts_words(written, len(word)))


def _find_row(words: tuple[str, ...], text: SourceText) -> Place | None:
    text.budget.spend(1 + len(text.folded[:MAX_READ]) // _CHARACTERS_A_STEP)
    row = _BETWEEN.join(map(re.escape, words))
    hit = re.search(rf"(?<![^\W_]){row}(?![^\W_])", text.folded[:MAX_READ])
    return _with_bracket(hit.span(), text.folded) if hit else None


def _with_bracket(place: Place, folded: str) -> Place:
    """With the bracket before a first word that one behind closes: "(276) 216-0133"."""
    start, end = place
    is_open = folded[start:end].count(")") > folded[start:end].count("(") and folded[start - 1 : start] == "("
    return (start - 1, end) if is_open else place
