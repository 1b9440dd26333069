"""The web server as the product starts it: its processes are replaced when they are killed, and none outlives it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests import stack
from tests.preloaded import Child

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(120)]

Site = tuple[str, Child]


@pytest.fixture
def started(transactional_db: None) -> Iterator[Site]:
    """A server that has just started its processes, which need a moment before they answer."""
    port = stack.free_port()
    options = ("--host", "127.0.0.1", "--port", str(port), "--log-level", "warning")
    with stack.process("guardapp.web", *options, WEB_PROCESSES="2") as server:
        stack.until(lambda: len(stack.children_of(server.pid)) == 2, seconds=60, what="both processes")
        yield f"http://127.0.0.1:{port}", server


@pytest.fixture
def site(started: Site) -> Site:
    url, _ = started
    stack.until(lambda: answers(url), seconds=60, what="the web server")
    return started


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=5).is_success
    except httpx.HTTPError:
        return False


def test_a_killed_process_is_replaced_while_the_other_answers(site: Site) -> None:
    url, server = site
    killed, other = stack.children_of(server.pid)
    os.kill(killed, signal.SIGKILL)
    stack.until(lambda: answers(url), what="an answer of the other one")
    stack.until(lambda: len({*stack.children_of(server.pid)} - {killed}) == 2, what="a new process")
    (new,) = {*stack.children_of(server.pid)} - {killed, other}
    os.kill(other, signal.SIGKILL)
    # Of the two only the new one is left until the other is replaced.
    stack.until(lambda: answers(url), what="an answer of the new one")
    assert new in stack.children_of(server.pid)
    assert server.poll() is None


def test_a_process_begins_with_what_the_server_has_imported(site: Site) -> None:
    _, server = site
    killed, _ = stack.children_of(server.pid)
    os.kill(killed, signal.SIGKILL)
    stack.until(lambda: len({*stack.children_of(server.pid)} - {killed}) == 2, what="a new process")
    new = max(stack.children_of(server.pid))
    stack.until(lambda: listens(new), what="the new process")
    # To import all of it takes many times as long as to fork: the server has computed for both.
    assert seconds_computed(new) < seconds_computed(server.pid) / 3


def test_no_process_outlives_a_server_that_was_killed(site: Site) -> None:
    assert_processes_end_with_server(site)


def test_no_process_outlives_a_server_that_was_killed_while_they_started(started: Site) -> None:
    assert_processes_end_with_server(started)


def assert_processes_end_with_server(site: Site) -> None:
    url, server = site
    processes = stack.children_of(server.pid)
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    stack.until(lambda: not any(map(stack.lives, processes)), what="their end")
    assert not answers(url)


def listens(pid: int) -> bool:
    """Whether the process has a socket on which it listens."""
    inodes = {line.split()[9] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"}
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    return any(f"socket:[{inode}]" in links for inode in inodes)


def seconds_computed(pid: int) -> float:
    """CPU of the process itself."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
