"""Values that are one edit from what a source says: a digit mistyped, two signs turned round, one left out."""

import re
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import OSA

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.values.number import number_of

# Characters from which a value is not near another one by chance.
_SHORTEST = 5
# Figures from which the same is true of a number: amounts of two and three figures stand everywhere.
_FIGURES = 4
# Characters of an identifier; the longest that people use have some sixty.
_LONGEST = 80
# Tokens without the marks that texts set around them.
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|*]+")
# Signs that end a sentence, not a value.
_EDGES = ".:!?"
# Tokens of one source that share a half with the value and are compared.
_MOST = 400


def near_copy(text: str, sources: Sequence[Indexed], budget: Budget) -> Found | None:
    """What the folded value nearly is; None for what is no identifier, number or code, or near nothing.

    One edit leaves one half of a value as it was, so only tokens around either half need a look.
    """
    if not _is_code(text) or (number_of(text) is not None and _figures(text) < _FIGURES):
        return None
    halves = {text[: len(text) // 2], text[len(text) // 2 :]}
    for source in sources:
        for half in sorted(halves, key=len, reverse=True):
            for span in _around(half, text, source, budget):
                note = f"“{shortened(text, 60)}” is nearly “{shortened(span.quote, 60)}”, and not the same."
                return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None


def _figures(text: str) -> int:
    """The figures of a number; zeros that end its decimal places are none."""
    return sum(map(str.isdigit, text.rstrip("0") if "." in text else text))


def _is_code(text: str) -> bool:
    """Whether the value is written like an identifier, a number or a code: one token, with a figure in it."""
    return _SHORTEST <= len(text) <= _LONGEST and _TOKEN.fullmatch(text) is not None and any(map(str.isdigit, text))


def _around(half: str, text: str, source: Indexed, budget: Budget) -> Iterator[Span]:
    whole, left = source.folded.text, _MOST
    at = whole.find(half)
    while at >= 0 and left:
        budget.spend()
        left -= 1
        start = max(whole.rfind(sign, max(0, at - len(text)), at) for sign in " \n\t\"'`<([{,;|*") + 1
        start = start or max(0, at - len(text))
        hit = _TOKEN.match(whole, start, start + 2 * len(text))
        token = hit.group().strip(_EDGES) if hit else ""
        # The name of a file is compared with that of another, whatever folder it lies in.
        token = token if "/" in text else token.rpartition("/")[2]
        if _is_near(token, text):
            begin = whole.index(token, start)
            yield source.span(begin, begin + len(token))
        at = whole.find(half, at + 1)


def _is_near(token: str, text: str) -> bool:
    """Whether one edit, or two neighbours turned round, makes one the other. Letters alone may differ by a word."""
    if token == text or OSA.distance(token, text, score_cutoff=1) != 1:
        return False
    differing = [pair for pair in zip(token, text, strict=False) if pair[0] != pair[1]]
    return len(token) != len(text) or any(char.isdigit() for pair in differing for char in pair)
