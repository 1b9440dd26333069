"""A short text whose words stand there with other endings, apart, or in another order: cameras, Q2 2025 for 2025-Q2."""

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
from reviews.provenance.text.names import root_of, tokens_of

# Words of such a text: longer ones are nobody's name or choice, and an agent words them itself.
_MAX_WORDS: Final = 8
# Letters of a word that has an ending, those that endings may change at its end, and those of an ending.
_MIN_LETTERS, _CHANGED, _ENDING = 3, 1, 4
# To look at one place: the roots of a few words, which are often remembered.
_STEPS_A_PLACE: Final = 16
_WORD: Final = re.compile(r"[^\W_]+")
# Words behind a place among which a row of them is looked for.
_MAX_SIGNS: Final = 6


def find_worded_text(leaf: Leaf, text: SourceText) -> Iterator[Place]:
    """The places that have all words of the text and no others between."""
    words = tokens_of(leaf.text)
    if kind_of(leaf) not in (Kind.TEXT, Kind.OPTION, Kind.CODE) or not 0 < len(words) <= _MAX_WORDS:
        return
    folded = text.folded[:MAX_READ]
    text.budget.spend(1 + len(folded) // CHARACTERS_A_STEP)
    roots = [_root(word) for word in words]
    for word in dict.fromkeys(words):
        begin = re.escape(word[:-_CHANGED] if len(word) > _MIN_LETTERS else word)
        starts = re.finditer(rf"(?<![^\W_]){begin}[^\W_]{{0,{_ENDING}}}(?![^\W_])", folded)
        for start in islice(starts, MAX_PLACES):
            text.budget.spend(_STEPS_A_PLACE)
            row = _row_from(start.start(), len(words), folded)
            if sorted(_root(hit[0]) for hit in row) == sorted(roots):
                yield row[0].start(), row[-1].end()


def _row_from(start: int, length: int, folded: str) -> Sequence[re.Match[str]]:
    """So many words in a row, with nothing but a few signs between two of them; fewer where more stands there."""
    row: list[re.Match[str]] = []
    for hit in islice(_WORD.finditer(folded, start), length):
        if row and hit.start() - row[-1].end() > _MAX_SIGNS:
            break
        row.append(hit)
    return row


def _root(word: str) -> str:
    """The word without its ending; of figures, and of a short word, each sign counts."""
    return root_of(word) if word.isalpha() and len(word) >= _MIN_LETTERS else word
