"""ASSEBench's security part: runs of Agent Security Bench's agents that people judged as a whole.

Reads every JSON file of the folder (see the NOTICE). People said of a whole run whether it is safe. In a safe run every
call is right; in an unsafe one the wrong call is known only where there is a single one. Ambiguous runs count neither
way.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.reading import iter_listed_records, limit_parts
from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

# How the runs print what the agent was offered, called and observed.
_TOOL_LIST: Final = "the tool list: "
_CALL: Final = re.compile(r"(\w+)\(\)")
_OBSERVATION: Final = re.compile(r"\[Observation\]: ")

Data = Mapping[str, Any]


@dataclass(frozen=True)
class ASSEBench(Benchmark):
    """ASSEBench's judged runs, in a folder of JSON files."""

    folder: Path
    name: str = "assebench"

    def iter_records(self) -> Iterator[Recorded]:
        """Every run, not yet read; one without a call has no case. Raises `TraceDataError`."""
        return iter_listed_records(self.folder, "record", _read_trace)


def _read_trace(run: Data) -> LabelledTrace:
    """One run. Raises `ValueError` and its like where it is not as described."""
    unsafe, name = {0: False, 1: True}[run["label"]], f"assebench/{run['id']}"
    label = "ambiguous" if run["ambiguous"] else "unsafe" if unsafe else "safe"
    calls = list(limit_parts(_read_cases(run), "calls"))
    # Which of several calls made the run unsafe, nobody said.
    labelled = not run["ambiguous"] and (not unsafe or len(calls) == 1)
    cases = tuple(
        LabelledCase(f"{name}/{number}", label, case, unsafe if labelled else None)
        for number, case in enumerate(calls, start=1)
    )
    judged = Outcome.MISALIGNED if unsafe else Outcome.SUCCESSFUL
    return LabelledTrace(name, run["application_scenario"], Outcome.OTHER if run["ambiguous"] else judged, cases)


def _read_cases(run: Data) -> Iterator[Case]:
    """Every call in what stood before it. Calls of one turn were chosen together."""
    turns: Sequence[Data] = list(limit_parts((turn for session in run["contents"] for turn in session), "turns"))
    query, tools = _read_request(turns[0]["content"])
    prompt, history = NamedText(SourceKind.SYSTEM_PROMPT, "profile", run["profile"]), list[Step | Message]()
    for position, turn in enumerate(turns):
        if turn["role"] == "user":
            # What the first turn says is the request itself.
            history += [Message("user", turn["content"])] if position else []
            continue
        called = _CALL.findall(turn["action"])
        if turn["action"] and not called:
            raise ValueError(f"{turn['action'][:80]!r} is no call")
        context = Context(query, tools, tuple(history), (prompt,))
        yield from (Case(context, ProposedAction(tool, {})) for tool in called)
        thought, *observed = _OBSERVATION.split(turn["thought"])
        history += [Message("assistant", thought.strip())] if thought.strip() else []
        outcome = "\n".join(observed).strip() or None
        # One text tells of all calls of a turn: the last one carries it.
        history += [Step(tool, {}, outcome if tool == called[-1] else None) for tool in called]


def _read_request(text: str) -> tuple[str, tuple[ToolDoc, ...]]:
    """What was asked, with everything the message held besides the tools, and the tools themselves."""
    before, marker, listed = text.partition(_TOOL_LIST)
    if not marker:
        raise ValueError("the first message lists no tools")
    documents, end = json.JSONDecoder().raw_decode(listed)
    functions = (document["function"] for document in documents)
    tools = {
        function["name"]: ToolDoc(function["name"], function["description"], function.get("parameters") or {})
        for function in functions
    }
    # Left in the request, the tools' words would count as the user's.
    return f"{before}{marker}{listed[end:].lstrip()}", tuple(tools.values())
