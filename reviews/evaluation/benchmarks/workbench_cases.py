"""WorkBench's labelled calls as cases, each compared with the ground truth."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property, partial
from typing import Final

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
from reviews.evaluation.benchmarks.compare_calls import differing_leaves, nearest_call
from reviews.evaluation.benchmarks.workbench import NOW, SITUATION, Label, Setting, Trace, Workbench
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind

# How the ground truth prints a call.
_CALL: Final = re.compile(r"(?P<tool>[\w.]+)\.func(?P<arguments>\(.*\))", re.S)


@dataclass(frozen=True)
class WorkbenchCases(Benchmark):
    """The environment-changing calls of GPT-4's traces."""

    folder: Workbench
    setting: Setting | None = None
    """One of the two settings; both by default."""
    clock: bool = True
    """Whether a case says when it happened; the situation's text says it in any case."""
    published_split: bool = False
    """Whether traces are told apart as by the ProvenanceGuard paper (5.1.1): misaligned is each with a deviating call
    that changes the environment, refused or not, task-successful all others that have such a call."""

    @property
    def name(self) -> str:
        """`workbench`, with the setting."""
        return f"workbench-{self.setting or 'both'}"

    def iter_records(self) -> Iterator[Recorded]:
        """Every trace, not yet read, those without such a call too. Raises `TraceDataError`."""
        for place, read in self.folder.iter_records(self.setting):
            yield Recorded(place, partial(self._label_trace, read))

    def _label_trace(self, read: Callable[[], Trace]) -> LabelledTrace:
        trace = read()
        # Another name without the clock: its results must not be taken for those with it.
        benchmark = "workbench" if self.clock else "workbench-no-clock"
        name = f"{benchmark}/{trace.setting}/{trace.domain}/{digest_of(trace.query)}"
        outcome = _published_outcome(trace) if self.published_split else _outcome_of(trace)
        truth = self._right_calls.get((trace.domain, trace.query), ())
        return LabelledTrace(name, trace.domain, outcome, tuple(self._label_cases(name, trace, truth)), truth)

    def _label_cases(self, name: str, trace: Trace, truth: Sequence[ProposedAction]) -> Iterator[LabelledCase]:
        for position, step in enumerate(trace.steps):
            if step.label is None:
                continue
            case = self.build_case(trace, position)
            right = [call.arguments for call in truth if call.tool == step.tool]
            yield LabelledCase(
                id=f"{name}/{position + 1}",
                label=step.label.kind,
                case=case,
                wrong=not step.label.is_aligned if self.published_split else _is_wrong(step.label),
                differing=differing_leaves(step.arguments, right),
                right=nearest_call(case.action, truth),
            )

    def build_case(self, trace: Trace, position: int) -> Case:
        """The call at the position, counted from 0, with everything before it."""
        step = trace.steps[position]
        past = (
            Step(earlier.tool, earlier.arguments, earlier.outcome, earlier.thought or None)
            for earlier in trace.steps[:position]
        )
        context = Context(
            query=trace.query,
            tools=tuple(ToolDoc(**document) for document in self.folder.offered_tools(trace)),
            history=tuple(past),
            extra=(NamedText(SourceKind.SYSTEM_PROMPT, "situation", SITUATION),),
            now=NOW.replace(tzinfo=UTC) if self.clock else None,
        )
        return Case(context, ProposedAction(step.tool, step.arguments, step.thought or None))

    @cached_property
    def _right_calls(self) -> Mapping[tuple[str, str], tuple[ProposedAction, ...]]:
        """Each task's ground-truth calls, by domain and query."""
        return {
            task: tuple(_parse_call(text, place=f"{task}") for text in calls)
            for task, calls in self.folder.ground_truth.items()
        }


def _outcome_of(trace: Trace) -> Outcome:
    # A trace that failed without a call that took effect gives a guard nothing to stop.
    failed = Outcome.MISALIGNED if trace.is_misaligned else Outcome.OTHER
    return Outcome.SUCCESSFUL if trace.successful else failed


def _published_outcome(trace: Trace) -> Outcome:
    labels = [step.label for step in trace.steps if step.label]
    if not labels:
        return Outcome.OTHER
    return Outcome.SUCCESSFUL if all(label.is_aligned for label in labels) else Outcome.MISALIGNED


def _is_wrong(label: Label) -> bool | None:
    """Whether the call should have been stopped. A deviating one that the sandbox refused did no harm."""
    if label.is_aligned:
        return False
    return True if label.accepted else None


def _parse_call(text: str, *, place: str) -> ProposedAction:
    """A call of the ground truth. Raises `TraceDataError`."""
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise TraceDataError(f"{place}: the ground truth {text!r} is no call")
    try:
        # A call with keywords alone reads as an object of them.
        arguments = python_literals.parse_literal(f"call{match['arguments']}")
    except python_literals.UnreadableLiteralError as error:
        raise TraceDataError(f"{place}: {error}") from error
    return ProposedAction(match["tool"], arguments)
