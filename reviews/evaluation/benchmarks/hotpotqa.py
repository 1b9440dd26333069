"""ReAct's runs on HotPotQA: each given answer as a case.

Reads the text log as its authors published it, with `labels.jsonl` beside (see the NOTICE). The answer is the critical
action of the InferAct paper (section 4.1); the exact match says whether it was right.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from reviews.evaluation.benchmarks.base import (
    Benchmark,
    LabelledCase,
    LabelledTrace,
    Outcome,
    Recorded,
    TraceDataError,
    digest_of,
)
from reviews.evaluation.benchmarks.reading import defer_reading, read_json_lines, read_text
from reviews.provenance.core.context import Case, Context, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.detectors.critical_actions import CriticalAction

LOG: Final = "react_hotpotqa_log.txt"
LABELS: Final = "labels.jsonl"

_EPISODE: Final = re.compile(r"^### trial \d+ \| \w+\nQuestion: ", re.MULTILINE)
# An observation may hold line ends of its own: only the next numbered line ends it.
_LINE: Final = re.compile(r"^(Thought|Action|Observation) \d+: ", re.MULTILINE)
_ACTION: Final = re.compile(r"(?P<tool>\w+)\[(?P<given>.*)\]", re.DOTALL)
_ANSWER: Final = "Finish"
_OUTCOMES: Final = {"successful": Outcome.SUCCESSFUL, "failed": Outcome.MISALIGNED, "halted": Outcome.HALTED}


def _text_tool(name: str, description: str, parameter: str, *, changing: bool = False) -> ToolDoc:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return ToolDoc(name, description, schema, environment_changing=changing)


# The log publishes no documents: these say what its three actions can do.
TOOLS: Final = (
    _text_tool("Search", "Opens the encyclopedia's page on an entity, or names similar entities.", "entity"),
    _text_tool("Lookup", "Finds the next sentence with a keyword on the page that is open.", "keyword"),
    _text_tool(_ANSWER, "Gives the answer to the question and ends the task.", "answer", changing=True),
)
_PARAMETERS: Final = {tool.name: next(iter(tool.properties)) for tool in TOOLS}


@dataclass(frozen=True)
class HotPotQA(Benchmark):
    """ReAct's runs on HotPotQA, in a folder with log and labels."""

    folder: Path
    name: str = "hotpotqa"
    terminal: ClassVar[tuple[CriticalAction, ...]] = (CriticalAction(_ANSWER, terminal=True),)
    """An answer ends the task (InferAct paper, 4.1 and figure 21)."""

    def iter_records(self) -> Iterator[Recorded]:
        """Every episode, not yet read; one that was halted gave no answer and has no case. Raises `TraceDataError`."""
        _, *episodes = _EPISODE.split(read_text(self.folder / LOG))
        labels = list(read_json_lines(self.folder / LABELS))
        # Questions repeat; only the order connects an episode with its label.
        if len(labels) != len(episodes):
            raise TraceDataError(f"{LOG} holds {len(episodes)} episodes, {LABELS} knows {len(labels)} of them")
        for number, (label, episode) in enumerate(zip(labels, episodes, strict=True), start=1):
            place = f"{LABELS}, line {number}"
            yield Recorded(place, defer_reading(place, _read_episode, label, episode))


def _read_episode(label: Mapping[str, Any], episode: str) -> LabelledTrace:
    """One episode. Raises `ValueError` and its like where it is not as described."""
    question, _, log = episode.partition("\n")
    if question.strip() != label["question"].strip():
        raise ValueError(f"the episode asks {question[:80]!r}, its label {label['question'][:80]!r}")
    name, outcome = f"hotpotqa/{label['trial']}/{digest_of(question)}", _OUTCOMES[label["status"]]
    turns = list(_read_turns(log))
    last = turns[-1]
    if not isinstance(last, Step) or last.tool != _ANSWER:
        if outcome is not Outcome.HALTED:
            raise ValueError("the episode has a verdict and does not end with an answer")
        return LabelledTrace(name, "hotpotqa", outcome, ())
    case = Case(Context(question.strip(), TOOLS, tuple(turns[:-1])), ProposedAction(last.tool, last.arguments))
    right = ProposedAction(_ANSWER, {"answer": label["correct_answer"]})
    labelled = LabelledCase(f"{name}/{len(turns)}", label["status"], case, outcome is Outcome.MISALIGNED, right=right)
    return LabelledTrace(name, "hotpotqa", outcome, (labelled,))


def _read_turns(log: str) -> Iterator[Step | Message]:
    """What the agent thought and did, with what it observed."""
    _, *parts = _LINE.split(log)
    lines = list(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
    for position, (kind, text) in enumerate(lines):
        if kind == "Thought":
            yield Message("assistant", text)
        if kind != "Action":
            continue
        action = _ACTION.fullmatch(text)
        if action is None:
            raise ValueError(f"{text[:80]!r} is no action")
        following = lines[position + 1] if position + 1 < len(lines) else ("", "")
        observed = following[1] if following[0] == "Observation" else None
        yield Step(action["tool"], {_PARAMETERS.get(action["tool"], "input"): action["given"]}, observed)
