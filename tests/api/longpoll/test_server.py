"""The API under its real server: waiting agents, hostile bodies, streams."""

import asyncio
import concurrent.futures
import json
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import httpx
import pytest

from guardapp.embedded import EmbeddedRedis
from reviews.agents.client.provenanceguard import Guard, ProblemError
from reviews.decisions import decide, outcomes
from reviews.messaging import signals
from reviews.models import Action, DecidedBy, Outcome
from reviews.workspaces import agent_keys
from tests import stack
from tests.api.agent import ACTIONS, NATIVE
from tests.api.views.test_plans import BODY as PLAN
from tests.api.views.test_plans import PLANS
from tests.cast import Cast, flagged, make_cast
from tests.jobs import check_plan

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

MAX_WAIT = 30


@pytest.fixture(scope="module")
def site(django_db_setup: None) -> Iterator[str]:
    # A body is read up to the larger of the two bounds: only beyond it can it be refused unread.
    bounds = {"MAX_BODY_BYTES": "65536", "MAX_MEDIA_BODY_BYTES": "65536"}
    with stack.web(MAX_WAIT_SECONDS=str(MAX_WAIT), **bounds) as url:
        yield url


@pytest.fixture
def everybody(transactional_db: None) -> Cast:
    return make_cast()


@pytest.fixture
def agent(site: str, everybody: Cast) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {everybody.agent_secret}"}
    with httpx.Client(base_url=site, headers=headers, timeout=30) as client:
        yield client


def submit(agent: httpx.Client) -> str:
    # A conversation of its own: the same call of the same conversation would be the action there is already.
    action_id: str = agent.post(ACTIONS, json=NATIVE | {"trace_id": str(uuid4())}).json()["id"]
    return action_id


def approve(action_id: str) -> None:
    outcomes.decide_without_a_person(Action.objects.get(pk=UUID(action_id)), Outcome.APPROVE, DecidedBy.GUARD)


class Waiting:
    """Agents that wait at the same time, in a loop of their own."""

    def __init__(self, agent: httpx.Client, paths: list[str]) -> None:
        self._paths = [str(agent.base_url.join(path)) for path in paths]
        self._headers = dict(agent.headers)
        self._runner = concurrent.futures.ThreadPoolExecutor(1)
        self._response_cache = self._runner.submit(lambda: asyncio.run(self._wait()))

    def answers(self) -> list[tuple[dict[str, Any], float]]:
        """Each answer with the time it came."""
        return self._response_cache.result(60)

    async def _wait(self) -> list[tuple[dict[str, Any], float]]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(headers=self._headers, timeout=60, limits=limits) as client:
            return list(await asyncio.gather(*(self._one(client, path) for path in self._paths)))

    async def _one(self, client: httpx.AsyncClient, path: str) -> tuple[dict[str, Any], float]:
        response = await client.get(path)
        return response.json(), time.monotonic()


def server_processes(site: str) -> list[Path]:
    """The server and its workers, by the port on their command line."""
    port = str(urlsplit(site).port)
    processes = (process for process in Path("/proc").iterdir() if process.name.isdigit())
    commands = {process: command_of(process) for process in processes}
    return [process for process, command in commands.items() if "granian" in command and port in command]


def command_of(process: Path) -> list[str]:
    try:
        return process.joinpath("cmdline").read_text().split("\0")
    except OSError:
        return []


