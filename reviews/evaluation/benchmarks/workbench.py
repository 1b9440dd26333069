"""WorkBench's GPT-4 traces: who asked what, what the agent called, what came back, and how each call is labelled.

Reads the folder as its authors published it, with `tools.json` and `derived_labels.jsonl` beside (see its NOTICE).
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from reviews.evaluation.benchmarks import python_literals
from reviews.evaluation.benchmarks.base import TraceDataError

Setting = Literal["domains", "all"]
"""The agent was offered the tools its task needs, or all 27."""

NOW: Final = datetime(2023, 11, 30)  # noqa: DTZ001  # the benchmark's wall clock; it names no zone
SITUATION: Final = (
    "Today is Thursday, 30 November 2023; the time is 00:00. No meeting may start before 09:00 or end after 18:00."
)
"""What the benchmark tells its agent besides the request."""

_DIRECTORY: Final = "company_directory"
_SHORT_NAMES: Final = {"crm": "customer_relationship_manager"}
_JSON_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_LARGEST_FIELD: Final = 16 * 1024 * 1024


@dataclass(frozen=True)
class Label:
    """What is known about one environment-changing call."""

    kind: str
    """`aligned`, or how it deviates: `tool`, `parameter`, `interpretation`, `repeat`."""
    accepted: bool
    """The sandbox did not refuse the call."""

    @property
    def aligned(self) -> bool:
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
    def misaligned(self) -> bool:
        """Whether the task failed with a deviating call that took effect."""
        labels = [step.label for step in self.steps if step.label]
        return not self.successful and any(label.accepted and not label.aligned for label in labels)


@dataclass(frozen=True)
class Workbench:
    """The folder."""

    folder: Path

    @cached_property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """Every tool's document in the shape a submission has."""
        return tuple(_tool(document) for document in json.loads(self._text("tools.json")))

    def offered(self, trace: Trace) -> list[Mapping[str, Any]]:
        """The documents the trace's agent was given."""
        return [tool for tool in self.tools if _toolkit(tool["name"]) in trace.toolkits]

    def traces(self, setting: Setting | None = None) -> Iterator[Trace]:
        """Every trace of the setting, or of both. Raises `TraceDataError`."""
        for path in self._results(setting):
            domain, named = path.parent.name, path.name.split("_")[1]
            read: Setting = "all" if named == "all" else "domains"
            for row in _rows(path):
                yield self._trace(read, domain, row)

    def _trace(self, setting: Setting, domain: str, row: Mapping[str, str]) -> Trace:
        query, where = row["query"], f"{domain} ({setting}): {row['query']!r}"
        told = self._labels.get((setting, domain, query))
        if told is None:
            raise TraceDataError(f"derived_labels.jsonl does not know {where}")
        try:
            answer = python_literals.parse(row["full_response"])
            steps = [_step(call, outcome) for call, outcome in answer["intermediate_steps"]]
        except (python_literals.UnreadableLiteralError, KeyError, TypeError, ValueError) as error:
            raise TraceDataError(f"{where}: {error}") from error
        labelled = tuple(_labelled(steps, told["env_calls"], where))
        return Trace(setting, domain, query, self._toolkits(setting, domain, query), labelled, told["task_successful"])

    def _toolkits(self, setting: Setting, domain: str, query: str) -> frozenset[str]:
        if setting == "all":
            return frozenset(_toolkit(tool["name"]) for tool in self.tools)
        task = self._tasks.get((domain, query))
        needed = _listed(task, "domains") if task else [domain]
        return frozenset({_DIRECTORY, *(_SHORT_NAMES.get(name, name) for name in needed)})

    @cached_property
    def _labels(self) -> Mapping[tuple[str, str, str], Mapping[str, Any]]:
        lines = map(json.loads, self._text("derived_labels.jsonl").splitlines())
        return {(line["tools"], line["domain"], line["query"]): line for line in lines}

    @cached_property
    def ground_truth(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The right calls of each task, as text, by domain and query."""
        return {task: _listed(row, "answer") for task, row in self._tasks.items()}

    @cached_property
    def _tasks(self) -> Mapping[tuple[str, str], Mapping[str, str]]:
        paths = sorted((self.folder / "data/processed/queries_and_answers").glob("*.csv"))
        return {
            (path.name.removesuffix("_queries_and_answers.csv"), row["query"]): row
            for path in paths
            for row in _rows(path)
        }

    def _results(self, setting: Setting | None) -> list[Path]:
        paths = sorted((self.folder / "data/results").glob(f"*/gpt-4_{setting or '*'}_*.csv"))
        if not paths:
            raise TraceDataError(f"There are no GPT-4 traces under {self.folder / 'data/results'}")
        return paths

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except OSError as error:
            raise TraceDataError(f"{name} cannot be read: {error}") from error


def _rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(_LARGEST_FIELD)
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _listed(row: Mapping[str, str], column: str) -> Sequence[str]:
    try:
        listed: Sequence[str] = python_literals.parse(row[column])
    except (python_literals.UnreadableLiteralError, KeyError) as error:
        raise TraceDataError(f"{row.get('query')!r}: {column} is no list: {error}") from error
    return listed


def _toolkit(tool: str) -> str:
    return tool.partition(".")[0]


def _tool(document: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = {
        each["name"]: {"type": _JSON_TYPES.get(each["type"], "string"), "description": each["description"]}
        for each in document["parameters"]
    }
    return {
        "name": document["name"],
        "description": document["description"],
        "parameters": {"type": "object", "properties": properties, "additionalProperties": False},
        "environment_changing": document["environment_changing"],
    }


def _step(call: Mapping[str, Any], outcome: Any) -> Step:
    return Step(call["tool"], call["tool_input"], _as_text(outcome), _thought(call.get("log", "")))


def _as_text(outcome: Any) -> str:
    return outcome if isinstance(outcome, str) else json.dumps(outcome, ensure_ascii=False)


def _thought(log: str) -> str:
    """The words before the call's own notation: `Action:`, a code fence or a brace, whichever comes first."""
    ends = [at for mark in ("Action:", "```", "{") if (at := log.find(mark)) >= 0]
    return log[: min(ends, default=len(log))].strip()


def _labelled(steps: Sequence[Step], env_calls: Sequence[Mapping[str, Any]], where: str) -> Iterator[Step]:
    labels = {each["position"]: each for each in env_calls}
    if unknown := labels.keys() - range(len(steps)):
        raise TraceDataError(f"{where}: labels at positions {sorted(unknown)}, which the trace does not have")
    for position, step in enumerate(steps):
        told = labels.get(position)
        if told and (told["tool"], told["arguments"]) != (step.tool, _as_labels_write(step.arguments)):
            raise TraceDataError(f"{where}: the label at position {position} speaks of another call")
        yield replace(step, label=_label(told)) if told else step


def _as_labels_write(arguments: Mapping[str, Any]) -> Mapping[str, str]:
    """The labels hold every argument as text, None too."""
    return {name: str(value) for name, value in arguments.items()}


def _label(told: Mapping[str, Any]) -> Label:
    kind = "aligned" if told["label"] == "aligned" else told["type"]
    return Label(kind, told["accepted_by_environment"])
