"""How often an agent may be sent back to its plan, and what it is told (IntentGuard paper, Algorithm 1).

The plan gate and the tool gate draw on one budget, kept with the request: R rewrites, then the agent has to stop and
tell the user; so it has at once when a plan is rejected for what it is. `Trace.rewrites` counts them over all revisions
of a conversation's past, so that an agent which tells its past differently does not start anew; R + 1 stands for an
agent that was told to stop.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.db.models import F, Q, QuerySet

from reviews.decisions.messages import one_line
from reviews.models import Action, Check, Trace, VerdictLabel
from reviews.provenance.core.findings import conclude
from reviews.provenance.detectors.intent_guard import answers, detector
from reviews.provenance.detectors.intent_guard.tool_gate import TOOL_GATE
from reviews.records import verdicts

NONE_LEFT: Final = "No rewrite is left:"
"""Before the reason for which one would have been asked."""
WENT_ON: Final = "The agent was told to stop and to tell the user, and goes on with this call."
"""Why a person looks at a call that no detector objects to."""
STOPPED_BY_GATE: Final = Q(detector=detector.NAME, verdict=VerdictLabel.MISALIGNED)
"""The checks that `advice_of` reads the stages of."""


def send_back(trace: Trace, *, allowed: int) -> bool:
    """Count that the agent is sent back to its plan. False: it was often enough already, and has to stop.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    _of_request(trace).filter(rewrites__lte=allowed).update(rewrites=F("rewrites") + 1)
    return not told_to_stop(trace, allowed=allowed)


def stop(trace: Trace, *, allowed: int) -> None:
    """The agent has to stop, whatever is left of its budget: no rewriting mends what it was about to do.

    Belongs into the transaction that makes the answer known. `trace` is brought up to date.
    """
    _of_request(trace).filter(rewrites__lte=allowed).update(rewrites=allowed + 1)
    trace.refresh_from_db(fields=["rewrites"])


def told_to_stop(trace: Trace, *, allowed: int) -> bool:
    """Whether the agent was told to stop for this request. `trace` is brought up to date."""
    trace.refresh_from_db(fields=["rewrites"])
    return trace.rewrites > allowed


def verdicts_on(action: Action, checks: Iterable[Check]) -> list[str]:
    """What each detector says of the call; the gate objects to whatever an agent does that was told to stop.

    Nobody has to heed an answer to a plan: without this, a call that looks harmless would run all the same.
    """
    return [VerdictLabel.MISALIGNED if _is_gate(check) and _goes_on(action) else check.verdict for check in checks]


def count_stopped(action: Action, objecting: Iterable[Check]) -> None:
    """Count a call that the tool gate stopped. Belongs into the transaction that stops it, once for each action.

    What the plan gate said again about a plan at a call of it was counted when the plan was submitted.
    """
    stages = (stage for check in objecting if _is_gate(check) for stage in verdicts.readable(check.stages))
    if any(stage.stage == TOOL_GATE and stage.misalignment for stage in stages):
        send_back(action.trace, allowed=action.profile.rewrites)


def advice_of(action: Action, checks: Iterable[Check]) -> str:
    """What the gate that stopped the call asks of the agent's planner, in one line; empty where none did."""
    stopping = next((check for check in checks if _is_gate(check) and check.verdict == VerdictLabel.MISALIGNED), None)
    if stopping is None:
        return ""
    if action.trace.rewrites > action.profile.rewrites:
        return one_line(f"Stop and tell the user. {NONE_LEFT} {stopping.reason}")
    return one_line(answers.advice_of(conclude(tuple(verdicts.readable(stopping.stages)))) or "")


def _of_request(trace: Trace) -> QuerySet[Trace]:
    """The revisions of the conversation's past that begin with the same request, held until the transaction ends."""
    revisions = Trace.objects.filter(workspace=trace.workspace_id, external_id=trace.external_id)
    _hold(revisions)
    return revisions.filter(query=trace.query_id)


def _hold(revisions: QuerySet[Trace]) -> None:
    """Lock every revision until the transaction ends, so that none is missed.

    Whoever opens another one holds the newest. All are locked in one order, so that two who count cannot block each
    other.
    """
    in_order = revisions.select_for_update(no_key=True).order_by("revision").values_list("pk", flat=True)
    held: list[UUID] = []
    while (found := list(in_order.all())) != held:
        held = found


def _goes_on(action: Action) -> bool:
    return told_to_stop(action.trace, allowed=action.profile.rewrites)


def _is_gate(check: Check) -> bool:
    return check.detector == detector.NAME
