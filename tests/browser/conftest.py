"""A real browser on the real server, with a worker and beat where they matter."""

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, TransactionTestCase
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, ViewportSize, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from reviews.messaging import signals
from reviews.scheduling import heartbeat
from tests import stack
from tests.cast import Cast, make_cast
from tests.emptying import empty_tables

# Playwright keeps an event loop in this thread; the ORM is used beside it, never inside it.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    # No page lives for long enough to gain by it what it costs: a sixth of the time of a page.
    "--js-flags=--no-opt",
]
# For a page as for what is expected of it: on a busy machine a page takes seconds, and one that fails may take them.
PATIENCE_MILLISECONDS: Final = 15_000
expect.set_options(timeout=PATIENCE_MILLISECONDS)
WIDE, NARROW = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
Look = tuple[ViewportSize, Literal["light", "dark"]]
LOOKS: Final[tuple[Look, ...]] = ((WIDE, "light"), (NARROW, "dark"))
"""Both widths and colour schemes: layout depends on the one, contrast on the other."""


@pytest.fixture(scope="package")
def site(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """The site's address, one for this folder. Nobody is behind it: most tests check their calls themselves."""
    with django_db_blocker.unblock(), stack.web(DEMO="true") as address:
        yield address


@pytest.fixture(scope="module")
def workers(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A worker and beat behind the site. Not for longer than a module: they would do the work of other tests."""
    signals.redis_client().delete(heartbeat.KEY)
    with django_db_blocker.unblock(), stack.worker(), stack.beat(tmp_path_factory.mktemp("beat")):
        # A page that waits for what a worker does must not wait for its start as well.
        stack.until(heartbeat.is_worker_alive, what="a worker")
        yield


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for this folder: while Playwright's event loop runs, no asynchronous test of another can."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """The cast, committed: the server sees it."""
    return make_cast()


@pytest.fixture(scope="module")
def shared_cast(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    """The cast of a whole transactional module, whose tests change nothing that another of them looks at."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _: None)
        yield make_cast()
        empty_tables()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained about: a blocked script or style, an error in a script."""
    return []


@pytest.fixture
def page(chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """A fresh page, wide and light."""
    yield from open_page(chromium, site, complaints)


@pytest.fixture(params=LOOKS, ids=["wide-light", "narrow-dark"])
def themed(request: pytest.FixtureRequest, chromium: Browser, site: str, complaints: list[str]) -> Iterator[Page]:
    """A page in each width and colour scheme, for a way through several pages that has to be gone in both."""
    viewport, scheme = request.param
    yield from open_page(chromium, site, complaints, viewport=viewport, color_scheme=scheme)


def open_page(chromium: Browser, site: str, complaints: list[str], **choices: Any) -> Iterator[Page]:
    """A fresh page whose complaints are kept; the test fails when there are any."""
    context = chromium.new_context(base_url=site, viewport=choices.pop("viewport", WIDE), **choices)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    page.on("console", lambda message: complaints.append(message.text) if _is_complaint(message) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    # What is complained of from here on is a poll that this leaving cuts off.
    complained = list(complaints)
    # Closing while a poll is in flight has been seen to hang the browser for a minute.
    with contextlib.suppress(PlaywrightError):  # a decision's own navigation may be under way
        page.goto("about:blank")
    context.close()
    assert complained == []


def sign_in(page: Page, name: str = "rita", *, at: str = "/queue") -> None:
    """Be at this page as one of the cast, who has signed in before."""
    add_session(page, name)
    page.goto(at)


def add_session(page: Page, name: str = "rita") -> None:
    """Have one of the cast be signed in wherever the page goes next."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session, "domain": "127.0.0.1", "path": "/"}]
    )


def in_view(page: Page) -> None:
    """Wait until the open item has been in view for long enough to be decided, and is claimed."""
    page.get_by_text("claimed by you").wait_for()
    page.locator('body[data-in-view="yes"]').wait_for()


def unhurried(page: Page) -> None:
    """Let what the first key arms stay so: a busy browser may need longer for the second than a person."""
    page.evaluate("""() => {
      const later = window.setTimeout;
      window.setTimeout = (run, wait, ...more) => (wait === 3000 ? -1 : later(run, wait, ...more));
    }""")


def intercept(page: Page, address: str | re.Pattern[str], handle: Callable[[Route], Any]) -> None:
    """Let no request to the address pass from here on, also from a page that is open already.

    Chromium answers that it intercepts before the open page has heard of it, and a key that a busy page takes up first
    sends its request past the interception. So a probe is sent until it is intercepted itself.
    """
    page.route(address, handle)
    page.route("**/intercepted", lambda route: route.fulfill())
    stack.until(lambda: page.evaluate("fetch('/intercepted').then(answer => answer.ok)"), what="the interception")


def approve(page: Page) -> None:
    """Approve the open item, whose call is grave, by keyboard."""
    in_view(page)
    unhurried(page)
    page.keyboard.press("a")
    page.locator("#approve.is-armed").wait_for()
    page.keyboard.press("a")


def _is_complaint(message: ConsoleMessage) -> bool:
    """Errors, but for refusals the page itself explains: a browser logs every answer of 400 and above.

    Nor is a poll one that was cut off because the page was left.
    """
    expected = r"status of 4\d\d|Status Error Code 4\d\d|^htmx:(sendAbort|afterRequest),"
    return message.type == "error" and not re.search(expected, message.text)
