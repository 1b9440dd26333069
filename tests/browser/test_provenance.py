"""Where values come from, as a person at the keyboard meets it."""

import re
from dataclasses import replace

from playwright.sync_api import Browser, Page, expect
from prov.model import ProvDocument

from reviews.models import GuardProfile, OnUnknown
from reviews.provenance.core.context import Step
from tests.browser.accessible import check_accessible
from tests.browser.conftest import NARROW, open_page, sign_in
from tests.cast import CONTEXT, WRONG, Cast, flagged

PAYEE = "rent@homes.example"
LOOKED_UP = replace(
    CONTEXT,
    query="Pay the rent.",
    history=(Step("search_contacts", {"name": "landlord"}, f'[{{"name": "Homes", "email": "{PAYEE}"}}]'),),
)


def opened(page: Page, cast: Cast) -> None:
    """The page of a call whose payee only a tool's output names."""
    # Nothing refutes such a call: it waits where the workspace wants to see what is not proven.
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW)
    item = flagged(cast, replace(WRONG, arguments={"to": PAYEE, "amount": 300}), context=LOOKED_UP)
    sign_in(page, at=f"/reviews/{item.pk}")
    page.get_by_text("claimed by you").wait_for()


def test_the_record_is_kept_from_the_keyboard(page: Page, cast: Cast) -> None:
    opened(page, cast)
    page.locator(".details > summary").press("Enter")
    page.get_by_role("link", name="Provenance (PROV-JSON)").focus()
    with page.expect_download() as kept:
        page.keyboard.press("Enter")
    assert ProvDocument.deserialize(source=kept.value.path(), format="json").get_records()


def test_a_value_that_only_a_tool_put_forward_is_seen_as_such(page: Page, cast: Cast) -> None:
    opened(page, cast)
    row = page.get_by_role("row", name=PAYEE)
    expect(row.locator(".writers--untrusted")).to_have_text(re.compile(r"only\s+tool output history 1"))
    assert row.locator(".writers--untrusted").evaluate("tag => getComputedStyle(tag).borderTopStyle") == "dashed"


def test_it_is_accessible_on_a_narrow_dark_screen(
    chromium: Browser, site: str, complaints: list[str], cast: Cast
) -> None:
    for page in open_page(chromium, site, complaints, viewport=NARROW, color_scheme="dark"):
        opened(page, cast)
        check_accessible(page)
