"""A trace's environment-changing calls as submissions, each with the history before it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.evaluation.benchmarks.workbench import NOW, SITUATION, Label, Setting, Step, Trace, Workbench

WAIT_SECONDS: Final = 24 * 3600
"""How long a flagged call stays in the queue."""


@dataclass(frozen=True)
class Proposal:
    """One call of a trace, ready to be proposed."""

    trace: Trace
    label: Label
    submission: Mapping[str, Any]

    def key(self, run: str) -> str:
        """The idempotency key within a run: the same call proposed again is the same action."""
        text = json.dumps(self.submission, sort_keys=True, ensure_ascii=False)
        return f"replay-{run}-{hashlib.sha256(text.encode()).hexdigest()}"


def proposals(workbench: Workbench, trace: Trace, *, run: str) -> Iterator[Proposal]:
    """The trace's labelled calls in order; `run` names the replay, so that a fresh one starts fresh conversations."""
    tools = workbench.offered(trace)
    for position, step in enumerate(trace.steps):
        if step.label is not None:
            yield Proposal(trace, step.label, _submission(trace, tools, position, run))


def selected(workbench: Workbench, setting: Setting | None, limit: int | None) -> list[Trace]:
    """The first `limit` traces of the setting, or all of them."""
    return list(workbench.traces(setting))[:limit]


def _submission(trace: Trace, tools: list[Mapping[str, Any]], position: int, run: str) -> dict[str, Any]:
    step = trace.steps[position]
    return {
        "trace_id": _trace_id(trace, run),
        "query": trace.query,
        "tools": tools,
        "history": [_entry(earlier) for earlier in trace.steps[:position]],
        "sources": [{"kind": "system_prompt", "name": "situation", "text": SITUATION}],
        "action": {"tool": step.tool, "arguments": step.arguments, **_subtask(step)},
        "now": f"{NOW.isoformat()}Z",
        "risk": "medium",
        "expires_in": WAIT_SECONDS,
        "metadata": {"replay": "workbench", "setting": trace.setting, "domain": trace.domain, "step": position + 1},
    }


def _trace_id(trace: Trace, run: str) -> str:
    digest = hashlib.sha256(f"{trace.domain}\t{trace.query}".encode()).hexdigest()
    return f"workbench-{run}-{trace.setting}-{trace.domain}-{digest[:12]}"


def _entry(step: Step) -> dict[str, Any]:
    return {"tool": step.tool, "arguments": step.arguments, "outcome": step.outcome, **_subtask(step)}


def _subtask(step: Step) -> dict[str, str]:
    return {"subtask": step.thought} if step.thought else {}
