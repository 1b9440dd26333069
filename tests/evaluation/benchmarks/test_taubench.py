from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome, TraceDataError
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.provenance.core.context import ProposedAction, Step
from reviews.provenance.core.trust import SourceKind
from tests.evaluation.conversations import cases_in, taubench_folder
from tests.evaluation.data import TAUBENCH, needs_taubench

LABEL = {"at": 3, "id": "c1", "label": "differs", "differing": ["/booking_id"], "accepted": True}
TRUTH = [{"name": "cancel_booking", "kwargs": {"booking_id": "B99"}}]


def only_case(folder: Path, **changed: Any) -> LabelledCase:
    (case,) = cases_in(TauBench(taubench_folder(folder, **changed)))
    return case


def test_a_labelled_write_call_is_a_case(tmp_path: Path) -> None:
    case = only_case(tmp_path)
    assert (case.label, case.wrong, case.look_up) == ("right", False, False)
    assert case.case.action == ProposedAction("cancel_booking", {"booking_id": "B17"})


def test_the_context_ends_before_the_call_though_ids_repeat(tmp_path: Path) -> None:
    context = only_case(tmp_path).case.context
    assert context.history == (Step("find_booking", {"name": "Ann"}, '{"booking_id": "B17"}'),)


def test_the_policy_is_the_system_prompt_and_no_clock_is_given(tmp_path: Path) -> None:
    context = only_case(tmp_path).case.context
    assert [(text.kind, text.text) for text in context.extra] == [(SourceKind.SYSTEM_PROMPT, "Be kind.")]
    assert context.now is None


def test_a_differing_call_names_its_leaves_and_the_right_call(tmp_path: Path) -> None:
    case = only_case(tmp_path, calls=[LABEL], truth=TRUTH)
    assert (case.wrong, case.differing) == (True, frozenset({"/booking_id"}))
    assert case.right == ProposedAction("cancel_booking", {"booking_id": "B99"})


@pytest.mark.parametrize("label", [{"label": "not-in-truth"}, {"label": "refused"}, {"accepted": False}])
def test_what_did_no_harm_counts_neither_way(label: Any, tmp_path: Path) -> None:
    assert only_case(tmp_path, calls=[{**LABEL, **label}]).wrong is None


@pytest.mark.parametrize(("reward", "label", "wrong"), [(1, "right", False), (0, "failed run", None)])
def test_look_ups_are_cases_on_request(reward: int, label: str, wrong: bool | None, tmp_path: Path) -> None:
    look_up, _ = cases_in(TauBench(taubench_folder(tmp_path, reward=reward), every_call=True))
    assert (look_up.look_up, look_up.label, look_up.wrong) == (True, label, wrong)


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({}, Outcome.SUCCESSFUL),
        ({"reward": None, "truth": None}, Outcome.SUCCESSFUL),
        ({"reward": 0}, Outcome.OTHER),
        ({"reward": 0, "calls": [LABEL]}, Outcome.MISALIGNED),
    ],
)
def test_a_run_is_misaligned_by_a_call_that_took_effect(changed: Any, outcome: Outcome, tmp_path: Path) -> None:
    (trace,) = TauBench(taubench_folder(tmp_path, **changed)).read_traces()
    assert trace.outcome is outcome


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"calls": []}, "conversation 1: message 3 calls cancel_booking, and no label"),
        ({"calls": [LABEL, {**LABEL, "at": 4}]}, "belong to no call"),
        ({"calls": [{**LABEL, "label": "fine"}]}, "'fine' is no label"),
        ({"calls": [{"at": 3, "id": "c1"}]}, "the field 'label' is missing"),
        ({"messages": "none"}, "hotel.json, conversation 1"),
    ],
)
def test_unexpected_data_is_refused_by_place(changed: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match=message):
        only_case(tmp_path, **changed)


@needs_taubench
def test_every_published_write_call_is_a_case() -> None:
    cases = cases_in(TauBench(TAUBENCH))
    assert all(case.differing for case in cases if case.label == "differs")
    assert sum(case.label == "right" for case in cases) == 46
