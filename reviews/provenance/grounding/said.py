"""What one source says: a value copied from it, or written there another way."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from itertools import islice, pairwise

from reviews.provenance.context import Span
from reviews.provenance.grounding.boundaries import occurrences, stands_alone
from reviews.provenance.grounding.dates import Moment, moment_of
from reviews.provenance.grounding.durations import seconds_of
from reviews.provenance.grounding.index import Indexed
from reviews.provenance.grounding.leaf import Leaf
from reviews.provenance.grounding.numbers import number_of
from reviews.provenance.grounding.results import Found
from reviews.provenance.relations import Grounding

_GAP = r"[\W_]{1,8}"
_WORDS = 300
"""Longest text, in words, that is compared word by word."""
_PHONE = re.compile(r"\+?\(?\d[\d ().-]{5,18}\d")
_MENTIONS = 64
_NEAR = 16
"""Characters between a day and a time of day that belong together."""
_DAY_BOUNDS = (time(0, 0), time(23, 59), time(23, 59, 59))


def say(leaf: Leaf, text: Indexed) -> Found | None:
    """The value as this source says it, by the most literal method that finds it."""
    for method in _METHODS:
        if found := method(leaf, text):
            return found
    return None


def where(source: str) -> str:
    """A source id in words."""
    kind, _, rest = source.partition("/")
    match kind:
        case "query":
            return "the request"
        case "history":
            position, _, part = rest.partition("/")
            return f"message {position}" if part == "message" else f"history {position}"
        case "tool":
            return f"the document of {rest}"
    return f"“{rest}”"


def _copied(leaf: Leaf, text: Indexed) -> Found | None:
    if not isinstance(leaf.value, str):
        return None
    for at in occurrences(text.plain.text, leaf.text):
        return _found(Grounding.COPY, text.plain_span(at, at + len(leaf.text)))
    return None


def _reworded(leaf: Leaf, text: Indexed) -> Found | None:
    if not isinstance(leaf.value, str) or not 0 < len(leaf.words) <= _WORDS or _only_digits(leaf.words):
        return None
    for hit in re.finditer(_words_pattern(leaf.words), text.folded.text):
        if stands_alone(text.folded.text, *hit.span()):
            return _found(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _words_pattern(words: tuple[str, ...]) -> str:
    # Two whole words may be written as one ("front end", "frontend"), digits never.
    gaps = (
        r"[\W_]{0,8}" if min(len(left), len(right)) > 1 and (left + right).isalpha() else _GAP
        for left, right in pairwise(words)
    )
    return "".join(part for word, gap in zip(words, [*gaps, ""], strict=True) for part in (re.escape(word), gap))


def _counted(leaf: Leaf, text: Indexed) -> Found | None:
    number = number_of(leaf.value)
    if number is None:
        return None
    mention = text.numbers.get(number)
    if mention:
        span = text.span(mention.start, mention.end)
        return _found(Grounding.COPY if span.quote == leaf.text else Grounding.NORMALIZE, span)
    mention = text.numbers.get(number / 100) if re.search(r"\bcents?\b|minor unit", leaf.hint, re.I) else None
    return _found(Grounding.NORMALIZE, text.span(mention.start, mention.end)) if mention else None


def _dated(leaf: Leaf, text: Indexed) -> Found | None:
    meant = moment_of(leaf.value)
    if meant is None:
        return None
    day, clock = meant
    days, clocks = days_on(text, day), clocks_at(text, day, clock)
    if day is None:
        return _found(Grounding.NORMALIZE, _span(text, clocks[0])) if clocks else None
    if clock is None or (not clocks and clock in _DAY_BOUNDS):
        return _found(Grounding.NORMALIZE, _span(text, days[0])) if days else None
    pairs = [(d, c) for d in days for c in clocks]
    if not pairs:
        return None
    return _pair(text, *min(pairs, key=lambda pair: _distance(*pair)))


def _pair(text: Indexed, day: Moment, clock: Moment) -> Found:
    if _distance(day, clock) <= _NEAR:
        return _found(Grounding.NORMALIZE, text.span(min(day.start, clock.start), max(day.end, clock.end)))
    spans = (_span(text, day), _span(text, clock))
    return Found(Grounding.DERIVE, spans, "The day and the time are both in " + where(text.source.id) + ".")


def days_on(text: Indexed, day: date | None) -> list[Moment]:
    """The mentions of a day."""
    return list(islice((m for m in text.moments if day is not None and m.on(day)), _MENTIONS))


def clocks_at(text: Indexed, day: date | None, clock: time | None) -> list[Moment]:
    """The mentions of a time of day that are not fixed to another day."""
    told = (m for m in text.moments if clock is not None and m.clock == clock and not _on_another_day(text, m, day))
    return list(islice(told, _MENTIONS))


def _on_another_day(text: Indexed, clock: Moment, day: date | None) -> bool:
    bound = text.days_before.get(clock.start, ())
    return day is not None and bool(bound) and not any(m.on(day) for m in bound)


def _lasting(leaf: Leaf, text: Indexed) -> Found | None:
    lengths = seconds_of(leaf.value, leaf.hint)
    for mention in text.durations if lengths else ():
        if mention.seconds in lengths:
            return _found(Grounding.NORMALIZE, text.span(mention.start, mention.end))
    return None


def _ending(leaf: Leaf, text: Indexed) -> Found | None:
    """A start and a length in the same source give an end."""
    meant = moment_of(leaf.value)
    if meant is None or meant[1] is None or not text.durations:
        return None
    end = datetime.combine(meant[0] or date(2000, 1, 3), meant[1])
    for length in text.durations:
        start = end - timedelta(seconds=int(length.seconds)) if length.seconds < 604800 else end  # noqa: PLR2004
        clocks = clocks_at(text, meant[0] and start.date(), start.time()) if start < end else []
        days = days_on(text, start.date())
        if clocks and (days or meant[0] is None):
            spans = (*(_span(text, m) for m in (*days[:1], clocks[0])), text.span(length.start, length.end))
            return Found(Grounding.DERIVE, spans, "The start and the length give this end.")
    return None


def _dialled(leaf: Leaf, text: Indexed) -> Found | None:
    if not isinstance(leaf.value, str) or not _PHONE.fullmatch(leaf.text):
        return None
    wanted = _digits(leaf.text)
    for hit in _PHONE.finditer(text.folded.text):
        if _same_phone(wanted, _digits(hit.group())) and stands_alone(text.folded.text, *hit.span()):
            return _found(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _same_phone(one: str, other: str) -> bool:
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return one == other or (len(shorter) >= 9 and longer.endswith(shorter.lstrip("0")))  # noqa: PLR2004


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _only_digits(words: tuple[str, ...]) -> bool:
    return all(word.isdigit() for word in words)


def _distance(one: Moment, other: Moment) -> int:
    return max(one.start, other.start) - min(one.end, other.end)


def _span(text: Indexed, moment: Moment) -> Span:
    return text.span(moment.start, moment.end)


def _found(how: Grounding, span: Span) -> Found:
    place = where(span.source)
    note = (
        f"Copied from {place}."
        if how is Grounding.COPY
        else f"{place[0].upper()}{place[1:]} says “{_short(span.quote)}”."
    )
    return Found(how, (span,), note)


def _short(quote: str) -> str:
    return quote if len(quote) <= 60 else f"{quote[:57]}…"  # noqa: PLR2004


_METHODS: tuple[Callable[[Leaf, Indexed], Found | None], ...] = (
    _copied,
    _counted,
    _dated,
    _lasting,
    _dialled,
    _reworded,
    _ending,
)
