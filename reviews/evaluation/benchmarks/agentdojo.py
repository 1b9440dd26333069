"""AgentDojo's gpt-4o runs, with and without injected instructions: each labelled call as a case.

Reads the runs as their authors published them, with `suites.json` and `derived_labels.jsonl` beside (see the NOTICE).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.compare_calls import nearest_call
from reviews.evaluation.benchmarks.reading import limit_parts, number_records, read_json, read_json_lines
from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

LABELS: Final = "derived_labels.jsonl"

# How the benchmark names the functions that change nothing; it declares none.
_READS: Final = re.compile(r"(?:get|read|search|list|check)_")
# A neutral or ambiguous call is on nobody's behalf for certain, and counts neither way.
_WRONG: Final = {"injected": True, "user": False}

Data = Mapping[str, Any]


@dataclass(frozen=True)
class AgentDojo(Benchmark):
    """AgentDojo's runs, in a folder with their suites and labels."""

    folder: Path
    every_call: bool = False
    """Take no tool to be read-only, so that calls which only read are cases too."""
    name: str = "agentdojo"

    def iter_records(self) -> Iterator[Recorded]:
        """Every run, not yet read. Raises `TraceDataError`."""
        return number_records(Path(LABELS), "run", read_json_lines(self.folder / LABELS), self._read_trace)

    def _read_trace(self, run: Data) -> LabelledTrace:
        messages = list(limit_parts(read_json(self.folder / run["path"])["messages"], "messages"))
        suite = self._suites[run["suite"]]
        truth = suite.truth.get(run.get("user_task_id") or "", ())
        cases = tuple(self._read_cases(run, messages, suite.tools, truth))
        return LabelledTrace(
            run["path"], run["suite"], _outcome_of(run), cases, truth,
            attack=run["attack_type"] or "", attack_succeeded=run["attack_succeeded"], task_succeeded=run["utility"],
        )  # fmt: skip

    def _read_cases(
        self, run: Data, messages: Sequence[Data], tools: tuple[ToolDoc, ...], truth: Sequence[ProposedAction]
    ) -> Iterator[LabelledCase]:
        changing = {tool.name for tool in tools if tool.environment_changing}
        for number, call in enumerate(limit_parts(run["calls"], "calls"), start=1):
            # A call that only reads passes every guard unasked.
            if call["function"] not in changing:
                continue
            at = call["message"]
            action = ProposedAction(call["function"], call["args"], messages[at]["content"] or None)
            yield LabelledCase(
                id=f"{run['path']}/{number}",
                label=call["label"],
                case=Case(_read_context(messages[:at], tools), action),
                wrong=_WRONG.get(call["label"]),
                right=nearest_call(action, truth),
                look_up=_READS.match(call["function"]) is not None,
            )

    @cached_property
    def _suites(self) -> Mapping[str, "_Suite"]:
        suites = read_json(self.folder / "suites.json")
        return {name: self._read_suite(suite) for name, suite in suites.items()}

    def _read_suite(self, suite: Data) -> "_Suite":
        tools = tuple(
            ToolDoc(
                tool["name"],
                tool["description"],
                tool["parameters"],
                environment_changing=self.every_call or not _READS.match(tool["name"]),
            )
            for tool in suite["tools"]
        )
        # Some clean runs do an injection's task for its own sake, as the user's.
        tasks = chain(suite["user_tasks"], suite["injection_tasks"])
        truth = {
            task["id"]: tuple(ProposedAction(call["function"], call["args"]) for call in task["ground_truth_calls"])
            for task in tasks
        }
        return _Suite(tools, truth)


@dataclass(frozen=True)
class _Suite:
    """What the runs of one suite share."""

    tools: tuple[ToolDoc, ...]
    truth: Mapping[str, tuple[ProposedAction, ...]]
    """The right calls of each task."""


def _outcome_of(run: Data) -> Outcome:
    if run["attack_succeeded"]:
        return Outcome.MISALIGNED
    # A run that withstood an attack may still have been led astray: it is no measure of needless interventions.
    clean = run["attack_type"] is None and run["utility"]
    return Outcome.SUCCESSFUL if clean else Outcome.OTHER


def _read_context(messages: Sequence[Data], tools: tuple[ToolDoc, ...]) -> Context:
    """What the agent had before it; the first user message is the request."""
    by_role: dict[str, list[str]] = {"system": [], "user": []}
    for message in messages:
        by_role.setdefault(message["role"], []).append(message["content"] or "")
    return Context(
        query=by_role["user"][0],
        tools=tools,
        history=tuple(_read_turns(messages)),
        extra=tuple(
            NamedText(SourceKind.SYSTEM_PROMPT, f"system-{number}", text)
            for number, text in enumerate(by_role["system"])
        ),
    )


def _read_turns(messages: Sequence[Data]) -> Iterator[Step | Message]:
    """Calls with their results, and every message behind the request, in order."""
    results = {message["tool_call_id"]: message["content"] or "" for message in messages if message["role"] == "tool"}
    request_read = False
    for message in messages:
        if message["role"] == "user":
            if request_read:
                yield Message("user", message["content"] or "")
            request_read = True
        if message["role"] == "assistant" and message["content"]:
            yield Message("assistant", message["content"])
        for call in message.get("tool_calls") or ():
            yield Step(call["function"], call["args"], results.get(call["id"]))
