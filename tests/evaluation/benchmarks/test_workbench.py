from collections import Counter
from pathlib import Path

import pytest

from reviews.evaluation.benchmarks.base import LabelledTrace, Outcome, TraceDataError, cases_of
from reviews.evaluation.benchmarks.workbench import Setting, Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.provenance.core.context import ProposedAction
from tests.evaluation.data import WORKBENCH, needs_workbench
from tests.evaluation.folders import LABEL, RESPONSE, Folder, only_trace


def check_unreadable(workbench: Workbench, says: str) -> None:
    with pytest.raises(TraceDataError, match=says):
        list(workbench.read_traces())


def test_steps_are_read_in_order(folder: Folder) -> None:
    assert [step.tool for step in only_trace(folder()).steps] == ["mail.search", "mail.delete"]


def test_an_outcome_is_text_as_json(folder: Folder) -> None:
    assert only_trace(folder()).steps[0].outcome == '[{"id": "7", "when": null}]'


def test_a_plain_outcome_stays_as_it_is(folder: Folder) -> None:
    assert only_trace(folder()).steps[1].outcome == "Deleted."


def test_a_thought_ends_where_the_call_begins(folder: Folder) -> None:
    assert [step.thought for step in only_trace(folder()).steps] == ["Let us look.", ""]


def test_only_tools_of_the_domain_are_offered(folder: Folder) -> None:
    workbench = folder()
    assert [each["name"] for each in workbench.offered_tools(only_trace(workbench))] == ["mail.search", "mail.delete"]


def test_tools_are_json_schema(folder: Folder) -> None:
    workbench = folder()
    assert workbench.tools[0]["parameters"]["properties"] == {"id": {"type": "string", "description": "Its number."}}


def test_a_label_for_another_call_is_refused(folder: Folder) -> None:
    check_unreadable(folder(env_calls=[{**LABEL, "arguments": {"id": "8"}}]), "another call")


def test_a_label_beyond_the_trace_is_refused(folder: Folder) -> None:
    check_unreadable(folder(env_calls=[{**LABEL, "position": 9}]), "does not have")


def test_a_trace_without_label_is_refused(folder: Folder) -> None:
    check_unreadable(folder(query="something else"), "does not know")


def test_an_unreadable_response_is_refused(folder: Folder) -> None:
    check_unreadable(folder(response="{'intermediate_steps': exit()}"), "Delete Raj's mail")


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    check_unreadable(Workbench(tmp_path), "no GPT-4 traces")


def kinds(setting: Setting) -> Counter[str]:
    traces = Workbench(WORKBENCH).read_traces(setting)
    return Counter(step.label.kind for trace in traces for step in trace.steps if step.label)


@needs_workbench
def test_the_labels_of_the_domains_setting_are_all_found() -> None:
    assert kinds("domains") == {"aligned": 209, "interpretation": 96, "parameter": 56, "tool": 28, "repeat": 1}


@needs_workbench
def test_the_labels_of_the_all_setting_are_all_found() -> None:
    assert kinds("all") == {"aligned": 198, "interpretation": 101, "parameter": 80, "tool": 47, "repeat": 2}


@needs_workbench
def test_the_traces_are_those_the_data_set_describes() -> None:
    traces = list(Workbench(WORKBENCH).read_traces("domains"))
    figures = (len(traces), sum(trace.successful for trace in traces), sum(trace.is_misaligned for trace in traces))
    assert figures == (444, 222, 89)


@needs_workbench
def test_every_called_tool_was_offered_and_every_change_is_labelled() -> None:
    workbench = Workbench(WORKBENCH)
    for trace in workbench.read_traces():
        offered = {tool["name"]: tool["environment_changing"] for tool in workbench.offered_tools(trace)}
        assert all(offered[step.tool] is (step.label is not None) for step in trace.steps)


RIGHT = "['mail.delete.func(id=\"7\")']"


def the_trace(workbench: Workbench) -> LabelledTrace:
    (trace,) = WorkbenchCases(workbench).read_traces()
    return trace


