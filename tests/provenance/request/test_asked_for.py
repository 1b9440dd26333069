"""Whether a request asks for a tool, in domains that nobody wrote about."""

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.request.asked_for import explores, match, only_reads

TOOLS = {
    tool.name: tool
    for tool in (
        ToolDoc("prune_trees", "Cuts back the trees of a row."),
        ToolDoc("log_maintenance", "Creates a reminder to service a machine."),
        ToolDoc("open_crate", "Creates a new crate for an exhibit."),
        ToolDoc("station_login", "Part of the weather service. Tool description: Log in a keeper with a badge number."),
        ToolDoc("hop", "Change the current working directory to another one."),
        ToolDoc("scrap_cask", "Removes a cask from the cellar for good."),
        ToolDoc("book_ferry", "Book a ferry."),
        ToolDoc("jot", "Write content to a logbook."),
    )
}


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        ("prune_trees", "Prune the trees of row 7"),
        ("prune_trees", "could you please prune the trees in the north orchard?"),
        ("log_maintenance", "remind me on Friday to oil the press"),
        ("open_crate", "put the vase into a new crate"),
        ("station_login", "Log me in with badge 4471, I am the keeper"),
        ("hop", "go to the folder with the tide tables"),
        ("scrap_cask", "get rid of cask 12"),
        ("book_ferry", "please arrange the reservation of a ferry to Ven"),
        ("jot", "save the readings in the logbook"),
    ],
)
def test_a_request_asks_for_a_tool_by_what_its_name_and_document_say(tool: str, request_: str) -> None:
    assert match(TOOLS[tool], (request_,)) is not None


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        ("prune_trees", "how many trees are in row 7?"),
        ("prune_trees", "don't prune the trees"),
        ("log_maintenance", "show me the last reminder"),
        ("log_maintenance", "do not remind me of the press"),
        ("open_crate", "where is the new crate?"),
        ("scrap_cask", "do not get rid of cask 12"),
        ("book_ferry", "cancel my reservation of the ferry"),
    ],
)
def test_a_request_does_not_ask_for_what_it_only_mentions_or_denies(tool: str, request_: str) -> None:
    assert match(TOOLS[tool], (request_,)) is None


def test_moving_about_explores_and_is_no_reading() -> None:
    assert explores(TOOLS["hop"])
    assert not only_reads(TOOLS["hop"])
    assert not explores(TOOLS["scrap_cask"])