def status_of(site: str, field: str) -> int:
    """The sum of a figure over the server's processes: `Threads`, or `VmRSS` in KiB."""
    lines = [line for process in server_processes(site) for line in process.joinpath("status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def connections_of(site: str) -> int:
    """How many connections to the server are open."""
    port = f":{urlsplit(site).port:04X}"
    established = "01"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(local.endswith(port) and state == established for _, local, _, state, *_ in rows)


def rests(site: str) -> bool:
    """Whether the server does next to nothing for a quarter of a second: whoever asked is waiting by now."""
    before = clock_ticks_of(site)
    time.sleep(0.25)
    # An idle process computes for a tick now and then.
    return clock_ticks_of(site) - before <= 2


def clock_ticks_of(site: str) -> int:
    """How long the server's processes have computed."""
    # The first field that proc(5) counts behind the name is its third: these are `utime` and `stime`.
    fields = [process.joinpath("stat").read_text().rpartition(")")[2].split() for process in server_processes(site)]
    return sum(int(each[11]) + int(each[12]) for each in fields)


def test_a_waiting_agent_is_told_at_once(agent: httpx.Client) -> None:
    delays = []
    for _ in range(3):
        action_id = submit(agent)
        waiting = Waiting(agent, [f"{ACTIONS}/{action_id}?wait=30"])
        time.sleep(0.3)
        approve(action_id)
        decided_at = time.monotonic()
        ((answer, came),) = waiting.answers()
        assert answer["decision"]["outcome"] == "approve"
        delays.append(came - decided_at)
    # What is not told of is looked at again after three seconds at the earliest.
    assert statistics.median(delays) < 1


def test_an_agent_that_waits_for_its_plan_is_told_the_answer(agent: httpx.Client) -> None:
    plan = agent.post(PLANS, json=PLAN).json()
    waiting = Waiting(agent, [f"{PLANS}/{plan['id']}?wait=30"])
    time.sleep(0.3)
    check_plan(UUID(plan["id"]))
    decided_at = time.monotonic()
    ((answer, came),) = waiting.answers()
    assert (plan["status"], answer["answer"]) == ("checking", "safe")
    # Woken: what is not told of is looked at again after three seconds at the earliest.
    assert came - decided_at < 2


def test_the_feed_is_followed_over_a_pause_until_the_key_is_revoked(
    agent: httpx.Client, site: str, everybody: Cast
) -> None:
    after = agent.get("/api/v1/events?after=latest").json()["cursor"]
    with Guard(site, everybody.agent_secret) as guard:
        first, during_pause = submit(agent), submit(agent)
        approve(first)
        told = next(guard.events(after=after))
        assert (told.data.id, told.data.outcome) == (first, "approve")
        approve(during_pause)
        events = guard.events(after=told.id)
        assert next(events).data.id == during_pause
        live = submit(agent)
        threading.Timer(0.3, approve, [live]).start()
        assert next(events).data.id == live
        agent_keys.revoke_key(agent_key=everybody.agent, membership=everybody.admin)
        with pytest.raises(ProblemError, match="401"):
            next(events)


def test_a_plan_that_is_still_checked_is_202_after_the_wait(agent: httpx.Client) -> None:
    response = agent.post(PLANS, json=PLAN, headers={"Prefer": "wait=1"})
    assert (response.status_code, response.headers["Preference-Applied"]) == (202, "wait=1")
    assert response.headers["Location"] == f"{PLANS}/{response.json()['id']}"


def test_an_undecided_action_is_undecided_after_the_wait(agent: httpx.Client) -> None:
    started = time.monotonic()
    response = agent.get(f"{ACTIONS}/{submit(agent)}?wait=1")
    assert time.monotonic() - started >= 1
    assert response.status_code == 200
    assert response.json()["decision"] is None
    assert int(response.headers["Retry-After"]) > 0


def test_an_unchanged_action_is_304_after_the_wait(agent: httpx.Client) -> None:
    path = f"{ACTIONS}/{submit(agent)}"
    etag = agent.get(path).headers["ETag"]
    response = agent.get(f"{path}?wait=1", headers={"If-None-Match": etag})
    assert (response.status_code, response.content) == (304, b"")


def test_a_submission_may_wait(agent: httpx.Client) -> None:
    response = agent.post(ACTIONS, json=NATIVE, headers={"Prefer": "wait=1"})
    assert response.status_code == 202
    assert response.headers["Preference-Applied"] == "wait=1"
    assert agent.get(response.headers["Location"]).json()["id"] == response.json()["id"]


def test_a_wrong_wait_is_refused(agent: httpx.Client) -> None:
    assert agent.get(f"{ACTIONS}/{submit(agent)}?wait=soon").status_code == 422


def test_waiting_for_an_action_of_another_workspace_ends_at_once(agent: httpx.Client, everybody: Cast) -> None:
    headers = {"Authorization": f"Bearer {everybody.outside_secret}"}
    started = time.monotonic()
    response = agent.get(f"{ACTIONS}/{submit(agent)}?wait=25", headers=headers)
    assert response.status_code == 404
    assert time.monotonic() - started < 15


def test_two_hundred_agents_wait_without_threads(agent: httpx.Client, site: str) -> None:
    ids = [submit(agent) for _ in range(20)]
    before = status_of(site, "Threads")
    waiting = Waiting(agent, [f"{ACTIONS}/{action_id}?wait=30" for action_id in ids * 10])
    stack.until(lambda: connections_of(site) >= 200 and rests(site), what="two hundred that wait")
    assert status_of(site, "Threads") < before + 40
    for action_id in ids:
        approve(action_id)
    answers = waiting.answers()
    assert [answer["id"] for answer, _ in answers] == ids * 10
    assert all(answer["decision"]["outcome"] == "approve" for answer, _ in answers)


def test_agents_that_leave_do_no_harm(agent: httpx.Client) -> None:
    action_id = submit(agent)
    for _ in range(50):
        with pytest.raises(httpx.ReadTimeout):
            agent.get(f"{ACTIONS}/{action_id}?wait=30", timeout=httpx.Timeout(30, read=0.02))
    approve(action_id)
    assert agent.get(f"{ACTIONS}/{action_id}").json()["status"] == "decided"


@pytest.fixture
def until_heard_again(agent: httpx.Client) -> Iterator[None]:
    """Waits behind the test until the site is subscribed again, on which other tests rely."""
    yield

    def has_answers() -> bool:
        action_id = submit(agent)
        waiting = Waiting(agent, [f"{ACTIONS}/{action_id}?wait=30"])
        time.sleep(0.2)
        approve(action_id)
        decided_at = time.monotonic()
        ((_, came),) = waiting.answers()
        return came - decided_at < 1

    stack.until(has_answers, what="a wake-up")


@pytest.mark.usefixtures("until_heard_again")
def test_waiting_works_without_redis(agent: httpx.Client, redis_server: EmbeddedRedis) -> None:
    action_id = submit(agent)
    redis_server.stop()
    waiting = Waiting(agent, [f"{ACTIONS}/{action_id}?wait=30"])
    time.sleep(0.5)
    approve(action_id)
    ((answer, _),) = waiting.answers()
    assert answer["decision"]["outcome"] == "approve"


@pytest.mark.usefixtures("until_heard_again")
def test_a_returning_redis_wakes_who_waits(agent: httpx.Client, redis_server: EmbeddedRedis) -> None:
    redis_server.stop()
    redis_server.start()
    stack.until(
        lambda: signals.redis_client().pubsub_numsub(signals.CHANNEL)[0][1], what="the server's new subscription"
    )
    test_a_waiting_agent_is_told_at_once(agent)


def raw(site: str, head: str, body: bytes = b"", *, more: bytes = b"") -> bytes:
    """What the server answers to these very bytes."""
    address = urlsplit(site)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body + more)
        return connection.recv(65536)


def head(agent: httpx.Client, *headers: str) -> str:
    lines = [f"POST {ACTIONS} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: {agent.headers['Authorization']}"]
    return "\n".join([*lines, "Content-Type: application/json", *headers])


def test_a_huge_body_is_refused_before_it_came(agent: httpx.Client, site: str) -> None:
    answer = raw(site, head(agent, "Content-Length: 1000000000"), b"{")
    assert b" 413 " in answer.splitlines()[0]
    assert b"application/problem+json" in answer


def test_a_huge_body_without_length_is_refused(agent: httpx.Client, site: str) -> None:
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    assert b" 413 " in raw(site, head(agent, "Transfer-Encoding: chunked"), chunk, more=chunk).splitlines()[0]


def test_a_body_without_length_is_read(agent: httpx.Client) -> None:
    def parts() -> Iterator[bytes]:
        yield json.dumps(NATIVE).encode()

    assert agent.post(ACTIONS, content=parts(), headers={"Content-Type": "application/json"}).status_code == 202


def test_labels_stream(agent: httpx.Client, everybody: Cast) -> None:
    for number in range(3):
        action = flagged(everybody, trace_id=f"conv-{number}").action
        decide.decide_action(action=action, choice=decide.Reject("No."), membership=everybody.reviewer)
    with agent.stream("GET", "/api/v1/labels.jsonl") as response:
        assert response.headers["Content-Type"] == "application/jsonl"
        assert "content-length" not in response.headers
        traces = [json.loads(line)["trace_id"] for line in response.iter_lines()]
    assert traces == ["conv-0", "conv-1", "conv-2"]


def test_an_unknown_address_is_a_problem(agent: httpx.Client) -> None:
    response = agent.get("/api/v2/nothing")
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/problem+json"
