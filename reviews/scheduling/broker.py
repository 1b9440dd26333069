"""Hand work to the workers. A lost message costs time and no work: the sweep enqueues again what nobody has begun."""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import transaction
from psycopg import Cursor

from reviews.messaging import metrics
from reviews.models import Check, CheckMode

# With Redis, Celery serves 0 first, where everything else is, and 9 last: a check in shadow begins when no other waits.
SHADOW_PRIORITY: Final = 9
"""Priority of the messages of checks in shadow."""

# A round trip's worth: more would only make the first of them wait for the last.
MAX_AT_ONCE: Final = 100
"""Messages that are sent together."""
# Behind a sending, what comes meanwhile is gathered: a busy process would ask the broker for each submission. What
# comes to one at rest is sent at once.
PAUSE_SECONDS: Final = 0.02

# A message says that there is work, not which: each process goes on until nothing is due. More messages than there may
# be idle processes only cost each of them some milliseconds.
MAX_WAITING: Final = 32
"""Messages that wait at the broker, from which on none is added for a further check."""

RUN_DUE_JOBS: Final = "reviews.tasks.run_due_jobs"
SETTLE_ACTION: Final = "reviews.tasks.settle_action"
DELIVER_WEBHOOKS: Final = "reviews.tasks.deliver_webhooks"
NOTIFY_PEOPLE: Final = "reviews.tasks.notify_people"
_CHECKS: Final[str] = settings.CELERY_TASK_ROUTES[RUN_DUE_JOBS]["queue"]
_log = logging.getLogger(__name__)


def enqueue_on_commit(action_id: UUID, checks: Sequence[Check], *, delay: float = 0) -> None:
    """Ask workers, once the transaction stands, to run these checks of the action.

    Without any, to settle it after `delay` seconds.
    """

    def enqueue_all() -> bool:
        if not checks:
            return enqueue_task(SETTLE_ACTION, action_id, delay=delay)
        # Stops at the first that fails: each attempt to reach a broker that is away takes its time.
        return all(enqueue_hint(check.mode) for check in checks)

    # On commit, because a worker may be faster than the transaction and would not find the rows. Robust, because the
    # submission stands by then and must not end in an error.
    transaction.on_commit(enqueue_all, robust=True)


def enqueue_hint(mode: str = CheckMode.ENFORCED, *, delay: float = 0) -> bool:
    """Tell a worker, after `delay` seconds, that a plan or a check of this mode is due.

    Returns whether the broker took it.
    """
    priority = SHADOW_PRIORITY if mode == CheckMode.SHADOW else 0
    return enqueue_task(RUN_DUE_JOBS, delay=delay, priority=priority)


def enqueue_task(task: str, *args: UUID | str, delay: float = 0, priority: int = 0) -> bool:
    """Ask a worker for a task of this name, after `delay` seconds. Returns whether the broker took it.

    A broker that is away is logged, not raised.
    """
    message = _Message(task, [str(argument) for argument in args], delay, priority)
    if _gathered is not None:
        _gathered.put(message)
        return True
    return _send_messages([message])


def deliver_on_commit(messages: Cursor[Any]) -> None:
    """Ask a worker, once the transaction stands, to send the webhooks that this statement has inserted, if any."""
    if messages.rowcount > 0:
        transaction.on_commit(lambda: enqueue_task(DELIVER_WEBHOOKS), robust=True)


def send_in_background() -> None:
    """From now on a thread of this process sends what is enqueued, many messages in one round trip.

    For a web server: an agent must not wait for the broker, and what the process has not sent when it ends, or could
    not send, the sweep enqueues.
    """
    global _gathered  # noqa: PLW0603 - one thread a process
    if _gathered is None:
        _gathered = SimpleQueue()
        threading.Thread(target=_send_gathered, args=(_gathered,), name="broker", daemon=True).start()


@dataclass(frozen=True)
class _Message:
    task: str
    args: list[str]
    delay: float
    priority: int


_gathered: "SimpleQueue[_Message] | None" = None


def _send_gathered(gathered: "SimpleQueue[_Message]") -> None:
    room = 0
    while True:
        messages = [gathered.get()]
        while len(messages) < MAX_AT_ONCE and not gathered.empty():
            messages.append(gathered.get())
        needed, room = _drop_spare_hints(messages, room)
        if needed:
            _send_messages(needed)
        time.sleep(PAUSE_SECONDS)


def _drop_spare_hints(messages: Sequence[_Message], room: int) -> tuple[list[_Message], int]:
    """Those that anybody has to hear, and for how many more checks there is room before the broker is asked again."""
    hints = [message for message in messages if message.task == RUN_DUE_JOBS]
    if len(hints) > room:
        # Asked behind the commits of these checks: whoever takes what waits there finds them.
        room = max(0, MAX_WAITING - (queue_length() or 0))
    spared = set(map(id, hints[room:]))
    return [message for message in messages if id(message) not in spared], max(0, room - len(hints))


def _send_messages(messages: Sequence[_Message]) -> bool:
    """Send in one round trip. Returns whether the broker took them."""
    try:
        with current_app.producer_or_acquire() as producer, producer.batch():
            for message in messages:
                current_app.send_task(
                    message.task,
                    args=message.args,
                    countdown=message.delay or None,
                    priority=message.priority,
                    producer=producer,
                )
    except Exception:  # noqa: BLE001 - kombu raises its transports' own errors, and none may refuse a submission
        metrics.MESSAGES_LOST.inc(len(messages))
        _log.warning("broker unreachable; the sweep will enqueue %s", messages[0].task, exc_info=True)
        return False
    return True


def has_enough_messages() -> bool:
    """Whether so many messages wait that another one would make nobody begin a check sooner."""
    return (queue_length() or 0) >= MAX_WAITING


def is_queue_empty() -> bool:
    """Whether no check is left at the broker for a worker to begin; False too while the broker is away."""
    return queue_length() == 0


def queue_length() -> int | None:
    """Messages that wait for a worker of checks, over all priorities; None while the broker is away."""
    try:
        # Declaring a queue that exists is the broker's way to report its length.
        with current_app.connection_or_acquire() as connection:
            length: int = connection.default_channel.queue_declare(_CHECKS).message_count
    except Exception:  # noqa: BLE001 - kombu raises its transports' own errors
        _log.warning("broker unreachable; the length of the queue is unknown", exc_info=True)
        return None
    return length
