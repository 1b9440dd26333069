"""Figures of a workspace, day by day: what was proposed, what stopped, how it was decided, how often that was right.

Each day is counted once and kept as additive sums, so that a page about a month reads thirty rows, however many calls
they tell of. Today is counted again every minute, by the sweep. What people say of a call counts once, on the day on
which it was first said, and as it was said last: a correction has that day's labels counted again, and nothing else of
it, as calls that nobody labelled may be gone by then.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Floor, Greatest, Ln
from django.utils import timezone

from reviews.evaluation.measures.detection_rates import Rate
from reviews.models import (
    Action,
    Check,
    DayFigures,
    DecidedBy,
    Decision,
    JudgeSpend,
    Label,
    Outcome,
    Review,
    Status,
    Workspace,
)

# Today's figures are no older, as long as a worker sweeps.
FRESH: Final = timedelta(minutes=1)
# Days that are counted at all: the longest span that a page shows.
MAX_DAYS: Final = 90
# Days of one workspace that one sweep counts: a month of before is there after a few sweeps.
DAYS_AT_ONCE: Final = 5
# Each bucket of seconds is so much wider than the one before: a quantile is right to within a twentieth.
BUCKET_FACTOR: Final = 1.05
MIN_SECONDS: Final = 0.001
# From when a correction is made until it is seen: far longer than any transaction lasts.
_SLACK: Final = timedelta(hours=1)
# Rows of a table by tool or detector that a day keeps, the most frequent.
MAX_NAMES: Final = 50


@dataclass
class Figures:
    """Sums over a day, or over several."""

    proposed: int = 0
    stopped: int = 0
    """Went before a person."""
    passed: int = 0
    """Approved by the guard or a policy."""
    denied: int = 0
    """Rejected by a policy."""
    expired: int = 0
    decided: dict[str, int] = field(default_factory=dict)
    """Outcome of a person's decision -> how many."""
    decision_seconds: dict[str, int] = field(default_factory=dict)
    """Bucket of the time from claim to decision -> how many."""
    check_seconds: dict[str, int] = field(default_factory=dict)
    """Bucket of the time of a check -> how many."""
    tools: dict[str, list[int]] = field(default_factory=dict)
    """Tool -> labelled stops, and how many of them were right to stop."""
    detectors: dict[str, list[int]] = field(default_factory=dict)
    """Detector that objected -> the same."""
    audited: int = 0
    """Calls drawn for audit at which somebody has looked."""
    weight: float = 0
    """Calls that those stand for: the sum of 1 / probability."""
    weight_wrong: float = 0
    """The same of those that were wrong."""
    weight_squared: float = 0
    judge_usd: float = 0
    judge_tokens: int = 0
    waiting: int = 0
    """Items in the queue when the day was last counted."""
    oldest_seconds: float = 0
    """How long the oldest of them had waited then."""

    def add(self, later: "Figures") -> None:
        """Count the other's sums in. What waits is the later one's."""
        for name in (column.name for column in fields(self)):
            mine, theirs = getattr(self, name), getattr(later, name)
            if isinstance(mine, dict):
                for key, value in theirs.items():
                    mine[key] = _add_up(mine.get(key), value)
            elif name in ("waiting", "oldest_seconds"):
                setattr(self, name, theirs)
            else:
                setattr(self, name, mine + theirs)

    @property
    def people_decided(self) -> int:
        """Decisions of people."""
        return sum(self.decided.values())

    @property
    def miss_rate(self) -> Rate:
        """The share of wrong calls among those that passed, each looked at counted by 1 / its probability.

        Over the effective number of looks, so that Wilson's interval tells how little a few heavy ones say.
        """
        if not self.weight:
            return Rate(0, 0)
        effective = self.weight**2 / self.weight_squared
        return Rate(effective * self.weight_wrong / self.weight, effective)  # type: ignore[arg-type]

    def quantile(self, share: float, *, of: str) -> float | None:
        """Seconds within which this share of decisions or checks ended; None without any."""
        return quantile_of(getattr(self, of), share)


def _add_up(mine: Any, theirs: Any) -> Any:
    if mine is None:
        return theirs
    return [a + b for a, b in zip(mine, theirs, strict=True)] if isinstance(theirs, list) else mine + theirs


