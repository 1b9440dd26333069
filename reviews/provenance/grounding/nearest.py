"""For a value without source: the most similar thing the context does say."""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from rapidfuzz import fuzz

from reviews.provenance.context import Span
from reviews.provenance.grounding.dates import moment_of
from reviews.provenance.grounding.index import Indexed
from reviews.provenance.grounding.leaf import Leaf
from reviews.provenance.grounding.numbers import number_of

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}")
_WORD = re.compile(r"[^\s\"'<>()\[\]{},;]+")
_WORD_LENGTH = 200
_EDGES = " \t\r\n\"'.,;:()[]{}<>"
_READ = 50_000
"""Characters of a source compared with a text value."""
_ALIKE = 60.0
"""Lowest similarity, 0 to 100, worth showing."""


def nearest(leaf: Leaf, texts: tuple[Indexed, ...]) -> Span | None:
    """The nearest number, address, day or phrase; of equally near ones the most trusted."""
    if not leaf.text:
        return None
    if "@" in leaf.text:
        return _most_alike(leaf.folded, _emails(texts))
    if (number := number_of(leaf.value)) is not None:
        gaps = ((abs(value - number), text.span(m.start, m.end)) for text in texts for value, m in text.numbers.items())
        return _first_with_any(gaps, texts)
    if (meant := moment_of(leaf.value)) and meant[0]:
        return _first_with_any(_days(texts, meant[0]), texts)
    return _phrase(leaf.folded, texts)


def _first_with_any(gaps: Iterable[tuple[object, Span]], texts: tuple[Indexed, ...]) -> Span | None:
    """The smallest gap within the most trusted sources that offer any."""
    offers = list(gaps)
    trusts = {text.source.id: text.source.trust for text in texts}
    best = max((trusts[span.source] for _, span in offers), default=None)
    kept = [offer for offer in offers if trusts[offer[1].source] == best]
    return min(kept, key=lambda offer: offer[0])[1] if kept else None  # type: ignore[arg-type, return-value]


def _days(texts: tuple[Indexed, ...], day: date) -> Iterator[tuple[object, Span]]:
    for text in texts:
        for moment in text.moments:
            if moment.day:
                yield abs((moment.day - day).days), text.span(moment.start, moment.end)


def _emails(texts: tuple[Indexed, ...]) -> Iterator[tuple[str, Span]]:
    for text in texts:
        for hit in _EMAIL.finditer(text.folded.text):
            yield hit.group(), text.span(*hit.span())


def _most_alike(value: str, offers: Iterable[tuple[str, Span]]) -> Span | None:
    scored = ((fuzz.ratio(value, offer), span) for offer, span in offers)
    score, span = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return span if score >= _ALIKE else None


def _phrase(value: str, texts: tuple[Indexed, ...]) -> Span | None:
    best: tuple[float, Span | None] = (_ALIKE, None)
    for text in texts:
        read = text.folded.text[:_READ]
        match = (
            fuzz.partial_ratio_alignment(value[:200], read, score_cutoff=best[0]) if len(value) <= len(read) else None
        )
        if match and match.score > best[0] and match.dest_end > match.dest_start:
            start, end = _to_words(read, match.dest_start, match.dest_end)
            best = (match.score, text.span(start, end)) if end > start else best
    return best[1]


def _to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch fitted to whole words: a word that lies mostly inside is taken whole, another is left out."""
    for word in _WORD.finditer(text, max(0, start - _WORD_LENGTH), end + _WORD_LENGTH):
        inside = min(word.end(), end) - max(word.start(), start)
        mostly = 2 * inside > word.end() - word.start()
        if word.start() < start < word.end():
            start = word.start() if mostly else word.end()
        if word.start() < end < word.end():
            end = word.end() if mostly else word.start()
    part = text[start:end]
    return start + len(part) - len(part.lstrip(_EDGES)), start + len(part.rstrip(_EDGES))
