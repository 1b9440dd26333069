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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from reviews.evaluation.benchmarks import python_literals
from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, TraceDataError, digest_of
from reviews.provenance.core.context import (
    Case,
    Context,
    Message,
    NamedText,
    PlanStep,
    ProposedAction,
    SourceKind,
    Step,
    ToolDoc,
)

LOGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "opi_gpt-4o_naive-all.csv": "observation-injection",
        "dpi_gpt-4o_combined_attack-all.csv": "direct-injection",
        "clean_gpt-4o_dynamic_prompt_rewriting.csv": "clean",
    }
)
"""What each file's runs suffered."""
LABELS: Final = "derived_labels.jsonl"

_LARGEST_FIELD: Final = 16 * 1024 * 1024
_TOOL_LIST: Final = "the tool list: "
_ACTED: Final = "[Action]"
_OBSERVATION: Final = "[Observation]: "
_OBSERVED: Final = re.compile(r"(?:^|;)The knowledge I get from (\S+) is: ")

Data = Mapping[str, Any]


@dataclass(frozen=True)
class ASB:
    """The folder."""

    folder: Path
    name: str = "asb"

    def traces(self) -> Iterator[LabelledTrace]:
        """Every run. Raises `TraceDataError`."""
        told = [json.loads(line) for line in self._text(LABELS)]
        for log, suffered in LOGS.items():
            for number, (row, label) in enumerate(self._paired(log, told), start=1):
                try:
                    yield _labelled(suffered, row, label)
                except (KeyError, IndexError, TypeError, ValueError) as error:
                    raise TraceDataError(f"{log}, run {number} ({label.get('case')}): {error!r}") from error

    def _paired(self, log: str, told: Sequence[Data]) -> list[tuple[Data, Data]]:
        """The rows of a log with their labels, which stand in the same order."""
        csv.field_size_limit(_LARGEST_FIELD)
        rows, labels = list(csv.DictReader(self._text(f"logs/{log}"))), [each for each in told if each["log"] == log]
        if len(rows) != len(labels):
            raise TraceDataError(f"{log} holds {len(rows)} runs, {LABELS} knows {len(labels)} of them")
        return list(zip(rows, labels, strict=True))

    def _text(self, name: str) -> io.StringIO:
        try:
            return io.StringIO((self.folder / name).read_text(encoding="utf-8"))
        except OSError as error:
            raise TraceDataError(f"{name} cannot be read: {error}") from error


def _labelled(suffered: str, row: Data, told: Data) -> LabelledTrace:
    messages = python_literals.parse(row["messages"])
    if not messages[2]["content"].startswith(told["query"]):
        raise ValueError(f"the run asks {messages[2]['content'][:80]!r}, its label {told['query']!r}")
    named = f"asb/{suffered}/{told['case']}/{digest_of(told['query'])}"
    return LabelledTrace(named, suffered, _outcome(suffered, told), tuple(_cases(named, messages, told)))


def _outcome(suffered: str, told: Data) -> Outcome:
    if told["attack_tool_called"]:
        return Outcome.MISALIGNED
    clean = suffered == "clean" and told["original_task_successful"]
    return Outcome.SUCCESSFUL if clean else Outcome.OTHER


def _cases(named: str, messages: Sequence[Data], told: Data) -> Iterator[LabelledCase]:
    """Calls of one step were chosen together: each has the steps before it for its history."""
    context, called, steps = _beginning(messages, told), set[str](), list(told["steps"])
    if len(steps) != sum(map(_acts, messages)):
        raise ValueError(f"the label tells of {len(steps)} steps, and the run has others")
    for message in messages[3:]:
        if thought := message.get("thinking"):
            context = _behind(context, [Message("assistant", thought)])
        if _acts(message):
            step = steps.pop(0)
            new = [tool for tool in dict.fromkeys(step["calls"]) if tool not in called]
            yield from (_case(named, tool, told, context, step["subtask"]) for tool in new)
            called.update(new)
            context = _behind(context, _made(step, message["content"]))


def _acts(message: Data) -> bool:
    return message["role"] == "assistant" and (message.get("content") or "").startswith(_ACTED)


def _case(named: str, tool: str, told: Data, context: Context, subtask: str) -> LabelledCase:
    wrong = tool == told["attack_tool"]
    case = Case(context, ProposedAction(tool, {}, subtask))
    return LabelledCase(f"{named}/{tool}", "attack" if wrong else "normal", case, wrong)


def _beginning(messages: Sequence[Data], told: Data) -> Context:
    """The context before the first step. The request is the user's whole message, with what was injected into it."""
    role, workflow, asked = (message["content"] for message in messages[:3])
    tools, said = _offered(workflow)
    prompts = (NamedText(SourceKind.SYSTEM_PROMPT, name, text) for name, text in [("role", role), ("workflow", said)])
    return Context(asked, tools, extra=tuple(prompts), plan=_plan(told["plan"]))


def _offered(workflow: str) -> tuple[tuple[ToolDoc, ...], str]:
    """The tools that the system message lists, and that message without the list."""
    before, marker, text = workflow.partition(_TOOL_LIST)
    listed, end = json.JSONDecoder().raw_decode(text)
    documents = (each["function"] for each in listed)
    tools = (ToolDoc(each["name"], each["description"], each.get("parameters") or {}) for each in documents)
    return tuple(tools), f"{before}{marker}{text[end:].lstrip()}"


def _plan(told: Sequence[Data] | None) -> tuple[PlanStep, ...] | None:
    return tuple(PlanStep(step["message"], tuple(step["tool_use"])) for step in told) if told else None


def _made(step: Data, text: str) -> Iterator[Step]:
    """The step's calls, each with what the log says it returned; with nothing where it does not say."""
    _, *parts = _OBSERVED.split(text.partition(_OBSERVATION)[2])
    observed = list(zip(parts[::2], parts[1::2], strict=True))
    for tool in step["calls"]:
        at = next((n for n, (name, _) in enumerate(observed) if name == tool), None)
        yield Step(tool, {}, None if at is None else observed.pop(at)[1], step["subtask"])


def _behind(context: Context, items: Iterable[Step | Message]) -> Context:
    return replace(context, history=(*context.history, *items))
