"""SIGTERM: who waits is answered, what is being submitted is stored, and the process goes. Real server."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from guardapp.web import DRAIN_SECONDS
from reviews.models import Action
from tests import stack
from tests.api.agent import ACTIONS, NATIVE
from tests.cast import make_cast
from tests.preloaded import Child

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

Site = tuple[str, Child]


@pytest.fixture
def site(transactional_db: None) -> Iterator[Site]:
    with stack.served() as served:
        yield served


@pytest.fixture
def agent(site: Site) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {make_cast().agent_secret}"}
    with httpx.Client(base_url=site[0], headers=headers, timeout=60) as client:
        yield client


def ends(server: Child, *, since: float) -> None:
    """The server is gone before anybody kills it."""
    server.wait(30)
    assert time.monotonic() - since < DRAIN_SECONDS


def test_agents_that_wait_are_answered_before_the_server_goes(agent: httpx.Client, site: Site) -> None:
    submitted = agent.post(ACTIONS, json=NATIVE).json()

    def read(_: int) -> httpx.Response:
        return agent.get(f"{ACTIONS}/{submitted['id']}?wait=60")

    def submit() -> httpx.Response:
        return agent.post(ACTIONS, json={**NATIVE, "trace_id": "conv-43"}, headers={"Prefer": "wait=60"})

    with ThreadPoolExecutor(9) as threads:
        waits = [threads.submit(read, number) for number in range(8)]
        submission = threads.submit(submit)
        stack.until(lambda: Action.objects.count() == 2, what="the submission that waits")
        # They wait, or are about to: either way their answer is due.
        time.sleep(0.5)
        stopped = time.monotonic()
        site[1].send_signal(signal.SIGTERM)
        answers = [wait.result() for wait in waits]
        ends(site[1], since=stopped)
    assert {answer.status_code for answer in answers} == {200}
    assert submission.result().status_code == 202
    for answer in (*answers, submission.result()):
        assert answer.json()["decision"] is None
        assert int(answer.headers["Retry-After"]) > 0


def test_a_submission_on_its_way_is_stored(agent: httpx.Client, site: Site) -> None:
    address = urlsplit(site[0])
    body = json.dumps(NATIVE).encode()
    head = (
        f"POST {ACTIONS} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {agent.headers['Authorization']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(head.encode() + body[:100])
        time.sleep(0.5)
        stopped = time.monotonic()
        site[1].send_signal(signal.SIGTERM)
        time.sleep(0.5)
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{site[0]}/healthz", timeout=1)
        connection.sendall(body[100:])
        assert b" 202 " in connection.recv(65536).splitlines()[0]
    ends(site[1], since=stopped)
    assert Action.objects.count() == 1
