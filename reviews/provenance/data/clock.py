"""What time it is for a request: as the submission tells, else as its texts tell."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo

from reviews.provenance.core.context import Context, SourceId, Step
from reviews.provenance.core.trust import TRUSTED, SourceKind
from reviews.provenance.data.literals import literals_in, scalars_of
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import local_name, tokens_of
from reviews.provenance.text.replies import WORD
from reviews.provenance.values.locales import weekday_abbreviations, weekday_names
from reviews.provenance.values.moments import datetime_of, moment_of, moments_in
from reviews.provenance.values.zones import zone_stated_in

# How a text states the present, which is more than mentioning a day.
_STATES = re.compile(
    r"\b(?:to-?day(?:'s date)?|(?:the )?(?:current|present) (?:date|time|day|moment)(?: and time)?"
    r"|(?:the )?(?:date|time)"
    r"(?: and time)? (?:now|today|is now|right now)|now|it)\b(?: is| are|'s|=|:| was set to)+\s*"
)
# Characters behind such words in which the day and the time stand.
_NEAR = 60
# Characters on either side of a day in which its weekday stands.
_BESIDE = 16
# Characters of a time of day: a shorter mention is a bare number.
_MIN_CLOCK = 2
# Characters of a text that are read for the date: it is stated early.
_READ = 20_000
# Words that name a time, of which a clock's name needs one.
_TIME_WORDS = frozenset("date time datetime day timestamp clock now today".split())
# Words besides those for time in the name of a tool that does nothing but tell the time.
_ASKING = frozenset("get fetch read what show tell current check my the system local of".split())


@dataclass(frozen=True)
class Clock:
    """The present moment."""

    now: datetime | None
    source: SourceId | None = None
    """The text that states it; None where the submission itself tells, or nothing does."""


def clock_of(context: Context) -> Clock:
    """The submission's own clock, else what the system prompt or the latest look-up of the time states."""
    if context.now is not None:
        return Clock(context.now)
    for position, item in reversed(list(enumerate(context.history, start=1))):
        if isinstance(item, Step) and item.outcome and (now := _time_returned(item)):
            return Clock(now, f"history/{position}/outcome")
    for source in context.sources.values():
        if source.kind is SourceKind.SYSTEM_PROMPT and (now := _time_stated(fold(source.text[:_READ]))):
            return Clock(now, source.id)
    return Clock(None)


def presume_clock(prompts: Iterable[str]) -> datetime | None:
    """The one day that the folded system prompts name beside its weekday or with a time of day, in any language.

    That is most likely the present: enough to tell a judge what "Friday" may be, and not to prove it.
    """
    by_day: dict[date, datetime] = {}
    for text in prompts:
        for moment in moments_in(text[:_READ], None):
            day = None if moment.any_year else moment.day
            if day and (moment.clock or _stands_by_weekday(day, *moment.place, text)):
                by_day.setdefault(day, datetime.combine(day, moment.clock or time()))
    return next(iter(by_day.values())) if len(by_day) == 1 else None


def _stands_by_weekday(day: date, start: int, end: int, text: str) -> bool:
    """Whether the day's own weekday stands beside it."""
    beside = f"{text[max(0, start - _BESIDE) : start]}|{text[end : end + _BESIDE]}"
    is_named = any(name in beside for name, weekday in weekday_names().items() if weekday == day.weekday())
    short = (weekday_abbreviations().get(word, ()) for word in WORD.findall(beside))
    return is_named or any(day.weekday() in numbers for numbers in short)


def zone_of(context: Context) -> tzinfo | None:
    """The time zone that the user or the system prompt states, if one does."""
    trusted = (source.text for source in context.sources.values() if source.kind in TRUSTED)
    return next(filter(None, map(zone_stated_in, trusted)), None)


def _time_stated(folded: str) -> datetime | None:
    """The moment that a text says is now."""
    for hit in _STATES.finditer(folded):
        near = list(moments_in(folded[hit.end() : hit.end() + _NEAR], None))
        days = [moment for moment in near if moment.day and not moment.any_year and moment.start <= _NEAR // 2]
        first = min(days, key=lambda moment: moment.start, default=None)
        if first and first.day:
            # A time of day may stand behind its day as a mention of its own; a bare number is no hour.
            clocks = (moment.clock for moment in near if moment.clock and moment.end - moment.start > _MIN_CLOCK)
            return datetime.combine(first.day, first.clock or next(clocks, time()))
    return None


def _time_returned(step: Step) -> datetime | None:
    """What a tool that tells the time returned."""
    words = set(tokens_of(local_name(step.tool)))
    if not (words & _TIME_WORDS and words <= _TIME_WORDS | _ASKING) or step.arguments:
        return None
    outcome = (step.outcome or "")[:_READ]
    values = [scalar.text for branch in literals_in(outcome) for scalar in scalars_of(branch)] or [outcome.strip()]
    # Behind the seconds a value may have fractions or a zone of any spelling.
    moments = (datetime_of(value[:19] if moment_of(value[:19]) else value) for value in values)
    return next(filter(None, moments), None)
