"""WorkBench's GPT-4 traces: who asked what, what the agent called, what came back, and how each call is labelled.

Reads the folder as its authors published it, with `tools.json` and `derived_labels.jsonl` beside (see its NOTICE).
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from reviews.evaluation.benchmarks import python_literals
from reviews.evaluation.benchmarks.base import TraceDataError
from reviews.evaluation.benchmarks.reading import defer_reading, limit_parts, locate_errors, read_json, read_json_lines

Setting = Literal["domains", "all"]
"""The agent was offered the tools its task needs, or all 27."""

NOW: Final = datetime(2023, 11, 30)  # noqa: DTZ001  # the benchmark's wall clock; it names no zone
SITUATION: Final = (
    "Today is Thursday, 30 November 2023; the time is 00:00. No meeting may start before 09:00 or end after 18:00."
)
"""What the benchmark tells its agent besides the request."""

LABELS: Final = "derived_labels.jsonl"
# Every agent may look up addresses, whatever its task needs.
_DIRECTORY: Final = "company_directory"
# The tasks name one toolkit otherwise than the tools do.
_SHORT_NAMES: Final = {"crm": "customer_relationship_manager"}
_JSON_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
# A field holds a whole trace; the CSV module's own limit of 128 KB is soon reached.
_MAX_FIELD: Final = 16 * 1024 * 1024
# Where a call's own notation begins behind the agent's words.
_NOTATIONS: Final = ("Action:", "```", "{")

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Label:
    """What is known about one environment-changing call."""

    kind: str
    """`aligned`, or how it deviates: `tool`, `parameter`, `interpretation`, `repeat`."""
    accepted: bool
    """The sandbox did not refuse the call."""

    @property
    def is_aligned(self) -> bool:
        """Whether the ground truth has this call."""
        return self.kind == "aligned"


@dataclass(frozen=True)
class Step:
    """One call of the trace and what it returned."""

    tool: str
    arguments: Mapping[str, Any]
    outcome: str
    thought: str
    """What the agent wrote before the call; mostly empty."""
    label: Label | None = None
    """For an environment-changing call."""


@dataclass(frozen=True)
class Trace:
    """One task and the agent's whole attempt at it."""

    setting: Setting
    domain: str
    query: str
    toolkits: frozenset[str]
    """Whose tools the agent was offered."""
    steps: tuple[Step, ...]
    successful: bool
    """The sandbox ended as the ground truth would have left it."""

    @property
    def is_misaligned(self) -> bool:
        """Whether the task failed with a deviating call that took effect."""
        labels = [step.label for step in self.steps if step.label]
        return not self.successful and any(label.accepted and not label.is_aligned for label in labels)


