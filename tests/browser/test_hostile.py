"""Whatever an agent writes is shown as text, whole pages stay usable, and nothing of it runs."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from reviews.decisions import decide
from reviews.lab import day_figures
from reviews.workspaces import agent_keys
from tests.browser import agent
from tests.browser.conftest import NARROW, WIDE, in_view, sign_in
from tests.cast import WRONG, Cast, decided, flagged
from tests.jobs import run_checks

# Without it no rule refutes the mistyped address.
FOUND = '[{"name": "Daniel Kim", "email": "daniel.kim@example.org"}]'
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><b>bold</b>"
BIDI = "invoice\u202egpj.exe \u2066hidden\u2069 zero\u200bwidth \u0007bell"
TEMPLATE = "{{ 7|add:7 }} {% load x %} ${7*7} hx-get=/settings"
LONG = "A" * 100_000


def hostile(text: str) -> dict[str, Any]:
    """A submission with this text in every field that takes one."""
    short = text[:190]
    tool = {"name": short, "description": text, "parameters": {"type": "object", "description": text}}
    return {
        "trace_id": short,
        "query": text,
        "tools": [tool, {"name": "other", "description": text}],
        "history": [
            {"tool": short, "arguments": {"x": text[:1000]}, "outcome": text, "subtask": text[:1000]},
            {"role": "assistant", "text": text[:1000]},
        ],
        "sources": [{"kind": "retrieved", "name": short, "text": text}],
        "action": {
            "tool": short,
            "arguments": {short[:60]: text[:2000], "account": "ZZ99887766", "deep": [{"to": text[:500]}]},
            "subtask": text[:1000],
            "tool_call_id": short,
        },
        "metadata": {"note": text[:1000]},
    }


def check(action: dict[str, Any]) -> None:
    """Do what a worker would: the item comes into the queue."""
    run_checks(UUID(action["id"]))


def open_item(page: Page, site: str, cast: Cast, text: str) -> None:
    check(agent.submit(site, cast, **hostile(text)))
    sign_in(page)
    page.locator(".row-link").first.click()
    page.wait_for_url("**/reviews/**")
    in_view(page)


@pytest.mark.parametrize("text", [SCRIPT, BIDI, TEMPLATE, LONG], ids=["script", "bidi", "template", "long"])
def test_a_hostile_text_is_shown_harmlessly(page: Page, site: str, cast: Cast, text: str) -> None:
    open_item(page, site, cast, text)
    assert page.title() != "owned"
    assert page.locator("main b, main script, main img[src=x]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_bidirectional_characters_are_revealed(page: Page, site: str, cast: Cast) -> None:
    open_item(page, site, cast, BIDI)
    assert "\u202e" not in page.locator("main").inner_text()
    assert "202E" in page.locator("main").inner_text().upper()


def test_a_line_of_almost_a_megabyte_keeps_the_page_small(page: Page, site: str, cast: Cast) -> None:
    outcome = "B" * 1_000_000
    history = [{"tool": "search_contacts", "arguments": {}, "outcome": text} for text in (FOUND, outcome)]
    check(agent.submit(site, cast, history=history))
    sign_in(page)
    page.locator(".row-link").first.click()
    page.get_by_text("claimed by you").wait_for()
    assert len(page.content()) < 300_000


def test_a_hostile_item_can_still_be_decided(page: Page, site: str, cast: Cast) -> None:
    open_item(page, site, cast, SCRIPT)
    page.keyboard.press("r")
    page.keyboard.type("No.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/queue**")


def test_a_name_of_one_long_word_pushes_nothing_over_the_side(page: Page, cast: Cast) -> None:
    action = replace(WRONG, tool="set_candidate_status_of_the_subsidiary")
    decided(flagged(cast, action).action, decide.Reject("No."), cast.reviewer)
    day_figures.refresh_figures(cast.workspace)
    agent_keys.issue_key(membership=cast.admin, name="w" * 80)
    page.set_viewport_size(NARROW)
    sign_in(page, "ada", at="/overview")
    page.get_by_role("rowheader", name=action.tool).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.set_viewport_size(WIDE)
    page.goto("/settings")
    expect(page.get_by_role("button", name="Revoke").first).to_be_in_viewport()
