"""The user says a text with other signs or words between its own, or a part of it: “front-end”, “pay my rent”."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
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


@dataclass(frozen=True)
class Wording:
    """Where a message says a text in nearly its words."""

    place: Place
    is_whole: bool
    """Whether all of its words stand there, in their order; else one within has another in its place, or none."""


def find_other_spelling(leaf: Leaf, text: SourceText) -> Place | None:
    """Where all words of the value stand in a row."""
    is_worded = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_WORDS
    return _find_row(leaf.words, text) if is_worded else None


def find_part(leaf: Leaf, text: SourceText) -> Place | None:
    """Where two words of a name stand in a row: "social media" for "visits_social_media"."""
    is_name = kind_of(leaf) in _WORDED and 1 < len(leaf.words) <= _MAX_NAME
    rows = (_find_row(pair, text) for pair in pairwise(leaf.words)) if is_name else ()
    return next(filter(None, rows), None)


def find_wording(leaf: Leaf, text: SourceText) -> Wording | None:
    """Where the words of a short text stand in their order with a few others between, at worst all but one within."""
    if kind_of(leaf) is not Kind.TEXT or not 1 < len(leaf.words) <= _MAX_NAME:
        return None
    text.budget.spend(1 + len(text.folded[:MAX_READ]) // _CHARACTERS_A_STEP)
    folded = text.folded[:MAX_READ]
    # Nearly no text has both: then nothing is searched for.
    if leaf.words[0] not in folded or leaf.words[-1] not in folded:
        return None
    first = re.finditer(rf"(?<![^\W_]){re.escape(leaf.words[0])}(?![^\W_])", folded)
    stretches = [
        list(islice(_WORD.finditer(folded, hit.start()), _MAX_REACH)) for hit in text.afford(islice(first, _MAX_STARTS))
    ]
    for words in (leaf.words, *_without_one(leaf.words)):
        for said in stretches:
            end = _follow_words(words, [word[0] for word in said])
            if end is not None:
                return Wording((said[0].start(), said[end].end()), words == leaf.words)
    return None


def _without_one(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words without each of those within."""
    return ((*words[:at], *words[at + 1 :]) for at in range(1, len(words) - 1))


def _follow_words(words: Sequence[str], said: Sequence[str]) -> int | None:
    """Where the last of the words stands, of which each follows the one before closely; None where one does not."""
    at = 0
    for word in words[1:]:
        behind = said[at + 1 : at + 2 + _MAX_BETWEEN]
        if word not in behind:
            return None
        at += 1 + behind.index(word)
    return at


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
