"""The Berkeley Function-Calling Leaderboard's multi-turn tasks: each human-checked call as a case, and all are right.

Reads every JSON file of the folder: function documents by domain, and entries with the user's turns, the calls and what
the benchmark's sandbox returned (see the NOTICE). There is no system prompt and no clock, and no document says which
functions only read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.benchmarks.reading import limit_parts, list_json_files, locate_errors, number_records, read_json
from reviews.provenance.core.context import Case, ProposedAction, Step
from reviews.provenance.formats import native

Data = Mapping[str, Any]


@dataclass(frozen=True)
class BFCL(Benchmark):
    """The leaderboard's multi-turn tasks, in a folder of JSON files."""

    folder: Path
    name: str = "bfcl"

    def iter_records(self) -> Iterator[Recorded]:
        """Every entry, not yet read. Raises `TraceDataError`."""
        for path in list_json_files(self.folder):
            data = read_json(path)
            with locate_errors(path.name):
                documents, entries = data["tools"], list(data["entries"])
            yield from number_records(path, "entry", entries, partial(_read_trace, documents=documents))


def _read_trace(entry: Data, documents: Mapping[str, Sequence[Data]]) -> LabelledTrace:
    tools = list(limit_parts((document for domain in entry["classes"] for document in documents[domain]), "tools"))
    history = [past for past, _, _ in limit_parts(_read_steps(entry), "turns and calls")]
    # Read once: each call stands in the history, and is judged in what comes before it.
    body = {"query": entry["turns"][0]["user"], "tools": tools, "history": history}
    context = native.parse_context(body).context
    cases: list[LabelledCase] = []
    for at, (_, number, position) in enumerate(_read_steps(entry)):
        step = context.history[at]
        if not isinstance(step, Step):
            continue
        document = context.tool(step.tool)
        if document is None:
            raise ValueError(f"turn {number} calls {step.tool}, which no document describes")
        case = Case(replace(context, history=context.history[:at]), ProposedAction(step.tool, step.arguments))
        name = f"bfcl/{entry['id']}/{number}/{position}"
        cases.append(LabelledCase(name, "right", case, False, frozenset(), look_up=only_reads(document)))
    return LabelledTrace(f"bfcl/{entry['id']}", "+".join(entry["classes"]), Outcome.SUCCESSFUL, tuple(cases))


def _read_steps(entry: Data) -> Iterator[tuple[Data, int, int]]:
    """What happened behind the request, each with its turn's number and its own in the turn; 0 is what the user says.

    Later calls of the same turn rest on what the earlier ones returned.
    """
    for number, turn in enumerate(entry["turns"], start=1):
        # The first turn is the request itself.
        if number > 1:
            yield {"role": "user", "text": turn["user"]}, number, 0
        for position, step in enumerate(turn["steps"], start=1):
            past = {"tool": step["tool"], "arguments": step["arguments"], "outcome": step["result"]}
            yield past, number, position