def quantile_of(buckets: Mapping[str, int], share: float) -> float | None:
    """The middle of the bucket in which this share is reached; None without any."""
    total, reached = sum(buckets.values()), 0
    for bucket in sorted(map(int, buckets)):
        reached += buckets[str(bucket)]
        if reached >= share * total:
            return float(MIN_SECONDS * BUCKET_FACTOR ** (bucket + 0.5))
    return None


def add_up(rows: Iterable[DayFigures]) -> Figures:
    """The sums of these days, the earliest first."""
    total = Figures()
    for row in rows:
        total.add(read_figures(row))
    return total


def read_figures(row: DayFigures) -> Figures:
    """The figures of a row; those that an older version did not count are 0."""
    names = {column.name for column in fields(Figures)}
    return Figures(**{name: value for name, value in row.figures.items() if name in names})


def refresh_figures(workspace: Workspace) -> int:
    """Count the latest days that are not counted to their end. Returns how many were; harmless to repeat."""
    now = timezone.now()
    today = now.astimezone(UTC).date()
    first = max(today - timedelta(days=MAX_DAYS - 1), workspace.created_at.date())
    rows = DayFigures.objects.filter(workspace=workspace, day__gte=first)
    counted = dict(rows.values_list("day", "counted_at"))
    days = [today - timedelta(days=back) for back in range((today - first).days + 1)]
    due = [day for day in days if _is_due(day, counted.get(day), now)][:DAYS_AT_ONCE]
    for day in due:
        DayFigures.objects.update_or_create(
            workspace=workspace,
            day=day,
            defaults={"figures": asdict(count_day(workspace, day)), "counted_at": now},
        )
    return len(due) + _recount_corrected(workspace, counted, now)


def _recount_corrected(workspace: Workspace, counted: Mapping[date, datetime], now: datetime) -> int:
    """Count the labels of earlier days again that were corrected since. Returns how many days that were."""
    if not counted:
        return 0
    earlier = Label.objects.filter(action=OuterRef("action"), pk__lt=OuterRef("pk")).order_by("pk")
    said_again = Label.objects.filter(workspace=workspace, pk__gte=_first_key(max(counted.values()) - _SLACK))
    corrected_at: dict[date, datetime] = {}
    corrections = said_again.annotate(first=Subquery(earlier.values("created_at")[:1])).filter(first__isnull=False)
    for first, at in corrections.order_by("pk").values_list("first", "created_at"):
        corrected_at[first.astimezone(UTC).date()] = at
    rows = DayFigures.objects.filter(workspace=workspace, day__in=corrected_at)
    stale = [row for row in rows if row.counted_at < corrected_at[row.day] + FRESH]
    for row in stale:
        row.figures, row.counted_at = asdict(replace(read_figures(row), **_count_labels(workspace, row.day))), now
        row.save(update_fields=["figures", "counted_at"])
    return len(stale)


def refresh_all() -> int:
    """Refresh every workspace. Returns how many days were counted."""
    return sum(refresh_figures(workspace) for workspace in Workspace.objects.filter(sandbox_of=None).order_by("pk"))


def _is_due(day: date, counted_at: datetime | None, now: datetime) -> bool:
    """Whether a day has to be counted, again or at all. A day is final an hour behind its end: late reports are in."""
    if counted_at is None:
        return True
    end = datetime.combine(day, time.min, UTC) + timedelta(days=1, hours=1)
    return counted_at < end and now - counted_at >= FRESH


def count_day(workspace: Workspace, day: date) -> Figures:
    """Count one day from the rows, each by an index over the time at which it was made."""
    start = datetime.combine(day, time.min, UTC)
    end = start + timedelta(days=1)
    figures = Figures(**_count_labels(workspace, day))
    _count_actions(figures, workspace, start, end)
    _count_decisions(figures, workspace, start, end)
    checks = Check.objects.filter(_made_between(start, end), action__workspace=workspace, seconds__isnull=False)
    figures.check_seconds = _bucket_counts(checks, "seconds")
    spend = JudgeSpend.objects.filter(workspace=workspace, day=day).first()
    if spend is not None:
        figures.judge_usd, figures.judge_tokens = float(spend.usd), spend.tokens
    _count_waiting(figures, workspace)
    return figures


def _made_between(start: datetime, end: datetime) -> Q:
    """Rows whose time-ordered key was made then: found by the primary key, where no index has the time."""
    return Q(pk__gte=_first_key(start), pk__lt=_first_key(end))


