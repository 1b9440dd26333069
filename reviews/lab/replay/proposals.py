"""A trace's environment-changing calls as submissions, each with the history before it."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.evaluation.benchmarks.workbench import NOW, SITUATION, Label, Setting, Step, Trace, Workbench

# A day: whoever replays in the evening finds the flagged calls in the queue the next morning.
WAIT_SECONDS: Final = 24 * 3600
"""How long a flagged call stays in the queue."""


@dataclass(frozen=True)
class Proposal:
    """One call of a trace, ready to be proposed."""

    trace: Trace
    label: Label
    submission: Mapping[str, Any]

    def idempotency_key(self, run: str) -> str:
        """The idempotency key within a run: the same call proposed again is the same action."""
        # Of the whole submission: after a change of the data or its reader a call is proposed anew.
        text = json.dumps(self.submission, sort_keys=True, ensure_ascii=False)
        return f"replay-{run}-{hashlib.sha256(text.encode()).hexdigest()}"


def read_proposals(workbench: Workbench, trace: Trace, *, run: str) -> Iterator[Proposal]:
    """The trace's labelled calls in order; `run` names the replay, so that a fresh one starts fresh conversations."""
    tools = workbench.offered_tools(trace)
    for position, step in enumerate(trace.steps):
        if step.label is not None:
            yield Proposal(trace, step.label, _submission_body(trace, tools, position, run))


def select_proposals(workbench: Workbench, setting: Setting | None, limit: int | None) -> list[Trace]:
    """The first `limit` traces of the setting, or all of them."""
    return list(workbench.read_traces(setting))[:limit]


def _submission_body(trace: Trace, tools: list[Mapping[str, Any]], position: int, run: str) -> dict[str, Any]:
    """The call at this position as an agent would have submitted it."""
    # Request and domain name a trace in the data, which numbers none; the digest keeps the name short enough.
    digest = hashlib.sha256(f"{trace.domain}\t{trace.query}".encode()).hexdigest()
    step = trace.steps[position]
    return {
        "trace_id": f"workbench-{run}-{trace.setting}-{trace.domain}-{digest[:12]}",
        "query": trace.query,
        "tools": tools,
        "history": [{**_call_body(earlier), "outcome": earlier.outcome} for earlier in trace.steps[:position]],
        "sources": [{"kind": "system_prompt", "name": "situation", "text": SITUATION}],
        "action": _call_body(step),
        "now": f"{NOW.isoformat()}Z",
        "risk": "medium",
        "expires_in": WAIT_SECONDS,
        "metadata": {"replay": "workbench", "setting": trace.setting, "domain": trace.domain, "step": position + 1},
    }


def _call_body(step: Step) -> dict[str, Any]:
    """A call as submissions have it, with the agent's thought as its subtask where it wrote one."""
    call = {"tool": step.tool, "arguments": step.arguments}
    return {**call, "subtask": step.thought} if step.thought else call
