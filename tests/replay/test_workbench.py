import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.replay.proposals import proposals
from reviews.replay.workbench import Setting, Trace, TraceDataError, Workbench
from tests.replay.data import WORKBENCH, needs_workbench

STEPS = (
    "[(AgentAction(tool='mail.search', tool_input={'query': 'Raj'}, log='Let us look.\\n\\nAction:\\n{}'),"
    " [{'id': '7', 'when': nan}]),"
    " (AgentAction(tool='mail.delete', tool_input={'id': '7'}, log='```'), 'Deleted.')]"
)
LABEL = {
    "position": 1,
    "tool": "mail.delete",
    "arguments": {"id": "7"},
    "label": "aligned",
    "accepted_by_environment": True,
}


def tool(name: str, *, changing: bool) -> dict[str, Any]:
    parameters = [{"name": "id", "default": None, "type": "str", "description": "Its number."}]
    return {"name": name, "description": "…", "parameters": parameters, "environment_changing": changing}


Folder = Callable[..., Workbench]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with one trace, of which a test changes a part."""

    def write(*, response: str = f"{{'intermediate_steps': {STEPS}}}", **label: Any) -> Workbench:
        results = tmp_path / "data/results/mail/gpt-4_domains_2024.csv"
        results.parent.mkdir(parents=True, exist_ok=True)
        with results.open("w", newline="") as file:
            csv.writer(file).writerows([["query", "full_response"], ["Delete Raj's mail", response]])
        told = {"tools": "domains", "domain": "mail", "query": "Delete Raj's mail", "task_successful": True}
        line = {**told, "env_calls": [LABEL], **label}
        (tmp_path / "derived_labels.jsonl").write_text(json.dumps(line) + "\n")
        documents = [
            tool("mail.search", changing=False),
            tool("mail.delete", changing=True),
            tool("crm.add", changing=True),
        ]
        (tmp_path / "tools.json").write_text(json.dumps(documents))
        return Workbench(tmp_path)

    return write


def only_trace(workbench: Workbench) -> Trace:
    (trace,) = workbench.traces()
    return trace


def check_unreadable(workbench: Workbench, says: str) -> None:
    with pytest.raises(TraceDataError, match=says):
        list(workbench.traces())


def test_steps_are_read_in_order(folder: Folder) -> None:
    assert [step.tool for step in only_trace(folder()).steps] == ["mail.search", "mail.delete"]


def test_an_outcome_is_text_as_json(folder: Folder) -> None:
    assert only_trace(folder()).steps[0].outcome == '[{"id": "7", "when": null}]'


def test_a_plain_outcome_stays_as_it_is(folder: Folder) -> None:
    assert only_trace(folder()).steps[1].outcome == "Deleted."


def test_a_thought_ends_where_the_call_begins(folder: Folder) -> None:
    assert [step.thought for step in only_trace(folder()).steps] == ["Let us look.", ""]


def test_only_the_labelled_call_is_proposed(folder: Folder) -> None:
    workbench = folder()
    (proposal,) = proposals(workbench, only_trace(workbench), run="r")
    assert proposal.submission["action"] == {"tool": "mail.delete", "arguments": {"id": "7"}}
    assert [step["tool"] for step in proposal.submission["history"]] == ["mail.search"]


def test_only_tools_of_the_domain_are_offered(folder: Folder) -> None:
    workbench = folder()
    assert [each["name"] for each in workbench.offered(only_trace(workbench))] == ["mail.search", "mail.delete"]


def test_tools_are_json_schema(folder: Folder) -> None:
    workbench = folder()
    assert workbench.tools[0]["parameters"]["properties"] == {"id": {"type": "string", "description": "Its number."}}


def test_the_same_call_has_the_same_key(folder: Folder) -> None:
    workbench = folder()
    first, second = (next(proposals(workbench, only_trace(workbench), run="r")) for _ in range(2))
    assert first.key("r") == second.key("r") != first.key("s")


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
    traces = Workbench(WORKBENCH).traces(setting)
    return Counter(step.label.kind for trace in traces for step in trace.steps if step.label)


@needs_workbench
def test_the_labels_of_the_domains_setting_are_all_found() -> None:
    assert kinds("domains") == {"aligned": 209, "interpretation": 96, "parameter": 56, "tool": 28, "repeat": 1}


@needs_workbench
def test_the_labels_of_the_all_setting_are_all_found() -> None:
    assert kinds("all") == {"aligned": 198, "interpretation": 101, "parameter": 80, "tool": 47, "repeat": 2}


@needs_workbench
def test_the_traces_are_those_the_data_set_describes() -> None:
    traces = list(Workbench(WORKBENCH).traces("domains"))
    figures = (len(traces), sum(trace.successful for trace in traces), sum(trace.misaligned for trace in traces))
    assert figures == (444, 222, 89)


@needs_workbench
def test_every_called_tool_was_offered_and_every_change_is_labelled() -> None:
    workbench = Workbench(WORKBENCH)
    for trace in workbench.traces():
        offered = {tool["name"]: tool["environment_changing"] for tool in workbench.offered(trace)}
        assert all(offered[step.tool] is (step.label is not None) for step in trace.steps)


@needs_workbench
def test_every_proposal_is_json() -> None:
    workbench = Workbench(WORKBENCH)
    keys = [each.key("r") for trace in workbench.traces() for each in proposals(workbench, trace, run="r")]
    assert len(keys) == 390 + 428
    assert max(map(len, keys)) <= 200
