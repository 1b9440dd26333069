import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome, TraceDataError, cases_of
from reviews.evaluation.benchmarks.webshop import TOOLS, WebShop
from reviews.provenance.core.context import Message, ProposedAction, Step
from reviews.provenance.detectors.critical_actions import is_terminal
from tests.evaluation.data import WEBSHOP, needs_webshop

RULE = "-" * 17
EPISODE = """Action: reset
Observation:\x20
Webshop\x20
Instruction: \x20
red socks\x20
[Search]\x20

Action: search[red socks]
Observation:\x20
[B01]\x20
Socks, red\x20

Action: think[B01 is red, and the log cuts this thought
Observation: OK.

Action: click[B01]
Observation: [Buy Now]

Action: click[Buy Now]
Observation: Your score (min 0.0, max 1.0): 1.0
"""
LABEL = {"id": 7, "instruction": "red socks", "score": 1.0, "status": "successful"}
Folder = Callable[..., WebShop]


@pytest.fixture
def shop(tmp_path: Path) -> Folder:
    """A folder with one episode, of which a test changes the text or a label."""

    def write(*, episode: str = EPISODE, **label: Any) -> WebShop:
        (tmp_path / "react_webshop_log.txt").write_text(f"{RULE}\n7\n{episode}\n")
        (tmp_path / "labels.jsonl").write_text(json.dumps({**LABEL, **label}) + "\n")
        return WebShop(tmp_path)

    return write


def only_case(shop: WebShop) -> LabelledCase:
    (case,) = cases_of(shop.read_traces())
    return case


def test_the_purchase_is_the_case(shop: Folder) -> None:
    action = only_case(shop()).case.action
    assert (action.tool, action.arguments) == ("click", {"element": "Buy Now"})


@pytest.mark.parametrize(
    ("status", "wrong", "outcome"), [("successful", False, Outcome.SUCCESSFUL), ("failed", True, Outcome.MISALIGNED)]
)
def test_the_reward_says_whether_it_was_right(shop: Folder, status: str, wrong: bool, outcome: Outcome) -> None:
    (trace,) = shop(status=status).read_traces()
    assert (trace.cases[0].label, trace.cases[0].wrong, trace.outcome) == (status, wrong, outcome)


def test_an_episode_that_was_halted_has_no_case(shop: Folder) -> None:
    (trace,) = shop(status="halted", score=None).read_traces()
    assert (trace.cases, trace.outcome) == ((), Outcome.HALTED)


def test_actions_and_thoughts_before_it_are_the_history(shop: Folder) -> None:
    assert only_case(shop()).case.context.history == (
        Step("search", {"query": "red socks"}, "[B01]\nSocks, red"),
        Message("assistant", "B01 is red, and the log cuts this thought"),
        Step("click", {"element": "B01"}, "[Buy Now]"),
    )


def test_searching_changes_nothing_and_clicking_may(shop: Folder) -> None:
    assert [(tool.name, tool.environment_changing) for tool in TOOLS] == [("search", False), ("click", True)]
    assert only_case(shop()).case.context.tools == TOOLS


@pytest.mark.parametrize(
    "broken",
    [
        {"id": 8},
        {"status": "lost"},
        {"episode": EPISODE.partition("Action: click[Buy")[0]},
        {"episode": "Action: reset"},
    ],
)
def test_labels_that_do_not_fit_the_log_are_refused(shop: Folder, broken: Any) -> None:
    with pytest.raises(TraceDataError, match=r"labels\.jsonl, line 1"):
        only_case(shop(**broken))


def test_a_missing_log_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match="react_webshop_log"):
        list(WebShop(tmp_path).read_traces())


@needs_webshop
def test_every_purchase_of_the_real_log_is_read() -> None:
    labels = Counter(case.label for case in cases_of(WebShop(WEBSHOP).read_traces()))
    assert labels == {"failed": 171, "successful": 122}


def test_only_the_purchase_ends_the_visit() -> None:
    purchase, look = (ProposedAction("click", {"element": element}) for element in ("Buy Now", "Description"))
    assert is_terminal(purchase, WebShop.terminal)
    assert not is_terminal(look, WebShop.terminal)
