"""How a hint quotes: quotation marks hold only what stands there, and what it is read as stands behind them."""

from datetime import date, datetime, time

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.data.sources import SourceText
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.fold import fold
from reviews.provenance.values.moments import moment_of

# Characters of a quotation.
_LONGEST = 60


def quote_words(span: Span, most: int = _LONGEST) -> str:
    """What stands there."""
    return f"“{shorten_text(span.quote, most)}”"


def quote_as_value(span: Span, leaf: Leaf, now: datetime | None) -> str:
    """Words that give a value, and the value where they spell it otherwise."""
    if fold(span.quote) == leaf.folded:
        return quote_words(span)
    moment = moment_of(leaf.value)
    return f"{quote_words(span)} ({word_moment(*moment, now) if moment else shorten_text(leaf.text, _LONGEST)})"


def quote_as_read(span: Span, text: SourceText) -> str:
    """Words of a text, and the day or the time of day that they are read as, where they are written otherwise."""
    text.budget.spend(1 + len(text.moments))
    days, clocks = set(), set()
    for moment in text.moments:
        # No year is known of such a day.
        if moment.day and not moment.any_year and _is_at(moment.day_place or moment.place, span, text):
            days.add(moment.day)
        if moment.clock and _is_at(moment.clock_place or moment.place, span, text):
            clocks.add(moment.clock)
    # What is read in two ways is left to the reader.
    if len(days) + len(clocks) != 1:
        return quote_words(span)
    day, clock = next(iter(days), None), next(iter(clocks), None)
    written = day.isoformat() if day else f"{clock:%H:%M}"
    return quote_words(span) if written in span.quote else f"{quote_words(span)} ({word_moment(day, clock, text.now)})"


def _is_at(place: Place, span: Span, text: SourceText) -> bool:
    there = text.span(*place)
    return there.start < span.end and span.start < there.end


def word_moment(day: date | None, clock: time | None, now: datetime | None) -> str:
    """Such as “28 Nov, 09:30”; the year where it is not that of the trace's clock."""
    year = f" {day.year}" if day and (now is None or day.year != now.year) else ""
    return ", ".join((*([f"{day.day} {day:%b}{year}"] if day else ()), *([f"{clock:%H:%M}"] if clock else ())))
