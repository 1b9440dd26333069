"""The README's commands on an empty database, up to a call that a new reviewer has decided on."""

import asyncio
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from guardapp.embedded import EmbeddedPostgres
from reviews.agents.client.provenanceguard import AsyncGuard, Call
from tests import stack
from tests.api.agent import NATIVE
from tests.browser.accessible import check_accessible
from tests.browser.conftest import NARROW, approve, in_view, open_page
from tests.cast import PASSWORD
from tests.desk.accounts.test_second_factor import code
from tests.faults.compose import YAML, Containers, containers

pytestmark = pytest.mark.timeout(180)

SECTION = (stack.ROOT / "README.md").read_text().partition("\n## Running it for real\n")[2].partition("\n## ")[0]
COMMANDS = "".join(re.findall(r"```sh\n(.*?)```", SECTION, re.S)).splitlines(keepends=True)
DATABASE = "guard_first_run"
REVIEWER = "rita@example.org"
FIGURES = "f" * 32

T = TypeVar("T")


@pytest.fixture
def empty(postgres: EmbeddedPostgres) -> Iterator[dict[str, str]]:
    """Where an empty database and an unused number of the broker are."""
    with psycopg.connect(postgres.url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {DATABASE}")
        broker = urlsplit(settings.REDIS_URL)
        yield {
            "DATABASE_URL": postgres.url.removesuffix("postgres") + DATABASE,
            "REDIS_URL": broker._replace(path="/9").geturl(),
        }
        server.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


def written(directory: Path) -> dict[str, str]:
    """The `.env` that the README's commands write, for this machine's name."""
    script = "".join(line for line in COMMANDS if not line.startswith("docker "))
    if shutil.which("openssl") is None:
        # A machine that only runs the tests may lack what every server has.
        script = f'openssl() {{ {sys.executable} -c "import secrets; print(secrets.token_hex($3))"; }}\n{script}'
    subprocess.run(["/bin/sh", "-e"], input=script, text=True, cwd=directory, check=True)
    assert (directory / ".env").stat().st_mode & 0o077 == 0
    chosen = dict(line.split("=", 1) for line in (directory / ".env").read_text().splitlines())
    return chosen | {"DOMAIN": "localhost", "METRICS_TOKEN": FIGURES, "WEB_PROCESSES": "1", "CHECK_PROCESSES": "2"}


def followed(running: Containers) -> list[str]:
    """Every `docker compose` command of the README, in its order. Returns what each but the first has printed."""
    commands = [shlex.split(line)[2:] for line in COMMANDS if line.startswith("docker ")]
    assert commands[0][0] == "up"
    running.run("migrate")
    for name, service in YAML["services"].items():
        if service.get("image") == YAML["services"]["web"]["image"] and name != "migrate":
            running.start(name)
    stack.until(lambda: running.answers("web"), what="the site")
    assert all(words[0] == "exec" for words in commands[1:])
    return [running.printed(*words[1:]) for words in commands[1:]]


def last(printed: str) -> str:
    return printed.strip().splitlines()[-1]


def joined(page: Page, link: str) -> None:
    """Somebody opens the link that they were given and chooses a password."""
    page.goto(urlsplit(link).path)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue")


def protected(page: Page) -> None:
    """They set up an authenticator app."""
    page.goto("/account/app/new")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_label("Authenticator code").fill(code(page.locator("#totp-secret").inner_text()))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()


def invited(page: Page) -> str:
    """The administrator invites a reviewer and takes the link."""
    page.goto("/settings/members")
    page.get_by_label("E-mail address").fill(REVIEWER)
    page.get_by_label("Role", exact=True).select_option("reviewer")
    page.get_by_role("button", name="Invite").press("Enter")
    return page.locator("#invitation-link").inner_text()


def as_agent(running: Containers, key: str, act: Callable[[AsyncGuard], Coroutine[Any, Any, T]]) -> T:
    """What the agent gets from the client that it has installed."""

    async def acted() -> T:
        site = f"https://localhost:{running.port('https')}"
        async with AsyncGuard(site, key, transport=httpx.AsyncHTTPTransport(verify=running.trusted())) as guard:
            return await act(guard)

    # In a thread: Playwright keeps the event loop of this one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, acted()).result()


async def proposed(guard: AsyncGuard) -> str:
    """An agent asks for ten times what its user asked for."""
    arguments = {"to": "daniel.kim@example.org", "amount": 300}
    return (await guard.submit({**NATIVE, "action": {"tool": "money_transfer", "arguments": arguments}})).id


async def carried_out(action: str, guard: AsyncGuard) -> Call:
    """The agent waits for the decision, takes the permission and says what came of it."""
    await guard.wait(action, timeout=20)
    call = (await guard.execute(action)).call
    await guard.report(action, succeeded=True, outcome="sent")
    return call


def figure(running: Containers, series: str) -> float:
    """What a scrape of the site finds, past the proxy, which shows it to nobody."""
    headers = {"Authorization": f"Bearer {FIGURES}", "Host": "localhost"}
    lines = httpx.get(f"http://127.0.0.1:{running.port('web')}/metrics", headers=headers).text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(series))


def test_a_new_operator_gets_from_an_empty_database_to_a_decision(
    tmp_path: Path, empty: dict[str, str], chromium: Browser, complaints: list[str]
) -> None:
    with containers(tmp_path, written(tmp_path), **empty) as running:
        _, link, key = map(last, followed(running))
        with running.proxy("web") as client:
            site = str(client.base_url)
            admins = open_page(chromium, site, complaints, ignore_https_errors=True)
            reviewers = open_page(chromium, site, complaints, viewport=NARROW, ignore_https_errors=True)
            admin, reviewer = next(admins), next(reviewers)
            joined(admin, link)
            protected(admin)
            joined(reviewer, invited(admin))
            action = as_agent(running, key, proposed)
            reviewer.goto("/queue")
            reviewer.get_by_role("link", name=re.compile("money_transfer")).first.click()
            in_view(reviewer)
            check_accessible(reviewer)
            approve(reviewer)
            assert as_agent(running, key, partial(carried_out, action)).arguments["amount"] == 300
            assert figure(running, 'guard_decisions_total{decided_by="reviewer",outcome="approve"}') == 1
            assert figure(running, "guard_submissions_total") == 1
            assert client.get("/metrics").status_code == 404
            for pages in (admins, reviewers):
                next(pages, None)
        logs = [path.read_text(errors="replace") for path in tmp_path.glob("*.log")]
        assert not any(urlsplit(link).path in log or '"level": "error"' in log for log in logs)
