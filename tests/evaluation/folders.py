"""A WorkBench folder with one trace, of which a test changes a part."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reviews.evaluation.benchmarks.workbench import Trace, Workbench

STEPS = (
    "[(AgentAction(tool='mail.search', tool_input={'query': 'Raj'}, log='Let us look.\\n\\nAction:\\n{}'),"
    " [{'id': '7', 'when': nan}]),"
    " (AgentAction(tool='mail.delete', tool_input={'id': '7'}, log='```'), 'Deleted.')]"
)
RESPONSE = f"{{'intermediate_steps': {STEPS}}}"
TASK = ["query", "answer", "domains"]
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


def _write(path: Path, *rows: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


Folder = Callable[..., Workbench]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with one trace, of which a test changes a part."""

    def write(*, response: str = RESPONSE, right: str = "", **label: Any) -> Workbench:
        if right:
            task = ["Delete Raj's mail", right, "['mail']"]
            _write(tmp_path / "data/processed/queries_and_answers/mail_queries_and_answers.csv", TASK, task)
        traces = tmp_path / "data/results/mail/gpt-4_domains_2024.csv"
        _write(traces, ["query", "full_response"], ["Delete Raj's mail", response])
        labels = {"tools": "domains", "domain": "mail", "query": "Delete Raj's mail", "task_successful": True}
        line = {**labels, "env_calls": [LABEL], **label}
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
    (trace,) = workbench.read_traces()
    return trace
