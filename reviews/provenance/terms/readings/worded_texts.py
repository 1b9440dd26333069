"""A short text whose words stand there with other endings, apart, or in another order: cameras, tomorrow at 9 am."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.readings.conversions import MAX_PLACES
from reviews.provenance.terms.value_mentions import CHARACTERS_A_STEP, MAX_READ
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.names import root_of, tokens_of

# Words of such a text: longer ones are nobody's name or choice, and an agent words them itself.
_MAX_WORDS: Final = 8
# Words of a text whose order says nothing: of more, one leads to another.
_MAX_FREE: Final = 3
# Letters of a word that has an ending, those that endings may change at its end, and those of an ending.
_MIN_LETTERS, _CHANGED, _ENDING = 3, 1, 4
# To look at one place: the roots of a few words, which are often remembered.
_STEPS_A_PLACE: Final = 16
_WORD: Final = re.compile(r"[^\W_]+")
# Of an address, a path or a code each sign counts.
_TEXT: Final = re.compile(r"[\w ,-]+")
# What people write between the last two of a list, and a value that lists with commas does not.
_JOINT: Final = "and"
# What may stand between two words of a sentence, and characters in which all of them stand.
_GAP: Final = re.compile(r"[^\w.!?;:]{1,6}|_")
_MAX_ROW: Final = 256


def find_worded_text(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """The places that have all words of the text and no others between."""
    words = tokens_of(leaf.text) if kind_of(leaf) in (Kind.TEXT, Kind.OPTION) else ()
    is_telling = any(word.isalpha() and len(word) >= _MIN_LETTERS for word in words)
    if not is_telling or len(words) > _MAX_WORDS or not _TEXT.fullmatch(leaf.text):
        return
    folded = text.folded[:MAX_READ]
    text.budget.spend(1 + len(folded) // CHARACTERS_A_STEP)
    roots = [_root(word) for word in words]
    skipped = _JOINT if "," in leaf.text and _JOINT not in words else ""
    for word in dict.fromkeys(words):
        begin = re.escape(word[:-_CHANGED] if len(word) > _MIN_LETTERS else word)
        starts = re.finditer(rf"(?<![^\W_]){begin}[^\W_]{{0,{_ENDING}}}(?![^\W_])", folded)
        for start in islice(starts, MAX_PLACES):
            text.budget.spend(_STEPS_A_PLACE)
            row = _row_from(start.start(), len(words), folded, skipped)
            row_roots = [_root(hit[0]) for hit in row]
            if tuple(words_of(folded[row[0].start() : row[-1].end()])) == leaf.words:
                # Nothing but signs differ: the words are the value's own.
                continue
            if row_roots == roots or (sorted(row_roots) == sorted(roots) and _has_any_order(leaf, words)):
                yield row[0].start(), row[-1].end()


def _has_any_order(leaf: Leaf, words: Sequence[str]) -> bool:
    """Whether the words say the same in every order: "Oslo Bergen" is another way than "Bergen Oslo".

    A choice does of which no other has these words, and a few of which one is a figure or a code.
    """
    if leaf.choices:
        return sum(sorted(tokens_of(choice)) == sorted(words) for choice in leaf.choices) == 1
    return len(words) <= _MAX_FREE and any(map(str.isdigit, leaf.text))


def _row_from(start: int, length: int, folded: str, skipped: str) -> Sequence[re.Match[str]]:
    """So many words in a row of one sentence, without one that is skipped; fewer where more stands between them."""
    row: list[re.Match[str]] = []
    end = start
    for hit in _WORD.finditer(folded, start, start + _MAX_ROW):
        if len(row) == length or (row and not _GAP.fullmatch(folded, end, hit.start())):
            break
        end = hit.end()
        # "Andy, Bo" is looked for from an "and" on, too.
        if hit[0] != skipped or not row:
            row.append(hit)
    return row


def _root(word: str) -> str:
    """The word without its ending; of figures, and of a short word, each sign counts."""
    return root_of(word) if word.isalpha() and len(word) >= _MIN_LETTERS else word