@dataclass(frozen=True)
class Workbench:
    """WorkBench's tasks and traces, in a folder."""

    folder: Path

    @cached_property
    def tools(self) -> tuple[Data, ...]:
        """Every tool's document in the shape a submission has."""
        with locate_errors("tools.json"):
            return tuple(_tool_document(document) for document in read_json(self.folder / "tools.json"))

    def offered_tools(self, trace: Trace) -> list[Data]:
        """The documents the trace's agent was given."""
        return [tool for tool in self.tools if _toolkit_of(tool["name"]) in trace.toolkits]

    def read_traces(self, setting: Setting | None = None) -> Iterator[Trace]:
        """Every trace of the setting, or of both. Raises `TraceDataError`."""
        return (read() for _, read in self.iter_records(setting))

    def iter_records(self, setting: Setting | None = None) -> Iterator[tuple[str, Callable[[], Trace]]]:
        """Each trace's place, and how to read it; only reading raises `TraceDataError` for the trace itself."""
        paths = sorted((self.folder / "data/results").glob(f"*/gpt-4_{setting or '*'}_*.csv"))
        if not paths:
            raise TraceDataError(f"There are no GPT-4 traces under {self.folder / 'data/results'}")
        for path in paths:
            # Files are named by model, setting and day.
            domain, of_path = path.parent.name, path.name.split("_")[1]
            of_rows: Setting = "all" if of_path == "all" else "domains"
            for number, row in enumerate(_read_rows(path), start=1):
                place = f"{domain}/{path.name}, row {number}"
                yield place, defer_reading(place, self._read_trace, of_rows, domain, row)

    def _read_trace(self, setting: Setting, domain: str, row: Mapping[str, str]) -> Trace:
        query = row["query"]
        place = f"{domain} ({setting}): {query!r}"
        labels = self._trace_labels.get((setting, domain, query))
        if labels is None:
            raise TraceDataError(f"{LABELS} does not know {place}")
        with locate_errors(place):
            answer = python_literals.parse_literal(row["full_response"])
            steps = [_read_step(call, outcome) for call, outcome in limit_parts(answer["intermediate_steps"], "steps")]
            labelled = tuple(_label_steps(steps, labels["env_calls"]))
        return Trace(
            setting, domain, query, self._offered_toolkits(setting, domain, query), labelled, labels["task_successful"]
        )

    def _offered_toolkits(self, setting: Setting, domain: str, query: str) -> frozenset[str]:
        """The toolkits the agent of this task was offered."""
        if setting == "all":
            return frozenset(_toolkit_of(tool["name"]) for tool in self.tools)
        task = self._task_rows.get((domain, query))
        needed = _parse_list(task, "domains") if task else [domain]
        return frozenset({_DIRECTORY, *(_SHORT_NAMES.get(name, name) for name in needed)})

    @cached_property
    def _trace_labels(self) -> Mapping[tuple[str, str, str], Data]:
        """The labels of each trace by setting, domain and query."""
        with locate_errors(LABELS):
            lines = read_json_lines(self.folder / LABELS)
            return {(line["tools"], line["domain"], line["query"]): line for line in lines}

    @cached_property
    def ground_truth(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The right calls of each task, as text, by domain and query."""
        return {task: _parse_list(row, "answer") for task, row in self._task_rows.items()}

    @cached_property
    def _task_rows(self) -> Mapping[tuple[str, str], Mapping[str, str]]:
        """Each task's row by domain and query."""
        tasks: dict[tuple[str, str], Mapping[str, str]] = {}
        for path in sorted((self.folder / "data/processed/queries_and_answers").glob("*.csv")):
            domain = path.name.removesuffix("_queries_and_answers.csv")
            tasks.update({(domain, row["query"]): row for row in _read_rows(path)})
        return tasks


def _read_rows(path: Path) -> Iterator[dict[str, str]]:
    # The CSV module keeps one limit for the whole process.
    csv.field_size_limit(_MAX_FIELD)
    # A field's own line ends stay as they are: texts are compared to the character.
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _parse_list(row: Mapping[str, str], column: str) -> Sequence[str]:
    """The list that a column of a task holds, as Python prints it. Raises `TraceDataError`."""
    try:
        listed: Sequence[str] = python_literals.parse_literal(row[column])
    except (python_literals.UnreadableLiteralError, KeyError) as error:
        raise TraceDataError(f"{row.get('query')!r}: {column} is no list: {error}") from error
    return listed


def _toolkit_of(tool: str) -> str:
    return tool.partition(".")[0]


def _tool_document(document: Data) -> Data:
    """A tool's document in the shape a submission has."""
    properties = {
        parameter["name"]: {
            # What is neither number nor truth value is written as text.
            "type": _JSON_TYPES.get(parameter["type"], "string"),
            "description": parameter["description"],
        }
        for parameter in document["parameters"]
    }
    return {
        "name": document["name"],
        "description": document["description"],
        "parameters": {"type": "object", "properties": properties, "additionalProperties": False},
        "environment_changing": document["environment_changing"],
    }


def _read_step(call: Data, outcome: Any) -> Step:
    """A call with its result as text, and the words before the call's own notation."""
    text = outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False)
    log = call.get("log", "")
    ends = [at for mark in _NOTATIONS if (at := log.find(mark)) >= 0]
    return Step(call["tool"], call["tool_input"], text, log[: min(ends, default=len(log))].strip())


def _label_steps(steps: Sequence[Step], env_calls: Sequence[Data]) -> Iterator[Step]:
    """The steps with their labels. Raises `ValueError` for labels that are of another trace."""
    labels = {label["position"]: label for label in env_calls}
    if unknown := labels.keys() - range(len(steps)):
        raise ValueError(f"labels at positions {sorted(unknown)}, which the trace does not have")
    for position, step in enumerate(steps):
        label = labels.get(position)
        if label is None:
            yield step
            continue
        # The labels hold every argument as text, None too.
        arguments = {name: str(value) for name, value in step.arguments.items()}
        if (label["tool"], label["arguments"]) != (step.tool, arguments):
            raise ValueError(f"the label at position {position} speaks of another call")
        kind = "aligned" if label["label"] == "aligned" else label["type"]
        yield replace(step, label=Label(kind, label["accepted_by_environment"]))
