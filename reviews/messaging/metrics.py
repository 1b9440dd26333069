"""What happens, counted for an operator: one counter a kind of event, kept by each process for itself.

No label holds anything that an agent, a tool or a member of a workspace chose: each has a handful of values, so that
the number of series stays the same however many agents there are. What *stands* (queues, waits, spending) is not
counted here but read from the database: `reviews.scheduling.prometheus_gauges`.
"""

import contextlib
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from django.db import transaction
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, multiprocess, start_http_server
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

_log = logging.getLogger(__name__)

# Around what people and agents notice: a check by rules takes milliseconds, one by a model seconds, and at 120 s it
# is stopped.
_CHECK_BUCKETS: Final = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120)
# One answer: a small model says yes or no in a tenth of a second; at 30 s the endpoint's client gives up.
_ANSWER_BUCKETS: Final = (0.1, 0.3, 1, 3, 10, 30, 90)

SUBMISSIONS: Final = Counter(
    "guard_submissions", "Proposed calls that were stored, and those that were known already.", ["outcome"]
)
VERDICTS: Final = Counter(
    "guard_verdicts",
    "Finished checks: established, open (nothing speaks against it), refuted, or undetermined.",
    ["detector", "mode", "result"],
)
PLANS: Final = Counter("guard_plans", "Answers to agents' plans: safe, rewrite or reject.", ["answer"])
CHECK_SECONDS: Final = Histogram(
    "guard_check_seconds", "From a check's first attempt to its verdict.", ["detector"], buckets=_CHECK_BUCKETS
)
SETTLED: Final = Counter("guard_settled", "Actions that left the open statuses.", ["status"])
DECISIONS: Final = Counter("guard_decisions", "Decisions, by who took them.", ["outcome", "decided_by"])
DECISIONS_UNDONE: Final = Counter("guard_decisions_undone", "Decisions taken back before the agent was told.")
JUDGE_CALLS: Final = Counter(
    "guard_judge_calls", "Questions to the judge's endpoint: answered, unparsable, unavailable, misconfigured.",
    ["outcome"],
)  # fmt: skip
JUDGE_SECONDS: Final = Histogram(
    "guard_judge_seconds", "Seconds until the endpoint answered, or was given up.", buckets=_ANSWER_BUCKETS
)
JUDGE_TOKENS: Final = Counter("guard_judge_tokens", "Tokens the endpoint reported.", ["kind"])
JUDGE_USD: Final = Counter("guard_judge_usd", "US dollars by GUARD_PRICES.")
LONG_POLLS: Final = Gauge("guard_long_polls", "Agents that wait for an answer.", multiprocess_mode="livesum")
LONG_POLLS_BEGUN: Final = Counter("guard_long_polls_begun", "Waits that began.")
EVENT_STREAMS: Final = Gauge("guard_event_streams", "Open streams of events.", multiprocess_mode="livesum")
SWEEPS: Final = Counter("guard_sweeps", "Sweeps: done, or failed as a whole.", ["outcome"])
SWEPT: Final = Counter("guard_swept", "Rows that sweeps moved on.", ["what"])
WEBHOOKS: Final = Counter(
    "guard_webhook_attempts", "Attempts to send a webhook, by where its message then stands.", ["status"]
)
MESSAGES_LOST: Final = Counter("guard_broker_refusals", "Messages the broker did not take; the sweep sends them again.")
# At zero from the start, because alerts watch how these grow: Prometheus sees no growth in a first event that brings
# its series along, and none in a series that never comes.
JUDGE_CALLS.labels("misconfigured")
SETTLED.labels("expired")
SWEEPS.labels("done")


def count_on_commit(counter: Counter, *, is_test: bool = False) -> None:
    """Count once the transaction stands: what is rolled back has not happened. Nothing of a test key is counted."""
    if not is_test:
        transaction.on_commit(counter.inc, robust=True)


def process_registry() -> CollectorRegistry:
    """What this process counts, or with a shared directory what all processes of this machine or container do."""
    directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not directory:
        return REGISTRY
    _forget_dead(Path(directory))
    shared = CollectorRegistry()
    multiprocess.MultiProcessCollector(shared, path=directory)  # type: ignore[no-untyped-call]
    return shared


class Counted(Collector):
    """Everything that is counted, looked up anew at each scrape: processes come and go."""

    def collect(self) -> Iterable[Metric]:
        """Each series once."""
        return process_registry().collect()

    def describe(self) -> Iterable[Metric]:
        """Nothing: to be registered must not cost a scrape."""
        return []


def serve_metrics(port: int, *collectors: Collector) -> None:
    """Serve what is counted, and what these bring, on this port of every interface; 0 serves nothing.

    Of several processes that try, one does, which is enough: it tells what all of them count.
    """
    if not port:
        return
    served = CollectorRegistry()
    for collector in (Counted(), *collectors):
        served.register(collector)
    try:
        start_http_server(port, registry=served)
    except OSError as error:
        _log.info("port %d for figures is taken (%s)", port, error)


def _forget_dead(directory: Path) -> None:
    """Leave out what a killed process was in the middle of: nobody waits there any more. Its counters stay."""
    for file in directory.glob("gauge_live*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if not Path("/proc", pid).exists():
            with contextlib.suppress(FileNotFoundError):
                file.unlink()
