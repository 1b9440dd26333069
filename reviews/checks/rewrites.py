"""What becomes of a call that IntentGuard stopped, and the advice its agent gets (IntentGuard paper, Algorithm 1).

`decisions.rewrite_budget` keeps the count of rewrites.
"""

from collections.abc import Iterable
from typing import Final

from django.db.models import Q

from reviews.decisions import rewrite_budget
from reviews.decisions.messages import one_line
from reviews.models import Action, Check, VerdictLabel
from reviews.provenance.core.verdicts import conclude_stages
from reviews.provenance.detectors.intent_guard import answers, detector
from reviews.provenance.detectors.intent_guard.gates import TOOL_GATE
from reviews.records import verdicts

NONE_LEFT: Final = "No rewrite is left:"
"""Stands before the reason for which a rewrite would have been asked."""
STOPPED_BY_GATE: Final = Q(detector=detector.NAME, verdict=VerdictLabel.MISALIGNED)
"""The checks that `advice_of` reads the stages of."""


def verdicts_on(action: Action, checks: Iterable[Check]) -> list[str]:
    """The label of every check, but that the gate objects to any call of an agent that was told to stop."""
    # An agent can ignore the answer to its plan. Without this, its next call would run if it looks harmless by itself.
    return [
        VerdictLabel.MISALIGNED
        if check.detector == detector.NAME
        and rewrite_budget.is_told_to_stop(action.trace, allowed=action.profile.rewrites)
        else check.verdict
        for check in checks
    ]


def count_stopped(action: Action, objecting: Iterable[Check]) -> bool:
    """Count a call that the tool gate stopped. Belongs into the transaction that stops it, once for each action.

    An objection of the plan gate at a call was counted when the plan was submitted. Returns whether it was counted.
    """
    gates = (check for check in objecting if check.detector == detector.NAME)
    stages = (stage for check in gates for stage in verdicts.read_stages(check.stages))
    if not any(stage.stage == TOOL_GATE and stage.misalignment for stage in stages):
        return False
    return rewrite_budget.count_rewrite(action.trace, allowed=action.profile.rewrites)


def is_asked_by_gate_alone(objecting: Iterable[Check]) -> bool:
    """Whether nothing is wrong with the call but that the tool gate wants another plan."""
    checks = list(objecting)
    stages = [stage for check in checks for stage in verdicts.read_stages(check.stages) if stage.misalignment]
    return (
        bool(stages)
        and all((check.detector, check.verdict) == (detector.NAME, VerdictLabel.MISALIGNED) for check in checks)
        and all(stage.stage == TOOL_GATE for stage in stages)
    )


def advice_of(action: Action, checks: Iterable[Check]) -> str:
    """What the gate that stopped the call asks of the agent's planner, in one line; empty where none did."""
    stopped = (check for check in checks if (check.detector, check.verdict) == (detector.NAME, VerdictLabel.MISALIGNED))
    stopping = next(stopped, None)
    if stopping is None:
        return ""
    if action.trace.rewrites > action.profile.rewrites:
        return one_line(f"Stop and tell the user. {NONE_LEFT} {stopping.reason}")
    return one_line(answers.advice_of(conclude_stages(tuple(verdicts.read_stages(stopping.stages)))) or "")
