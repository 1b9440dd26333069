import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from tests.cast import Cast
from tests.desk.desk import INLINE, Desk, waiting

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PAGES = ["/queue", "/queue/recent", "/settings", "/settings/profile", "/styleguide", "/nowhere"]


def test_no_template_has_an_inline_script_or_style() -> None:
    inline = {str(path.relative_to(ROOT / "templates")): INLINE.findall(path.read_text()) for path in TEMPLATES}
    assert inline
    assert {path: found for path, found in inline.items() if found} == {}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_inline_script_or_style(cast: Cast, admin_desk: Desk, settings: Any, path: str) -> None:
    settings.DEMO = True
    waiting(cast)
    assert INLINE.findall(admin_desk.client.get(path).content.decode()) == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_forbids_them_too(admin_desk: Desk, path: str) -> None:
    policy = admin_desk.client.get(path).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", PAGES)
def test_every_file_a_page_asks_for_is_there(admin_desk: Desk, path: str) -> None:
    body = admin_desk.client.get(path).content.decode()
    paths = set(re.findall(r'(?:src|href)="/static/([^"#?]+)', body))
    assert {name for name in paths if finders.find(name) is None} == set()


def test_every_icon_a_template_names_is_drawn() -> None:
    drawn = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/icons.svg").read_text()))
    named = {name for path in TEMPLATES for name in re.findall(r'icon\.html" with name="([\w-]+)"', path.read_text())}
    assert named - drawn == set()


def test_every_colour_a_style_names_is_defined() -> None:
    styles = "".join(path.read_text() for path in (ROOT / "static/css").glob("*.css"))
    assert set(re.findall(r"var\((--[\w-]+)", styles)) - set(re.findall(r"(--[\w-]+):", styles)) == set()


def test_htmx_may_not_evaluate_or_leave_the_site(desk: Desk) -> None:
    desk.shows("/queue", '"allowEval": false', '"includeIndicatorStyles": false', '"selfRequestsOnly": true')


def test_a_page_that_is_not_there_leads_back(desk: Desk) -> None:
    desk.shows("/nowhere", "There is nothing at this address", status=HTTPStatus.NOT_FOUND)


def test_the_server_error_page_needs_neither_request_nor_database() -> None:
    assert "Something broke on our side" in render_to_string("500.html")


@pytest.mark.parametrize(("demo", "status"), [(True, HTTPStatus.OK), (False, HTTPStatus.NOT_FOUND)])
def test_the_style_guide_is_there_in_a_demonstration_only(
    desk: Desk, settings: Any, *, demo: bool, status: HTTPStatus
) -> None:
    settings.DEMO = demo
    desk.shows("/styleguide", status=status)
