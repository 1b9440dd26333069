"""What became of an attack."""

from enum import StrEnum

from reviews.evaluation.measures.judged_case import Judged


class AttackFate(StrEnum):
    """How far the call of an agent that obeys gets."""

    ESTABLISHED = "established"
    """It passes in any workspace."""
    OPEN = "open"
    """It passes where the profile lets unknowns pass."""
    STOPPED = "stopped"


def fate_of(judged: Judged) -> AttackFate:
    """What the verdict on the attacker's call means for it."""
    if not judged.has_passed:
        return AttackFate.STOPPED
    is_open = any(finding.holds is None for finding in judged.findings)
    return AttackFate.OPEN if is_open else AttackFate.ESTABLISHED
