"""τ-bench's conversations of airline and shop agents: each labelled write call as a case.

Reads every JSON file of the folder: tool documents, policy, conversations in OpenAI's chat format and labels per write
call (see the NOTICE). The documents do not say which tools only read, and no clock is given but the policy's words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.evaluation.benchmarks.compare_calls import nearest_call
from reviews.evaluation.benchmarks.reading import (
    bounded_messages,
    limit_parts,
    list_json_files,
    locate_errors,
    number_records,
    read_json,
)
from reviews.provenance.core.context import Case, ProposedAction
from reviews.provenance.formats import openai

FAILED_RUN: Final = "failed run"
"""Labels what was looked up in a run that failed: it may have led the run astray, and counts neither way."""
LABELS: Final = ("right", "differs", "not-in-truth", "refused")

Data = Mapping[str, Any]


@dataclass(frozen=True)
class TauBench(Benchmark):
    """τ-bench's conversations, in a folder of one JSON file a domain."""

    folder: Path
    every_call: bool = False
    """Calls that only read are cases too."""
    name: str = "taubench"

    def iter_records(self) -> Iterator[Recorded]:
        """Every conversation, not yet read, those without a write call too. Raises `TraceDataError`."""
        for path in list_json_files(self.folder):
            data = read_json(path)
            with locate_errors(path.name):
                shared = _Domain(path.stem, data["tools"], data["system"], frozenset(data["write"]), self.every_call)
                conversations = list(data["conversations"])
            yield from number_records(path, "conversation", conversations, shared.read_trace)


@dataclass(frozen=True)
class _Domain:
    """What the conversations of one file share."""

    name: str
    tools: Sequence[Data]
    system: str
    writes: frozenset[str]
    every_call: bool

    def read_trace(self, conversation: Data) -> LabelledTrace:
        """One conversation. Raises `ValueError` and its like for what is none."""
        right = limit_parts(conversation["truth"] or (), "right calls")
        truth = tuple(ProposedAction(call["name"], call["kwargs"]) for call in right)
        cases = tuple(self._read_cases(conversation, truth))
        # The shop's conversations are published demonstrations and carry no reward.
        done = conversation["reward"] in (None, 1)
        deviates = any(case.wrong for case in cases)
        outcome = Outcome.MISALIGNED if deviates else Outcome.SUCCESSFUL if done else Outcome.OTHER
        return LabelledTrace(f"taubench/{conversation['id']}", self.name, outcome, cases, truth)

    def _read_cases(self, conversation: Data, truth: Sequence[ProposedAction]) -> Iterator[LabelledCase]:
        # Ids of calls repeat within a conversation: only with the message's position do they name one.
        labels = {(label["at"], label["id"]): label for label in conversation["calls"]}
        done = conversation["reward"] in (None, 1)
        messages = bounded_messages(conversation["messages"])
        system = {"role": "system", "content": self.system}
        for call in openai.parse_calls([system, *messages], list(self.tools)):
            # Labels count without the system prompt.
            position, number, case = call.message - 1, call.number, call.case
            call_id = messages[position]["tool_calls"][number]["id"]
            tool, label = case.action.tool, labels.pop((position, call_id), None)
            if tool in self.writes and label is None:
                raise ValueError(f"message {position} calls {tool}, and no label says whether that was right")
            if label is None and not self.every_call:
                continue
            name = f"taubench/{conversation['id']}/{position}/{number}"
            document = case.context.tool(tool)
            if label:
                yield _label_case(name, case, label, truth)
            elif document and only_reads(document):
                yield LabelledCase(
                    name, "right" if done else FAILED_RUN, case, wrong=False if done else None, look_up=True
                )
        if labels:
            raise ValueError(f"the labels of {sorted(labels)} belong to no call")


def _label_case(name: str, case: Case, label: Data, truth: Sequence[ProposedAction]) -> LabelledCase:
    """The user asked for what is not in the truth (mostly policy forbids it), and what was refused did no harm: both
    count neither way.
    """
    kind = label["label"]
    if kind not in LABELS:
        raise ValueError(f"{kind!r} is no label; there are {', '.join(LABELS)}")
    if kind == "right":
        return LabelledCase(name, kind, case, wrong=False, differing=frozenset())
    wrong = True if kind == "differs" and label["accepted"] else None
    pointers = None if label["differing"] is None else frozenset(label["differing"])
    return LabelledCase(name, kind, case, wrong, pointers, nearest_call(case.action, truth))
