from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.pairs import Pairs
from reviews.provenance.core.context import ProposedAction
from tests.evaluation.conversations import cases_in, pairs_folder


def test_both_calls_of_a_pair_are_cases_in_one_context(tmp_path: Path) -> None:
    right, wrong = cases_in(Pairs(pairs_folder(tmp_path)))
    assert [(case.label, case.wrong) for case in (right, wrong)] == [("right", False), ("wrong", True)]
    assert right.case.context == wrong.case.context
    assert right.case.context.now == datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_wrong_call_names_its_leaves_and_the_right_call(tmp_path: Path) -> None:
    _, wrong = cases_in(Pairs(pairs_folder(tmp_path)))
    assert wrong.differing == frozenset({"/booking_id"})
    assert wrong.right == ProposedAction("cancel_booking", {"booking_id": "B17"})


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"body": {"tools": []}}, "pair 1: /query"), ({"wrong": None}, "pair 1"), ({"body": {"now": "noon"}}, "pair 1")],
)
def test_unexpected_data_is_refused_by_place(changed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match=message):
        cases_in(Pairs(pairs_folder(tmp_path, **changed)))


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match="no JSON file"):
        cases_in(Pairs(tmp_path))


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.json").write_text("{")
    with pytest.raises(TraceDataError, match=r"pairs\.json cannot be read"):
        cases_in(Pairs(tmp_path))
