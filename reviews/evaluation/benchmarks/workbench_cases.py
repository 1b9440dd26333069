"""WorkBench's labelled calls as cases, each compared with the ground truth."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any

from reviews.evaluation.benchmarks import python_literals
from reviews.evaluation.benchmarks.base import LabelledCase, LabelledTrace, Outcome, TraceDataError, digest_of
from reviews.evaluation.benchmarks.compare_calls import differing, nearest
from reviews.evaluation.benchmarks.workbench import NOW, SITUATION, Label, Setting, Step, Trace, Workbench
from reviews.provenance.core import context
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, SourceKind, ToolDoc

_CALL = re.compile(r"(?P<tool>[\w.]+)\.func(?P<arguments>\(.*\))", re.S)

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class WorkbenchCases:
    """The environment-changing calls of GPT-4's traces."""

    folder: Workbench
    setting: Setting | None = None
    """One of the two settings; both by default."""
    clock: bool = True
    """Whether a case says when it happened; the situation's text says it in any case."""

    @property
    def name(self) -> str:
        """`workbench`, with the setting."""
        return f"workbench-{self.setting or 'both'}"

    def traces(self) -> Iterator[LabelledTrace]:
        """Every trace, those without such a call too. Raises `TraceDataError`."""
        return map(self._labelled, self.folder.traces(self.setting))

    def _labelled(self, trace: Trace) -> LabelledTrace:
        named = f"workbench/{trace.setting}/{trace.domain}/{digest_of(trace.query)}"
        outcome = Outcome.SUCCESSFUL if trace.successful else Outcome.MISALIGNED if trace.misaligned else Outcome.OTHER
        truth = tuple(self._truth(trace))
        return LabelledTrace(named, trace.domain, outcome, tuple(self._cases(named, trace, truth)), truth)

    def _truth(self, trace: Trace) -> Iterator[ProposedAction]:
        for tool, calls in self._right.get((trace.domain, trace.query), {}).items():
            yield from (ProposedAction(tool, arguments) for arguments in calls)

    def _cases(self, named: str, trace: Trace, truth: Sequence[ProposedAction]) -> Iterator[LabelledCase]:
        right = self._right.get((trace.domain, trace.query), {})
        for position, step in enumerate(trace.steps):
            if step.label is not None:
                case = self.case(trace, position)
                yield LabelledCase(
                    id=f"{named}/{position + 1}",
                    label=step.label.kind,
                    case=case,
                    wrong=_wrong(step.label),
                    differing=differing(step.arguments, right.get(step.tool, ())),
                    right=nearest(case.action, truth),
                )

    def case(self, trace: Trace, position: int) -> Case:
        """The call at the position, counted from 0, with everything before it."""
        step = trace.steps[position]
        read = Context(
            query=trace.query,
            tools=tuple(ToolDoc(**document) for document in self.folder.offered(trace)),
            history=tuple(map(_finished, trace.steps[:position])),
            extra=(NamedText(SourceKind.SYSTEM_PROMPT, "situation", SITUATION),),
            now=NOW.replace(tzinfo=UTC) if self.clock else None,
        )
        return Case(read, ProposedAction(step.tool, step.arguments, step.thought or None))

    @cached_property
    def _right(self) -> Mapping[tuple[str, str], Mapping[str, Sequence[Arguments]]]:
        """The arguments of each task's ground-truth calls, by tool."""
        return {task: _by_tool(calls, task) for task, calls in self.folder.ground_truth.items()}


def _wrong(label: Label) -> bool | None:
    """A deviating call that the sandbox refused did no harm."""
    return None if not label.aligned and not label.accepted else not label.aligned


def _finished(step: Step) -> context.Step:
    return context.Step(step.tool, step.arguments, step.outcome, step.thought or None)


def _by_tool(calls: Sequence[str], task: tuple[str, str]) -> Mapping[str, Sequence[Arguments]]:
    found: dict[str, list[Arguments]] = {}
    for call in calls:
        hit = _CALL.fullmatch(call.strip())
        if hit is None:
            raise TraceDataError(f"{task}: the ground truth {call!r} is no call")
        found.setdefault(hit["tool"], []).append(_arguments(hit["arguments"], task))
    return found


def _arguments(text: str, task: tuple[str, str]) -> Arguments:
    try:
        # A call with keywords alone reads as an object of them.
        read: Arguments = python_literals.parse(f"call{text}")
    except python_literals.UnreadableLiteralError as error:
        raise TraceDataError(f"{task}: {error}") from error
    return read
