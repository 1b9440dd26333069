"""Logs of OpenAI's chat API: one conversation a line, `{"messages": […], "tools": […]}`; each call in it is a case.

Nothing is labelled. Calls that only look something up are left out: a guard lets them pass unasked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded, digest_of
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.benchmarks.reading import (
    bounded_messages,
    defer_reading,
    limit_parts,
    parse_json_object,
    read_lines,
)
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats import openai

Data = Mapping[str, Any]


@dataclass(frozen=True)
class OpenAIChats(Benchmark):
    """Logged conversations, in a file of JSON lines."""

    path: Path
    name: str = "openai-chats"

    def iter_records(self) -> Iterator[Recorded]:
        """Every conversation, not yet read, those without a call too. Raises `TraceDataError`."""
        for number, line in read_lines(self.path):
            place = f"{self.path.name}, line {number}"
            yield Recorded(place, defer_reading(place, _read_trace, line), number)


def _read_trace(line: str) -> LabelledTrace:
    return read_log(parse_json_object(line))


def read_log(log: Data) -> LabelledTrace:
    """One conversation with its calls. Raises what unexpected data does."""
    # Logs that keep a whole request name its conversation; of others the first messages are the name.
    trace_id = log.get("trace_id") or log.get("conversation_id") or log.get("id")
    name = str(trace_id) if trace_id else f"openai-chats/{digest_of(log['messages'][:2])}"
    messages = bounded_messages(log["messages"])
    cases = tuple(_read_cases(name, messages, list(limit_parts(log.get("tools") or [], "tools"))))
    return LabelledTrace(name, "openai-chats", Outcome.OTHER, cases)


def _read_cases(name: str, messages: list[Data], tools: list[Data]) -> Iterator[LabelledCase]:
    for call in openai.parse_calls(messages, tools):
        case = call.case
        if not only_reads(case.context.tool(case.action.tool) or ToolDoc(case.action.tool)):
            yield LabelledCase(f"{name}/{call.message + 1}/{call.number + 1}", "unlabelled", case, wrong=None)
