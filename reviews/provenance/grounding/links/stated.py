"""What one source says: a value copied from it, or written there another way."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.links.currency import named
from reviews.provenance.grounding.links.email import addressed, is_address, turned
from reviews.provenance.grounding.links.moment import clocks_at, dated, days_on, ending, zoned
from reviews.provenance.grounding.links.number import counted, lasting
from reviews.provenance.grounding.links.phone import dialled
from reviews.provenance.grounding.links.place import located
from reviews.provenance.grounding.links.quantity import measured
from reviews.provenance.grounding.notes import found_at, where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences, stands_alone
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.moment import moment_of
from reviews.provenance.values.number import number_of

__all__ = ["clocks_at", "days_on", "say", "where"]

# What may stand between two words of a value: punctuation and spaces, no other word.
_GAP = r"[\W_]{1,8}"
# A name in a script without spaces.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
# A month and a year as cards write them.
_MONTH = re.compile(r"(0?[1-9]|1[0-2])[/-]((?:20)?\d\d)(?![\d/-])")
# Characters of a number that people write in groups; the longest IBAN has 34.
_SHORTEST_NUMBER, _LONGEST_NUMBER = 8, 40
# Figures of a value that may be written in groups.
_FEWEST_FIGURES = 5
# Letters of a word that takes a plural.
_SHORTEST_NOUN = 4
# Longest text, in words, that is compared word by word.
_WORDS = 300


def say(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as this source says it, by the most literal method that finds it."""
    for method in _METHODS:
        if found := method(leaf, text):
            return found
    return None


Find: TypeAlias = Callable[[Leaf, Sequence[Indexed]], Found | None]


def said_in_any(leaf: Leaf, texts: Sequence[Indexed]) -> Found | None:
    """The value as the first of the texts says it, unless the agent put it there itself."""
    return next((found for text in texts if not text.repeats(leaf.folded) and (found := say(leaf, text))), None)


def as_written(leaf: Leaf, data: Sequence[Indexed], find: Find = said_in_any) -> Leaf | None:
    """The value as records write it, as far as `find` finds it, where that is another way: a phone number in groups.

    A time or an amount that is written another way may stand there by chance; a code does not.
    """
    if not leaf.text or moment_of(leaf.value) or number_of(leaf.value) is not None:
        return None
    if sum(map(str.isdigit, leaf.text)) < _FEWEST_FIGURES or any(text.places(leaf.folded) for text in data):
        return None
    found = find(leaf, data)
    return replace(leaf, value=found.spans[0].quote) if found and len(found.spans) == 1 else None


def _copied(leaf: Leaf, text: Indexed) -> Found | None:
    if not isinstance(leaf.value, str):
        return None
    for at in occurrences(text.plain.text, leaf.text):
        return found_at(Grounding.COPY, text.plain_span(at, at + len(leaf.text)))
    # Where words have no spaces between them, nothing stands alone.
    at = text.plain.text.find(leaf.text) if _UNSPACED.fullmatch(leaf.text) else -1
    return found_at(Grounding.COPY, text.plain_span(at, at + len(leaf.text))) if at >= 0 else None


def _reworded(leaf: Leaf, text: Indexed) -> Found | None:
    if not isinstance(leaf.value, str) or not 0 < len(leaf.words) <= _WORDS or _only_digits(leaf.words):
        return None
    # Options that differ in a sign alone are not told apart by their words: O+ and O-.
    if is_address(leaf.text) or any(words_of(each) == leaf.words for each in leaf.choices if each != leaf.text):
        return None
    if not all(word in text.folded.text for word in leaf.words):
        return None
    for hit in re.finditer(_words_pattern(leaf.words), text.folded.text):
        if stands_alone(text.folded.text, *hit.span()):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


@lru_cache(maxsize=256)
def _words_pattern(words: tuple[str, ...]) -> str:
    # Two whole words may be written as one ("front end", "frontend"), digits never.
    gaps = (
        r"[\W_]{0,8}" if min(len(left), len(right)) > 1 and (left + right).isalpha() else _GAP
        for left, right in pairwise(words)
    )
    # One thing may be said in the plural: "order 20 oil filters".
    last = r"(?:e?s)?" if len(words[-1]) >= _SHORTEST_NOUN and words[-1].isalpha() else ""
    spelled = zip(map(re.escape, words), [*gaps, last], strict=True)
    return "".join(part for word, gap in spelled for part in (word, gap))


def _grouped(leaf: Leaf, text: Indexed) -> Found | None:
    """An account, card or serial number that is written in groups: GB33 BUKB 2020 for GB33BUKB2020."""
    bare = re.sub(r"[ -]", "", leaf.folded) if isinstance(leaf.value, str) else ""
    if not _SHORTEST_NUMBER <= len(bare) <= _LONGEST_NUMBER or not bare.isalnum() or not any(map(str.isdigit, bare)):
        return None
    if bare[:3] not in text.folded.text:
        return None
    for hit in re.finditer("[ -]?".join(map(re.escape, bare)), text.folded.text):
        if stands_alone(text.folded.text, *hit.span()):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _expiring(leaf: Leaf, text: Indexed) -> Found | None:
    """A month of a year, as cards write it: 12/2025 for 12/25."""
    wanted = _MONTH.fullmatch(leaf.text) if isinstance(leaf.value, str) else None
    if wanted is None:
        return None
    month, year = int(wanted[1]), wanted[2][-2:]
    for hit in _MONTH.finditer(text.folded.text):
        if (int(hit[1]), hit[2][-2:]) == (month, year) and stands_alone(text.folded.text, *hit.span()):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _only_digits(words: tuple[str, ...]) -> bool:
    return all(word.isdigit() for word in words)


# The most literal first: the first that finds the value words the note.
_METHODS: tuple[Callable[[Leaf, Indexed], Found | None], ...] = (
    _copied,
    counted,
    dated,
    lasting,
    dialled,
    addressed,
    _reworded,
    turned,
    ending,
    measured,
    named,
    located,
    zoned,
    _expiring,
    _grouped,
)
