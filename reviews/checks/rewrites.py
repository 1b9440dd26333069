"""How often an agent may be sent back to its plan, and the advice it gets then (IntentGuard paper, Algorithm 1).

The plan gate and the tool gate draw on one budget, kept with the request: R rewrites, then the agent has to stop and
tell the user; so it has at once when a plan is rejected for what it is. `Trace.rewrites` counts them over all revisions
of a conversation's past, so that an agent which tells its past differently does not start anew; R + 1 stands for an
agent that was told to stop.
"""

from collections.abc import Iterable
from typing import Final

from django.db.models import F, Q

from reviews.decisions import locking
from reviews.decisions.messages import one_line
from reviews.models import Action, Check, Trace, VerdictLabel
from reviews.provenance.core.findings import conclude
from reviews.provenance.detectors.intent_guard import answers, detector
from reviews.provenance.detectors.intent_guard.tool_gate import TOOL_GATE
from reviews.records import verdicts

NONE_LEFT: Final = "No rewrite is left:"
"""Stands before the reason for which a rewrite would have been asked."""
STOPPED_BY_GATE: Final = Q(detector=detector.NAME, verdict=VerdictLabel.MISALIGNED)
"""The checks that `advice_of` reads the stages of."""


def send_back(trace: Trace, *, allowed: int) -> bool:
    """Count that the agent is sent back to its plan. False when no rewrite is left, so that it has to stop.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    # Up to one more than allowed, which stands for an agent that was told to stop.
    of_request = locking.lock_revisions(trace).filter(query=trace.query_id)
    of_request.filter(rewrites__lte=allowed).update(rewrites=F("rewrites") + 1)
    return not told_to_stop(trace, allowed=allowed)


def stop(trace: Trace, *, allowed: int) -> None:
    """Note that the agent has to stop, whatever is left of its budget: rewriting cannot mend a harmful plan.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    of_request = locking.lock_revisions(trace).filter(query=trace.query_id)
    of_request.filter(rewrites__lte=allowed).update(rewrites=allowed + 1)
    trace.refresh_from_db(fields=["rewrites"])


def told_to_stop(trace: Trace, *, allowed: int) -> bool:
    """Whether the agent was told to stop for this request. `trace` is brought up to date."""
    trace.refresh_from_db(fields=["rewrites"])
    return trace.rewrites > allowed


def verdicts_on(action: Action, checks: Iterable[Check]) -> list[str]:
    """The label of every check, but that the gate objects to any call of an agent that was told to stop."""
    # An agent can ignore the answer to its plan. Without this, its next call would run if it looks harmless by itself.
    return [
        VerdictLabel.MISALIGNED
        if check.detector == detector.NAME and told_to_stop(action.trace, allowed=action.profile.rewrites)
        else check.verdict
        for check in checks
    ]


def count_stopped(action: Action, objecting: Iterable[Check]) -> None:
    """Count a call that the tool gate stopped. Belongs into the transaction that stops it, once for each action.

    An objection of the plan gate at a call was counted when the plan was submitted.
    """
    gates = (check for check in objecting if check.detector == detector.NAME)
    stages = (stage for check in gates for stage in verdicts.read_stages(check.stages))
    if any(stage.stage == TOOL_GATE and stage.misalignment for stage in stages):
        send_back(action.trace, allowed=action.profile.rewrites)


def advice_of(action: Action, checks: Iterable[Check]) -> str:
    """What the gate that stopped the call asks of the agent's planner, in one line; empty where none did."""
    stopped = (check for check in checks if (check.detector, check.verdict) == (detector.NAME, VerdictLabel.MISALIGNED))
    stopping = next(stopped, None)
    if stopping is None:
        return ""
    if action.trace.rewrites > action.profile.rewrites:
        return one_line(f"Stop and tell the user. {NONE_LEFT} {stopping.reason}")
    return one_line(answers.advice_of(conclude(tuple(verdicts.read_stages(stopping.stages)))) or "")
