"""How urgent an item of the queue is: a number from 0, of which the highest comes first."""

from collections.abc import Iterable
from typing import Final

from reviews.models import Action, Check, MisalignmentType, Risk
from reviews.provenance.detectors.severity import Severity

# Two apart, and starting above 0: an injection lifts a call by one level of risk, a retry by half of one. So does what
# makes a call grave: who rates no call leaves all of them at one level.
_OF_RISK: Final = {Risk.LOW: 2, Risk.MEDIUM: 4, Risk.HIGH: 6}
ESCALATED_PRIORITY: Final = 9
"""Of what a reviewer escalated, the highest that the database allows: no risk, injection or retry ranks above it."""


def priority_of(action: Action, objecting: Iterable[Check], severity: Severity | None) -> int:
    """The priority of an action to which these checks object: 9 at most, 6 for the risk, 1 for being grave where the
    risk is not high, 2 for an injection, 1 for a retry.
    """
    is_injected = any(check.misalignment == MisalignmentType.INJECTION for check in objecting)
    # A high risk counts in full already.
    is_grave = severity is not None and action.risk != Risk.HIGH
    return _OF_RISK[Risk(action.risk)] + is_grave + 2 * is_injected + (action.attempt > 1)
