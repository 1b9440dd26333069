"""The user's words say a text with other signs between its words, or a part of a name: “front-end”."""

import re
from itertools import pairwise
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import MAX_READ
from reviews.provenance.text.boundaries import Place

# Words of a text, and of a name, that are looked for.
_MAX_WORDS: Final = 400
_MAX_NAME: Final = 8
# Characters of a text that are searched through in one step of the budget.
_CHARACTERS_A_STEP: Final = 256
_WORDED: Final = (Kind.CODE, Kind.TEXT, Kind.OPTION)
# What may stand between two words, typed as an escape or not.
_BETWEEN: Final = r"(?:\\[nrt]|[\W_]){1,6}"


def find_other_spelling(leaf: Leaf, text: SourceText) -> Place | None:
    """Where all words of the value stand in a row."""
    is_worded = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_WORDS
    return _find_row(leaf.words, text) if is_worded else None


def find_part(leaf: Leaf, text: SourceText) -> Place | None:
    """Where two words of a name stand in a row: "social media" for "visits_social_media"."""
    is_name = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_NAME
    rows = (_find_row(pair, text) for pair in pairwise(leaf.words)) if is_name else ()
    return next(filter(None, rows), None)


def _find_row(words: tuple[str, ...], text: SourceText) -> Place | None:
    text.budget.spend(1 + len(text.folded[:MAX_READ]) // _CHARACTERS_A_STEP)
    row = _BETWEEN.join(map(re.escape, words))
    hit = re.search(rf"(?<![^\W_]){row}(?![^\W_])", text.folded[:MAX_READ])
    return hit.span() if hit else None