def _first_key(moment: datetime) -> UUID:
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def _count_actions(figures: Figures, workspace: Workspace, start: datetime, end: datetime) -> None:
    actions = Action.objects.filter(workspace=workspace, created_at__gte=start, created_at__lt=end)
    went = Exists(Review.objects.filter(action=OuterRef("pk")))
    counts = actions.aggregate(
        proposed=Count("pk"), stopped=Count("pk", filter=went), expired=Count("pk", filter=Q(status=Status.EXPIRED))
    )
    figures.proposed, figures.stopped, figures.expired = counts["proposed"], counts["stopped"], counts["expired"]


def _count_decisions(figures: Figures, workspace: Workspace, start: datetime, end: datetime) -> None:
    decisions = Decision.objects.filter(_made_between(start, end), action__workspace=workspace, in_force=True)
    by_person = decisions.filter(decided_by=DecidedBy.REVIEWER)
    alone = decisions.filter(decided_by__in=(DecidedBy.GUARD, DecidedBy.POLICY)).order_by()
    outcomes = dict(alone.values_list("outcome").annotate(rows=Count("pk")))
    figures.passed, figures.denied = outcomes.get(Outcome.APPROVE, 0), outcomes.get(Outcome.REJECT, 0)
    figures.decided = dict(by_person.order_by().values_list("outcome").annotate(rows=Count("pk")))
    figures.decision_seconds = _bucket_counts(by_person.filter(seconds_to_decide__isnull=False), "seconds_to_decide")


def _count_labels(workspace: Workspace, day: date) -> dict[str, Any]:
    """What labels say of the calls that were first labelled on this day, by the names of `Figures`."""
    start = datetime.combine(day, time.min, UTC)
    earlier = Label.objects.filter(action=OuterRef("action"), pk__lt=OuterRef("pk"))
    first = Label.objects.filter(_made_between(start, start + timedelta(days=1)), ~Exists(earlier), workspace=workspace)
    labels = Label.objects.filter(action__in=first.values("action")).order_by("pk")
    # Written over from the oldest to the latest: a second look is no second stop.
    latest = {action: (tool, right) for action, tool, right in labels.values_list("action", "action__tool", "aligned")}
    stopped = set(Review.objects.filter(action__in=latest).values_list("action", flat=True))
    objecting = Check.objects.enforced().filter(action__in=stopped).exclude(verdict__in=("", "aligned"))
    objections = objecting.values_list("detector", "action")
    drawn = Decision.objects.filter(action__in=latest, audit_probability__isnull=False)
    likely = drawn.values_list("action", "audit_probability")
    weights = {action: 1 / probability for action, probability in likely if probability}
    return {
        "tools": _count_stops(latest[action] for action in stopped),
        "detectors": _count_stops((detector, latest[action][1]) for detector, action in objections),
        "audited": len(weights),
        "weight": math.fsum(weights.values()),
        "weight_wrong": math.fsum(weight for action, weight in weights.items() if not latest[action][1]),
        "weight_squared": math.fsum(weight**2 for weight in weights.values()),
    }


def _count_stops(stops: Iterable[tuple[str, bool]]) -> dict[str, list[int]]:
    """By name how many calls were stopped, and how many of them were wrong; of names and whether the call was right."""
    stopped, rightly = Counter[str](), Counter[str]()
    for name, is_call_right in stops:
        stopped[name] += 1
        rightly[name] += not is_call_right
    return {name: [rows, rightly[name]] for name, rows in stopped.most_common(MAX_NAMES)}


def _count_waiting(figures: Figures, workspace: Workspace) -> None:
    waiting = Review.objects.filter(workspace=workspace, closed_at__isnull=True)
    figures.waiting = waiting.count()
    oldest = waiting.order_by("created_at").values_list("created_at", flat=True).first()
    figures.oldest_seconds = (timezone.now() - oldest).total_seconds() if oldest else 0


def _bucket_counts(rows: QuerySet[Any], column: str) -> dict[str, int]:
    """How many rows fall into each bucket of seconds."""
    seconds = Greatest(F(column) / Value(MIN_SECONDS), Value(1.0), output_field=FloatField())
    bucket = Floor(Ln(seconds) / Value(math.log(BUCKET_FACTOR)), output_field=FloatField())
    counted = rows.annotate(bucket=bucket).order_by().values_list("bucket").annotate(rows=Count("pk"))
    return {str(int(number)): count for number, count in counted}
