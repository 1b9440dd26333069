"""Calls that keep a check busy for ever: they reach a person in time, and nobody waits behind them."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from reviews.intake import actions
from reviews.models import Action, AgentKey, Check, Review, Status
from reviews.profiles import versions
from reviews.provenance.core.context import ProposedAction
from reviews.scheduling import quarantine
from reviews.workspaces import agent_keys
from tests import stack
from tests.cast import CONTEXT, RIGHT, TRANSFER, UNCLEAR, make_cast, proposal, propose
from tests.endpoint import ScriptedEndpoint
from tests.faults import poisoned

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

SEARCH = ProposedAction("search_contacts", {"name": "Daniel"}, "Find Daniel")
# Far above the tenths that an innocent check takes beside four that compute.
SECONDS = 2
"""What the profile gives a check by rules."""
JUDGE_SECONDS = 12
"""The same of one that asks: its judge takes half a second an answer, and another process may begin anew."""
AFTERWARDS = 8
"""Calls when all is over: more than there are processes."""
POISONED: dict[str, Any] = {"DJANGO_SETTINGS_MODULE": "tests.faults.poisoned_settings", "CHECK_MEGABYTES": "1024"}
# More poison than processes: one stays in reserve for everybody else.
PROCESSES = 4


@pytest.fixture(scope="module", autouse=True)
def _beat(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Sweeps are asked for and made all the time; each test starts the worker of its checks."""
    with stack.beat(tmp_path_factory.mktemp("beat")), stack.worker(queues="default", pool="threads"):
        yield


def seconds_until_answered(agent: AgentKey, trace: str, *, patience: float = 30) -> float:
    """How long an innocent call waits for its answer."""
    started = time.monotonic()
    action = actions.submit_action(agent_key=agent, proposal=proposal(trace_id=trace)).action
    answered = lambda: Action.objects.get(pk=action.pk).status == Status.DECIDED  # noqa: E731 - read once, here
    stack.until(answered, seconds=patience, what="an innocent call's answer")
    return time.monotonic() - started


def test_poison_reaches_a_person_within_its_deadline_and_stops_nobody() -> None:
    cast = make_cast()
    innocent = agent_keys.issue_key(membership=cast.admin, name="innocent").agent_key
    versions.new_version(membership=cast.admin, check_seconds=SECONDS)
    with stack.worker(queues="checks", processes=str(PROCESSES), **POISONED):
        # The worker is still starting.
        seconds_until_answered(innocent, "warm-up", patience=100)
        started = time.monotonic()
        for query in poisoned.KINDS * 2:
            # Each kind by a tool of its own: otherwise the second of all would be the last to run.
            tool = replace(TRANSFER, name=query.lower().replace(" ", "_"))
            context = replace(CONTEXT, query=query, tools=(tool,))
            propose(cast, replace(RIGHT, tool=tool.name), context, trace_id=str(uuid4()))
        bad = Action.objects.filter(agent_key=cast.agent)
        waits: list[float] = []
        while bad.exclude(status=Status.PENDING).exists():
            # Those that find no process wait behind the others of the same agent.
            assert time.monotonic() - started < 4 * SECONDS + 10, list(bad.values_list("status", flat=True))
            waits.append(seconds_until_answered(innocent, f"innocent-{len(waits)}"))
        # What a poison leaves behind in its process must not hold up whoever comes next.
        waits += [seconds_until_answered(innocent, f"next-{number}") for number in range(AFTERWARDS)]
    assert waits
    # Whoever waits for one deadline besides their own moment has not waited for two, however slow the machine is.
    assert max(waits) < 2 * SECONDS
    stopped = Check.objects.filter(action__in=bad)
    assert set(stopped.values_list("verdict", flat=True)) == {"undetermined"}
    too_long = f"The check took longer than {SECONDS} seconds and was stopped."
    for kind in poisoned.KINDS:
        reasons = set(stopped.filter(action__trace__query__body=kind).values_list("reason", flat=True))
        assert reasons <= {too_long, "The check failed: MemoryError."} if kind == poisoned.IN_MEMORY else {too_long}
    # The kernel has to end what holds the interpreter. Poison in Python leaves it to the worker to write the end down.
    assert all(check.killed for check in stopped.filter(action__trace__query__body=poisoned.IN_A_LIBRARY))
    assert Review.objects.filter(action__in=bad).count() == 2 * len(poisoned.KINDS)


def test_behind_two_stopped_checks_the_like_goes_to_a_person_at_once_and_the_agents_others_go_on() -> None:
    cast = make_cast()
    innocent = agent_keys.issue_key(membership=cast.admin, name="innocent").agent_key
    versions.new_version(membership=cast.admin, check_seconds=SECONDS)
    with stack.worker(queues="checks", processes=str(PROCESSES), **POISONED):
        # The worker is still starting.
        seconds_until_answered(innocent, "warm-up", patience=100)
        for number in range(4 * PROCESSES):
            query = (poisoned.IN_A_LIBRARY, poisoned.IN_PYTHON)[number % 2]
            propose(cast, context=replace(CONTEXT, query=query), trace_id=f"poison-{number}")
        bad = Check.objects.filter(action__trace__query__body__startswith="Poison")
        stack.until(lambda: bad.filter(killed__gt=0).count() >= quarantine.MAX_STOPPED, seconds=60, what="two stopped")
        others = [propose(cast, SEARCH, trace_id=f"other-{number}") for number in range(PROCESSES)]
        open_ones = Action.objects.filter(agent_key=cast.agent, status=Status.CHECKING)
        stack.until(lambda: not open_ones.exists(), seconds=60, what="every answer")
    assert {Action.objects.get(pk=other.pk).status for other in others} == {Status.DECIDED}
    assert set(bad.values_list("action__status", "verdict")) == {(Status.PENDING, "undetermined")}
    run, not_begun = bad.filter(killed__gt=0), bad.filter(killed=0)
    # Those that were begun before the second was written down: one in each process but the reserve.
    assert run.count() <= quarantine.MAX_STOPPED + PROCESSES - 1
    assert set(not_begun.values_list("reason", flat=True)) == {quarantine.REASON}
    assert Review.objects.filter(action__in=not_begun.values("action"), reason=quarantine.REASON).count() == (
        4 * PROCESSES - run.count()
    )


def test_poison_spoils_no_verdict_of_those_that_wait_for_their_judge_beside_it() -> None:
    cast = make_cast()
    versions.new_version(membership=cast.admin, judge="openai", model="scripted", check_seconds_judge=JUDGE_SECONDS)
    with (
        ScriptedEndpoint(delay=0.5) as endpoint,
        stack.worker(
            queues="checks",
            OPENAI_BASE_URL=endpoint.base_url,
            CHECK_LEASE_SECONDS="3",
            JUDGE_CACHE_SECONDS="0",
            **POISONED,
        ),
    ):
        for number in range(4 * PROCESSES):
            query = poisoned.IN_A_LIBRARY if number == PROCESSES else UNCLEAR.query
            propose(cast, context=replace(CONTEXT, query=query), trace_id=str(number))
        checks = Check.objects.filter(action__agent_key=cast.agent)
        spoiled = checks.filter(action__trace__query__body=poisoned.IN_A_LIBRARY)
        stack.until(lambda: spoiled.filter(beside_others=True), seconds=100, what="poison beside others")
        stack.until(lambda: not checks.exclude(status="done").exists(), seconds=60, what="every verdict")
    assert spoiled.get().verdict == "undetermined"
    assert spoiled.get().killed
    others = checks.exclude(pk=spoiled.get().pk)
    assert set(others.values_list("verdict", "killed", "reason")) == {("aligned", 0, "")}
