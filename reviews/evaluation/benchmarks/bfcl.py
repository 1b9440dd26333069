"""The Berkeley Function-Calling Leaderboard's multi-turn tasks: each human-checked call as a case, and all are right.

Reads every JSON file of the folder: function documents by domain, and entries with the user's turns, the calls and what
the benchmark's sandbox returned (see the NOTICE). There is no system prompt and no clock, and no document says which
functions only read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, Recorded, read_all
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.benchmarks.reading import json_files, json_of, read_at, reading
from reviews.provenance.formats import native

Data = Mapping[str, Any]


@dataclass(frozen=True)
class BFCL:
    """The folder."""

    folder: Path
    name: str = "bfcl"

    def traces(self) -> Iterator[LabelledTrace]:
        """Every entry. Raises `TraceDataError`."""
        return read_all(self.records())

    def records(self) -> Iterator[Recorded]:
        """Every entry, not yet read. Raises `TraceDataError`."""
        for path in json_files(self.folder):
            data = json_of(path)
            with reading(path.name):
                documents, entries = data["tools"], list(data["entries"])
            for number, entry in enumerate(entries, start=1):
                place = f"{path.name}, entry {number}"
                yield Recorded(place, read_at(place, _trace, entry, documents))


def _trace(entry: Data, documents: Mapping[str, Sequence[Data]]) -> LabelledTrace:
    tools = [document for domain in entry["classes"] for document in documents[domain]]
    query = entry["turns"][0]["user"]
    history: list[Data] = []
    cases: list[LabelledCase] = []
    for number, turn in enumerate(entry["turns"], start=1):
        # The first turn is the request itself.
        history += [{"role": "user", "text": turn["user"]}] if number > 1 else []
        for position, step in enumerate(turn["steps"], start=1):
            action = {"tool": step["tool"], "arguments": step["arguments"]}
            body = {"query": query, "tools": tools, "history": history, "action": action}
            case = native.parse(body).case
            document = case.context.tool(step["tool"])
            if document is None:
                raise ValueError(f"turn {number} calls {step['tool']}, which no document describes")
            name = f"bfcl/{entry['id']}/{number}/{position}"
            cases.append(LabelledCase(name, "right", case, False, frozenset(), look_up=only_reads(document)))
            # Later calls of the same turn rest on what this one returned.
            history.append({**action, "outcome": step["result"]})
    return LabelledTrace(f"bfcl/{entry['id']}", "+".join(entry["classes"]), Outcome.SUCCESSFUL, tuple(cases))
