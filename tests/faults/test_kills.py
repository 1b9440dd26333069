"""Kill -9 of every process of a running stack, again and again under load: nothing acknowledged is lost or doubled.

`make test-faults KILLS=200` runs the whole, and prints how long clients waited after each kind of kill.
"""

import logging
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest
from django.db import DatabaseError, InterfaceError, connection

from guardapp.demo import demo_programs
from guardapp.embedded import EmbeddedPostgres, EmbeddedRedis
from guardapp.supervisor import Program, Supervisor
from reviews.decisions import decide
from reviews.errors import ConflictError
from reviews.models import RUNNABLE, Action, Check, CheckStatus, DecidedBy, Decision, Execution, Label, Status
from tests import stack
from tests.api.agent import ACTIONS, NATIVE
from tests.cast import Cast, make_cast
from tests.faults.silences import Silences

# Two of each kind of process.
KILLS: Final = int(os.environ.get("KILLS", "6"))
AGENTS: Final = 2
_log = logging.getLogger(__name__)
# A killed web server needs some seconds to be back, on a busy machine many.
SECONDS_PER_KILL: Final = 45
# Successors begin to import when their programs have lived for some seconds; a busy machine takes longer.
SETTLING_SECONDS: Final = 15

pytestmark = [
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(240 + SECONDS_PER_KILL * KILLS),
]


@dataclass
class Ledger:
    """What was acknowledged, as those who asked for it wrote it down."""

    submissions: dict[str, str] = field(default_factory=dict)
    """Trace to action."""
    decisions: dict[str, str] = field(default_factory=dict)
    """Action to outcome, of a person's decisions."""
    permissions: Counter[str] = field(default_factory=Counter)
    """How often each action's permission was received."""
    reports: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)
    stopping: threading.Event = field(default_factory=threading.Event)
    silences: Silences = field(default_factory=Silences)


def persevere(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """The first answer of a server that is there, however often it has to be asked for."""
    while True:
        try:
            response = ask()
        except httpx.TransportError:
            time.sleep(0.1)
            continue
        if response.status_code < 500:
            return response
        assert response.status_code == 503, response.text
        time.sleep(0.1)


def act_as_agent(site: str, secret: str, ledger: Ledger) -> None:
    """Submit one call after the other; run what is approved."""
    with httpx.Client(base_url=site, headers={"Authorization": f"Bearer {secret}"}, timeout=20) as client:
        while not ledger.stopping.is_set():
            run_if_approved(client, *submit_call(client, ledger), ledger)


def submit_call(client: httpx.Client, ledger: Ledger) -> tuple[str, float]:
    """Submit one call. Returns its action, and when it was sent."""
    trace = str(uuid4())
    # Every second call is one that the guard stops for a mistyped address, so that a person decides.
    name = "daniel.kin" if len(ledger.submissions) % 2 else "daniel.kim"
    call = {**NATIVE["action"], "arguments": {"to": f"{name}@example.org", "amount": 30}}
    body, headers = {**NATIVE, "trace_id": trace, "action": call}, {"Idempotency-Key": trace}
    sent = time.monotonic()
    # The key makes the same submission of all attempts, of which any may have been stored unanswered.
    answer = persevere(lambda: client.post(ACTIONS, json=body, headers=headers))
    assert answer.status_code in (200, 202), answer.text
    ledger.submissions[trace] = answer.json()["id"]
    return ledger.submissions[trace], sent


def run_if_approved(client: httpx.Client, action: str, sent: float, ledger: Ledger) -> None:
    """Wait for the decision, take the permission, report the outcome."""
    path, key = f"{ACTIONS}/{action}", {"Idempotency-Key": f"run-{action}"}
    while not (decision := persevere(lambda: client.get(f"{path}?wait=2")).json()["decision"]):
        if ledger.stopping.is_set():
            return
    ledger.silences.decided.append((sent, time.monotonic()))
    if decision["outcome"] != "approve":
        return
    execution = persevere(lambda: client.post(f"{path}/execution", headers=key))
    if execution.is_success:
        ledger.permissions[action] += 1
    outcome = {"status": "succeeded", "outcome": "Sent."}
    if persevere(lambda: client.put(f"{path}/execution/outcome", json=outcome)).is_success:
        ledger.reports.add(action)


def act_as_reviewer(cast: Cast, ledger: Ledger) -> None:
    """Decide whatever waits; write down what was confirmed."""
    try:
        while not ledger.stopping.is_set():
            try:
                for action in Action.objects.filter(status=Status.PENDING)[:5]:
                    decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
                    ledger.decisions[str(action.pk)] = "approve"
            except (DatabaseError, InterfaceError, ConflictError):
                connection.close()
            time.sleep(0.05)
    finally:
        connection.close()


@dataclass(frozen=True)
class Stack:
    """The product's processes and servers, and how each is killed."""

    supervisor: Supervisor
    programs: tuple[Program, ...]
    postgres: EmbeddedPostgres
    redis: EmbeddedRedis

    def kill(self, victim: str, *, child: bool) -> tuple[str, float]:
        """Kill a server, or a program: all its processes at once, or one child of it. Returns what and when."""
        moment = time.monotonic()
        match victim:
            case "postgres":
                self.postgres.restart(mode="immediate")
            case "redis":
                self.redis.restart()
            case _:
                return self._kill_program(victim, child=child)
        return victim, moment

    def _kill_program(self, name: str, *, child: bool) -> tuple[str, float]:
        (program,) = (program for program in self.programs if program.name == name)
        pid = self.until(lambda: self.supervisor.pid_of(program))
        if child and (children := stack.children_of(pid)):
            os.kill(random.choice(children), signal.SIGKILL)
            return f"{name}, one of its processes", time.monotonic()
        os.killpg(pid, signal.SIGKILL)
        return f"{name}, all of it", time.monotonic()

    def until(self, condition: Callable[[], Any], *, seconds: float = SECONDS_PER_KILL) -> Any:
        """Wait for a condition, starting the dead again meanwhile; returns its value."""

        def looked_after() -> Any:
            self.supervisor.watch()
            return condition()

        return stack.until(looked_after, seconds=seconds)


@pytest.fixture
def running(
    transactional_db: None,
    postgres: EmbeddedPostgres,
    redis_server: EmbeddedRedis,
    tmp_path: Path,
) -> Iterator[tuple[str, Stack]]:
    port = stack.free_port()
    started, site = demo_programs(port=port, directory=tmp_path), f"http://127.0.0.1:{port}"
    # Whoever submits the same again because it got no answer spends its budget twice.
    environment = stack.environment(
        SUBMISSIONS_PER_KEY="1000000", CHECK_LEASE_SECONDS="2", CHECK_RETRY_SECONDS="0.2", CHECK_MAX_ATTEMPTS="100"
    )
    with safe_commits(), Supervisor(environment=environment, logs=tmp_path / "logs", report=print) as supervisor:
        for program in started:
            supervisor.start(program)
        stack.until(lambda: answers(site), seconds=90, what="the site")
        yield site, Stack(supervisor, started, postgres, redis_server)


@contextmanager
def safe_commits() -> Iterator[None]:
    """What is committed has left the server's memory, as in production: the tests' server is faster than safe."""
    database = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {database} SET synchronous_commit = on")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {database} RESET synchronous_commit")


