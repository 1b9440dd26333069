"""Whether what was looked up shows a claim about numbers by day to hold."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeAlias

from reviews.provenance.core.context import Span
from reviews.provenance.grounding.conditions.claims import Growth, Sum, Threshold, Versus
from reviews.provenance.grounding.conditions.lookups import Lookup, Lookups, merged
from reviews.provenance.grounding.conditions.scope import Request
from reviews.provenance.records.series import Point
from reviews.provenance.values.moment import MONTHS, WEEKDAYS

Points: TypeAlias = dict[date, Point]
# Words between a thing and what is said of it.
_FILLING = frozenset(
    [*"was were is are be been it they has have had might may ever any on did".split(), *WEEKDAYS, *MONTHS]
)
# "If it grew" speaks of what was named last.
_PRONOUNS = frozenset({"it", "they", "that", "this"})
# A mention that begins so names a period, not a day.
_LASTING = ("last ", "past ", "previous ")


@dataclass(frozen=True)
class Answer:
    """What the numbers show about a claim."""

    holds: bool
    note: str
    spans: tuple[Span, ...]


def answer_by_numbers(claim: Threshold | Versus | Growth | Sum, request: Request, lookups: Lookups) -> Answer | None:
    """Whether the claim holds, when every reading of it gives the same answer; None when the data do not tell."""
    match claim:
        case Threshold():
            return _threshold(claim, request, lookups)
        case Versus():
            return _versus(claim, request, lookups)
        case Growth():
            return _growth(claim, request, lookups)
        case Sum():
            return _sum(claim, request, lookups)


def metric_of(lookups: Lookups, metric: tuple[str, ...]) -> tuple[Lookup, ...]:
    """The lookups of what a claim speaks of; of an "it" those of the only thing looked up."""
    named = lookups.at_end(tuple(word for word in metric if word not in _FILLING))
    candidates = [lookup for lookup in lookups.all if lookup.points]
    kinds = {lookup.step.tool for lookup in candidates}
    return named or (tuple(candidates) if len(kinds) == 1 and _PRONOUNS.intersection(metric) else ())


def _threshold(claim: Threshold, request: Request, lookups: Lookups) -> Answer | None:
    points = _since(request, merged(metric_of(lookups, claim.metric)))
    if not points or not _reaches_today(request, points):
        return None
    meeting = [p for p in points.values() if (p.value > claim.limit if claim.above else p.value < claim.limit)]
    if not meeting:
        closest = (max if claim.above else min)(points.values(), key=lambda point: point.value)
        return Answer(
            False, f"The {'highest' if claim.above else 'lowest'} is {_plain(closest.value)}.", (closest.span,)
        )
    if claim.anytime or len(meeting) == len(points):
        return Answer(True, f"It is met by {_plain(meeting[0].value)} on {meeting[0].day}.", (meeting[0].span,))
    return None


def _versus(claim: Versus, request: Request, lookups: Lookups) -> Answer | None:
    points = merged(metric_of(lookups, claim.metric))
    if not points:
        return None
    current = _current(claim, request, points)
    if current is None:
        return None
    before = [day for day in _days_within(request, claim.base) if day in points and day < current.day]
    base = points[max(before)] if before else None
    if base is None or not base.value:
        return None
    later = [p for p in points.values() if p.day > base.day] if claim.past else [current]
    changes = [(point.value / base.value - 1) * 100 for point in later]
    answers = {(change if claim.above else -change) > claim.percent for change in changes}
    if len(answers) != 1:
        return None
    note = f"{_plain(current.value)} on {current.day} against {_plain(base.value)} on {base.day}."
    return Answer(answers.pop(), note, (base.span, current.span))


def _current(claim: Versus, request: Request, points: Points) -> Point | None:
    """The point compared: that of the day named, else the latest, if it is recent enough to be called so."""
    if claim.current:
        days = [day for day in _days_within(request, claim.current) if day in points]
        return points[max(days)] if days else None
    latest = max(points)
    today = request.text.now.date() if request.text.now else None
    return points[latest] if today is None or latest >= today - timedelta(days=1) else None


def _growth(claim: Growth, request: Request, lookups: Lookups) -> Answer | None:
    one = _since(request, merged(lookups.latest(claim.metric)))
    other = _since(request, merged(lookups.at_start(claim.other)))
    if not one or not other or (min(one), max(one)) != (min(other), max(other)):
        return None
    (a, b), (c, d) = ((points[min(points)], points[max(points)]) for points in (one, other))
    if not a.value or not c.value:
        return None
    answers = {b.value / a.value > d.value / c.value, b.value - a.value > d.value - c.value}
    if len(answers) != 1:
        return None
    went = [f"from {_plain(start.value)} to {_plain(end.value)}" for start, end in ((a, b), (c, d))]
    note = f"One went {went[0]}, the other {went[1]}."
    return Answer(answers.pop(), note, (a.span, b.span, c.span, d.span))


def _sum(claim: Sum, request: Request, lookups: Lookups) -> Answer | None:
    one = _since(request, merged(lookups.at_end(claim.metric)))
    other = _since(request, merged(lookups.at_start(claim.other)))
    if not one or not other or one.keys() != other.keys() or not _reaches_today(request, one):
        return None
    first = min(one)
    answers = {_total(one, skip) > _total(other, skip) for skip in (None, first)}
    if len(answers) != 1:
        return None
    spans = tuple(points[day].span for points in (one, other) for day in (first, max(one)))
    note = f"The sums are {_plain(_total(one, None))} against {_plain(_total(other, None))}."
    return Answer(answers.pop(), note, spans)


def _total(points: Points, skip: date | None) -> Decimal:
    return sum((point.value for day, point in points.items() if day != skip), Decimal(0))


def _since(request: Request, points: Points | None) -> Points:
    """The points from the day on with which the period starts; all when the request names no start."""
    opening = _opening(request)
    return {day: point for day, point in (points or {}).items() if opening is None or day >= opening}


def _reaches_today(request: Request, points: Points) -> bool:
    """Whether the points reach from the start of the period to the present."""
    opening, now = _opening(request), request.text.now
    begun = opening is None or min(points) <= opening + timedelta(days=1)
    return begun and (now is None or max(points) >= now.date() - timedelta(days=1))


def _opening(request: Request) -> date | None:
    """The day from which on the request speaks of something, the latest of its readings that is past."""
    text, folded = request.text, request.text.folded.text
    today = text.now.date() if text.now else None
    mentions = [(m.day, folded[max(0, m.start - 6) : m.start], folded[m.start : m.end]) for m in text.moments if m.day]
    opened = [
        day
        for day, before, words in mentions
        if before == "since " and words != "since" and (today is None or day < today)
    ]
    lasting = [day for day, _, words in mentions if words.startswith(_LASTING)]
    return max(opened) if opened else min(lasting, default=None)


def _days_within(request: Request, place: tuple[int, int]) -> list[date]:
    """The days that a stretch of the request may name."""
    start, end = place
    return [m.day for m in request.text.moments if m.day and start <= m.start and m.end <= end]


def _plain(number: Decimal) -> str:
    return f"{number:.4g}" if number != number.to_integral_value() else f"{number:f}"
