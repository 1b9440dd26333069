"""What axe finds in a page, in one or several widths and colour schemes."""

from collections.abc import Iterable
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import LOOKS, Look

SCRIPT: Final = Axe().axe_script
# Who speaks to the page says what stands on a button; axe looks for that only when asked. What passes is not told one
# by one, which takes axe as long as all its checks.
OPTIONS: Final = {"rules": {"label-content-name-mismatch": {"enabled": True}}, "resultTypes": ["violations"]}
RUN: Final = "([selectors, options]) => axe.run(selectors.length ? { include: selectors } : document, options)"


def check_accessible(page: Page, *selectors: str) -> None:
    """Axe finds nothing in the page, or in what these select of it, and nothing hangs over the side."""
    # What was led here by a click or a key may still be loading.
    page.wait_for_load_state("load")
    # The style guide's button that is shown at work says so itself.
    expect(page.locator(".htmx-request:not([aria-busy])")).to_have_count(0)
    # Many times as long as the site's own scripts: once for a document.
    if not page.evaluate("'axe' in window"):
        page.evaluate(SCRIPT)
    violations: list[dict[str, Any]] = page.evaluate(RUN, [list(selectors), OPTIONS])["violations"]
    found = [
        (each["id"], node["target"]) for each in violations for node in each["nodes"] if not _is_broken(each, node)
    ]
    assert found == [], found
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def check_accessible_in(looks: Iterable[Look], page: Page, *selectors: str) -> None:
    """The same in each of these looks. The page need not be loaded anew: only its styles ask for either."""
    for viewport, scheme in looks:
        page.set_viewport_size(viewport)
        # At once: of a colour on its way to another, axe would measure the middle.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        check_accessible(page, *selectors)


def check_accessible_in_all_looks(page: Page, *selectors: str) -> None:
    """The same in both widths and colour schemes."""
    check_accessible_in(LOOKS, page, *selectors)


def _is_broken(violation: dict[str, Any], node: dict[str, Any]) -> bool:
    """Whether it is only that a drawing breaks the words of a name into the lines of a box."""
    return violation["id"] == "label-content-name-mismatch" and str(node["html"]).startswith('<a class="unit')
