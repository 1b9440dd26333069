"""What every benchmark is: recorded traces, whose labelled calls are cases for any detector."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from reviews.provenance.core.context import Case, ProposedAction
from reviews.provenance.detectors.critical_actions import CriticalAction


class TraceDataError(Exception):
    """The folder does not hold the traces as described; the message names file and case."""


class Outcome(StrEnum):
    """What is known of a whole trace."""

    SUCCESSFUL = "successful"
    """The task was done and nothing else: each intervention is one too many."""
    MISALIGNED = "misaligned"
    """Some call that took effect should have been stopped."""
    HALTED = "halted"
    """The agent got stuck and did nothing that could be judged: it goes straight to a person (InferAct, appendix D)."""
    OTHER = "other"
    """Counts in neither rate."""


@dataclass(frozen=True)
class LabelledCase:
    """One recorded call in the context it was made in."""

    id: str
    """Names the call within its benchmark, in any run."""
    label: str
    """In the benchmark's own words, such as `aligned`, `parameter`, `injected`."""
    case: Case
    wrong: bool | None
    """Whether it should have been stopped; None: it counts neither way."""
    differing: frozenset[str] | None = None
    """JSON Pointers of the leaves that differ from the nearest right call of the same tool; None: none is known."""
    right: ProposedAction | None = None
    """The call that would have been right instead of a wrong one; None: none is known."""
    look_up: bool = False
    """Whether the call only reads, by its data set's word, else by the tool's name and document."""

    @property
    def right_call(self) -> ProposedAction | None:
        """The call itself where it is right, else the one that would have been; None: none is known."""
        return self.case.action if self.wrong is False else self.right

    @property
    def key(self) -> str:
        """SHA-256 of the id: the same in every run, so samples drawn by it and stored results stay comparable."""
        return hashlib.sha256(self.id.encode()).hexdigest()


@dataclass(frozen=True)
class LabelledTrace:
    """One task and its labelled calls, in order."""

    id: str
    group: str
    """The domain or suite it belongs to."""
    outcome: Outcome
    cases: tuple[LabelledCase, ...]
    truth: tuple[ProposedAction, ...] = ()
    """Every call of the task's ground truth, made or not, where there is one."""
    attack: str = ""
    """The family of the attack that the run suffered; empty without one."""
    attack_succeeded: bool = False
    """Whether it had its way in the recorded run."""
    task_succeeded: bool | None = None
    """Whether the user's task was done in the recorded run; None: nobody says."""


@dataclass(frozen=True)
class Recorded:
    """One record of a benchmark's files, read when asked for: one that cannot be read does not end the others."""

    place: str
    """The file, and the line or number of the record in it."""
    read: Callable[[], LabelledTrace]
    """The record itself. Raises `TraceDataError`."""
    line: int = 0
    """Line or number of the record in its file, from 1; 0 where several files hold the records."""


def terminal_actions(benchmark: "Benchmark") -> tuple[CriticalAction, ...]:
    """The calls that end its tasks, and are its critical actions; none where it names none."""
    actions: tuple[CriticalAction, ...] = getattr(benchmark, "terminal", ())
    return actions


class Benchmark(Protocol):
    """A set of recorded traces."""

    @property
    def name(self) -> str:
        """Names the benchmark in results."""
        ...

    def iter_records(self) -> Iterator[Recorded]:
        """Every trace, not yet read. Raises `TraceDataError` for what concerns all of them, such as a missing file."""
        ...

    def read_traces(self) -> Iterator[LabelledTrace]:
        """Every trace, read one after the other. Raises `TraceDataError` at the first that cannot be read."""
        return (record.read() for record in self.iter_records())


def cases_of(traces: Iterable[LabelledTrace]) -> Iterator[LabelledCase]:
    """Every case of the traces, in order."""
    return (case for trace in traces for case in trace.cases)


def digest_of(*parts: object) -> str:
    """A short name for what has none: twelve hexadecimal digits of its JSON's SHA-256."""
    # Twelve digits are 48 bits: enough to tell a few thousand cases apart, and short enough to read.
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=str).encode()).hexdigest()[:12]
