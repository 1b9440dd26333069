"""Of a day with its time of day the message that asks says one, and no other in place of the second."""

from itertools import chain, islice, pairwise
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.core.places import describe_source
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_as_value, quote_words
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.readings.mentions import find_readings, may_mean
from reviews.provenance.terms.search import fields_with
from reviews.provenance.terms.value_mentions import mentions_of, spans_with
from reviews.provenance.text.boundaries import overlaps
from reviews.provenance.text.names import tokens_of
from reviews.provenance.text.replies import WORD
from reviews.provenance.values.moments import moment_of

RULE = "doubts.part_of_moment"
# Words in a row that may say a time of day between two hours, and places at which they may begin.
_MAX_ROW: Final = 3
_MAX_PLACES: Final = 128
_STEPS_A_PLACE: Final = 8


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a moment of which the request says only the day, or only the time of day, and nobody both."""
    day, clock = moment_of(leaf.value) or (None, None)
    if day is None or clock is None or any(mentions_of(leaf, message) for message in call.evidence.user_messages):
        return None
    stated, missing = Leaf(day.isoformat(), leaf.pointer), Leaf(f"{clock:%H:%M}", leaf.pointer)
    of_day, of_clock = _find_said(stated, call), _find_said(missing, call)
    if (span := of_day or of_clock) is None or (of_day and of_clock) or says_another_part(call, is_day=not of_day):
        return None
    stated, missing = (stated, missing) if of_day else (missing, stated)
    where = f"{describe_source(span.source).capitalize()} says the {'day' if of_day else 'time'}"
    words = f"{where}, {quote_as_value(span, stated, call.text.now)}"
    if read := find_words_for(missing, call):
        return Doubt(RULE, f"{words}; does {quote_words(read)} say {missing.text}?", spans=(span, read))
    return Doubt(RULE, f"{words}; {_word_source(missing, leaf, call)}. Is it meant?", nearest=span)


def find_words_for(leaf: Leaf, call: ProposedCall) -> Span | None:
    """Words in a row that may say a time between two hours to whoever reads them: "half past nine".

    They end with the hour, no counted thing follows it, and one of them is neither a preposition nor the tool's own.
    """
    folded = call.text.folded
    words = list(islice(WORD.finditer(folded), _MAX_PLACES))
    call.evidence.budget.spend(1 + _STEPS_A_PLACE * len(words))
    # What is read as a moment already says no other one: "2026-06-03 at 09:00".
    read = [moment.place for moment in call.text.moments if moment.clock]
    idle_words = PREPOSITIONS | ARTICLES | set(tokens_of(call.tool))
    for at, after in enumerate([*words[1:], None], start=1):
        row = words[max(0, at - _MAX_ROW) : at]
        while any(folded[word.end() : following.start()] != " " for word, following in pairwise(row)):
            del row[0]
        start, end, leading = row[0].start(), row[-1].end(), [word[0] for word in row[:-1]]
        is_counting = after and folded[end : after.start()] == " " and after[0] not in PREPOSITIONS
        if is_counting or idle_words.issuperset(leading) or overlaps(read, start, end):
            continue
        span = call.text.span(start, end)
        if may_mean(leaf, span.quote, call.evidence) and not may_mean(leaf, " ".join(leading), call.evidence):
            return span
    return None


def _find_said(part: Leaf, call: ProposedCall) -> Span | None:
    """Where the message says this part, or what reads so."""
    readings = (call.text.span(*place) for place in find_readings(part, call.text, call.evidence))
    return next((span for span in chain(spans_with(part, call.text), readings) if not is_of_another(span, call)), None)


def is_of_another(span: Span, call: ProposedCall) -> bool:
    """Whether these figures of the request are another value of the call: the 5 of "5 seats" is no time of day."""
    is_figure = span.source == call.text.source.id and span.quote.isdigit()
    return is_figure and call.is_used(span.start, span.end)


def says_another_part(call: ProposedCall, *, is_day: bool) -> bool:
    """Whether the message says a day, or a time of day, that no argument takes up."""
    call.evidence.budget.spend(1 + len(call.text.moments))
    places = (
        (moment.day_place if is_day else moment.clock_place) or moment.place
        for moment in call.text.moments
        if (moment.day if is_day else moment.clock) is not None
    )
    return any(not call.is_used(*place) for place in places)


def _word_source(missing: Leaf, leaf: Leaf, call: ProposedCall) -> str:
    """Where else the rest stands, or that it does not."""
    for text in call.evidence.data:
        for field in chain(fields_with(leaf, text), fields_with(missing, text)):
            return f"{missing.text} stands in {describe_source(field.span.source)}"
    for message in call.evidence.user_messages:
        for span in spans_with(missing, message):
            return f"{describe_source(span.source)} says {quote_words(span)}"
    return f"{missing.text} has no source"