def answers(site: str) -> bool:
    try:
        return httpx.get(f"{site}/readyz", timeout=5).is_success
    except httpx.HTTPError:
        return False


def test_nothing_acknowledged_is_lost_or_doubled(running: tuple[str, Stack]) -> None:
    site, processes = running
    cast, ledger = make_cast(), Ledger()
    victims = [program.name for program in processes.programs] + ["postgres", "redis"]
    key = {"Authorization": f"Bearer {cast.agent_secret}"}
    listening = ledger.silences.listening(lambda client: client.get(f"{ACTIONS}?limit=1", headers=key), site)
    with listening, ThreadPoolExecutor(AGENTS + 1) as threads:
        work = [threads.submit(act_as_agent, site, cast.agent_secret, ledger) for _ in range(AGENTS)]
        work.append(threads.submit(act_as_reviewer, cast, ledger))
        try:
            # As it stands in everyday work: who takes over has been prepared.
            settled = time.monotonic() + SETTLING_SECONDS
            processes.until(lambda: time.monotonic() > settled)
            for number in range(KILLS):
                processes.until(lambda: len(ledger.submissions))
                turn, which = divmod(number, len(victims))
                # Somewhere in the middle of what the others do.
                time.sleep(random.uniform(0, 0.3))
                ledger.silences.kills.append(processes.kill(victims[which], child=bool(turn % 2)))
                processes.until(partial(went_on, ledger, work))
        finally:
            connection.close()
            processes.until(lambda: answers(site))
            ledger.stopping.set()
            processes.until(lambda: all(done.done() for done in work))
        for done in work:
            done.result()
    processes.until(lambda: not Action.objects.filter(status=Status.CHECKING).exists())
    _log.warning("after each kind of kill:\n%s", ledger.silences.table())
    check_ledger(ledger)


def went_on(ledger: Ledger, work: list[Future[None]]) -> bool:
    """Whether everything goes on since the last kill; also when somebody failed, who must not be waited for."""
    return ledger.silences.ended() or any(done.done() for done in work)


def check_ledger(ledger: Ledger) -> None:
    """The database holds what was acknowledged, once."""
    counts = (len(ledger.submissions), len(ledger.decisions), ledger.permissions.total(), len(ledger.reports))
    _log.warning("%d kills; acknowledged: %d submissions, %d decisions, %d executions, %d outcomes", KILLS, *counts)
    stored = {trace: str(pk) for trace, pk in Action.objects.values_list("trace__external_id", "pk")}
    assert Action.objects.count() == len(stored)
    assert stored == ledger.submissions
    assert not Check.objects.exclude(status=CheckStatus.DONE).exists()
    in_force = Counter(str(pk) for pk in Decision.objects.filter(in_force=True).values_list("action", flat=True))
    decided = set(map(str, Action.objects.filter(status=Status.DECIDED).values_list("pk", flat=True)))
    assert in_force == Counter(decided)
    by_people = Decision.objects.filter(decided_by=DecidedBy.REVIEWER)
    outcomes = {str(pk): outcome for pk, outcome in by_people.values_list("action", "outcome")}
    assert ledger.decisions
    assert ledger.decisions.items() <= outcomes.items()
    assert Label.objects.filter(action__in=map(UUID, outcomes)).count() == len(outcomes)
    approvals = Decision.objects.filter(in_force=True, outcome__in=RUNNABLE).values_list("action", flat=True)
    executed = Counter(str(pk) for pk in Execution.objects.values_list("action", flat=True))
    assert all(number == 1 for number in executed.values())
    assert all(number == 1 for number in ledger.permissions.values())
    assert set(ledger.permissions) <= set(executed) <= set(map(str, approvals))
    reported = Execution.objects.filter(reported_at__isnull=False).values_list("action", flat=True)
    assert ledger.reports <= set(map(str, reported))
