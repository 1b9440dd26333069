"""The message that asks says when something begins and how long it takes; the call ends it at another time."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from reviews.provenance.core.places import describe_source
from reviews.provenance.doubts.doubt import Doubt, Rival
from reviews.provenance.doubts.wording import quote_words, word_moment
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.value_mentions import MAX_READ, mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.values.moments import ANY_DAY, moment_of

RULE = "doubts.other_end"
# Seconds: what takes days has another end than a time of day.
_DAY: Final = 86_400


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about an end; None unless one beginning and one length are said, and the value is behind it."""
    text, end = call.text, _moment_of(leaf)
    if end is None or len(text.folded) > MAX_READ or mentions_of(leaf, text):
        return None
    lengths = [length for length in text.durations if length.value < _DAY and not call.is_used(*length.place)]
    begins = {begin: place for begin, place in _said_beginnings(leaf, call) if begin < end}
    if len(lengths) != 1 or len(begins) != 1:
        return None
    (begin, place), length = *begins.items(), lengths[0]
    due = None
    # Beyond the calendar nothing ends.
    with suppress(OverflowError):
        due = begin + timedelta(seconds=float(length.value))
    if due in (None, end):
        return None
    spans = text.span(*place), text.span(*length.place)
    words = " and ".join(quote_words(span, 40) for span in spans)
    end_words = word_moment(due.date() if due.date() != begin.date() else None, due.time(), text.now)
    where = describe_source(text.source.id).capitalize()
    note = f"{where} says {words}, which end at {end_words}; the call ends at {end:%H:%M}. Is that meant?"
    rivals = (Rival(spelling, spans, f"Ends at {end_words}") for spelling in _spell_like(leaf.text, end, due))
    return Doubt(RULE, note, rivals=tuple(rivals))


def _said_beginnings(leaf: Leaf, call: ProposedCall) -> Iterator[tuple[datetime, Place]]:
    """The call's other moments that the message says."""
    for argument in call.leaves:
        call.evidence.budget.spend()
        begin = _moment_of(argument) if argument.pointer != leaf.pointer else None
        if begin and (mentions := mentions_of(argument, call.text)):
            yield begin, mentions[0].place


def _spell_like(value: str, end: datetime, due: datetime) -> Iterator[str]:
    """The moment as the value writes the other one; nothing where that is not plain to see."""
    spelling = value
    for part in ("%Y-%m-%d", "%H:%M"):
        spelling = spelling.replace(end.strftime(part), due.strftime(part))
    day, clock = moment_of(spelling) or (None, None)
    if clock == due.time() and day in (None, due.date()):
        yield spelling


def _moment_of(leaf: Leaf) -> datetime | None:
    """The moment that the value means, if it has a time of day."""
    day, clock = moment_of(leaf.value) or (None, None)
    return datetime.combine(day or ANY_DAY, clock) if clock else None
