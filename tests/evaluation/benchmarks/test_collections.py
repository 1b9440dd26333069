"""Collections that are imported for people to judge, and what all readers have in common."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.agent_safetybench import AgentSafetyBench
from reviews.evaluation.benchmarks.assebench import ASSEBench
from reviews.evaluation.benchmarks.base import Benchmark, TraceDataError, cases_of
from reviews.evaluation.benchmarks.hotpotqa import HotPotQA
from reviews.evaluation.benchmarks.pairs import Pairs
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.evaluation.file_formats.items import Items, to_json
from reviews.evaluation.file_formats.openai_chats import OpenAIChats
from reviews.provenance.core.context import Message, Step
from reviews.provenance.formats import stored_case
from tests.evaluation.data import DATA, needs_taubench

needs = pytest.mark.skipif(not DATA.exists(), reason=f"There are no collections at {DATA}; set GUARD_DATA.")


@needs
@pytest.mark.parametrize(
    ("benchmark", "traces", "labels"),
    [
        (HotPotQA(DATA / "hotpotqa_react"), 74, {"successful": 22, "failed": 44}),
        (ASSEBench(DATA / "assebench_security"), 430, {"unsafe": 527, "safe": 230, "ambiguous": 80}),
        (AgentSafetyBench(DATA / "agent_safetybench"), 164, {"request": 164}),
    ],
)
def test_every_record_is_read(benchmark: Benchmark, traces: int, labels: dict[str, int]) -> None:
    found = list(benchmark.read_traces())
    assert len(found) == traces
    assert Counter(case.label for case in cases_of(found)) == labels


@needs_taubench
@pytest.mark.parametrize("benchmark", [TauBench(DATA / "taubench"), Pairs(DATA / "pairs")])
def test_a_collection_written_as_items_is_the_same_collection(benchmark: Benchmark, tmp_path: Path) -> None:
    traces = [trace for trace in benchmark.read_traces() if trace.cases]
    lines = [json.dumps(to_json(trace, case)) for trace in traces for case in trace.cases]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    again = list(Items(tmp_path / "items.jsonl").read_traces())
    assert [trace.cases for trace in again] == [trace.cases for trace in traces]
    assert [trace.id for trace in again] == [trace.id for trace in traces]


def hotpotqa(folder: Path, episode: str, **label: Any) -> HotPotQA:
    """A folder with one episode."""
    trial = {"trial": 1, "status": "failed", "question": "Who?", "correct_answer": "Ann"}
    (folder / "labels.jsonl").write_text(json.dumps({**trial, **label}) + "\n")
    (folder / "react_hotpotqa_log.txt").write_text(f"### trial 1 | failed\nQuestion: Who?\n{episode}")
    return HotPotQA(folder)


EPISODE = (
    "Thought 1: Look.\nAction 1: Search[Bo]\nObservation 1: Bo is\na dog.\nThought 2: So.\nAction 2: Finish[Bo]\n"
    "Observation 2: Answer is INCORRECT\n"
)


def test_an_answer_stands_behind_what_the_agent_thought_and_saw(tmp_path: Path) -> None:
    (case,) = cases_of(hotpotqa(tmp_path, EPISODE).read_traces())
    assert case.case.action.arguments == {"answer": "Bo"}
    assert case.right is not None
    assert case.right.arguments == {"answer": "Ann"}
    assert case.case.context.history == (
        Message("assistant", "Look."),
        Step("Search", {"entity": "Bo"}, "Bo is\na dog."),
        Message("assistant", "So."),
    )


@pytest.mark.parametrize(
    ("episode", "label"), [("Action 1: Search[Bo]\n", {}), ("Action 1: what\n", {}), (EPISODE, {"question": "Where?"})]
)
def test_an_episode_that_is_not_as_described_is_refused_with_its_place(
    tmp_path: Path, episode: str, label: dict[str, Any]
) -> None:
    with pytest.raises(TraceDataError, match=r"labels.jsonl, line 1"):
        list(hotpotqa(tmp_path, episode, **label).read_traces())


def chat(folder: Path, *lines: Any) -> OpenAIChats:
    path = folder / "chats.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return OpenAIChats(path)


def conversation(*tools: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for number, name in enumerate(tools)
    ]
    messages = [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": None, "tool_calls": calls}]
    return {"id": "talk", "messages": messages, "tools": []}


def test_each_call_of_a_chat_that_changes_something_is_a_case(tmp_path: Path) -> None:
    (trace,) = chat(tmp_path, conversation("get_mail", "send_mail", "delete_mail")).read_traces()
    assert [case.case.action.tool for case in trace.cases] == ["send_mail", "delete_mail"]
    assert {case.wrong for case in trace.cases} == {None}


def test_one_bad_record_does_not_end_the_others(tmp_path: Path) -> None:
    records = list(chat(tmp_path, conversation("send_mail"), "{", conversation("send_mail")).iter_records())
    assert [record.line for record in records] == [1, 2, 3]
    assert records[2].read().cases
    with pytest.raises(TraceDataError, match=r"chats.jsonl, line 2"):
        records[1].read()


def test_an_erased_entry_and_one_without_a_call_are_passed_over(tmp_path: Path) -> None:
    (request,) = cases_of(trace for trace in [no_call(tmp_path)])
    lines = [
        {"id": "x", "case": None, "erased_at": "2026-01-01"},
        {"id": "y", "case": stored_case.write_case(request.case)},
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert list(Items(path).read_traces()) == []


def test_a_folder_without_a_file_of_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceDataError, match="no file of JSON lines"):
        list(Items(tmp_path).read_traces())


def no_call(folder: Path) -> Any:
    """A request of a set that holds no calls."""
    (folder / "environments").mkdir()
    (folder / "environments" / "Mail.json").write_text('[{"name": "send", "description": "Sends."}]')
    case = {"id": 1, "instruction": "Write to them.", "environments": [{"name": "Mail", "tools": ["send"]}]}
    (folder / "cases.json").write_text(json.dumps([case]))
    (trace,) = AgentSafetyBench(folder).read_traces()
    return trace
