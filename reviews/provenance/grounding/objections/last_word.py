"""The last exchange names another value of the same kind: what the user agreed to, or asked for, last."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

from reviews.provenance.core.context import SourceId, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.objections.taken_back import TypedValue, typed_values_in, typed_values_of
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.collections import Collections, Place
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.request.dialogue import NOUN_AND_NUMBER, QUESTION
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.roots import root
from reviews.provenance.values.identifier import is_identifier
from reviews.provenance.values.number import number_of

# Other values of the collection that are looked for in the exchange.
_MOST_RIVALS = 400
# Tokens that may be identifiers, without the marks that messages set around them.
_TOKEN = re.compile(r"[^\s\"'<>()\[\]{},;:!?*`“”]+")
# Words of an answer that has no room for a request of its own.
_SHORT = 6
# Characters of a message in which identifiers are looked for.
_READ = 20_000


def last_word(
    leaf: Leaf, exchange: Sequence[Indexed], places: Sequence[Place], collections: Collections, taken: frozenset[str]
) -> Found | None:
    """The value against another of its kind that the exchange names, while it does not name this one.

    `taken` are the values of the call's other arguments: what one of them uses is no rival of this one.
    """
    if not is_identifier(leaf.text):
        return _other_time(leaf, exchange[1:]) or _other_number(leaf, exchange, taken)
    # What the user names in the answer goes before what the proposal mentions beside it: "cancel AB12" after "AB11
    # cannot be cancelled, AB12 can".
    spoken = next((n for n, text in enumerate(exchange) if _says(text, leaf.folded)), len(exchange))
    exchange = exchange[:spoken]
    rivals = (rival.value for rival in collections.rivals(places) if is_identifier(rival.span.quote))
    others = tuple(islice(rivals, _MOST_RIVALS))
    for text in exchange:
        for value in dict.fromkeys((*others, *_alike(leaf.folded, text))):
            at = next(occurrences(text.folded.text, value), -1) if value not in taken else -1
            if at >= 0:
                return _said_last(leaf, text.span(at, at + len(value)))
    return None


def _other_time(leaf: Leaf, proposals: Sequence[Indexed]) -> Found | None:
    """The one time of day, or day, that an accepted proposal names, where the value is another one.

    Of several the one in its question: "9:00 is taken. It is free at 11:00, shall I book that?".
    """
    for own in sorted(typed_values_of(leaf), key=lambda value: value[0]):
        for text in proposals if own[0] in ("clock", "day") else ():
            mentions = [(value, span) for value, span in typed_values_in(text, 0, _READ) if value[0] == own[0]]
            questions = list(QUESTION.finditer(text.source.text[:_READ]))
            proposed = [each for each in mentions if questions and each[1].end > questions[-1].start()]
            passed_over = any(value == own for value, _ in mentions)
            # Of another day the proposal may speak for another reason, unless it says why this one is not to be.
            offered = proposed if passed_over else mentions if own[0] == "clock" else []
            readings: dict[Span, set[TypedValue]] = {}
            for value, span in offered:
                readings.setdefault(span, set()).add(value)
            # "Monday, 28 September" is one day, said twice.
            one = bool(readings) and bool(set.intersection(*readings.values()))
            if one and own not in {value for value, _ in offered}:
                return _said_last(leaf, offered[0][1])
    return None


def other_day(leaf: Leaf, exchange: Sequence[Indexed], taken: frozenset[str]) -> Found | None:
    """The one day that a short answer of the user's chooses: "Wednesday suits me" where Monday was offered as well.

    For a value that nobody has said; `taken` is what it is for `last_word`.
    """
    for text in exchange[:1]:
        answer = text.source.text
        days = [(value, span) for value, span in typed_values_in(text, 0, _READ) if value[0] == "day"]
        spans = {span for _, span in days}
        own = [day for _, day in typed_values_of(leaf) if isinstance(day, date)]
        if len(spans) != 1 or not own or len(answer.split()) > _SHORT or "?" in answer:
            return None
        chosen = [day for (_, day), _ in days if isinstance(day, date)]
        # Of which week the Thursday is, the offer tells.
        if all(day.weekday() != own[0].weekday() and not any(str(day) in value for value in taken) for day in chosen):
            return _said_last(leaf, days[0][1])
    return None


def _other_number(leaf: Leaf, exchange: Sequence[Indexed], taken: frozenset[str]) -> Found | None:
    """Another number of what the parameter names: the agent proposes stall 22, and the value is 30."""
    named = frozenset(map(root, tokens_of(leaf.name)))
    for text in exchange if number_of(leaf.value) is not None else ():
        if _says(text, leaf.folded):
            return None
        for hit in NOUN_AND_NUMBER.finditer(text.folded.text[:_READ]):
            if root(hit["noun"]) in named and hit["number"] not in taken:
                return _said_last(leaf, text.span(*hit.span("number")))
    return None


def _said_last(leaf: Leaf, span: Span) -> Found:
    note = f"The last word was “{shortened(span.quote, 60)}”, not “{shortened(leaf.text, 60)}”."
    return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def said_since(leaf: Leaf, source: SourceId, spoken: Sequence[Indexed], taken: frozenset[str]) -> bool:
    """Whether a message of the user's after this one names another value that is written alike, and not this one.

    `spoken` are the user's messages, the latest first.
    """
    if not is_identifier(leaf.text):
        return False
    for text in spoken:
        if text.source.id == source:
            return False
        if not _says(text, leaf.folded) and any(token not in taken for token in _alike(leaf.folded, text)):
            return True
    return False


def _says(text: Indexed, folded: str) -> bool:
    return next(occurrences(text.folded.text, folded), None) is not None


def _alike(folded: str, text: Indexed) -> Iterator[str]:
    """The tokens of a text that are written like the value: as long, with letters and figures in the same places."""
    shape = _shape(folded)
    for hit in _TOKEN.finditer(text.folded.text[:_READ]):
        token = hit.group().rstrip(".")
        like = token != folded and len(token) == len(folded) and _shape(token) == shape
        # Six letters are a booking code in capitals, else a word.
        if like and is_identifier(text.span(hit.start(), hit.start() + len(token)).quote):
            yield token


def _shape(text: str) -> str:
    return re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "a", text))