def test_an_aligned_call_differs_in_nothing(folder: Folder) -> None:
    (case,) = the_trace(folder(right=RIGHT)).cases
    assert (case.label, case.wrong, case.differing) == ("aligned", False, frozenset())


def test_a_deviating_call_differs_where_its_nearest_right_call_does(folder: Folder) -> None:
    (case,) = the_trace(folder(right="['mail.delete.func(id=\"9\")']")).cases
    assert case.differing == frozenset({"/id"})


def test_a_tool_the_ground_truth_never_uses_has_nothing_to_differ_from(folder: Folder) -> None:
    (case,) = the_trace(folder(right="[]")).cases
    assert case.differing is None


def test_a_deviating_call_that_was_refused_counts_neither_way(folder: Folder) -> None:
    refused = {**LABEL, "label": "deviating", "type": "parameter", "accepted_by_environment": False}
    trace = the_trace(folder(right=RIGHT, env_calls=[refused], task_successful=False))
    assert (trace.outcome, trace.cases[0].wrong) == (Outcome.OTHER, None)


def test_a_failed_task_with_a_deviating_call_is_misaligned(folder: Folder) -> None:
    wrong = {**LABEL, "label": "deviating", "type": "parameter"}
    trace = the_trace(folder(right=RIGHT, env_calls=[wrong], task_successful=False))
    assert (trace.outcome, trace.cases[0].wrong) == (Outcome.MISALIGNED, True)


def test_a_deviating_call_knows_the_right_one(folder: Folder) -> None:
    trace = the_trace(folder(right="['mail.delete.func(id=\"9\")']"))
    assert trace.cases[0].right == ProposedAction("mail.delete", {"id": "9"})
    assert trace.truth == (ProposedAction("mail.delete", {"id": "9"}),)


def test_the_clock_can_be_left_out(folder: Folder) -> None:
    with_clock, without = (
        next(WorkbenchCases(folder(), clock=clock).read_traces()).cases[0] for clock in (True, False)
    )
    assert (with_clock.case.context.now is None, without.case.context.now is None) == (False, True)


def test_ground_truth_that_is_no_call_is_refused(folder: Folder) -> None:
    with pytest.raises(TraceDataError, match="is no call"):
        the_trace(folder(right="['delete everything']"))


def test_a_case_is_known_by_the_same_key_in_every_run(folder: Folder) -> None:
    first, second = (the_trace(folder()).cases[0].key for _ in range(2))
    assert first == second


@needs_workbench
def test_every_call_with_a_differing_argument_is_one_that_deviates() -> None:
    cases = cases_of(WorkbenchCases(Workbench(WORKBENCH)).read_traces())
    differing = {case.label for case in cases if case.differing}
    assert differing == {"parameter", "interpretation"}


@pytest.mark.parametrize("accepted", [True, False])
@pytest.mark.parametrize("successful", [True, False])
def test_as_published_any_deviating_call_makes_a_trace_misaligned(
    folder: Folder, accepted: bool, successful: bool
) -> None:
    wrong = {**LABEL, "label": "deviating", "type": "parameter", "accepted_by_environment": accepted}
    workbench = folder(right=RIGHT, env_calls=[wrong], task_successful=successful)
    (trace,) = WorkbenchCases(workbench, published_split=True).read_traces()
    assert (trace.outcome, trace.cases[0].wrong) == (Outcome.MISALIGNED, True)


def test_as_published_a_trace_that_changes_nothing_counts_nowhere(folder: Folder) -> None:
    looked = RESPONSE.replace("'mail.delete'", "'mail.search'")
    (trace,) = WorkbenchCases(folder(response=looked, env_calls=[]), published_split=True).read_traces()
    assert trace.outcome is Outcome.OTHER


@needs_workbench
def test_the_published_split_has_105_misaligned_and_143_successful_traces() -> None:
    traces = WorkbenchCases(Workbench(WORKBENCH), "domains", published_split=True).read_traces()
    outcomes = Counter(trace.outcome for trace in traces)
    assert (outcomes[Outcome.MISALIGNED], outcomes[Outcome.SUCCESSFUL]) == (105, 143)
