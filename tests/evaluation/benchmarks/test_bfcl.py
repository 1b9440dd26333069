from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.bfcl import BFCL
from reviews.provenance.core.context import Message, Step
from tests.evaluation.conversations import bfcl_folder, cases_in
from tests.evaluation.data import BFCL_RUNS, needs_bfcl


def test_every_call_is_right_and_look_ups_are_told_apart(tmp_path: Path) -> None:
    cases = cases_in(BFCL(bfcl_folder(tmp_path)))
    assert [(case.label, case.wrong, case.look_up) for case in cases] == [
        ("right", False, True),
        ("right", False, False),
    ]


def test_later_turns_and_results_stand_in_the_history(tmp_path: Path) -> None:
    _, cancel = cases_in(BFCL(bfcl_folder(tmp_path)))
    assert cancel.case.context.query == "Find Ann's booking."
    assert cancel.case.context.history == (Step("find_booking", {"name": "Ann"}, "B17"), Message("user", "Cancel it."))
    assert cancel.case.context.now is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": ["Bank"]}, "base.json, entry 1: the field 'Bank' is missing"),
        ({"turns": [{"user": "Go.", "steps": [{"tool": "fly", "arguments": {}, "result": ""}]}]}, "turn 1 calls fly"),
        ({"turns": [{"user": "", "steps": [{"tool": "fly", "arguments": {}, "result": ""}]}]}, "/query"),
        ({"turns": []}, "entry 1"),
    ],
)
def test_unexpected_data_is_refused_by_place(changed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match=message):
        cases_in(BFCL(bfcl_folder(tmp_path, **changed)))


@needs_bfcl
def test_every_published_call_is_a_right_case() -> None:
    assert {case.wrong for case in cases_in(BFCL(BFCL_RUNS))} == {False}
