"""What the user takes out by name: "everyone except Omar", "not to Bo"."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.negation import is_denied
from reviews.provenance.text.fold import fold, words_of

# Characters of a message that are read for exclusions.
_READ = 8_000
# A word in capitals that does not open a sentence.
_NAME = re.compile(r"(?<![.!?]\s)(?<![^\s\"'(\[-])[^\W\d_a-z][^\W\d_]+")
# Excluded names, and places of a value, that are looked at.
_MOST = 32
# Words of a field that is a name; longer ones mention names.
_NAME_WORDS = 4


WHY = Why.DENIED


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """The value as a name that the user takes out, or as a field of the record that has this name.

    Only the last message counts: what was taken out earlier was taken out of something else.
    """
    names = {
        name: text.raw_span(start, end)
        for text in evidence.spoken[:1]
        for name, start, end in _taken_out(text.source.text[:_READ])
    }
    if not names or not leaf.text:
        return None
    budget.spend()
    own = frozenset(leaf.words) if len(leaf.words) <= _NAME_WORDS else frozenset()
    for name, span in names.items():
        if name in own or any(name in words for words in _named(leaf, evidence.data)):
            whose = "" if name in own else f" “{shortened(leaf.text, 60)}” belongs to it."
            note = f"The user takes “{span.quote}” out.{whose}"
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


@lru_cache(maxsize=64)  # a call of thousands of values asks for the same message each time
def _taken_out(raw: str) -> tuple[tuple[str, int, int], ...]:
    """Names of which every mention is denied, and where each stands first."""
    folded, found = fold(raw), dict[str, tuple[int, int]]()
    for hit in islice(_NAME.finditer(raw), _MOST):
        name = "".join(words_of(hit.group()))
        mentions = [each.start() for each in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded)]
        if name and mentions and all(is_denied(folded, at) for at in mentions):
            found.setdefault(name, hit.span())
    return tuple((name, *span) for name, span in found.items())


def _named(leaf: Leaf, data: Sequence[Indexed]) -> Iterator[frozenset[str]]:
    """The words of each short field of each record that the value is a field of, where the group has others."""
    for text in data:
        for place in text.places(leaf.folded)[:_MOST]:
            if len(place.group) > 1:
                fields = (words_of(item.text) for item in place.record.fields if item.text)
                yield from (frozenset(words) for words in fields if len(words) <= _NAME_WORDS)
