"""What stands, read from the database when somebody looks: the same figures from whichever process is asked."""

import logging
from collections.abc import Iterator
from typing import Final

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, F, Min, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import RedisError

from reviews.models import Check, CheckMode, CheckStatus, JudgeSpend, Plan, Review
from reviews.scheduling import heartbeat, progress

_log = logging.getLogger(__name__)

# Everything below is answered from partial indexes over open rows, but a flood of them must not make a scrape hang:
# Prometheus gives up after ten seconds by default.
STATEMENT_MILLISECONDS: Final = 5_000


class DatabaseGauges(Collector):
    """Gauges over the tables. What cannot be read is left out: an old figure would mislead."""

    def collect(self) -> Iterator[Metric]:
        """Each figure once, without any workspace's, agent's or tool's name."""
        for figures in (_from_database, _worker_alive):
            try:
                yield from figures()
            except (DatabaseError, RedisError):
                _log.warning("some figures cannot be read", exc_info=True)

    def describe(self) -> list[Metric]:
        """Nothing: to be registered must not cost queries."""
        return []


def gauge_registry() -> CollectorRegistry:
    """A registry of these figures alone."""
    figures = CollectorRegistry()
    figures.register(DatabaseGauges())
    return figures


class ThreadDatabaseGauges(DatabaseGauges):
    """The same for a thread that Django does not look after."""

    def collect(self) -> Iterator[Metric]:
        """As `DatabaseGauges` does; the connection goes back behind it."""
        try:
            yield from super().collect()
        finally:
            connection.close()


def _from_database() -> list[Metric]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {STATEMENT_MILLISECONDS}")
        return [*_review_gauges(), *_check_gauges(), *_judge_gauges()]


def _worker_alive() -> list[Metric]:
    return [
        _make_gauge("guard_worker_alive", "1 while some worker gave a sign lately.", float(heartbeat.is_worker_alive()))
    ]


def _review_gauges() -> Iterator[Metric]:
    """What waits for a person."""
    waiting = Review.objects.filter(closed_at__isnull=True)
    row = waiting.aggregate(number=Count("pk"), since=Min("created_at"), claimed=Count("claimed_by"))
    yield _make_gauge("guard_reviews_open", "Calls that wait for a person.", row["number"])
    yield _make_gauge("guard_reviews_claimed", "Of these, how many somebody has in hand.", row["claimed"])
    age = (timezone.now() - row["since"]).total_seconds() if row["since"] else 0.0
    yield _make_gauge("guard_review_oldest_seconds", "Age of the oldest.", age)


def _check_gauges() -> Iterator[Metric]:
    """What waits for a worker, and whether it moves."""
    unfinished = GaugeMetricFamily(
        "guard_checks_unfinished", "Checks and plans without a verdict.", labels=["kind", "status"]
    )
    # All of them, also those of which there is none: a series that comes and goes cannot be watched.
    counts = dict.fromkeys(
        (
            (kind, status)
            for kind in (*CheckMode.values, "plan")
            for status in (CheckStatus.QUEUED, CheckStatus.RUNNING)
        ),
        0,
    )
    counted = Check.objects.unfinished().values_list("mode", "status").annotate(number=Count("pk"))
    counts |= {(mode, status): number for mode, status, number in counted}
    plans = Plan.objects.exclude(status=CheckStatus.DONE).values_list("status").annotate(number=Count("pk"))
    counts |= {("plan", status): number for status, number in plans}
    for (kind, status), number in counts.items():
        unfinished.add_metric([str(kind), str(status)], number)
    yield unfinished
    moving = progress.measure_progress()
    yield _make_gauge(
        "guard_check_oldest_waiting_seconds",
        "Since the enforced check or plan that waits longest could have begun.",
        moving.oldest_waiting_seconds,
    )
    yield _make_gauge(
        "guard_checks_killed_last_hour", "Checks whose process had to be killed.", moving.killed_last_hour
    )


def _judge_gauges() -> Iterator[Metric]:
    """What all workspaces together have spent today (UTC), with what is in flight charged at its most."""
    today = JudgeSpend.objects.filter(day=JudgeSpend.today())
    spent = today.aggregate(calls=Sum("calls"), tokens=Sum(F("prompt_tokens") + F("completion_tokens")), usd=Sum("usd"))
    yield _make_gauge("guard_judge_calls_today", "Calls of the judge charged today (UTC).", spent["calls"])
    yield _make_gauge("guard_judge_tokens_today", "Tokens charged today.", spent["tokens"])
    yield _make_gauge("guard_judge_usd_today", "US dollars charged today.", spent["usd"])


def _make_gauge(name: str, description: str, value: object) -> Metric:
    """One figure; nothing, as a sum over no rows is, counts as 0."""
    return GaugeMetricFamily(name, description, value=float(value or 0))  # type: ignore[arg-type]
