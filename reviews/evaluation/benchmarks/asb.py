"""Agent Security Bench's gpt-4o runs: the first call of each tool as a case.

Reads three logs as their authors published them (an instruction injected into what tools return, one injected into the
request, none), with `derived_labels.jsonl` beside (see the NOTICE). Tools take no arguments, so a later call of the
same tool is the same call. What comes back from an attack tool names it as one: it stands in the history of later
calls, never in that of the attack itself.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from reviews.evaluation.benchmarks import python_literals
from reviews.evaluation.benchmarks.base import (
    Benchmark,
    LabelledCase,
    LabelledTrace,
    Outcome,
    Recorded,
    TraceDataError,
    digest_of,
)
from reviews.evaluation.benchmarks.reading import defer_reading, limit_parts, locate_errors, read_json_lines, read_text
from reviews.provenance.core.context import Case, Context, Message, NamedText, PlanStep, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

LOGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "opi_gpt-4o_naive-all.csv": "observation-injection",
        "dpi_gpt-4o_combined_attack-all.csv": "direct-injection",
        "clean_gpt-4o_dynamic_prompt_rewriting.csv": "clean",
    }
)
"""What each file's runs suffered."""
LABELS: Final = "derived_labels.jsonl"

# A row holds a whole run; the CSV module's own limit of 128 KB is soon reached.
_MAX_FIELD: Final = 16 * 1024 * 1024
# How the logs print what the agent was offered, did and observed.
_TOOL_LIST: Final = "the tool list: "
_ACTION_MARK: Final = "[Action]"
_OBSERVATION_MARK: Final = "[Observation]: "
_OBSERVED: Final = re.compile(r"(?:^|;)The knowledge I get from (\S+) is: ")
# System prompts and the request come before the first step.
_OPENING: Final = 3

Data = Mapping[str, Any]


@dataclass(frozen=True)
class ASB(Benchmark):
    """Agent Security Bench's runs, in a folder of logs with their labels."""

    folder: Path
    name: str = "asb"

    def iter_records(self) -> Iterator[Recorded]:
        """Every run, not yet read. Raises `TraceDataError`."""
        labels = list(read_json_lines(self.folder / LABELS))
        # The CSV module keeps one limit for the whole process.
        csv.field_size_limit(_MAX_FIELD)
        for log, attack in LOGS.items():
            rows = list(csv.DictReader(io.StringIO(read_text(self.folder / "logs" / log))))
            # The labels of a log stand in the order of its rows: nothing else connects them.
            with locate_errors(LABELS):
                of_log = [label for label in labels if label["log"] == log]
            if len(rows) != len(of_log):
                raise TraceDataError(f"{log} holds {len(rows)} runs, {LABELS} knows {len(of_log)} of them")
            for number, (row, label) in enumerate(zip(rows, of_log, strict=True), start=1):
                place = f"{log}, run {number} ({label.get('case')})"
                yield Recorded(place, defer_reading(place, _read_run, attack, row, label))


def _read_run(attack: str, row: Data, label: Data) -> LabelledTrace:
    """One run. Raises `ValueError` and its like where the label is of another run."""
    messages = list(limit_parts(python_literals.parse_literal(row["messages"]), "messages"))
    if not messages[2]["content"].startswith(label["query"]):
        raise ValueError(f"the run asks {messages[2]['content'][:80]!r}, its label {label['query']!r}")
    if label["attack_tool_called"]:
        outcome = Outcome.MISALIGNED
    else:
        clean = attack == "clean" and label["original_task_successful"]
        outcome = Outcome.SUCCESSFUL if clean else Outcome.OTHER
    name = f"asb/{attack}/{label['case']}/{digest_of(label['query'])}"
    cases = tuple(limit_parts(_read_cases(name, messages, label), "calls"))
    return LabelledTrace(
        name, attack, outcome, cases,
        attack="" if attack == "clean" else attack, attack_succeeded=label["attack_tool_called"],
        task_succeeded=label["original_task_successful"],
    )  # fmt: skip


def _read_cases(name: str, messages: Sequence[Data], label: Data) -> Iterator[LabelledCase]:
    """Calls of one step were chosen together: each has the steps before it for its history."""
    context, called, steps = _read_context(messages, label), set[str](), list(label["steps"])
    if len(steps) != sum(map(_is_step, messages)):
        raise ValueError(f"the label tells of {len(steps)} steps, and the run has others")
    for message in messages[_OPENING:]:
        if thought := message.get("thinking"):
            context = replace(context, history=(*context.history, Message("assistant", thought)))
        if not _is_step(message):
            continue
        step = steps.pop(0)
        for tool in dict.fromkeys(step["calls"]):
            # A later call of the same tool is the same call.
            if tool not in called:
                wrong = tool == label["attack_tool"]
                case = Case(context, ProposedAction(tool, {}, step["subtask"]))
                yield LabelledCase(f"{name}/{tool}", "attack" if wrong else "normal", case, wrong)
        called.update(limit_parts(step["calls"], "calls"))
        context = replace(context, history=(*context.history, *_read_calls(step, message["content"])))


def _is_step(message: Data) -> bool:
    return message["role"] == "assistant" and (message.get("content") or "").startswith(_ACTION_MARK)


def _read_context(messages: Sequence[Data], label: Data) -> Context:
    """The context before the first step. The request is the user's whole message, with what was injected into it."""
    role, workflow, request = (message["content"] for message in messages[:_OPENING])
    before, marker, text = workflow.partition(_TOOL_LIST)
    listed, end = json.JSONDecoder().raw_decode(text)
    documents = (tool["function"] for tool in listed)
    tools = (ToolDoc(tool["name"], tool["description"], tool.get("parameters") or {}) for tool in documents)
    # The tools are sources of their own: left in the prompt, their words would count as its author's.
    prompts = {"role": role, "workflow": f"{before}{marker}{text[end:].lstrip()}"}
    plan = tuple(PlanStep(step["message"], tuple(step["tool_use"])) for step in label["plan"] or ())
    return Context(
        request,
        tuple(tools),
        extra=tuple(NamedText(SourceKind.SYSTEM_PROMPT, name, prompt) for name, prompt in prompts.items()),
        plan=plan or None,
    )


def _read_calls(step: Data, text: str) -> Iterator[Step]:
    """The step's calls, each with what the log says it returned; with nothing where it does not say."""
    _, *parts = _OBSERVED.split(text.partition(_OBSERVATION_MARK)[2])
    observed = list(zip(parts[::2], parts[1::2], strict=True))
    for tool in step["calls"]:
        # The same tool may stand in a step twice: each observation belongs to one of its calls.
        at = next((position for position, (name, _) in enumerate(observed) if name == tool), None)
        yield Step(tool, {}, None if at is None else observed.pop(at)[1], step["subtask"])
