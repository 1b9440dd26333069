"""Our own exchange format: JSON lines, each a call in its context with what is known of it.

The same file is imported into a dataset, exported from a frozen version, and judged like any benchmark. A line:

    {"id": …, "trace": …, "group": …, "case": {query, tools, history, sources, plan, now, action},
     "label": {"aligned": true | false | null, "name": …, "differing": […], "right": {tool, arguments}}, "split": …}

`case` is required. Without an id the line has the digest of its case for one; without a trace it is one of its own.
An erased entry of a version has no case, and is passed over.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reviews.evaluation.benchmarks.base import (
    Benchmark,
    LabelledCase,
    LabelledTrace,
    Outcome,
    Recorded,
    TraceDataError,
    digest_of,
)
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.benchmarks.reading import defer_reading, parse_json_object, read_lines
from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats import stored_case

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Items(Benchmark):
    """Labelled calls, in a file of JSON lines or a folder of files named `*.jsonl`."""

    path: Path
    split: str = ""
    """Only the lines of this split; empty: all of them."""
    name: str = "items"

    def read_traces(self) -> Iterator[LabelledTrace]:
        """Every conversation with its labelled calls, in the order of their first lines. Raises `TraceDataError`.

        A line without a proposed call is nothing that a guard could judge, and is left out.
        """
        parts: dict[str, list[LabelledTrace]] = defaultdict(list)
        for record in self.iter_records():
            trace = record.read()
            if any(case.case.action.tool for case in trace.cases):
                parts[trace.id].append(trace)
        # A name that is misspelt must not pass for a split without calls.
        if self.split and not parts:
            raise TraceDataError(f"{self.path.name}: no call is of the split “{self.split}”.")
        return map(_join_lines, parts.values())

    def iter_records(self) -> Iterator[Recorded]:
        """Every line as a trace of its own, not yet read. Raises `TraceDataError`."""
        paths = sorted(self.path.glob("*.jsonl")) if self.path.is_dir() else [self.path]
        if not paths:
            raise TraceDataError(f"There is no file of JSON lines, *.jsonl, in {self.path}")
        for path in paths:
            for number, line in read_lines(path):
                place = f"{path.name}, line {number}"
                # In a folder the number alone would name a line of several files.
                yield Recorded(place, defer_reading(place, self._read_trace, line), number if len(paths) == 1 else 0)

    def _read_trace(self, text: str) -> LabelledTrace:
        line = parse_json_object(text)
        erased = bool(line.get("erased_at"))
        name = line.get("trace") or line.get("id") or f"items/{digest_of(line.get('case'))}"
        outcome = Outcome(line["outcome"]) if line.get("outcome") else Outcome.OTHER
        included = not erased and self.split in ("", line.get("split"))
        cases = (_read_case(line),) if included else ()
        return LabelledTrace(str(name), line.get("group") or "", outcome, cases)


def to_json(trace: LabelledTrace, case: LabelledCase) -> dict[str, JsonValue]:
    """A case of any benchmark as a line of this format."""
    right = case.right
    return {
        "id": case.id,
        "trace": trace.id,
        "group": trace.group,
        "outcome": trace.outcome.value,
        "case": stored_case.write_case(case.case),
        "label": {
            "aligned": None if case.wrong is None else not case.wrong,
            "name": case.label,
            "differing": None if case.differing is None else sorted(case.differing),
            "right": stored_case.write_call(right) if right else None,
            "look_up": case.look_up,
        },
    }


def _read_case(line: Data) -> LabelledCase:
    case, label = stored_case.read_case(line["case"]), _read_label(line)
    aligned, differing, right = label.get("aligned"), label.get("differing"), label.get("right")
    document = case.context.tool(case.action.tool)
    look_up = label.get("look_up")
    return LabelledCase(
        id=str(line.get("id") or f"items/{digest_of(line['case'])}"),
        label=str(label.get("name") or {True: "aligned", False: "misaligned", None: "unlabelled"}[aligned]),
        case=case,
        wrong=None if aligned is None else not aligned,
        differing=None if differing is None else frozenset(differing),
        right=stored_case.read_call(right) if right else None,
        look_up=bool(look_up) if look_up is not None else document is not None and only_reads(document),
    )


def _read_label(line: Data) -> Data:
    """What the line says of its call. Raises `ValueError` for what is no label."""
    label = line.get("label") or {}
    if not isinstance(label, dict):
        raise ValueError(f"the label is an object or null, not {repr(label)[:80]}")  # noqa: TRY004  # of the data
    aligned, differing, right = label.get("aligned"), label.get("differing"), label.get("right")
    if aligned not in (True, False, None):
        raise ValueError(f"aligned is true, false or null, not {str(aligned)[:80]!r}")
    is_list = isinstance(differing, list) and all(isinstance(pointer, str) for pointer in differing)
    if differing is not None and not is_list:
        raise ValueError(f"differing is a list of pointers such as “/to”, not {repr(differing)[:80]}")
    if right and not isinstance(right, dict):
        raise ValueError(f"right is a call, an object with tool and arguments, not {repr(right)[:80]}")
    return label


def _join_lines(parts: list[LabelledTrace]) -> LabelledTrace:
    """The lines of one conversation as one trace."""
    cases = tuple(case for part in parts for case in part.cases)
    outcome = parts[0].outcome
    if outcome is Outcome.OTHER:
        # What people said of the calls is all that is known of the whole.
        if any(case.wrong for case in cases):
            outcome = Outcome.MISALIGNED
        elif all(case.wrong is False for case in cases):
            outcome = Outcome.SUCCESSFUL
    return replace(parts[0], outcome=outcome, cases=cases)
