"""The last exchange names another value of the same kind: what the user agreed to, or asked for, last."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.collections import Collections, Place
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences

_MOST_RIVALS = 400
"""Other values of the collection that are looked for in the exchange."""
_SHORTEST = 4
"""Characters of an identifier: what is shorter is a count, or stands in words by chance."""
_TOKEN = re.compile(r"[^\s\"'<>()\[\]{},;:!?*`“”]+")
_READ = 20_000
"""Characters of a message in which identifiers are looked for."""


def last_word(
    leaf: Leaf, exchange: Sequence[Indexed], places: Sequence[Place], collections: Collections, taken: frozenset[str]
) -> Found | None:
    """The value against another of its kind that the exchange names, while it does not name this one.

    `taken` are the values of the call's other arguments: what one of them uses is no rival of this one.
    """
    if not is_identifier(leaf.folded) or any(_says(text, leaf.folded) for text in exchange):
        return None
    others = (*islice(_rivals(places, collections), _MOST_RIVALS),)
    for text in exchange:
        for value in dict.fromkeys((*others, *_alike(leaf.folded, text))):
            at = next(occurrences(text.folded.text, value), -1) if value not in taken else -1
            if at >= 0:
                span = text.span(at, at + len(value))
                note = f"The last word was “{shortened(span.quote, 60)}”, not “{shortened(leaf.text, 60)}”."
                return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


def is_identifier(folded: str) -> bool:
    """Whether a value is one token that names a thing: it has figures, and is neither a date nor an amount."""
    figures = sum(map(str.isdigit, folded))
    plain = re.fullmatch(r"[-+]?[\d.,]+|\d{4}-\d\d-\d\d\S*|\d\d?:\d\d\S*", folded) is not None
    return len(folded) >= _SHORTEST and " " not in folded and (figures > 0 and (not plain or len(folded) > _LONG))


_LONG = 7
"""Figures from which a bare number is an identifier rather than an amount, a year or a count."""


def _says(text: Indexed, folded: str) -> bool:
    return next(occurrences(text.folded.text, folded), None) is not None


def _rivals(places: Sequence[Place], collections: Collections) -> Iterator[str]:
    return (rival.value for rival in collections.rivals(places) if is_identifier(rival.value))


def _alike(folded: str, text: Indexed) -> Iterator[str]:
    """The tokens of a text that are written like the value: as long, with letters and figures in the same places."""
    wanted = _shape(folded)
    tokens = (hit.group().rstrip(".") for hit in _TOKEN.finditer(text.folded.text[:_READ]))
    return (token for token in tokens if token != folded and len(token) == len(folded) and _shape(token) == wanted)


def _shape(text: str) -> str:
    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "a", text))
