"""Texts that the request dictates: what stands in quotation marks behind "saying", "titled", "called".

Dictated words are meant to the letter. Letter case and typography may differ; other words, figures or punctuation make
another text. A value that is nearly a dictated text, yet not that text, goes against the request.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import fold
from reviews.provenance.text.quotations import QUOTATION

# Characters of a text that is compared.
_LONGEST = 2_000
# Characters of a message in which quotations are looked for.
_READ = 20_000
# Words of a text from which a likeness is no accident.
_SHORTEST = 2
# Quotations of one message that are read.
_MANY = 64
# Characters of a dictated text that a finding repeats: one line of a page.
_LONGEST_NOTE = 80
# Similarity, 0 to 100, from which one text is meant to be the other.
_ALIKE = 85.0
# Words that make a quotation what is to be written.
_CUE = re.compile(
    r"\b(?:say|says|saying|said|titled?|title[ds]?|called|call|named?|name|stating|state|reads?|reading|writing?|write|"
    r"texts?|message|body|subject|caption|headline|heading|with|to|as|tell \w+|it|them|him|her|words|wording)\W*$"
)
# Characters before a quotation in which such a word stands.
_CUE_LENGTH = 24
# What the agent is to fill in: such a text is a pattern, not the words.
_PLACEHOLDER = re.compile(r"[\[\]{}<>]|\.{3}|…|_{2,}|\b[xX]{2,}\b")


def misquoted(leaf: Leaf, call: Call) -> Found | None:
    """The value as a changed version of a text that the request dictates."""
    if not isinstance(leaf.value, str) or leaf.choices or not _comparable(leaf.text):
        return None
    offers = tuple(span for text in call.messages for span in _dictated_texts(text))
    value = _normal_spelling(leaf.text)
    if any(_normal_spelling(span.quote) == value for span in offers):
        return None
    scored = ((fuzz.ratio(value, _normal_spelling(span.quote)), span) for span in offers)
    score, span = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if span is None or score < _ALIKE or _stands_elsewhere(leaf, call, offers):
        return None
    note = f"The request dictates “{shortened(span.quote, _LONGEST_NOTE)}”; this says it in other words or signs."
    return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def _comparable(text: str) -> bool:
    return len(text.split()) >= _SHORTEST and len(text) <= _LONGEST


def quotations(text: Indexed) -> Iterator[Span]:
    """What stands in quotation marks, in time linear in the text."""
    for hit in islice(QUOTATION.finditer(text.source.text[:_READ]), _MANY):
        yield text.raw_span(*hit.span(hit.lastgroup or 0))


def blanked(text: str) -> str:
    """The text whose quotations are as many letters x; a bounded part of it."""
    return QUOTATION.sub(lambda hit: hit.group()[0] + "x" * (len(hit.group()) - 2) + hit.group()[-1], text[:_READ])


def _dictated_texts(text: Indexed) -> Iterator[Span]:
    """The quotations behind a word that dictates."""
    for span in quotations(text):
        before = text.source.text[max(0, span.start - _CUE_LENGTH) : span.start - 1].lower()
        if _CUE.search(before) and _comparable(span.quote) and not _PLACEHOLDER.search(span.quote):
            yield span


@lru_cache(maxsize=256)
def _normal_spelling(text: str) -> str:
    return " ".join(fold(text).split())


def _stands_elsewhere(leaf: Leaf, call: Call, offers: tuple[Span, ...]) -> bool:
    """Whether some source has the value as it is: then it is a copy of that, such as a record's own name."""
    places = (
        text.span(at, at + len(leaf.folded))
        for text in (*call.messages, *call.situation, *call.data)
        for at in occurrences(text.folded.text, leaf.folded)
    )
    return any(
        not any(one.source == place.source and one.start <= place.start and place.end <= one.end for one in offers)
        for place in places
    )
